#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 900
#
# The tracer against the workload on this machine's own kernel: for every scenario births as the workload knows
# them, and births less deaths as cachestat(2) finds them.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/fs.sh"
OUT=$TEST_TMP/out
. "$(dirname "$0")/../oracle/sessions.sh"
. "$(dirname "$0")/../oracle/judge.sh"

P=$(getconf PAGESIZE)
need_root "oracle"
need "oracle" jq losetup mkfs.xfs mkfs.ext4
for program in "$DROPBEHIND" "$WORKLOAD"; do
	[ -x "$program" ] || { not_ok "oracle" "$program is missing: build it with make"; finish; }
done

memcg=$(awk '$3 == "cgroup" && $4 ~ /memory/ { print $2; exit }' /proc/mounts)
if [ -z "$memcg" ]; then
	memcg=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	grep -qsw memory "$memcg/cgroup.subtree_control" || memcg=
fi
groups=()
if [ -n "$memcg" ]; then
	for i in 1 2 3 4 5 6; do
		groups+=("$memcg/dropbehind-oracle-$$-$i")
		mkdir "${groups[-1]}" || { not_ok "cgroups" "cannot make ${groups[-1]}"; finish; }
		at_end rmdir "${groups[-1]}"
	done
fi

# works FS: everything the workload can do, in one session.
works() {
	local p=$1 f groups_args=()
	work append-4k "$p" any append --size 2M --block 4K
	work append-64k "$p" any append --size 8M
	work append-1m "$p" any append --size 8M --block 1M --fsync
	work append-odd "$p" any append --size 5000K --block 500K
	work append-dsync "$p" any append --size 1M --dsync
	work append-o-dsync "$p" any append --size 1M --o-dsync
	work append-threads "$p" any append --size 8M --threads 16 --files 3
	work append-uring "$p" any append --size 4M --engine io_uring --depth 16
	work overwrite "$p" any overwrite --size 8M
	work overwrite-4k "$p" any overwrite --size 2M --block 4K --fsync
	work overwrite-uring "$p" any overwrite --size 4M --engine io_uring --threads 2
	work overwrite-dsync "$p" any overwrite --size 1M --dsync
	work rewrite "$p" any rewrite --size 2M
	work overwrite-cached "$p" none overwrite-cached --size 4M
	work overwrite-half-cached "$p" any overwrite-half-cached --size 4M
	work partial "$p" any partial --size 2M
	work partial-append "$p" any partial-append --size 256K
	work sparse "$p" any sparse --size 4M
	work mixed "$p" any mixed --size 4M
	work control "$p" none control --size 4M
	work claim "$p" any claim --size 4M
	work reader "$p" any reader --size 4M
	work mapped "$p" any mapped --size 2M
	work mapped-write "$p" all=claimed mapped-write --size 2M
	work truncate "$p" any truncate --size 8M
	work unlink "$p" any unlink --size 8M
	work read "$p" any read --size 4M
	work read-1m "$p" any read --size 4M --block 1M
	work read-4k "$p" any read --size 1M --block 4K
	work read-random "$p" any read-random --size 4M
	work read-random-advice "$p" dropped read --size 4M --random-advice
	work read-hole "$p" any read-hole --size 4M
	work read-uring "$p" any read --size 4M --engine io_uring
	work read-threads "$p" any read --size 4M --threads 8
	work read-cached "$p" none read-cached --size 4M
	work control-read "$p" none control-read --size 4M
	work unread "$p" some=left_never_read unread --size 8M
	work unread-cached "$p" any unread-cached --size 8M
	if [ ${#groups[@]} -gt 0 ]; then
		for f in "${groups[@]}"; do
			groups_args+=(--cgroup "$f")
		done
		work cgroups "$p" any append --size 1M --files 15 --threads 2 "${groups_args[@]}"
		work cgroups-read "$p" any read --size 1M --files 7 "${groups_args[@]}"
	fi
}

for type in xfs ext4; do
	fs_make "$type" 600 || { not_ok "$type filesystem" "cannot be made"; continue; }
	place_at "$type" "$FS_DIR"
	session "probe-$type" --mount "$FS_DIR"
	work append "$type" any append --size 64K
	session_end
	if [ "$(cat "$OUT/probe-$type/append.status")" = 4 ]; then
		skip "$type" "$(cat "$OUT/probe-$type/append.err")"
		continue
	fi
	session "$type" --mount "$FS_DIR" --attach raw_tp
	works "$type"
	session_end
	judge_session "$OUT" "$type" raw_tp
	[ ${#groups[@]} -gt 0 ] || skip "$type, attribution to cgroups" "no memory controller is mounted"

	# A write that is held: its pages are pending, and nothing else is said of them.
	held=$TEST_TMP/held-$type
	mkfifo "$held.fifo"
	"$DROPBEHIND" stat --json --mount "$FS_DIR" --attach raw_tp -- bash -c '
		"$1" pending --dir "$2" --size 2M --no-settle --json --wait-fifo "$3.fifo" >"$3.json" 2>"$3.err" &
		echo $! >"$3.pid"
		for ((i = 0; i < 600; i++)); do
			[ -s "$3.json" ] && jq -e .verdict "$3.json" >/dev/null 2>&1 && exit 0
			sleep 0.1
		done
		exit 9' held "$WORKLOAD" "$FS_DIR" "$held" >"$held.ledger" 2>"$held.tracer"
	is "$type, held write, tracer" "$? $(cat "$held.tracer" "$held.err")" "0 "
	json_is "$type, held write, births are all pending" "$held.ledger" \
		'[.balance.births_pages, .balance.pending_pages, .live.pending.dirty.pages, .balance.verdict] | @text' \
		"[$((2097152 / P)),$((2097152 / P)),$((2097152 / P)),\"pass\"]"
	[ ! -p "$held.fifo" ] || timeout 10 bash -c 'echo go >"$1"' go "$held.fifo"
	for ((i = 0; i < 300; i++)); do
		[ -e "/proc/$(cat "$held.pid")" ] || break
		sleep 0.1
	done
done
finish
