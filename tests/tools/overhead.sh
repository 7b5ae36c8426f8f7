#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# The overhead benchmark: its table is complete and its numbers agree with each other. No times.
. "$(dirname "$0")/../lib.sh"

OVERHEAD=$ROOT/tools/overhead/overhead
R=$TEST_TMP/result.json

refuses "unknown option" 2 "unknown option '--nonsense'" "$OVERHEAD" --nonsense
refuses "option without its value" 2 '--size needs a value' "$OVERHEAD" --size
refuses "bad size" 2 "--size needs bytes .* not '12x'" "$OVERHEAD" --size 12x
refuses "bad number of rounds" 2 "--rounds needs a number .* not '0'" "$OVERHEAD" --rounds 0
refuses "block no power of two" 2 "--blocks takes powers of two .* not '12K'" "$OVERHEAD" --blocks 12K
refuses "unknown variant" 2 "--variants knows .* not 'ftrace'" "$OVERHEAD" --variants stat,ftrace
refuses "summary that is none" 1 'is no summary' "$ROOT/tools/overhead/print" "$OVERHEAD"
need_root "overhead benchmark"
need "overhead benchmark" jq mkfs.xfs
refuses "directory that is not there" 1 'no such directory' "$OVERHEAD" --dir "$TEST_TMP/none"
refuses "empty programs: no list" 1 'none.json' "$BUILD/dropbehind-empty" "$TEST_TMP/none.json"
echo '[{"target":"sched_switch","attached":"uprobe","at_return":false}]' >"$TEST_TMP/uprobe.json"
refuses "empty programs: unknown way to attach" 1 "cannot attach by 'uprobe'" \
	"$BUILD/dropbehind-empty" "$TEST_TMP/uprobe.json"
echo '[{"target":"no_such_tracepoint","attached":"raw_tp","at_return":false}]' >"$TEST_TMP/absent.json"
refuses "empty programs: no such tracepoint" 1 'no_such_tracepoint: cannot attach' \
	"$BUILD/dropbehind-empty" "$TEST_TMP/absent.json"
refuses "stream: no dontcache there" 1 'dontcache write|No such|not supported' \
	"$BUILD/dropbehind-stream" /proc/sys/none

stats=$(cat /proc/sys/kernel/bpf_stats_enabled)
if ! "$OVERHEAD" --quick --json --dir "$TEST_TMP" >"$R" 2>"$TEST_TMP/err"; then
	not_ok "quick run" "$(tail -n 1 "$TEST_TMP/err")"
	finish
fi
ok "quick run"

is "nothing left in its directory" "$(ls -d "$TEST_TMP"/dropbehind-overhead.* 2>/dev/null)" ""
is "nothing left mounted" "$(grep -c "$TEST_TMP" /proc/mounts)" 0
is "no loop device left" "$(losetup -a | grep -c "$TEST_TMP")" 0
is "BPF statistics as before" "$(cat /proc/sys/kernel/bpf_stats_enabled)" "$stats"

# What may be left out, and why, is in the result.
while IFS=$'\t' read -r variant why; do
	skip "overhead under $variant" "$why"
done < <(json "$R" '.skipped | to_entries[] | "\(.key)\t\(.value)"')
json_is "a table per block size" "$R" '[.tables[].block_bytes] | join(" ")' "4096 65536"
json_is "a row for each variant that ran" "$R" \
	'. as $all | [.tables[] | [.rows[].variant] == (["untraced", "stat", "record", "empty", "bpftrace", "perf"] | map(select($all.skipped[.] | not)))] | all' true
json_is "each row has its throughput" "$R" '[.tables[].rows[] | .mibs.median > 0] | all' true
json_is "each traced row has the reader's CPU time, bytes and losses" "$R" \
	'[.tables[].rows[] | select(.variant != "untraced") | .reader_ns_per_folio and .written_bytes and .lost_events != null] | all' true
json_is "BPF run times where there are BPF programs" "$R" \
	'[.tables[].rows[] | ((.bpf_ns_per_folio.median // 0) > 0) == (.variant | IN("stat", "record", "empty", "bpftrace"))] | all' true
json_is "one empty program on each probe point of stat" "$R" \
	'[.tables[].probes | (map(select(.variant == "stat"))[0].probes | map(.name) | sort) as $stat | (map(select(.variant == "empty"))[0].probes | map(.name) | sort) == $stat] | all' true
json_is "births and deaths seen by every program at least once a folio" "$R" \
	'[.runs[] | select(.kind == "bpf" and (.variant | IN("stat", "empty"))) | (.bytes / .block_bytes) as $n | .programs[] | select(.name | test("filemap_(add_to|delete_from)_page_cache")) | .runs >= $n] | length > 0 and all' true
json_is "pages counted by stat and record" "$R" \
	'[.runs[] | select(.variant | IN("stat", "record")) | .pages_counted == .bytes / 4096] | all' true
json_is "folios counted by stat: one per 4 KiB write" "$R" \
	'[.runs[] | select(.variant == "stat" and .block_bytes == 4096) | .folios_counted == .bytes / 4096] | all' true
json_is "folios counted by bpftrace" "$R" \
	'[.runs[] | select(.variant == "bpftrace" and .block_bytes == 4096) | .folios_counted == .bytes / 4096] | all' true
json_is "nothing stays cached" "$R" '[.runs[].resident_pages] | add' 0
json_is "five aims per block size, each with a verdict" "$R" \
	'[.aims[] | select(.verdict | IN("pass", "fail", "inconclusive")) | select(.words | length > 0)] | length' 10
json_is "one round proves no throughput" "$R" \
	'[.aims[] | select(.aim | test("throughput")) | .verdict] | unique | join(" ")' inconclusive
text=$("$ROOT/tools/overhead/print" "$R")
is "the text has all rows" \
	"$(grep -cE '^(untraced|stat|record|empty|bpftrace|perf) ' <<<"$text")" "$(json "$R" '[.tables[].rows[]] | length')"

# Interrupted in the middle, it leaves nothing either.
"$OVERHEAD" --dir "$TEST_TMP" --rounds 99 --size 16M --variants stat >/dev/null 2>"$TEST_TMP/err" &
pid=$!
for _ in $(seq 200); do
	ls "$TEST_TMP"/dropbehind-overhead.*/mnt/stream-* >/dev/null 2>&1 && break
	sleep 0.1
done
kill -TERM "$pid"
wait "$pid"
is "interrupted: exit status" $? 143
is "interrupted: nothing left" "$(ls -d "$TEST_TMP"/dropbehind-overhead.* 2>/dev/null; grep "$TEST_TMP" /proc/mounts)" ""
finish
