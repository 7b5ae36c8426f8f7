#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 400
#
# What the bench does when things go wrong: one line on stderr, a non-zero exit, and nothing of
# its own left over: files, cgroups, processes.

. "$(dirname "$0")/../lib.sh"

B=$BUILD/dontcache-bench
need_root "faults"
need "faults" mkfs.xfs losetup fallocate

n=0
mkdir "$TEST_TMP/tmpfs" "$TEST_TMP/mnt" "$TEST_TMP/small"

# Mounts a fresh XFS of $2 on $1.
fresh() {
	truncate -s "$2" "$1.img"
	mkfs.xfs -q "$1.img" && mount -o loop "$1.img" "$1"
}

files() {
	find "$1" -type f | wc -l
}

# Waits until CMD... succeeds, thirty seconds at most.
within() {
	local i
	for ((i = 0; i < 600; i++)); do
		"$@" && return 0
		sleep 0.05
	done
	return 1
}

# Takes what is free in $1 but for a few MiB; fails while a writer is faster.
fill() {
	local free
	free=$(df --output=avail -B1 "$1" | tail -n 1)
	fallocate -l $((free - 4194304)) "$1/filler" 2>/dev/null
}

# More than a probe of one page: the load is in its loop.
written() { [ "$(du -sk "$1" | cut -f 1)" -gt 2048 ]; }
no_files() { [ "$(files "$1")" -eq 0 ]; }
some_file() { [ "$(files "$1")" -gt 0 ]; }
gone() { ! kill -0 "$1" 2>/dev/null; }
no_cgroup() { [ -z "$(find /sys/fs/cgroup -maxdepth 3 -name 'dontcache-bench-*')" ]; }

# Wrong use
refuses "no preset" 2 'no preset given' "$B"
refuses "unknown preset" 1 'nosuch: no such preset; see --list' "$B" nosuch --dir "$TEST_TMP"
refuses "unknown option" 2 '--nosuch: no such option' "$B" paced --nosuch
refuses "option without its value" 2 '--size' "$B" paced --size
refuses "no place" 2 'give --dir DIR or --dev DEV' "$B" paced
refuses "two places" 2 'exclude each other' "$B" paced --dir / --dev /dev/null
refuses "no number" 2 '--rounds x: give a whole number' "$B" paced --dir / --rounds x
refuses "no size" 2 '--size 4Q: give a size' "$B" paced --dir / --size 4Q
refuses "size zero" 2 '--size 0: give a size' "$B" paced --dir / --size 0
refuses "no such word" 2 '--reset all: give one of: default drop file none' "$B" paced --dir / --reset all
refuses "a name with a slash" 2 'without a slash' "$B" paced --dir / --file a/b
refuses "no directory" 1 'open directory /nonexistent: No such file' "$B" paced --dir /nonexistent
refuses "a file for a directory" 1 'is no directory' "$B" paced --dir /etc/passwd
refuses "a directory for a device" 1 'is no block device' "$B" paced --dev /etc
refuses "I/O greater than the file" 1 'give a greater --size' \
	"$B" f2fs-dontcache --dir "$TEST_TMP" --io-sizes 1M --size 64K
refuses "half a control" 1 'give both' "$B" control --dir "$TEST_TMP" --before true
refuses "--append elsewhere" 1 'belongs to the control preset' "$B" paced --dir "$TEST_TMP" --append x

truncate -s 16M "$TEST_TMP/dev.img"
dev=$(losetup -f --show "$TEST_TMP/dev.img")
refuses "a preset of files on a device" 1 'neighbour works on files; give --dir' \
	"$B" neighbour --quick --dev "$dev" --force "$dev"
losetup -d "$dev"

# EOPNOTSUPP: tmpfs has no dontcache
mount -t tmpfs -o size=128M none "$TEST_TMP/tmpfs"
at_end umount "$TEST_TMP/tmpfs"
for p in f2fs-dontcache f2fs-dontcache-read paced per-second neighbour fsync-neighbour; do
	refuses "$p where dontcache is not supported" 1 'EOPNOTSUPP.*nothing was measured' \
		"$B" "$p" --quick --dir "$TEST_TMP/tmpfs"
done
is "nothing left there" "$(files "$TEST_TMP/tmpfs")" 0
must "control needs no dontcache" "$B" control --quick --dir "$TEST_TMP/tmpfs" --quiet --size 1M \
	--rounds 1

if ! fresh "$TEST_TMP/mnt" 400M 2>/dev/null; then
	skip "faults on XFS" "this kernel cannot mount XFS on a loop device"
	finish
fi
at_end umount "$TEST_TMP/mnt"
M=$TEST_TMP/mnt
if ! "$B" f2fs-dontcache --quick --dir "$M" --quiet --io-sizes 64K --size 1M --rounds 1 2>/dev/null; then
	skip "faults on XFS" "no RWF_DONTCACHE here"
	finish
fi

# A run that cannot hold one I/O would have no end
for p in f2fs-dontcache f2fs-dontcache-read control per-second f2fs-large-folio neighbour fsync-neighbour; do
	refuses "$p: I/O greater than the file" 1 'I/O of 1M does not fit into the (64|32)K of a file.*greater --size' \
		"$B" "$p" --quick --dir "$M" --quiet --io-sizes 1M --size 64K
done
refuses "control: its usual I/O greater than the file" 1 'I/O of 1M does not fit into the 64K' \
	"$B" control --quick --dir "$M" --quiet --size 64K
refuses "f2fs-large-folio: its usual I/O greater than the file" 1 'I/O of 1M does not fit into the 64K' \
	"$B" f2fs-large-folio --quick --dir "$M" --quiet --size 64K
