#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 900
# The unit tests and reports of recordings under valgrind: no invalid access, no uninitialised value, no leak.
. "$(dirname "$0")/../lib.sh"

need "unit and replay under valgrind" valgrind
export DROPBEHIND_TEST_STRIDE=${DROPBEHIND_TEST_STRIDE:-997}

check() {
	local name=$1
	shift
	if valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect,possible \
		"$@" >"$TEST_TMP/out" 2>"$TEST_TMP/log"; then
		ok "$name"
	elif [ $? -eq 2 ] && [[ $name == *incomplete* ]]; then
		ok "$name"
	else
		grep '^not ok' "$TEST_TMP/out"
		tail -n 40 "$TEST_TMP/log"
		not_ok "$name" "$(tail -n 1 "$TEST_TMP/log")"
	fi
}

for test in histogram ledger json eventline recording; do
	if [ -x "$BUILD/tests/unit/$test" ]; then
		check "valgrind unit/$test" "$BUILD/tests/unit/$test"
	else
		not_ok "valgrind unit/$test" "it was not built"
	fi
done
for file in "$ROOT"/tests/golden/recording/*.dbr; do
	[ -e "$file" ] || continue
	[ "${file##*/}" = future.dbr ] && continue	# of a later format, refused
	check "valgrind report, complete or incomplete, ${file##*/}" \
		"$BUILD/dropbehind" report --events left,drop,defer -i 1 "$file"
done
finish
