#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 1800
# The guest runner with guests: warnings of the kernel, the throw-away view, signals, a reader that goes, the shell.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/fixtures/runner-lib.sh"
cd "$ROOT/tests" || exit 1

# A warning of a module that is built here for the guest's kernel.
mkdir "$TEST_TMP/rw/warn"
cat >"$TEST_TMP/rw/warn/warn.c" <<'END'
// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>
static int __init warn_init(void)
{
	WARN(1, "asked for by a test\n");
	return 0;
}
module_init(warn_init);
MODULE_DESCRIPTION("warns when it is loaded");
MODULE_LICENSE("GPL");
END
echo 'obj-m := warn.o' >"$TEST_TMP/rw/warn/Makefile"
must "a module is built in the throw-away view of the root" "$guest" chroot -k 7.3 --rw "$TEST_TMP/rw" -- sh -c "
	make -C /lib/modules/*/build M=$TEST_TMP/rw/warn modules"
out=$("$guest" -q -t 900 --rw "$TEST_TMP/rw" -- sh -c "insmod $TEST_TMP/rw/warn/warn.ko && echo loaded" 2>"$TEST_TMP/err")
is "warning: status" $? 122
is "warning: the command went on" "$out" loaded
like "warning: named" "$(tail -n 1 "$TEST_TMP/err")" "complained: .*WARNING:"
out=$("$guest" -q -t 900 --allow-splat --rw "$TEST_TMP/rw" -- \
	sh -c "insmod $TEST_TMP/rw/warn/warn.ko && echo loaded; exit 3" 2>"$TEST_TMP/err")
is "warning allowed: status" $? 3
is "warning allowed: quiet" "$out$(cat "$TEST_TMP/err")" loaded

# A kernel that hangs before its init, here in a panic that it does not end.
out=$(DROPBEHIND_BOOT_SILENCE=10 "$guest" -q -t 900 --append "rdinit=/nonexistent root=/nonexistent panic=0" -- true 2>"$TEST_TMP/err")
is "hang at boot: status" $? 123
is "hang at boot: started again" "$(grep -c "hangs at boot, its console says nothing for 10 s: started again" "$TEST_TMP/err")" 2
like "hang at boot: named" "$(tail -n 1 "$TEST_TMP/err")" "hangs at boot, three times"
is "hang at boot: nothing is left" "$(left)" ""

# The throw-away view.
out=$("$guest" chroot -- sh -c 'echo x >/etc/made; touch ./x 2>/dev/null || echo read-only; pwd; exit 5' 2>&1)
is "chroot: status" $? 5
is "chroot: tree read-only, working directory kept" "$out" $'read-only\n'"$ROOT/tests"
is "chroot: thrown away" "$("$guest" chroot -- sh -c 'ls /etc/made 2>&1 | wc -l; cat /etc/made 2>/dev/null')" 1
is "chroot: no mount is left" "$(grep -c dropbehind/roots/view /proc/self/mounts)" 0

# Interrupted, killed, reader gone.
for signal in INT TERM; do
	# In the background SIGINT would be ignored; env restores it.
	env --default-signal=INT "$guest" -q -t 900 -- sh -c 'echo started; sleep 1000' >"$TEST_TMP/out" 2>"$TEST_TMP/err" &
	pid=$!
	for ((i = 0; i < 6000; i++)); do
		grep -q started "$TEST_TMP/out" && break
		sleep 0.1
	done
	kill -s "$signal" "$pid"
	wait "$pid"
	is "SIG$signal: status" $? "$([ $signal = INT ] && echo 130 || echo 143)"
	is "SIG$signal: nothing is left" "$(left)" ""
done
# Killed in its command, and while it boots: then its watch on the boot runs as well.
for moment in started booting; do
	"$guest" -q -t 900 -- sh -c 'echo started; sleep 1000' >"$TEST_TMP/out" 2>&1 &
	pid=$!
	for ((i = 0; i < 6000; i++)); do
		if [ "$moment" = started ]; then
			grep -q started "$TEST_TMP/out" && break
		else
			pgrep -f "$TMPDIR.*/console" >/dev/null && break
		fi
		sleep 0.1
	done
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	for ((i = 0; i < 300; i++)); do
		pgrep -f "$TMPDIR" >/dev/null || break
		sleep 0.1
	done
	is "SIGKILL, $moment: no process is left" "$(pgrep -f "$TMPDIR")" ""
	like "SIGKILL, $moment: a directory is left" "$(left)" "dropbehind-guest\..*/console"
done
out=$("$guest" -q -t 900 -- yes 2>/dev/null | head -n 1; echo "${PIPESTATUS[0]}")
is "a reader that goes away ends the guest" "$out" $'y\n141'
is "the next run removed what SIGKILL left" "$(left)" ""

# A shell, with a terminal of its own.
# seen TEXT: waits until the shell has printed TEXT; typed text does not count when it is written 'a''b'.
seen() {
	local i
	for ((i = 0; i < 6000; i++)); do
		grep -qF -- "$1" "$TEST_TMP/typescript" 2>/dev/null && return 0
		kill -0 "$pid" 2>/dev/null || return 1
		sleep 0.1
	done
	return 1
}
mkfifo "$TEST_TMP/keys"
TERM=xterm script -qefc "$guest shell -t 3000" "$TEST_TMP/typescript" <"$TEST_TMP/keys" >/dev/null 2>&1 &
pid=$!
at_end sh -c "kill $pid 2>/dev/null"
exec {keys}>"$TEST_TMP/keys"
must "shell: a prompt" seen "# "
printf 'echo $((6*7)) $(tty)\r' >&"$keys"
must "shell: it answers on a terminal" seen "42 /dev/hvc0"
printf "sh -c 'echo slee''ping; exec sleep 3000'\r" >&"$keys"
must "shell: a command runs" seen "sleeping"
printf '\003' >&"$keys"
must "shell: ^C is the guest's" seen "^C"
printf 'exit 6\r' >&"$keys"
wait "$pid"
is "shell: its exit status" $? 6
exec {keys}>&-
is "shell: nothing is left" "$(left)" ""
finish
