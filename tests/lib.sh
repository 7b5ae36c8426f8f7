# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced by every shell test:
#
#	. "$(dirname "$0")/../lib.sh"
#
# A test prints one line per case and ends with `finish`:
#
#	ok NAME                     the case holds
#	not_ok NAME WHY             it does not
#	skip NAME REASON            it cannot run here
#	is NAME GOT WANT            ok when the two strings are equal
#	between NAME GOT MIN MAX    ok when MIN <= GOT <= MAX (integers)
#	like NAME GOT REGEX         ok when GOT matches the extended regular expression
#	must NAME CMD...            ok when CMD exits 0; its last output line is the reason otherwise
#	refuses NAME STATUS REGEX CMD...
#	                            ok when CMD exits with STATUS and prints exactly one line on
#	                            stderr, which matches REGEX
#	need_root NAME, need NAME CMD...
#	                            skip NAME and finish unless root / every CMD is installed
#	json FILE FILTER            print what jq's FILTER gives for FILE
#	json_is NAME FILE FILTER WANT
#	at_end CMD [ARG...]         run CMD when the test ends in whatever way, last one first
#
# A NAME must not contain ": ". Given: ROOT (top of the tree), BUILD (where make put its output),
# TEST_TMP (a directory of this test alone, removed at its end).

set -u
export LC_ALL=C

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${BUILD:-$ROOT/build}
case $BUILD in /*) ;; *) BUILD=$ROOT/$BUILD ;; esac
export ROOT BUILD

lib_failed=0
lib_cases=0
lib_finished=0
lib_pid=$BASHPID
lib_at_end=()

if [ -z "${TEST_TMP:-}" ]; then
	TEST_TMP=$(mktemp -d "${TMPDIR:-/tmp}/dropbehind-test.XXXXXX") || exit 1
	lib_own_tmp=1
else
	lib_own_tmp=0
fi
export TEST_TMP

lib_flat() {
	printf '%s' "$*" | tr '\n\t' '  '
}

ok() {
	lib_cases=$((lib_cases + 1))
	printf 'ok - %s\n' "$(lib_flat "$1")"
}

not_ok() {
	lib_cases=$((lib_cases + 1))
	lib_failed=$((lib_failed + 1))
	printf 'not ok - %s: %s\n' "$(lib_flat "$1")" "$(lib_flat "$2")"
}

skip() {
	lib_cases=$((lib_cases + 1))
	printf 'skip - %s: %s\n' "$(lib_flat "$1")" "$(lib_flat "$2")"
}

is() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "got '$2', want '$3'"
	fi
}

between() {
	if [[ ! $2 =~ ^-?[0-9]+$ ]]; then
		not_ok "$1" "got '$2', want a number from $3 to $4"
	elif [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]; then
		ok "$1"
	else
		not_ok "$1" "got $2, want $3 to $4"
	fi
}

like() {
	if [[ $2 =~ $3 ]]; then
		ok "$1"
	else
		not_ok "$1" "got '$2', want a match of '$3'"
	fi
}

must() {
	local name=$1 out status
	shift
	out=$("$@" 2>&1)
	status=$?
	if [ "$status" -eq 0 ]; then
		ok "$name"
	else
		printf '%s\n' "$out"
		not_ok "$name" "exit status $status from '$*': $(printf '%s\n' "$out" | tail -n 1)"
	fi
	return "$status"
}

refuses() {
	local name=$1 want=$2 regex=$3 err status lines
	shift 3
	"$@" </dev/null >/dev/null 2>"$TEST_TMP/.refuses"
	status=$?
	err=$(cat "$TEST_TMP/.refuses")
	lines=$(wc -l <"$TEST_TMP/.refuses")
	rm -f "$TEST_TMP/.refuses"
	if [ "$status" -ne "$want" ]; then
		not_ok "$name" "exit status $status, want $want (stderr: $err)"
	elif [ "$lines" -ne 1 ]; then
		not_ok "$name" "$lines lines on stderr, want 1: $err"
	elif [[ ! $err =~ $regex ]]; then
		not_ok "$name" "stderr '$err' does not match '$regex'"
	else
		ok "$name"
	fi
}

need_root() {
	[ "$(id -u)" -eq 0 ] && return
	skip "$1" "needs root"
	finish
}

need() {
	local name=$1 cmd
	shift
	for cmd in "$@"; do
		command -v "$cmd" >/dev/null 2>&1 && continue
		skip "$name" "$cmd is not installed"
		finish
	done
}

json() {
	jq -r "$2" "$1"
}

json_is() {
	is "$1" "$(json "$2" "$3" 2>&1)" "$4"
}

at_end() {
	lib_at_end+=("$(printf '%q ' "$@")")
}

lib_exit() {
	local status=$? i
	# A subshell that dies of an unset variable runs this too; what is to be undone is not its own.
	[ "$BASHPID" = "$lib_pid" ] || exit "$status"
	trap '' INT TERM HUP
	trap - EXIT
	for ((i = ${#lib_at_end[@]} - 1; i >= 0; i--)); do
		eval "${lib_at_end[i]}"
	done
	if [ "$lib_own_tmp" -eq 1 ]; then
		rm -rf --one-file-system "$TEST_TMP"
	fi
	if [ "$lib_finished" -eq 0 ] && [ "$status" -eq 0 ]; then
		printf 'not ok - end of test: it ended without calling finish\n'
		status=1
	fi
	exit "$status"
}
trap lib_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

finish() {
	lib_finished=1
	[ "$lib_failed" -eq 0 ] || exit 1
	if [ "$lib_cases" -eq 0 ]; then
		printf 'not ok - end of test: no case was run\n'
		exit 1
	fi
	exit 0
}
