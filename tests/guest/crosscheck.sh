#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 900
#
# Stock 7.3: a bpftrace script that counts births, drops and drops not tried by itself has the tracer's totals,
# file by file, and as many completions handed to workers.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../oracle/judge.sh"
. "$(dirname "$0")/../oracle/guest.sh"

need_guest "crosscheck"
out=$TEST_TMP/out
guest_plan "$out" crosscheck "$ROOT/tests/guest/plans/crosscheck.bt" -- -k 7.3 \
	-d virtio:320 -d virtio:320 -d null:320,memory_backed=1,irqmode=0 || finish
is "bpftrace says nothing on stderr" "$(cat "$out/bpftrace.err" 2>&1)" ""
judge_session "$out" fentry fentry,raw_tp

# total KEY: what bpftrace counted in all
total() {
	echo $(($(sed -n "s/^@$1: //p" "$out/bpftrace.out") + 0))
}

# It counts the whole time, so what it counted is of one session only if that was not repeated.
if compgen -G "$out/fentry/inconclusive-*" >/dev/null; then
	echo "the session was repeated: deferrals are not compared"
else
	for pair in deferral_bio_complete_ns=deferred deferral_xfs_ioend_ns=xfs \
		"work_bio_complete_ns=works\\[bio_complete_work_fn\\]" "work_xfs_ioend_ns=works\\[xfs_end_io\\]" \
		"work_ext4_conversion_ns=works\\[ext4_end_io_rsv_work\\]"; do
		json_is "bpftrace, ${pair%%=*}" "$out/fentry/ledger.json" \
			".latencies.${pair%%=*} | \"\(.count) \(.count > 0)\"" "$(total "${pair#*=}") true"
	done
fi

# counted WHAT DEV INO: what bpftrace counted of a file
counted() {
	sed -n "s/^@$1\[$2, $3\]: //p" "$out/bpftrace.out"
}

while read -r work; do
	got='' want=''
	while read -r dev ino; do
		for what in births dropped untried; do
			got+=" $what $(($(counted "$what" "$dev" "$ino") + 0))"
		done
		want+=" $(jq -r --argjson dev "$dev" --argjson ino "$ino" '
			[.flows[] | select(.dev == $dev and .inode == $ino) | .counts]
			| def of(f): [.[] | f // 0] | add // 0;
			"births \(of(.births[].pages)) dropped \(of(.outcomes[] | (.dropped_after_write.pages // 0)
				+ (.dropped_after_read.pages // 0)) + of(.fates[] | (.dropped_by_writeback.pages // 0)
				+ (.dropped_by_read.pages // 0))) untried \(of(.outcomes[] | (.left_not_in_task.pages // 0)
				+ (.left_lock_busy.pages // 0)))"' "$out/fentry/ledger.json")"
	done < <(jq -r '.files[] | (.dev | split(":") | (.[0] | tonumber) * 1048576 + (.[1] | tonumber)) as $dev
		| "\($dev) \(.ino)"' "$out/fentry/$work.json")
	is "bpftrace, $work" "$got" "$want"
done <"$out/fentry/works"
finish
