#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 900
#
# What dropbehind says of F2FS, disk by disk and kind of I/O by kind of I/O: under the naive module every folio written
# is left behind where completions are not in a task, under the series every folio is dropped. mincore must say
# the same, and what is read with the flag is dropped under both.

. "$(dirname "$0")/../lib.sh"

need_root "f2fs context"
need "f2fs context" jq
series=${SERIES:-7.3}
naive=$("$ROOT/kernel/build-module" -q -k "$series" -p "$ROOT/tests/guest/fixtures/f2fs-naive-${series%%-*}.patch" \
	-n naive f2fs) && real=$("$ROOT/kernel/build-module" -q -k "$series" f2fs) ||
	{ not_ok "f2fs context" "a module does not build"; finish; }
must "f2fs context, guest" "$ROOT/tools/guest/guest" -q -k "$series" -t 850 --rw "$TEST_TMP" \
	-e DCSTREAM="$BUILD/dcstream" -d virtio:256 \
	-d null:256,irqmode=0,memory_backed=1 -d null:256,irqmode=1,memory_backed=1 \
	-d null:256,irqmode=2,completion_nsec=10000,memory_backed=1 -d loop:256 -d delay:256,ms=5,irqmode=2 -- \
	"$ROOT/tests/guest/fixtures/f2fs-context-guest" "$BUILD/dropbehind" "$BUILD/dontcache-workload" "$TEST_TMP" \
	naive="$naive" real="$real" || finish

disks=(virtio-blk "null_blk irqmode 0" "null_blk irqmode 1" "null_blk irqmode 2" loop dm-delay)
written=(new overwritten pinned dsync sync storm beside uring)

# Per file: births by writes and by reads, dropped, left because not in a task, still there.
tally='[.flows[] | select(.file != null)] | group_by(.file | split("/") | last)[]
	| [ (.[0].file | split("/") | last | if startswith("dontcache-workload-") then "uring" else . end),
	    ([.[].counts.births.write.pages // 0] | add),
	    ([.[].counts.births | (.read.pages // 0) + (.readahead.pages // 0)] | add),
	    ([.[].counts.outcomes[] | (.dropped_after_write.pages // 0) + (.dropped_after_read.pages // 0)] | add),
	    ([.[].counts.outcomes[].left_not_in_task.pages // 0] | add),
	    ([.[].counts.fates[][] | .pages] | add // 0) ] | map(tostring) | join(" ")'

for module in naive real; do
	for i in "${!disks[@]}"; do
		name="$module, ${disks[i]}"
		json=$TEST_TMP/$module-$i.json
		declare -A births=() reads=() dropped=() not_task=() fated=() cached=()
		while read -r file b r d n f; do
			births[$file]=$b reads[$file]=$r dropped[$file]=$d not_task[$file]=$n fated[$file]=$f
		done < <(jq -r "$tally" "$json")
		while read -r file n; do
			cached[$file]=$n
		done <"$TEST_TMP/$module-$i.cached"
		is "$name, balance" "$(json "$json" .balance.verdict)" pass
		is "$name, not written with the flag" "${births[normal]:-0} ${cached[normal]:-}" "0 512"
		is "$name, read with the flag" "${reads[read]:-0} ${dropped[read]:-0} ${cached[read]:-}" "512 512 0"
		in_task=
		[[ ${disks[i]} != *irqmode\ [01] ]] || in_task=1
		bad=() all=0
		for file in "${written[@]}"; do
			b=${births[$file]:-0} c=${cached[$file]:-none}
			stays=$((b - ${dropped[$file]:-0} - ${fated[$file]:-0}))
			all=$((all + b))
			# Page 0 of a file that is new is not born with the flag under the naive module: the conversion of
			# the empty inline data makes it.
			plain=$((512 - b))
			[ "$module" = naive ] && [ "$plain" -le 1 ] || [ "$plain" -eq 0 ] || bad+=("$file: $b births")
			[ "$c" = $((stays + plain)) ] || bad+=("$file: $stays of $b stay, $plain without the flag, mincore $c")
			if [ "$module" = real ]; then
				[ "$stays" -eq 0 ] || bad+=("$file: $stays of $b stay")
			elif [ -z "$in_task" ]; then
				[ "${not_task[$file]:-0}" -eq "$b" ] || bad+=("$file: ${not_task[$file]:-0} of $b not in task")
			fi
		done
		if [ "$module" = real ]; then
			is "$name, all $all pages written in 8 ways are dropped, mincore agrees" "${bad[*]:-}" ""
			[ -n "$in_task" ] || between "$name, bios deferred" "$(json "$json" .latencies.deferral_bio_complete_ns.count)" 1 4096
		elif [ -n "$in_task" ]; then
			is "$name, of $all pages written in 8 ways mincore agrees what stays" "${bad[*]:-}" ""
		else
			is "$name, all $all pages written in 8 ways stay, not in task, mincore agrees" "${bad[*]:-}" ""
			is "$name, bios deferred" "$(json "$json" .latencies.deferral_bio_complete_ns.count)" 0
		fi
	done
done
finish
