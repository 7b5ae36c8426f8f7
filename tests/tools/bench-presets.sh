#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 600
#
# A tiny run of every preset on a fresh XFS, and what must be true of it whatever the speed:
# bytes, pages that stayed, counts of runs, nothing left over. No case looks at a clock.

. "$(dirname "$0")/../lib.sh"

B=$BUILD/dontcache-bench
M=$TEST_TMP/mnt
PAGE=$(getconf PAGESIZE)
need_root "tiny runs"
need "tiny runs" mkfs.xfs losetup jq

mkdir "$M"
truncate -s 600M "$TEST_TMP/xfs.img"
mkfs.xfs -q "$TEST_TMP/xfs.img"
if ! mount -o loop "$TEST_TMP/xfs.img" "$M" 2>/dev/null; then
	skip "tiny runs" "this kernel cannot mount XFS on a loop device"
	finish
fi
at_end umount "$M"

# Runs preset $1 with further arguments; the result is in $J.
tiny() {
	local preset=$1
	shift
	J=$TEST_TMP/$preset.json
	rm -f "$J"
	"$B" "$preset" --quick --dir "$M" --json "$J" "$@" >"$TEST_TMP/$preset.txt" 2>"$TEST_TMP/err"
	is "$preset ends well" "$? $(cat "$TEST_TMP/err")" "0 "
	is "$preset leaves no file" "$(find "$M" -type f | wc -l)" 0
	[ -s "$J" ]
}

# How many runs fulfil a jq condition.
runs() {
	jq "[.runs[] | select($1)] | length" "$J"
}

