#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 1600
# long: not yet run as a whole; run it with tests/run --long
#
# Stock 7.3 under every preempt= mode it offers but its default, which is that of the other tests: for every bio
# that asks for completion in a task, the tracer's judgement of the context, made before, is what the kernel does.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../oracle/judge.sh"
. "$(dirname "$0")/../oracle/guest.sh"

need_guest "preemption modes"
stays=all=left_not_in_task
# "full (lazy)": the modes, the one in force in parentheses
offered=$("$ROOT/tools/guest/guest" -q -k 7.3 -- cat /sys/kernel/debug/sched/preempt)
like "modes are known" "$offered" "\("
for mode in $offered; do
	[[ $mode != \(* ]] || continue
	out=$TEST_TMP/$mode
	guest_plan "$out" core "$stays" any "$stays" "$stays" block fentry kprobe -- \
		-k 7.3 -m 3072 --append "preempt=$mode" "${guest_disks[@]}" || continue
	like "$mode, is in force" "$(cat "$out/preempt")" "\($mode\)"
	for how in fentry kprobe; do
		judge_session "$out" "$how" "$how,raw_tp"
		judge_truth "$out" "$how"
		judge_context "$out" "$how" virtio-block hard_irq
		judge_context "$out" "$how" null1-block task
		judge_context "$out" "$how" null2-block hard_irq
		judge_context "$out" "$how" null0-block task
		judge_context "$out" "$how" loop-block soft_irq
	done
	judge_same "$out" fentry kprobe
done
finish
