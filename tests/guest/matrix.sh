#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 1600
#
# Stock 7.3: the tracer against the workload by fentry, kprobes and raw tracepoints, on XFS, ext4 and block
# devices on virtio-blk, null_blk in all its ways to complete, and loop. All three must count the same.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../oracle/judge.sh"
. "$(dirname "$0")/../oracle/guest.sh"

need_guest "matrix"
out=$TEST_TMP/out
guest_plan "$out" matrix fentry kprobe raw_tp -- -k 7.3 -m 3072 "${guest_disks[@]}" \
	-d null:64,memory_backed=1,irqmode=0 -d loop:16 -d delay:320,irqmode=2,ms=0 || finish

for how in fentry kprobe raw_tp; do
	judge_session "$out" "$how" "$how,raw_tp"
	[ "$how" = raw_tp ] || judge_truth "$out" "$how"
	for type in xfs block; do
		judge_context "$out" "$how" "virtio-$type" hard_irq
		judge_context "$out" "$how" "null1-$type" task
		judge_context "$out" "$how" "null2-$type" hard_irq
		judge_context "$out" "$how" "null0-$type" task
		judge_context "$out" "$how" "loop-$type" soft_irq
	done
done
judge_same "$out" fentry kprobe
# which has no rows of the plan reasons
judge_same "$out" raw_tp fentry

# Every folio of 4 KiB is a page, of which the workload knows the number; the write held has larger ones.
judge_session "$out" late fentry,raw_tp
held=$(work_folios "$out" late dirty)
judge_late "$out" late writeback_ns 100 $((64 + held))
judge_late "$out" late residency_write_ns 100 $((64 + held))
judge_late "$out" late dirty_wait_ns 300 "$held"
judge_late "$out" late stayed_ns 300 64
judge_late "$out" late drop_delay_ns 300 64
finish
