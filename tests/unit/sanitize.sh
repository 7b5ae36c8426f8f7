#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 900
# The unit and replay tests with address, leak and undefined-behaviour sanitizers.
. "$(dirname "$0")/../lib.sh"

san=$BUILD/sanitize
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1
export DROPBEHIND_TEST_STRIDE=${DROPBEHIND_TEST_STRIDE:-41}

# Runs one test program; its own cases count as one here.
run() {
	local name=$1
	shift
	"$@" >"$TEST_TMP/log" 2>&1
	local status=$?
	if grep -qE 'Sanitizer|runtime error' "$TEST_TMP/log"; then
		grep -vE '^ok' "$TEST_TMP/log"
		not_ok "$name" "$(grep -m1 -E 'Sanitizer|runtime error' "$TEST_TMP/log")"
	elif [ $status -ne 0 ]; then
		grep -vE '^ok' "$TEST_TMP/log"
		not_ok "$name" "exit status $status: $(grep -m1 '^not ok' "$TEST_TMP/log")"
	else
		ok "$name"
	fi
}

if [ ! -x "$san/dropbehind" ]; then
	skip "unit and replay tests under sanitizers" "not built; make tests"
	finish
fi
for program in "$san"/tests/unit/*; do
	[ -x "$program" ] && [ -f "$program" ] && run "sanitized unit/${program##*/}" "$program"
done
for script in "$ROOT"/tests/replay/*.sh; do
	[ -e "$script" ] || continue
	name=${script##*/}
	mkdir "$TEST_TMP/replay"
	run "sanitized replay/${name%.sh}" env BUILD="$san" TEST_TMP="$TEST_TMP/replay" "$script"
	rm -rf "$TEST_TMP/replay"
done
finish
