#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# Reports of recordings that are kept as they were written. REPLAY_WRITE=1 writes the expected output anew.
. "$(dirname "$0")/../lib.sh"

tool=$BUILD/dropbehind
golden=$ROOT/tests/golden/recording
cp "$golden"/*.dbr* "$TEST_TMP/" || exit 1
cd "$TEST_TMP" || exit 1

# expect NAME STATUS ARG...: output and exit status of report are as kept in NAME.
expect() {
	local name=$1 want=$2 status
	shift 2
	"$tool" report "$@" >out 2>err
	status=$?
	if [ "${REPLAY_WRITE:-0}" = 1 ]; then
		cp out "$golden/$name"
	fi
	if [ $status -ne "$want" ]; then
		not_ok "$name" "exit status $status, want $want: $(cat err)"
	elif [ -s err ]; then
		not_ok "$name" "on stderr: $(cat err)"
	elif ! diff -u "$golden/$name" out >diff; then
		head -n 40 diff
		not_ok "$name" "output differs in $(grep -c '^[-+] ' diff) lines"
	else
		ok "$name"
	fi
}

expect complete.txt 0 complete.dbr
expect complete.json 0 -j complete.dbr
expect complete-all.txt 0 -i 1 --events left,drop,defer complete.dbr
expect complete-all.ndjson 0 -j -i 1 --events left,drop,defer complete.dbr
expect killed.txt 2 killed.dbr
expect killed.json 2 -j killed.dbr
expect late.txt 0 late.dbr
expect row.txt 0 row.dbr row.dbr.1 row.dbr.2 row.dbr.3
expect row-end.txt 0 row.dbr.3 row.dbr.2 row.dbr.1
expect row-gap.txt 2 row.dbr row.dbr.3
expect row-begin.txt 2 row.dbr row.dbr.1
expect real-xfs.txt 0 real-xfs.dbr

like "the last line of an incomplete one" "$("$tool" report killed.dbr | tail -n 1)" \
	'^recording: incomplete after 2.000 s, .*; verdict inconclusive$'

# What is printed comes from the ledger: the JSON of a report is the JSON it was made from.
is "JSON of the report says what the text says" "$("$tool" report -j complete.dbr | jq .balance.births_pages)" \
	"$("$tool" report complete.dbr | awk '$1 == "births" { print $2; exit }')"

refuses "a newer format" 1 'future.dbr: a recording of format 2; this tool reads format 1' "$tool" report future.dbr
refuses "a missing file" 1 'cannot read none.dbr: No such file' "$tool" report none.dbr
refuses "a directory" 1 'not a regular file' "$tool" report .
refuses "no file" 64 'which recording' "$tool" report
: >empty.dbr
refuses "an empty file" 1 'empty.dbr: empty' "$tool" report empty.dbr
head -c 4096 /dev/urandom >noise.dbr
refuses "noise" 1 'not a recording' "$tool" report noise.dbr
refuses "two recordings" 1 'different recordings' "$tool" report complete.dbr real-xfs.dbr
refuses "the same part twice" 1 'same part' "$tool" report row.dbr row.dbr

size=$(stat -c %s complete.dbr)
offsets=$(seq 0 $((size / 12 + 1)) $((size - 1)))
bad=0
for at in $offsets; do
	head -c "$at" complete.dbr >cut.dbr
	"$tool" report cut.dbr >out 2>err
	case $? in
	1) [ "$(wc -l <err)" = 1 ] || bad=$((bad + 1)) ;;
	2) [[ $(tail -n 1 out) == *"verdict inconclusive" ]] || bad=$((bad + 1)) ;;
	*) bad=$((bad + 1)) ;;
	esac
done
is "cut files are refused in one line or said to be incomplete" $bad 0

bad=0
for at in $offsets; do
	cp complete.dbr flipped.dbr
	byte=$(dd if=complete.dbr bs=1 skip="$at" count=1 status=none | od -An -tu1)
	printf "\\x$(printf %x $((byte ^ 4)))" | dd of=flipped.dbr bs=1 seek="$at" conv=notrunc status=none
	"$tool" report flipped.dbr >out 2>err
	[ $? -eq 1 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] &&
		grep -qE 'damaged|not a recording|of format' err || bad=$((bad + 1))
done
is "flipped bits are refused in one line, with nothing printed" $bad 0
like "the line names the place" "$(cat err)" 'damaged at byte [0-9]+: '

"$tool" report complete.dbr >/dev/full 2>err
is "output that cannot be written: status" $? 1
is "output that cannot be written: one line" "$(wc -l <err)" 1
"$tool" report complete.dbr 2>err | true
is "a closed pipe is quiet" "${PIPESTATUS[0]}$(cat err)" 0

if [ -x "$BUILD/tests/replay/make-recordings" ]; then
	mkdir made
	must "recordings made now" "$BUILD/tests/replay/make-recordings" made
	"$tool" report made/complete.dbr >out
	is "are reported like those kept" "$(cat out)" "$(cat "$golden/complete.txt")"
fi
finish
