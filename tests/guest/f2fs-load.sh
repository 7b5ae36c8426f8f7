#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 600
#
# kernel/load-module: loads, replaces, and refuses with one line what cannot be loaded.

. "$(dirname "$0")/../lib.sh"

need_root "load-module"
# Two builds that the other tests need as well.
one=$("$ROOT/kernel/build-module" -q -k 7.3 -p "$ROOT/tests/guest/fixtures/f2fs-naive-7.3.patch" -n naive f2fs) &&
	real=$("$ROOT/kernel/build-module" -q -k 7.3 f2fs) ||
	{ not_ok "load-module" "a module does not build"; finish; }
load=$ROOT/kernel/load-module
refuses "load-module, nothing named" 2 "name one module file" "$load"
refuses "load-module, no such file" 2 "no file /nonexistent.ko" "$load" /nonexistent.ko
refuses "load-module, no module" 2 "is not a kernel module" "$load" "$ROOT/LICENSE"
[ "$(uname -r)" = "$(modinfo -F vermagic "$real" | cut -d' ' -f1)" ] ||
	refuses "load-module, for another kernel" 2 "f2fs.ko is for kernel 7.3.*, this is .*: make f2fs-module KVER=" \
		"$load" "$real"
"$ROOT/tools/guest/guest" -q -k 7.3 -t 300 -d virtio:256 -e SRC="$ROOT" -e TEST_TMP=/tmp -- \
	"$ROOT/tests/guest/fixtures/f2fs-load-guest" "$load" "$one" "$real" >"$TEST_TMP/lines"
status=$?
while read -r line; do
	case $line in
	"ok - "*) ok "load-module, ${line#ok - }" ;;
	"not ok - "*) line=${line#not ok - }; not_ok "load-module, ${line%%: *}" "${line#*: }" ;;
	esac
done <"$TEST_TMP/lines"
[ "$status" -le 1 ] || not_ok "load-module, guest" "it exited with $status"
finish
