#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 1600
#
# Stock 7.3 under every preempt= mode it offers but its default, lazy, which is that of the other tests: for every bio
# that asks for completion in a task, the tracer's judgement of the context, made before, is what the kernel does.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../oracle/judge.sh"
. "$(dirname "$0")/../oracle/guest.sh"

need_guest "preemption modes"
stays=all=left_not_in_task

# under MODE: boots with it. The modes that the kernel offers are left in OUT/MODE/preempt, "full (lazy)", the one in
# force in parentheses.
under() {
	local mode=$1 out=$TEST_TMP/$1 how
	guest_plan "$out" core "$stays" dropped "$stays" "$stays" block fentry kprobe -- \
		-k 7.3 -m 3072 --append "preempt=$mode" "${guest_disks[@]}" || return
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
}

# Every kernel with a choice offers full, so its guest tells what else there is.
under full
offered=$(tr -d '()' <"$TEST_TMP/full/preempt" 2>/dev/null)
like "lazy is offered" " $offered " " lazy "
for mode in none voluntary; do
	if [[ " $offered " == *" $mode "* ]]; then
		under "$mode"
	else
		echo "preempt=$mode cannot be chosen on this kernel, which offers: $offered"
	fi
done
finish
