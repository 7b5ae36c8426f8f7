# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced by the tests that compare the bench with fio: judges what bench-fio-jobs left in $OUT.
#
#	judge VARIANT RW BS    the same bytes, and pages that stayed as they must

PAGE=$(getconf PAGESIZE)
PAGES=$((16 * 1048576 / PAGE))

judge() {
	local variant=$1 rw=$2 what="$2 $1 $3" fio=$OUT/fio-$2-$1-$3 bench=$OUT/bench-$2-$3.json
	local run=".runs[] | select(.variant == \"$1\") | .metrics" stayed
	printf '%s: bench %s MiB/s, fio %s MiB/s\n' "$what" \
		"$(jq "$run | .throughput_fsync_mib_s // .throughput_mib_s | floor" "$bench")" \
		"$(jq ".jobs[0].$rw.bw_bytes / 1048576 | floor" "$fio.json")"
	is "$what, the same bytes" "$(jq "$run | .bytes" "$bench")" \
		"$(jq ".jobs[0].$rw.io_bytes" "$fio.json")"
	stayed=$(jq "$run | .resident_pages" "$bench")
	if [ "$variant" = dontcache ]; then
		is "$what, the same pages stay" "$stayed" "$(cat "$fio.pages")"
		return
	fi
	# What reclaim took (DAMON, memory pressure) is known for the bench's file only.
	is "$what, every page of the bench stays" \
		"$(jq "$run | .resident_pages + (.evicted_pages // 0)" "$bench")" "$PAGES"
	between "$what, so do fio's" "$(cat "$fio.pages")" $((PAGES * 9 / 10)) "$PAGES"
}
