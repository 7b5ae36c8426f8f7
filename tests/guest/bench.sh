#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 1800
#
# The bench under a stock 7.3 kernel: against fio with uncached=1, on a block device, in version 2
# cgroups, and on F2FS without and with the series.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../tools/bench-fio-lib.sh"

need_root "bench in a guest"
need "bench in a guest" jq
R=$TEST_TMP/result
mkdir "$R"
stock=$("$ROOT/kernel/build-module" -q -k 7.3 -p none -n stock f2fs) &&
	real=$("$ROOT/kernel/build-module" -q -k 7.3 f2fs) || {
	not_ok "F2FS modules" "kernel/build-module failed"
	finish
}
must "all runs in the guest" "$ROOT/tools/guest/guest" -q -k 7.3 -t 1500 -d virtio:512 --rw "$R" \
	-e BENCH="$BUILD/dontcache-bench" -e DCSTREAM="$BUILD/dcstream" -e STOCK="$stock" -e REAL="$real" \
	-e JOBS="$ROOT/tests/tools/fixtures/bench-fio-jobs" -- "$ROOT/tests/guest/fixtures/bench-guest" "$R" ||
	finish

OUT=$R/fio
for bs in 4K 64K 1M; do
	for rw in write read; do
		judge normal $rw $bs
		judge dontcache $rw $bs
	done
done

# How many runs of file $1 fulfil the jq condition $2.
runs() {
	jq "[.runs[] | select($2)] | length" "$R/$1.json"
}

like "emulation is told" "$(jq -r '.notes[]' "$R/f2fs-dontcache.json")" 'the CPU is emulated'
is "version 2 cgroups" "$(jq -r .environment.memory_cgroup_version "$R/xfs-neighbour.json")" 2
is "refaults of the victim are counted" "$(runs xfs-neighbour '.metrics.refaults != null')" 3
is "block device: dontcache leaves none" \
	"$(runs blockdev '.variant == "dontcache" and .metrics.resident_pages == 0')" 1
is "block device: normal leaves all" \
	"$(runs blockdev '.variant == "normal" and .metrics.resident_pages == 2048')" 1
like "stock F2FS is refused" "$(cat "$R/stock-refusal")" 'EOPNOTSUPP.*nothing was measured'
is "stock and changed module alternate" \
	"$(jq -r '[.runs[].variant] | [.[0], .[6], .[12], .[18]] | join(" ")' "$R/f2fs-control.json")" \
	"before after after before"
is "they are not the same module" \
	"$(jq -r '.settings | .module_before != .module_after' "$R/f2fs-control.json")" true
is "changed F2FS: dontcache writes leave none" \
	"$(runs f2fs-dontcache '.variant == "dontcache" and .metrics.resident_pages == 0')" 6
is "changed F2FS: dontcache reads leave none" \
	"$(runs f2fs-dontcache-read '.variant == "dontcache" and .metrics.resident_pages == 0')" 6
is "F2FS: immutable reads have a column" "$(runs f2fs-large-folio '.variant == "immutable"')" 6
is "no file is left" "$(cat "$R/files")" ""
is "fsck.f2fs finds nothing" "$(cat "$R/fsck")" clean
finish