# Runs of which every page stayed, but for those that reclaim took (it leaves a mark, a drop
# does not) or somebody else threw out.
stay() {
	jq "[.runs[] | select(.variant == \"normal\" and (.metrics.foreign_cache_drops > 0 or
		.metrics.resident_pages + (.metrics.evicted_pages // 0) == $1))] | length" "$J"
}

"$B" --list >"$TEST_TMP/list"
is "eight presets are listed" "$(wc -l <"$TEST_TMP/list")" 8

if "$B" f2fs-dontcache --quick --io-sizes 64K --rounds 1 --size 1M --dir "$M" --quiet 2>"$TEST_TMP/err"; then
	ok "RWF_DONTCACHE works here"
else
	skip "RWF_DONTCACHE works here" "$(cat "$TEST_TMP/err")"
	finish
fi

if tiny f2fs-dontcache --size 8M; then
	is "36 runs of nine sizes" "$(runs true) $(jq '[.runs[].group] | unique | length' "$J")" "36 9"
	is "each wrote its 8 MiB" "$(runs '.metrics.bytes == 8388608')" 36
	is "operations are bytes over size" \
		"$(runs '.group == "write|4K" and .metrics.ops == 2048')" 4
	is "normal leaves every page" \
		"$(stay $((8388608 / PAGE)))" 18
	is "dontcache leaves none" \
		"$(runs '.variant == "dontcache" and .metrics.resident_pages == 0')" 18
	is "fsync only adds time" \
		"$(runs '.metrics.throughput_fsync_mib_s <= .metrics.throughput_mib_s')" 36
	is "round 1 ascends, normal first" \
		"$(jq -r '[.runs[:3][] | .group + .variant] | join(" ")' "$J")" \
		"write|4Knormal write|4Kdontcache write|8Knormal"
	is "round 2 descends, dontcache first" \
		"$(jq -r '[.runs[18:21][] | .group + .variant] | join(" ")' "$J")" \
		"write|1Mdontcache write|1Mnormal write|512Kdontcache"
	for fact in kernel filesystem mount_options device memory_mib cpu cpus page_bytes governor command; do
		like "environment has $fact" "$(jq -r ".environment.$fact" "$J")" .
	done
	is "the filesystem is named" "$(jq -r .environment.filesystem "$J")" xfs
	is "the page size is this machine's" "$(jq -r .environment.page_bytes "$J")" "$PAGE"
	is "the command is exact" "$(jq -r .environment.command "$J")" \
		"$B f2fs-dontcache --quick --dir $M --json $J --size 8M"
fi

# A mount point with a blank, which /proc writes as \\040.
blank="$TEST_TMP/a mount\\point"
mkdir "$blank"
mount --bind "$M" "$blank"
at_end umount "$blank"
J=$TEST_TMP/blank.json
"$B" f2fs-dontcache --quick --dir "$blank" --io-sizes 64K --rounds 1 --size 1M --quiet --json "$J"
is "the filesystem of a mount point with a blank" "$(jq -r .environment.filesystem "$J")" xfs
is "its options are those of /proc/mounts" "$(jq -r .environment.mount_options "$J")" \
	"$(awk -v at="$M" '$2 == at { print $4 }' /proc/mounts)"

# Progress: which run of how many, and the time left once one is done.
"$B" f2fs-dontcache --quick --dir "$M" --io-sizes 64K --size 1M --quiet --progress always 2>"$TEST_TMP/err"
like "progress names the run" "$(head -n 1 "$TEST_TMP/err")" \
	'^run 1 of 4: write 64K, normal, round 1; time left: not known yet$'
is "no progress without a terminal unless asked for" \
	"$("$B" f2fs-dontcache --quick --dir "$M" --io-sizes 64K --size 1M --quiet 2>&1)" ""
if command -v script >/dev/null; then
	script -qec "$B f2fs-dontcache --quick --dir $M --io-sizes 64K --size 4M --quiet" /dev/null \
		>"$TEST_TMP/tty" 2>&1
	like "progress on a terminal tells the time left" "$(tr '\r' '\n' <"$TEST_TMP/tty")" \
		'run 4 of 4: write 64K, normal, round 2.*about 0m[0-9]+s left'
fi

# Under the tracer: what was born is what was written, and both sides agree.
if [ ! -x "$BUILD/dropbehind" ]; then
	skip "traced run" "dropbehind is not built"
elif ! "$BUILD/dropbehind" stat -j -- true >"$TEST_TMP/stat" 2>&1; then
	skip "traced run" "dropbehind cannot trace here: $(tail -n 1 "$TEST_TMP/stat")"
elif tiny f2fs-dontcache --trace --io-sizes 64K; then
	pages=$((2 * 8388608 / PAGE))
	is "births are the pages written" "$(jq .ledger.total.births.write.pages "$J")" "$pages"
	is "the ledger balances" "$(jq -r .ledger.balance.verdict "$J")" pass
	is "the ledger agrees that none stayed" \
		"$(jq .ledger.total.outcomes.write.dropped_after_write.pages "$J")" "$pages"
	like "the ledger stands beside the tables" "$(cat "$TEST_TMP/f2fs-dontcache.txt")" \
		"births, write +$pages pages"
	is "a traced run is recorded as one" "$(jq -r .settings.trace "$J")" yes
	rm -f "$J"
	"$B" f2fs-dontcache --quick --trace --io-sizes 64K --rounds 1 --dir "$blank" --json "$J" --quiet
	is "the tracer watches a mount point with a blank" "$(jq .ledger.total.births.write.pages "$J")" \
		$((8388608 / PAGE))
fi
refuses "no tracer" 1 'run the tracer /nonexistent: No such file' "$B" f2fs-dontcache --quick --dir "$M" \
	--tracer /nonexistent
refuses "a tracer that is none" 1 'did not run the bench.*--tracer' "$B" f2fs-dontcache --quick --dir "$M" \
	--tracer /bin/true

if tiny f2fs-dontcache-read --rounds 1; then
	is "every read began with nothing resident" "$(runs '.metrics.start_resident_pages == 0')" 18
	is "normal reads leave every page" \
		"$(stay $((8388608 / PAGE)))" 9
	is "dontcache reads leave none" \
		"$(runs '.variant == "dontcache" and .metrics.resident_pages == 0')" 9
	is "normal reads fetch each byte once" \
		"$(runs '.variant == "normal" and .metrics.read_amplification == 1')" 9
	is "dontcache reads fetch no byte less than once" \
		"$(runs '.variant == "dontcache" and .metrics.read_amplification >= 1')" 9
fi

if tiny paced --rates 4M,8M --duration 0.3; then
	is "the schedule was written" "$(runs '.metrics.unissued_ops == 0')" 4
	is "no less than one operation" "$(runs '.metrics.ops == (.metrics.rate_mib_s * 16 * 0.3 | floor)')" 4
	is "no rate above the one asked for" "$(runs '.metrics.achieved_mib_s <= .metrics.rate_mib_s + 0.001')" 4
	is "a late write has lag" "$(runs '(.metrics.late_pct == 0) or (.metrics.max_lag_ms > 0)')" 4
	is "latency counts from the due time" \
		"$(runs '.metrics.latency_max_ms >= .metrics.max_lag_ms')" 4
fi
# A stall is not hidden: what was due in it is late, and as long as it lasted. The bench is stopped
# by SIGSTOP in the midst of its schedule of a write each 16 ms, with the sampler and all.
J=$TEST_TMP/stall.json
"$B" paced --quick --dir "$M" --rates 4M --duration 4 --quiet --json "$J" --progress always 2>"$TEST_TMP/err" &
pid=$!
until grep -q 'run 1 of 2' "$TEST_TMP/err"; do sleep 0.05; done
sleep 0.5
kill -STOP "$pid"
sleep 1.5
kill -CONT "$pid"
wait "$pid"
is "a paced run that was stopped ends well" "$?" 0
is "the stall is in the greatest lag and latency" \
	"$(runs '.variant == "normal" and .metrics.max_lag_ms >= 1000 and .metrics.latency_max_ms >= 1000')" 1
is "the writes that were due in it are late" "$(runs '.variant == "normal" and .metrics.late_pct >= 15')" 1

if tiny control; then
	is "before and after alternate" "$(jq -r '[.runs[].variant] | [.[0], .[6], .[12], .[18]] | join(" ")' "$J")" \
		"before after after before"
	like "sides that are the same are said to be" "$(jq -r '.notes[]' "$J")" "both sides are the same"
fi
log=$TEST_TMP/sides
if tiny control --before "echo b >>$log" --after "echo a >>$log"; then
	is "the commands ran in that order" "$(tr -d '\n' <"$log")" baab
fi
refuses "a side that cannot be put in place" 1 "'false' failed with status 1" \
	"$B" control --quick --dir "$M" --quiet --before true --after false
F=$TEST_TMP/both.json
for side in before after after before; do
	"$B" control --quick --dir "$M" --quiet --label "$side" --append "$F" --io-sizes 64K
	sleep 1	# dates have seconds
done
is "sides gathered one at a time" "$(jq -r '[.runs[] | .variant + (.round | tostring)] | unique | join(" ")' "$F")" \
	"after1 after2 before1 before2"
is "with what each was measured under" \
	"$(jq -r '[.environment.date, .environment.command] | map(split(" | ") | length >= 2) | unique | .[]' "$F")" true
is "and what was alike once" "$(jq -r .environment.kernel "$F")" "$(uname -r)"
like "the module of either side" "$(jq -r '[.settings.module_before, .settings.module_after] | join(",")' "$F")" '.,.'
jq '.environment.cpus = "77"' "$F" >"$TEST_TMP/unlike.json"
refuses "an unlike machine's side is refused before it is measured" 1 'unlike runs: cpus \(77, ' \
	"$B" control --quick --dir "$M" --quiet --label after --append "$TEST_TMP/unlike.json" --io-sizes 64K
jq '.settings.size = "77G"' "$F" >"$TEST_TMP/unlike.json"
"$B" control --quick --dir "$M" --quiet --label after --append "$TEST_TMP/unlike.json" --io-sizes 64K 2>"$TEST_TMP/err"
like "a side with other settings is not joined" "$? $(cat "$TEST_TMP/err")" '^1 .*unlike runs: size \(77G, .*kept in .*unlike.json.after'
is "but kept" "$(jq '.runs | length' "$TEST_TMP/unlike.json.after")" 2

# What cannot be written is said before the measurement, and what a preset has no use for as well.
echo keep >"$TEST_TMP/keep"
for o in "--json $TEST_TMP/keep" "--markdown $TEST_TMP/none/x" "--csv $TEST_TMP/none" "--svg $TEST_TMP/keep" \
	"--noise $TEST_TMP/none" "--beside $TEST_TMP/keep"; do
	# shellcheck disable=SC2086
	"$B" control --quick --dir "$M" --io-sizes 64K --before "touch $TEST_TMP/began" --after true $o \
		>/dev/null 2>"$TEST_TMP/err"
	is "${o%% *} that cannot be used is an error, in one line" "$? $(wc -l <"$TEST_TMP/err")" "1 1"
	[ ! -e "$TEST_TMP/began" ]
	is "and nothing was measured" "$?" 0
	rm -f "$TEST_TMP/began"
done
for o in "f2fs-dontcache --memory-limit 64M" "paced --files 2" "control --rates 4M" "per-second --run-limit 1" \
	"neighbour --before true" "fsync-neighbour --op read" "f2fs-large-folio --duration 1" "f2fs-dontcache --hot-size 1M"; do
	# shellcheck disable=SC2086
	refuses "$o means nothing" 2 'takes no --.*leave it out' "$B" ${o%% *} --quick --dir "$M" ${o#* }
done
refuses "several sizes for a preset of one" 2 'paced takes one size only' \
	"$B" paced --quick --dir "$M" --io-sizes 4K,64K
refuses "a limit without a group" 2 '--no-cgroup makes none' \
	"$B" neighbour --quick --dir "$M" --no-cgroup --memory-limit 64M

if tiny per-second; then
	is "one run each" "$(runs true)" 2
	is "samples carry the throughput" "$(runs '(.samples | length) > 2')" 2
	is "the seconds add up to the bytes" "$(jq '[.runs[] | . as $r | (reduce .samples[] as $s
		({t: 0, b: 0}; .b += $s[1] * 1e6 * ($s[0] - .t) | .t = $s[0]) | .b) / $r.metrics.bytes
		| select(. > 0.999 and . < 1.001)] | length' "$J")" 2
