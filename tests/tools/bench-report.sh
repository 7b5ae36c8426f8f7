#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 60
#
# The bench's tables and writers: published single runs must give the published tables, and
# every writer gives the reviewed output.

. "$(dirname "$0")/../lib.sh"

B=$BUILD/dontcache-bench
G=$ROOT/tests/golden/bench
need "tables and writers" jq awk xmllint

# Equal tables but for 0.011: the published means were made from runs with more digits.
same_table() {
	awk -F, -v other="$2" '
		{
			if ((getline line < other) <= 0) { print "line " NR " is missing"; exit }
			n = split(line, want, ",")
			if (n != NF) { print "line " NR ": " NF " columns, want " n; exit }
			for (i = 1; i <= NF; i++) {
				d = $i - want[i]
				if (NR == 1 || i == 1 ? $i != want[i] : (d > 0.011 || d < -0.011)) {
					print "line " NR ": " $i ", want " want[i]; exit
				}
			}
		}
		END { if ((getline line < other) > 0) print "there are lines too few" }' "$1"
}

mkdir "$TEST_TMP/out"
"$B" report "$G/published-write.json" --quiet --csv "$TEST_TMP/out"
for t in write-throughput kswapd-cached memory lru; do
	is "published table $t" \
		"$(same_table "$TEST_TMP/out/f2fs-dontcache-$t.csv" "$G/expect-f2fs-dontcache-$t.csv")" ""
done
"$B" report "$G/published-per-second.json" --quiet --csv "$TEST_TMP/out"
is "published table per second" \
	"$(same_table "$TEST_TMP/out/per-second-seconds.csv" "$G/expect-per-second-seconds.csv")" ""
"$B" report "$G/published-large-folio.json" --quiet --csv "$TEST_TMP/out"
cut -d, -f1-4 "$TEST_TMP/out/f2fs-large-folio-write.csv" >"$TEST_TMP/large-folio.csv"
is "published table of write modes" \
	"$(same_table "$TEST_TMP/large-folio.csv" "$G/expect-f2fs-large-folio-write.csv")" ""

"$B" report "$G/three-rounds.json" --markdown "$TEST_TMP/three.md" --svg "$TEST_TMP/out" \
	--samples "$TEST_TMP/three.csv" --json "$TEST_TMP/three.json" >"$TEST_TMP/three.txt"
