#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# `make demo`: it shows what it promises, cleans up however it ends, and says what is missing.

. "$(dirname "$0")/../lib.sh"

demo=$ROOT/tools/demo/host
# it must be readable by whoever has no rights
chmod 755 "$TEST_TMP"

refuses "not built" 1 "build it with 'make'" env BUILD="$TEST_TMP/nothing" "$demo"
need_root "demo"
need "demo" jq losetup mkfs.xfs mkfs.ext4 setpriv
refuses "not root" 1 "needs root" setpriv --reuid 65534 --regid 65534 --clear-groups "$demo"

mkdir "$TEST_TMP/bin" "$TEST_TMP/tmp"
printf '#!/bin/sh\necho "losetup: cannot find an unused loop device" >&2\nexit 1\n' >"$TEST_TMP/bin/losetup"
chmod 755 "$TEST_TMP/bin/losetup"
PATH=$TEST_TMP/bin:$PATH refuses "no loop device" 1 "no loop device: .*unused" env TMPDIR="$TEST_TMP/tmp" "$demo"
is "no loop device, nothing left" "$(ls "$TEST_TMP/tmp")" ""

# left: mounts, loop devices and files of the demonstration
left() {
	grep -o "$TEST_TMP/tmp[^ ]*" /proc/self/mountinfo
	losetup -nO BACK-FILE | grep "$TEST_TMP/tmp"
	ls "$TEST_TMP/tmp"
}

TMPDIR=$TEST_TMP/tmp "$demo" >"$TEST_TMP/out" 2>"$TEST_TMP/err"
status=$?
if grep -q "no RWF_DONTCACHE\|no dontcache" "$TEST_TMP/err"; then
	skip "demo" "$(head -n 1 "$TEST_TMP/err")"
	finish
fi
[ "$status" -eq 0 ] || cat "$TEST_TMP/out"
is "demo, status" "$status $(cat "$TEST_TMP/err")" "0 "
is "demo, nothing left" "$(left)" ""
for fs in xfs ext4; do
	for scenario in append overwrite read; do
		like "demo, $fs, $scenario" "$(grep "^$fs  *$scenario " "$TEST_TMP/out")" " yes$"
	done
done
is "demo, reports" "$(grep -c '^dropbehind on ' "$TEST_TMP/out") $(grep -c '^What this says' "$TEST_TMP/out")" "2 2"

# Interrupted in the middle.
TMPDIR=$TEST_TMP/tmp setsid "$demo" >"$TEST_TMP/out" 2>&1 &
demo_pid=$!
for ((i = 0; i < 300; i++)); do
	grep -q "$TEST_TMP/tmp" /proc/self/mountinfo && break
	sleep 0.1
done
kill -TERM "-$demo_pid"
wait "$demo_pid"
is "demo, ended by SIGTERM" "$?" 143
is "demo, ended by SIGTERM, nothing left" "$(left)" ""
finish