fi
if [ "$(jq -r .environment.memory_cgroup_version "$J")" != 0 ]; then
	if tiny per-second --memory-limit 64M; then
		is "the cgroup stays within its limit" \
			"$(jq '[.runs[].samples[][9] | select(. != null and . > 64)] | length' "$J")" 0
		is "the cgroup was sampled" "$(runs '.metrics.cgroup_file_mib >= 0')" 2
	fi
	if tiny neighbour --memory-limit 96M --size 96M; then
		is "alone, normal, dontcache" "$(jq -r '[.runs[].variant] | join(" ")' "$J")" "alone normal dontcache"
		is "hits and misses are all reads" "$(runs '.metrics.misses == null or
			((.metrics.hit_pct * .metrics.reads / 100 + .metrics.misses - .metrics.reads)
			| fabs) < 0.01')" 3
		is "alone nothing is missed" "$(runs '.variant == "alone" and .metrics.misses == 0')" 1
	fi
	is "no cgroup is left" "$(find /sys/fs/cgroup -maxdepth 3 -name 'dontcache-bench-*' | wc -l)" 0
else
	skip "runs in a memory cgroup" "no memory controller"
fi
if tiny neighbour --no-cgroup --duration 0.3; then
	is "refaults of a group that is not there are unavailable" "$(runs '.metrics.refaults == null')" 3
	is "that there was no group is recorded" "$(jq -r .settings.cgroup "$J")" none
	is "and no limit" "$(jq -r .settings.memory_limit "$J")" null
	is "what was due was read or is counted" "$(runs '(.metrics.reads + .metrics.unissued_reads - .metrics.victim_s * 5000) | fabs <= 1')" 3
	is "the stream's fsync only adds time" \
		"$(runs '.variant != "alone" and .metrics.stream_fsync_mib_s <= .metrics.stream_mib_s')" 2
