# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Boots a guest for a plan of sessions.sh; sourced after lib.sh and judge.sh.
#
#	need_guest NAME			skips NAME and finishes where no guest can be booted
#	guest_plan OUT PLAN [ARG...] [-- GUEST OPTION...]
#					runs the plan in a guest, results in OUT; fails a case if it does not end well

need_guest() {
	need_root "$1"
	need "$1" jq
	case $BUILD in
	"$ROOT"/*) ;;
	*)
		skip "$1" "the guest sees the tree only, and $BUILD is outside"
		finish
		;;
	esac
	for program in dropbehind dontcache-workload; do
		[ -x "$BUILD/$program" ] || { not_ok "$1" "$BUILD/$program is missing: build it with make"; finish; }
	done
}

guest_plan() {
	local out=$1 plan=$2 args=() status
	shift 2
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		args+=("$1")
		shift
	done
	[ $# -eq 0 ] || shift
	mkdir -p "$out"
	"$ROOT/tools/guest/guest" -q -t 1500 --rw "$out" -e "BUILD=$BUILD" "$@" -- \
		"$ROOT/tests/oracle/in-guest" "$ROOT/tests/guest/plans/$plan" "$out" "${args[@]}"
	status=$?
	echo "$plan ran on kernel $(cat "$out/kernel" 2>&1), preemption $(cat "$out/preempt" 2>&1)"
	is "$plan, guest ends well" "$status" 0
	return "$status"
}

# The disks of the plans matrix and core, as options of the guest runner. Measured on 7.3: virtio-blk and
# null_blk irqmode 2 complete in hard IRQ, loop in soft IRQ, null_blk irqmode 0 and (with memory) 1 in the submitting task.
guest_disks=()
for spec in virtio:320 null:320,memory_backed=1,irqmode=1 null:320,memory_backed=1,irqmode=2 \
	null:320,memory_backed=1,irqmode=0 loop:320; do
	guest_disks+=(-d "$spec" -d "$spec" -d "$spec")
done