for p in txt:txt md:md csv:-samples.csv; do
	f=$TEST_TMP/three.${p%%:*} e=${p#*:}
	[ "$e" = -samples.csv ] || e=.$e
	must "reviewed output three-rounds$e" diff -u "$G/expect-three-rounds$e" "$f"
done
must "reviewed plot" diff -u "$G/expect-three-rounds-throughput.svg" \
	"$TEST_TMP/out/f2fs-dontcache-write-throughput.svg"
for f in "$TEST_TMP"/out/*.svg; do
	must "well-formed $(basename "$f")" xmllint --noout "$f"
	is "no address in $(basename "$f")" \
		"$(grep -o 'https\?://[^"]*' "$f" | grep -cv '^http://www.w3.org/2000/svg$')" 0
done
# Numbers may be written otherwise (1.0 for 1): compare what they say.
is "JSON read and written again says the same" \
	"$(jq -S . "$TEST_TMP/three.json" | md5sum)" "$(jq -S . "$G/three-rounds.json" | md5sum)"

# Every preset: each run, mean, change, interval and what is noise. The figures are made up, so that
# they can be worked out by hand.
mkdir "$TEST_TMP/rounds" "$TEST_TMP/twelve"
for p in paced neighbour fsync-neighbour per-second large-folio control; do
	"$B" report "$G/$p-rounds.json" --csv "$TEST_TMP/rounds" >"$TEST_TMP/$p.txt"
	must "reviewed output $p-rounds" diff -u "$G/expect-$p-rounds.txt" "$TEST_TMP/$p.txt"
done
is "a base of 0 has a change and no percent of it" \
	"$(grep '^64,late writes %' "$TEST_TMP/rounds/paced-runs.csv")" \
	"64,late writes %,0.00,0.00,0.00,0.00,1.00,2.00,3.00,2.00,2.00,2.48,"
is "columns of the runs" "$(head -n 1 "$TEST_TMP/rounds/per-second-runs.csv")" \
	"what,normal_r1,normal_r2,normal_r3,normal_mean,dontcache_r1,dontcache_r2,dontcache_r3,dontcache_mean,change,change_ci95,change_pct"
jq '.runs |= map(select(.round == 1))' "$G/paced-rounds.json" >"$TEST_TMP/one.json"
out=$("$B" report "$TEST_TMP/one.json")
like "one round is said to tell nothing of noise" "$out" 'one round only: nothing is known about the noise'
is "and none of it is called noise" "$(grep -c 'within noise' <<<"$out")" 0
jq '.runs |= map(select(.round == 1))' "$G/per-second-rounds.json" >"$TEST_TMP/one.json"
like "but for what a control tells" "$("$B" report "$TEST_TMP/one.json" --noise "$G/control-rounds.json")" \
	'nothing is known about the noise but what the control tells'
jq '.runs |= ([.[] | .round += 3] + .) | .runs |= ([.[] | .round += 6] + .)' "$G/paced-rounds.json" >"$TEST_TMP/twelve.json"
"$B" report "$TEST_TMP/twelve.json" --csv "$TEST_TMP/twelve" --quiet
is "ten rounds are shown, twelve are in the means" \
	"$(grep '^128,achieved' "$TEST_TMP/twelve/paced-runs.csv" | tr , '\n' | sed -n '3,13p' | tr '\n' ' ')" \
	"120.00 128.00 112.00 120.00 128.00 112.00 120.00 128.00 112.00 120.00 120.00 "
like "and that is said" "$("$B" report "$TEST_TMP/twelve.json")" 'rounds after the 10th are in the means'

# A control tells the noise of streams at full speed, of each operation its own. Its changes are 2 % of
# writes, 20 % with the final fsync.
noise="within the control's noise \(its greatest change for the same operation, "
like "per-second knows the control's noise" \
	"$("$B" report "$G/per-second-rounds.json" --noise "$G/control-rounds.json")" "${noise}20\.00 %\): MiB/s with fsync"
out=$("$B" report "$G/large-folio-rounds.json" --noise "$G/control-rounds.json")
like "block sizes know that of writes" "$out" "${noise}2\.00 %\): N/Y/N 4K"
like "and that with the final fsync" "$out" "${noise}20\.00 %\): N/Y/N 4K"
for p in paced neighbour fsync-neighbour; do
	is "to $p a control says nothing" \
		"$("$B" report "$G/$p-rounds.json" --noise "$G/control-rounds.json")" \
		"$("$B" report "$G/$p-rounds.json")"
done
# Reads that differ by 60 % say nothing of writes, and throughput none of that with fsync.
jq '(.runs[] | select(.variant == "after" and (.group | startswith("control|read"))) | .metrics.throughput_mib_s) |= . * 1.6
	| (.runs[] | select(.variant == "after" and (.group | startswith("control|write"))) | .metrics.throughput_fsync_mib_s) |= . * 1.2' \
	"$G/control-rounds.json" >"$TEST_TMP/control-reads.json"
out=$("$B" report "$G/per-second-rounds.json" --noise "$TEST_TMP/control-reads.json")
is "noise of reads is none of writes" "$(grep -c '60\.00 %' <<<"$out")" 0
jq '.runs |= map(.group |= sub("write"; "read"))' "$G/per-second-rounds.json" >"$TEST_TMP/reads.json"
like "but of reads" "$("$B" report "$TEST_TMP/reads.json" --noise "$TEST_TMP/control-reads.json")" \
	'its greatest changes? for the same operation, [0-9. to]*6[0-9]\.[0-9]+ %'

# Pairs are made of the rounds that both have: without round 2 of one side two pairs are left.
jq '.runs |= map(select(.variant != "dontcache" or .round != 2))' "$G/per-second-rounds.json" >"$TEST_TMP/lost.json"
mkdir "$TEST_TMP/lost"
"$B" report "$TEST_TMP/lost.json" --quiet --csv "$TEST_TMP/lost"
is "two pairs have no interval" \
	"$(grep '^MiB/s,' "$TEST_TMP/lost/per-second-runs.csv" | cut -d, -f11)" unavailable

# A table of ours is a reference too; its own numbers stand on both sides.
out=$("$B" report "$G/published-write.json" --beside "$G/expect-f2fs-dontcache-write-throughput.csv")
like "reference columns beside ours" "$out" 'ref_normal_mean_mib_s +ref_dontcache_mean_mib_s +ref_change_pct'
like "rows joined by key" "$out" '64K .* 1154\.31 .* 851\.65 +-26\.22 +1154\.31 +851\.65 +-26\.22'
printf 'io_size,normal_mib_s\n4k,1\n2M,2\n' >"$TEST_TMP/ref.csv"
out=$("$B" report "$G/published-write.json" --beside "$TEST_TMP/ref.csv" 2>&1)
like "a reference without a shared column is refused" "$out" 'no table of f2fs-dontcache has its rows and columns'
printf 'io_size,change_pct\n4k,1.5\n2M,2.5\n' >"$TEST_TMP/f2fs-dontcache-write-throughput.csv"
out=$("$B" report "$G/published-write.json" --beside "$TEST_TMP/f2fs-dontcache-write-throughput.csv")
like "keys are joined whatever their case" "$out" '4K .* -68\.08 +1\.5'
like "a row that only the reference has" "$out" $'\n  2M +2\\.5\n'

# The ledger: a unit where the tracer's name has one, and what it could not count is no zero.
jq --slurpfile ledger "$G/ledger.json" '.ledger = $ledger[0]' "$G/published-write.json" >"$TEST_TMP/traced.json"
mkdir "$TEST_TMP/ledger"
"$B" report "$TEST_TMP/traced.json" --csv "$TEST_TMP/ledger" >"$TEST_TMP/ledger.txt"
must "reviewed ledger" diff -u "$G/expect-ledger.csv" "$TEST_TMP/ledger/f2fs-dontcache-ledger.csv"
like "what the tracer could not watch is named" "$(cat "$TEST_TMP/ledger.txt")" \
	'could not watch: folio_end_writeback; '

# Compare
must "equal environments compare" "$B" compare "$G/published-write.json" "$G/published-write.json" --quiet
jq '.environment.memory_mib = "2"' "$G/published-write.json" >"$TEST_TMP/other.json"
refuses "unlike memory is refused" 1 'unlike runs: memory_mib \(10957, 2\)' \
	"$B" compare "$G/published-write.json" "$TEST_TMP/other.json" --quiet
must "unless it is allowed" "$B" compare "$G/published-write.json" "$TEST_TMP/other.json" --quiet --allow memory_mib
refuses "unlike presets are refused" 1 'unlike runs: presets' \
	"$B" compare "$G/published-write.json" "$G/published-per-second.json" --quiet
jq '.settings.size = "1G"' "$G/published-write.json" >"$TEST_TMP/other.json"
refuses "unlike settings are refused" 1 'size \(64G, 1G\)' \
	"$B" compare "$G/published-write.json" "$TEST_TMP/other.json" --quiet
# What only one of the two has is a difference, whichever of them it is.
for fact in settings.memory_limit settings.trace settings.cgroup environment.damon; do
	name=${fact#*.}
	jq ".$fact = \"some\"" "$G/published-write.json" >"$TEST_TMP/other.json"
	refuses "$name in the second only is refused" 1 "unlike runs: $name \(absent, some\)" \
		"$B" compare "$G/published-write.json" "$TEST_TMP/other.json" --quiet
	refuses "$name in the first only is refused" 1 "unlike runs: $name \(some, absent\)" \
		"$B" compare "$TEST_TMP/other.json" "$G/published-write.json" --quiet
	"$B" compare "$G/published-write.json" "$TEST_TMP/other.json" --quiet --allow "$name" \
		--json "$TEST_TMP/joined-$name.json"
	is "$name, allowed, is told of both sides" \
		"$(jq -r ".$fact" "$TEST_TMP/joined-$name.json")" "absent | some"
done
jq '(.runs[].metrics.throughput_mib_s) |= . * 2' "$G/published-write.json" >"$TEST_TMP/other.json"
out=$("$B" compare "$G/published-write.json" "$TEST_TMP/other.json")
is "doubled throughput is +100 % in each of the 18 rows" "$(grep -c '+100\.00' <<<"$out")" 18

# Noise of a control
jq '.preset = "control" | .runs |= map(.group = "control|" + .group
	| .variant = (if .variant == "normal" then "before" else "after" end)
	| .metrics.throughput_mib_s = (if .variant == "before" then 100 else 70 end))' \
	"$G/published-write.json" >"$TEST_TMP/control.json"
out=$("$B" report "$G/published-write.json" --noise "$TEST_TMP/control.json")
like "changes within the control's noise are named" "$out" \
	"the control's noise \(its greatest change for the same operation, 30\.00 %\): 64K, 128K, 256K, 512K, 1M"
refuses "a result that is no control" 1 'no runs named before and after' \
	"$B" report "$G/published-write.json" --noise "$G/published-write.json" --quiet

# References of every shape: rows by two keys, and by seconds.
out=$("$B" report "$G/published-large-folio.json" --beside "$G/expect-f2fs-large-folio-write.csv")
like "a reference with two keys" "$out" 'N/Y/N +64k .* 69\.3 +50\.3 '
out=$("$B" report "$G/published-per-second.json" --beside "$G/expect-per-second-seconds.csv")
like "a reference per second" "$out" 'Second +normal MB/s +dontcache MB/s +ref_'

# What fails costs itself alone.
out=$("$B" report "$G/published-write.json" --beside "$TEST_TMP/ref.csv" --markdown "$TEST_TMP/all.md" 2>"$TEST_TMP/err")
is "a reference that does not fit is an error" "$?" 1
like "and the tables are printed" "$out" 'Write throughput'
like "and written" "$(cat "$TEST_TMP/all.md")" '### Write throughput'

# Bad input: one line that says what and what to do
refuses "no file" 1 'read /nonexistent: No such file' "$B" report /nonexistent
printf '{"format": "other"}' >"$TEST_TMP/bad.json"
refuses "another format" 1 'not a dontcache-bench-result' "$B" report "$TEST_TMP/bad.json"
head -c 3000 "$G/published-write.json" >"$TEST_TMP/cut.json"
refuses "cut JSON" 1 'line [0-9]+: .*give a file that --json wrote' "$B" report "$TEST_TMP/cut.json"
jq '.runs[0].round = -1' "$G/published-write.json" >"$TEST_TMP/bad.json"
refuses "round out of range" 1 'not a dontcache-bench-result' "$B" report "$TEST_TMP/bad.json"
jq '.runs = []' "$G/published-write.json" >"$TEST_TMP/empty.json"
must "a result without runs" "$B" report "$TEST_TMP/empty.json" --svg "$TEST_TMP"
jq '.runs = [] | .preset = "neighbour"' "$G/published-write.json" >"$TEST_TMP/empty.json"
must "a neighbour result without runs" "$B" report "$TEST_TMP/empty.json"
jq '.preset = "nosuch"' "$G/published-write.json" >"$TEST_TMP/bad.json"
refuses "unknown preset in a file" 1 'nosuch: no such preset' "$B" report "$TEST_TMP/bad.json"
printf 'a\n' >"$TEST_TMP/bad.csv"
refuses "a reference that is no table" 1 'no row of a CSV table' \
	"$B" report "$G/published-write.json" --quiet --beside "$TEST_TMP/bad.csv"
printf 'io_size,x\n4K\n' >"$TEST_TMP/bad.csv"
refuses "a reference with a short row" 1 'line 2 is no row' \
	"$B" report "$G/published-write.json" --quiet --beside "$TEST_TMP/bad.csv"
echo keep >"$TEST_TMP/keep"
refuses "an existing output file is left alone" 1 'File exists.*--force' \
	"$B" report "$G/published-write.json" --quiet --json "$TEST_TMP/keep"
is "and has its content" "$(cat "$TEST_TMP/keep")" keep
must "--force names it" "$B" report "$G/published-write.json" --quiet --json "$TEST_TMP/keep" --force "$TEST_TMP/keep"
refuses "full output device" 1 'write /dev/full: No space left' \
	"$B" report "$G/published-write.json" --quiet --json /dev/full --force /dev/full
"$B" report "$G/published-write.json" >/dev/full 2>"$TEST_TMP/err"
is "full standard output is an error" "$?" 1
finish
