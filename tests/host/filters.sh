#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 400
#
# Every filter counts what it names, all of it and nothing else: the same I/O to two filesystems, from several
# cgroups and tasks, seen through one filter after the other.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/fs.sh"

need_root "filters"
need "filters" jq mkfs.xfs mkfs.ext4 losetup
D=$BUILD/dropbehind
W=$BUILD/dontcache-workload
P=$(getconf PAGESIZE)
for program in "$D" "$W"; do
	[ -x "$program" ] || { not_ok "filters" "$program is missing: build it with make"; finish; }
done
fs_make xfs 400 || { not_ok "filters" "no filesystem"; finish; }
xfs=$FS_DIR xfs_dev=$FS_DEV
fs_make ext4 200 || { not_ok "filters" "no filesystem"; finish; }
ext4=$FS_DIR

memcg=$(awk '$3 == "cgroup" && $4 ~ /memory/ { print $2; exit }' /proc/mounts)
if [ -z "$memcg" ]; then
	memcg=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	grep -qsw memory "$memcg/cgroup.subtree_control" || memcg=
fi
upper=$memcg/dropbehind-filters-$$ other=$memcg/dropbehind-filters-$$-other
in_upper=() in_lower=() in_other=()
if [ -n "$memcg" ]; then
	mkdir "$upper" "$other"
	at_end rmdir "$upper" "$other"
	[ ! -e "$upper/cgroup.subtree_control" ] || echo +memory >"$upper/cgroup.subtree_control"
	mkdir "$upper/lower"
	at_end rmdir "$upper/lower"
	in_other=(--cgroup "$other")
	in_lower=(--cgroup "$upper/lower")
	# with v2 a group that hands memory on to others has no tasks of its own
	[ -e "$upper/cgroup.subtree_control" ] || in_upper=(--cgroup "$upper")
fi
cp "$W" "$TEST_TMP/other-name"
touch "$xfs/named"

# 1, 2, 4 and 8 MiB, and half of one, so that every sum tells what is in it.
all() {
	"$W" append --settle-wait 0 --quiet-ms 100 --file "$xfs/named" --size 1M &&
		"$W" append --settle-wait 0 --quiet-ms 100 --dir "$ext4" --size 2M "${in_lower[@]}" &&
		"$W" append --settle-wait 0 --quiet-ms 100 --dir "$xfs" --size 4M "${in_upper[@]}" &&
		"$W" append --settle-wait 0 --quiet-ms 100 --dir "$xfs" --size 8M "${in_other[@]}" &&
		"$TEST_TMP/other-name" append --settle-wait 0 --quiet-ms 100 --dir "$ext4" --size 512K
}

# counts NAME KIB FILTER...: births of all those writes that the filter lets through.
counts() {
	local name=$1 kib=$2
	shift 2
	rm -f "$TEST_TMP/err"
	"$D" stat -j "$@" >"$TEST_TMP/ledger" 2>"$TEST_TMP/err" &
	local tracer=$!
	for ((i = 0; i < 300; i++)); do
		grep -q '^tracing on' "$TEST_TMP/err" && break
		sleep 0.1
	done
	all >"$TEST_TMP/work" 2>&1 || { cat "$TEST_TMP/work"; not_ok "$name, the writes" "see above"; }
	kill -INT "$tracer"
	wait "$tracer"
	json_is "$name" "$TEST_TMP/ledger" '[.balance.births_pages, .balance.verdict] | @text' \
		"[$((kib * 1024 / P)),\"pass\"]"
}

counts "--mount" 13312 --mount "$xfs"
counts "--dev" 13312 --dev "$xfs_dev"
counts "--file" 1024 --file "$xfs/named"
counts "--mount and --file together" 1024 --mount "$xfs" --file "$xfs/named"
counts "--comm" 512 --comm other-name
counts "--comm of no task" 0 --comm no-such-task
counts "--comm and --mount together" 0 --comm other-name --mount "$xfs"
counts "--fs and --mount that hold together" 13312 --fs xfs --mount "$xfs"
counts "--fs and --mount of which one does not hold" 0 --fs ext4 --mount "$xfs"
counts "--fs and --comm" 512 --fs ext4 --comm other-name
if [ -n "$memcg" ]; then
	counts "--cgroup" 2048 --cgroup "$upper/lower"
	counts "--cgroup with those below it" $((2048 + (${#in_upper[@]} ? 4096 : 0))) --cgroup "$upper"
	counts "--cgroup beside it" 8192 --cgroup "$other"
	counts "--cgroup and --fs" 2048 --cgroup "$upper" --fs ext4
else
	skip "--cgroup" "no memory controller is mounted"
fi

mkfifo "$TEST_TMP/fifo"
"$W" append --settle-wait 0 --quiet-ms 100 --dir "$xfs" --size 3M --start-fifo "$TEST_TMP/fifo" >"$TEST_TMP/work" 2>&1 &
pid=$!
# shellcheck disable=SC2016 # for the inner shell
"$D" stat -j --pid "$pid" -- bash -c '"$0" append --settle-wait 0 --quiet-ms 100 --dir "$3" --size 1M >/dev/null
	timeout 10 bash -c "echo go >\"\$0\"" "$1"
	while [ -e "/proc/$2" ] && ! grep -q "^State:.Z" "/proc/$2/status"; do sleep 0.1; done' \
	"$W" "$TEST_TMP/fifo" "$pid" "$xfs" >"$TEST_TMP/ledger"
wait "$pid"
is "--pid, the write" "$?" 0
json_is "--pid" "$TEST_TMP/ledger" '[.balance.births_pages, .balance.verdict] | @text' "[$((3145728 / P)),\"pass\"]"
finish
