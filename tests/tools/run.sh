#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 120
#
# The test runner itself: what must make it fail, does.

. "$(dirname "$0")/../lib.sh"

T=$TEST_TMP/tests
B=$TEST_TMP/build
mkdir -p "$T/unit" "$T/host" "$T/guest" "$B"

# Makes test $1 with the shell lines on stdin.
put() {
	{
		printf '#!/usr/bin/env bash\n'
		cat
	} >"$T/$1"
	chmod +x "$T/$1"
}

# Runs the tests named; sets out, last, status.
run() {
	out=$("$ROOT/tests/run" --tests "$T" --build "$B" "$@" 2>&1)
	status=$?
	last=${out##*$'\n'}
}

put unit/good.sh <<<'echo "free text"; echo "ok - one"; echo "ok - two"'
run unit/good
is "all pass, status" "$status" 0
is "all pass, last line" "$last" "2 passed, 0 failed"
is "output of a passing test is not shown" "$(grep -c 'free text' <<<"$out")" 0
is "output of a passing test is kept" "$(grep -c 'free text' "$B/test-logs/unit-good.log")" 1

put unit/bad.sh <<<'echo "noise 17"; echo "ok - one"; echo "not ok - two: was 3"'
run unit/bad
is "failed case, status" "$status" 1
is "failed case, last line" "$last" "1 passed, 1 failed"
like "failed case, its name and reason in the list" "$out" $'failed:\n  unit/bad: two: was 3'
like "failed case, the test's output is shown" "$out" "noise 17"

put unit/silent.sh <<<'exit 0'
run unit/silent
is "no case, status" "$status" 1
like "no case, reason" "$out" "unit/silent: printed no case"
is "no case, last line" "$last" "0 passed, 1 failed"

put unit/dies.sh <<<'echo "ok - one"; exit 3'
run unit/dies
is "non-zero exit without not ok, last line" "$last" "1 passed, 1 failed"
like "non-zero exit without not ok, reason" "$out" "unit/dies: exit status 3"

put unit/hangs.sh <<<'# timeout: 1
echo "ok - one"; sleep 1000'
run unit/hangs
is "hanging test, status" "$status" 1
like "hanging test, reason" "$out" "unit/hangs: ran longer than 1 s"
is "hanging test, last line" "$last" "1 passed, 1 failed"

put unit/deaf.sh <<<'# timeout: 1
trap "" TERM; echo "ok - one"; while :; do sleep 1000; done'
run unit/deaf
is "test deaf to SIGTERM is killed" "$last" "1 passed, 1 failed"

put unit/leaves.sh <<<'echo "ok - one"; setsid sleep 987 >/dev/null 2>&1 & echo $! >"'"$TEST_TMP/left"'"; sleep 0.2'
run unit/leaves
like "process left behind is named" "$out" "unit/leaves: left processes behind: .*sleep 987"
is "process left behind fails the test" "$last" "1 passed, 1 failed"
left=$(cat "$TEST_TMP/left")
if [ -e "/proc/$left" ] && [ "$(awk '{print $3}' "/proc/$left/stat")" != Z ]; then
	not_ok "process left behind is ended" "pid $left is alive"
else
	ok "process left behind is ended"
fi

put host/skips.sh <<<'echo "skip - kprobes: this kernel has none"; echo "ok - rest"'
run host/skips
is "skip, status" "$status" 0
is "skip, last line" "$last" "1 passed, 0 failed, 1 skipped"
like "skip, reason shown" "$out" $'skipped:\n  host/skips: kprobes: this kernel has none'

put host/noreason.sh <<<'echo "skip - kprobes"'
run host/noreason
like "skip without reason is called that" "$out" "kprobes: \(no reason given\)"

put unit/noexec.sh <<<'echo "ok - one"'
chmod -x "$T/unit/noexec.sh"
run unit/noexec
like "test without run bit fails" "$out" "unit/noexec: .* is not executable"
printf '# shellcheck shell=bash\n' >"$T/host/sourced.sh"
run --list host
is "sourced file is no test" "$(grep -c sourced <<<"$out")" 0

echo 'int main(void) { return 0; }' >"$T/unit/prog.c"
run unit/prog
like "C test that was not built fails" "$out" "unit/prog: .* is missing: build it with make"
rm "$T/unit/prog.c"

put unit/unfinished.sh <<<'. "'"$ROOT"'/tests/lib.sh"; ok one'
run unit/unfinished
like "shell test without finish fails" "$out" "ended without calling finish"
put unit/unset.sh <<<'. "'"$ROOT"'/tests/lib.sh"; ok one; echo $no_such_variable; finish'
run unit/unset
is "shell test with an unset variable fails" "$last" "1 passed, 1 failed"

put guest/g.sh <<<'echo "ok - guest"'
run --list
is "order of suites" "$(grep -oE '/(unit|host|guest)/' <<<"$out" | uniq | tr -d '\n')" "/unit//host//guest/"
run --quick --list
is "quick leaves the guest out" "$(grep -c /guest/ <<<"$out")" 0

run nosuchsuite
is "unknown suite, status" "$status" 2
is "unknown suite, message" "$out" \
	"tests/run: 'nosuchsuite' is neither a suite (unit replay host tools guest) nor a test file"
mkdir "$TEST_TMP/empty"
out=$("$ROOT/tests/run" --tests "$TEST_TMP/empty" --build "$B" 2>&1)
is "nothing to run is a failure" "$?" 1

finish