fi
if tiny per-second --op read --duration 0.2; then
	is "read runs have no fsync" "$(runs '.metrics.fsync_s == null')" 2
fi

if tiny f2fs-large-folio --size 1M --run-limit 0.1; then
	is "48 runs: reads 12, writes 36" "$(runs true) $(runs '.group | startswith("write")')" "48 36"
	is "a hole reads nothing from the device" \
		"$(runs '(.group | startswith("hole")) and .metrics.process_read_bytes == 0')" 6
	is "synchronous writes leave nothing dirty" \
		"$(runs '(.group | test("/Y/N")) and .metrics.dirty_end_pages == 0')" 12
fi

if tiny fsync-neighbour; then
	is "percentiles are in order" "$(runs '.metrics.fsync_p50_us <= .metrics.fsync_p99_us and
		.metrics.fsync_p99_us <= .metrics.fsync_max_us * 1.0001')" 3
	is "records were synced" "$(runs '.metrics.records > 0')" 3
fi

# A block device: only with --force, and only ours.
truncate -s 64M "$TEST_TMP/dev.img"
dev=$(losetup -f --show "$TEST_TMP/dev.img")
at_end losetup -d "$dev"
printf precious | dd of="$dev" conv=fsync status=none
refuses "a device that is not named with --force" 1 "would be overwritten.*--force $dev" \
	"$B" f2fs-dontcache --quick --dev "$dev" --io-sizes 64K
