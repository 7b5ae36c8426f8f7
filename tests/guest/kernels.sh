#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 1600
#
# The tracer against the workload on other kernels: 7.3 for real time, 7.2, and 6.12, which has no dontcache I/O.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../oracle/judge.sh"
. "$(dirname "$0")/../oracle/guest.sh"

need_guest "other kernels"

# Real time: interrupt handlers are threads, in which the drop after writeback is tried, so ext4 overwrites go; they
# disable bottom halves, which makes them RCU readers for the block layer. Timers of null_blk and the block layer's soft
# interrupt are no tasks.
out=$TEST_TMP/rt
stays=all=left_not_in_task
if guest_plan "$out" core dropped dropped "$stays" "$stays" block fentry kprobe raw_tp -- \
	-k 7.3-rt -m 3072 "${guest_disks[@]}"; then
	like "rt, kernel" "$(cat "$out/kernel")" "^7\.3\..*rt"
	for how in fentry kprobe raw_tp; do
		judge_session "$out" "$how" "$how,raw_tp"
		[ "$how" = raw_tp ] || judge_truth "$out" "$how"
		for type in xfs block; do
			judge_context "$out" "$how" "virtio-$type" rcu_reader
			judge_context "$out" "$how" "null1-$type" task
			judge_context "$out" "$how" "null2-$type" soft_irq
			judge_context "$out" "$how" "null0-$type" task
			judge_context "$out" "$how" "loop-$type" soft_irq
		done
	done
	judge_same "$out" fentry kprobe raw_tp
fi

out=$TEST_TMP/7.2
if guest_plan "$out" core "$stays" dropped "$stays" "$stays" noblock fentry kprobe raw_tp -- \
	-k 7.2 -m 3072 "${guest_disks[@]}"; then
	like "7.2, kernel" "$(cat "$out/kernel")" "^7\.2\."
	for how in fentry kprobe raw_tp; do
		judge_session "$out" "$how" "$how,raw_tp"
		json_is "7.2, $how, the block layer defers nothing there" "$out/$how/ledger.json" .truth null
	done
	judge_same "$out" fentry kprobe raw_tp
fi

out=$TEST_TMP/6.12
mkdir "$out"
# shellcheck disable=SC2016
"$ROOT/tools/guest/guest" -q -k 6.12 --rw "$out" -- bash -c '
	uname -r >"$2/kernel"
	for verb in stat "record -o /tmp/r" trace left "features -j"; do
		"$1/dropbehind" $verb >"$2/${verb%% *}.out" 2>"$2/${verb%% *}.err" </dev/null
		echo $? >"$2/${verb%% *}.status"
	done' old "$BUILD" "$out"
is "6.12, guest ends well" "$?" 0
echo "6.12 ran on kernel $(cat "$out/kernel")"
for verb in stat record trace left; do
	is "6.12, $verb, status" "$(cat "$out/$verb.status")" 1
	like "6.12, $verb, message" "$(cat "$out/$verb.err")" "^dropbehind: .*6\.12\..*no dontcache"
	is "6.12, $verb, one line" "$(wc -l <"$out/$verb.err") $(wc -c <"$out/$verb.out")" "1 0"
done
is "6.12, features, status" "$(cat "$out/features.status")" 2
like "6.12, features, message" "$(json "$out/features.out" '.reasons[0]')" "6\.12\..*no dontcache"
is "6.12, features, silent" "$(cat "$out/features.err")" ""
finish