refuses "paced: I/O greater than the file" 1 'I/O of 1M does not fit into the 64K' \
	"$B" paced --quick --dir "$M" --quiet --rates 1M --io-sizes 1M --size 64K
refuses "a hot set of less than a page" 1 '--hot-size is less than a page' \
	"$B" neighbour --quick --dir "$M" --quiet --hot-size 512
is "refused runs leave nothing" "$(files "$M")" 0

# Space
refuses "not enough space" 1 'MiB free and the preset needs' "$B" f2fs-dontcache --quick --dir "$M" --size 1G
"$B" paced --quick --dir "$M" --rates 16M --duration 20 --size 300M --quiet 2>"$TEST_TMP/err" &
pid=$!
within some_file "$M" || not_ok "a load to fill the disk under" "it made no file"
sleep 0.2
within fill "$M" || not_ok "a disk that fills up" "it could not be filled"
wait "$pid"
is "a disk that fills up ends the run" "$?" 1
like "and is told" "$(cat "$TEST_TMP/err")" 'No space left on device; give a smaller --size'
is "in one line" "$(wc -l <"$TEST_TMP/err")" 1
rm "$M/filler"
is "its file is gone" "$(files "$M")" 0

# EIO: the filesystem shuts down in the middle of a run, as it does when its disk breaks
mkdir "$TEST_TMP/dead"
if ! command -v xfs_io >/dev/null; then
	skip "EIO" "no xfs_io to shut a filesystem down"
elif fresh "$TEST_TMP/dead" 400M; then
	at_end umount "$TEST_TMP/dead"
	"$B" paced --quick --dir "$TEST_TMP/dead" --rates 4M --duration 60 --size 300M --quiet \
		>"$TEST_TMP/out" 2>"$TEST_TMP/err" &
	pid=$!
	within written "$TEST_TMP/dead" || not_ok "a load to shut down under" "it wrote nothing"
	xfs_io -x -c shutdown "$TEST_TMP/dead"
	wait "$pid"
	is "EIO ends the run" "$?" 1
	like "and is told" "$(cat "$TEST_TMP/err")" '^dontcache-bench: .*/dead/.*: Input/output error'
	is "in one line" "$(wc -l <"$TEST_TMP/err")" 1
	is "and reports nothing" "$(wc -c <"$TEST_TMP/out")" 0
fi

# A disk that has no room below: the file that it is in lies on a tmpfs that is too small. The loop
# driver passes ENOSPC on, or EIO for a request that was half written.
truncate -s 400M "$TEST_TMP/tmpfs/disk.img"
mkfs.xfs -q "$TEST_TMP/tmpfs/disk.img"
if mount -o loop "$TEST_TMP/tmpfs/disk.img" "$TEST_TMP/small"; then
	at_end umount "$TEST_TMP/small"
	"$B" f2fs-dontcache --quick --dir "$TEST_TMP/small" --io-sizes 64K --size 128M --quiet \
		2>"$TEST_TMP/err" >"$TEST_TMP/out"
	is "a device without room below ends the run" "$?" 1
	like "and is told" "$(cat "$TEST_TMP/err")" '(Input/output error|No space left on device).*'
	is "in one line" "$(wc -l <"$TEST_TMP/err")" 1
	is "and reports nothing" "$(wc -c <"$TEST_TMP/out")" 0
else
	skip "a device without room below" "no loop device on tmpfs here"
fi

# Somebody else's file
echo precious >"$M/mine"
refuses "a file that is not ours" 1 'mine: File exists.*--force' \
	"$B" f2fs-dontcache --quick --dir "$M" --file mine --quiet
is "keeps its content" "$(cat "$M/mine")" precious
must "--force names it" "$B" f2fs-dontcache --quick --dir "$M" --file mine --force "$M/mine" --quiet \
	--io-sizes 64K --rounds 1 --size 1M
is "and it is removed like our own" "$(files "$M")" 0

# Stopped and killed half-way
for sig in INT TERM HUP KILL; do
	"$B" per-second --quick --duration 30 --dir "$M" --memory-limit 64M --quiet 2>"$TEST_TMP/err" &
	pid=$!
	within some_file "$M" || not_ok "a load to stop with $sig" "it made no file"
	sleep 0.3
	kill -"$sig" "$pid"
	wait "$pid" 2>/dev/null
	status=$?
	if [ "$sig" = KILL ]; then
		is "killed" "$status" 137
	else
		is "stopped by SIG$sig" "$status" 130
		like "and told" "$(cat "$TEST_TMP/err")" 'stopped by a signal'
	fi
	must "no file after SIG$sig" within no_files "$M"
	must "no cgroup after SIG$sig" within no_cgroup
done
setsid "$B" neighbour --quick --duration 30 --dir "$M" --no-cgroup --quiet 2>/dev/null &
within some_file "$M" || not_ok "a load with children" "it made no file"
sleep 0.3
pid=$(pgrep -f "^$B neighbour --quick --duration 30 --dir $M" -o)
children=$(pgrep -P "$pid" | tr '\n' ' ')
kill -KILL "$pid"
for c in $children; do
	must "child $((++n)) ends with its parent" within gone "$c"
done
must "no file of a killed run with children" within no_files "$M"

# The file of an immutable read is removed all the same
chattr +i "$M" 2>/dev/null && {
	refuses "a directory that takes no file" 1 'Operation not permitted|Permission denied' \
		"$B" f2fs-dontcache --quick --dir "$M" --quiet
	chattr -i "$M"
}
finish