is "and keeps its content" "$(head -c 8 "$dev")" precious
blockdev --flushbufs "$dev"
# Whether this kernel's block devices take the flag is asked of another program.
if "$BUILD/dcstream" write -d -s 4k "$dev" >"$TEST_TMP/dcstream" 2>&1; then
	for limit in "" 16M; do
		J=$TEST_TMP/dev$limit.json
		[ -z "$limit" ] || [ "$(jq -r .environment.memory_cgroup_version "$TEST_TMP/dev.json")" != 0 ] || continue
		"$B" per-second --quick --dev "$dev" --force "$dev" ${limit:+--memory-limit "$limit"} \
			--json "$J" --quiet 2>"$TEST_TMP/err"
		is "a device run${limit:+ in a cgroup of $limit}" "$? $(cat "$TEST_TMP/err")" "0 "
		is "two runs that wrote" "$(runs '.metrics.bytes > 0')" 2
		is "dontcache leaves none of the device" \
			"$(runs '.variant == "dontcache" and .metrics.resident_pages == 0')" 1
		[ -n "$limit" ] || continue
		is "no sample above the limit" \
			"$(jq '[.runs[].samples[][9] | select(. == null or . > 16)] | length' "$J")" 0
	done
elif grep -q 'Operation not supported' "$TEST_TMP/dcstream"; then
	refuses "a device without dontcache" 1 "$dev: RWF_DONTCACHE answered EOPNOTSUPP.*choose another --dev" \
		"$B" per-second --quick --dev "$dev" --force "$dev"
	skip "per-second on a device" "this kernel's block devices have no RWF_DONTCACHE; tests/guest/bench.sh runs it"
else
	not_ok "a device to write to" "$(cat "$TEST_TMP/dcstream")"
fi
mkfs.xfs -q -f "$dev" 2>/dev/null || mkfs.ext4 -q -F "$dev"
mkdir "$TEST_TMP/mnt2"
mount "$dev" "$TEST_TMP/mnt2"
refuses "a mounted device even with --force" 1 'busy.*release it first' \
	"$B" f2fs-dontcache --quick --dev "$dev" --force "$dev"
umount "$TEST_TMP/mnt2"
finish
