#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 1800
#
# The bench under a stock 7.3 kernel: against fio with uncached=1, on a block device, in version 2
# cgroups, on a disk that breaks, and on F2FS without and with the series.

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
must "all runs in the guest" "$ROOT/tools/guest/guest" -q -k 7.3 -t 1500 -d virtio:512 -d flakey:320,on=virtio --rw "$R" \
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
for p in blockdev-seconds blockdev-cgroup; do
	is "$p: normal and dontcache" "$(jq -r '[.runs[].variant] | join(" ")' "$R/$p.json")" "normal dontcache"
	is "$p: something was written" "$(runs $p '.metrics.bytes > 0')" 2
	is "$p: the seconds add up to the bytes" "$(runs $p '. as $r | (reduce .samples[] as $s
		({t: 0, b: 0}; .b += $s[1] * 1e6 * ($s[0] - .t) | .t = $s[0]) | .b) / $r.metrics.bytes
		| . > 0.999 and . < 1.001')" 2
	is "$p: throughput stands with and without the fsync" \
		"$(runs $p '.metrics.throughput_fsync_mib_s > 0 and .metrics.throughput_fsync_mib_s <= .metrics.throughput_mib_s')" 2
	is "$p: normal leaves pages" "$(runs $p '.variant == "normal" and .metrics.resident_pages > 0')" 1
	is "$p: dontcache leaves none" "$(runs $p '.variant == "dontcache" and .metrics.resident_pages == 0')" 1
done
is "a device in a cgroup: the limit is recorded" "$(jq -r .settings.memory_limit "$R/blockdev-cgroup.json")" 16M
is "a device in a cgroup: it was sampled" \
	"$(runs blockdev-cgroup '[.samples[][9] | select(. != null)] | length > 0')" 2
is "a device in a cgroup: its limit holds" \
	"$(jq '[.runs[].samples[][9] | select(. != null and . > 16)] | length' "$R/blockdev-cgroup.json")" 0
is "a device in a cgroup: what its limit made reclaim is counted" \
	"$(runs blockdev-cgroup '.metrics.cgroup_direct_scan_pages >= 0')" 2
is "a device in a cgroup: no group is left" "$(cat "$R/cgroups")" ""
for p in xfs dev; do
	is "EIO, $p: it ends the run" "$(cat "$R/eio-$p.status")" 1
	like "EIO, $p: it is told" "$(cat "$R/eio-$p.err")" '^dontcache-bench: .*: Input/output error'
	is "EIO, $p: in one line" "$(wc -l <"$R/eio-$p.err")" 1
	is "EIO, $p: nothing is reported" "$(wc -c <"$R/eio-$p.out")" 0
done
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
