#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 600
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
# What changes when a file is made in $1, also when it has been removed since.
touched() { stat -c %y "$1"; }

# Where the memory controller is mounted, and the group there that process $1 is in.
memory_mount() {
	awk '$3 == "cgroup" && "," $4 "," ~ /,memory,/ { print $2; exit }' /proc/mounts | grep . ||
		awk '$3 == "cgroup2" { print $2 }' /proc/mounts | while read -r m; do
			grep -qw memory "$m/cgroup.controllers" && echo "$m"
		done
}
memory_group() {
	local line='^0::'
	[ -e "$CG/cgroup.controllers" ] || line='^[0-9]+:([^:]*,)?memory(,[^:]*)?:'
	grep -E "$line" "/proc/$1/cgroup" 2>/dev/null | cut -d : -f 3-
}
in_group() { [[ $(memory_group "$1") == */dontcache-bench-$1 ]]; }
left_group() { G=$(memory_group "$1"); [[ -n $G && $G != */dontcache-bench-$1 ]]; }
has_victim() { [ -n "$(cat "$CG/dontcache-bench-$1/victim/cgroup.procs" 2>/dev/null)" ]; }
handed_down() { cat "$CG/cgroup.subtree_control"; }
as_before() { [ "$(handed_down)" = "$1" ]; }
no_cgroup() { [ -z "$(find /sys/fs/cgroup -maxdepth 3 -name 'dontcache-bench-*')" ]; }

# Wrong use
refuses "no preset" 2 'no preset given' "$B"
refuses "unknown preset" 2 'nosuch: no such preset; see --list' "$B" nosuch --dir "$TEST_TMP"
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
refuses "--append elsewhere" 2 'paced takes no .*--append' "$B" paced --dir "$TEST_TMP" --append x

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

# A result file that is there already
echo old >"$TEST_TMP/there.json"
was=$(touched "$M")
for p in f2fs-dontcache control; do
	refuses "$p with a result file that is there" 1 'there.json: File exists.*--force' \
		"$B" "$p" --quick --dir "$M" --quiet --json "$TEST_TMP/there.json"
done
is "it keeps its content" "$(cat "$TEST_TMP/there.json")" old
is "and nothing was begun" "$(touched "$M")" "$was"

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
# Killed in the moment in which it opens the file that it has just made
kill_on_opening() { # NAME
	strace -qq -o "$TEST_TMP/trace" -P "$M/$1" -e inject=open,openat:signal=KILL \
		"$B" control --quick --dir "$M" --file "$1" --quiet 2>"$TEST_TMP/err"
}
if ! command -v strace >/dev/null; then
	skip "killed on opening its new file" "strace is not installed"
else
	was=$(touched "$M")
	kill_on_opening own
	is "killed on opening its new file" "$?" 137
	is "it had been made" "$([ "$(touched "$M")" = "$was" ] || echo made)" made
	must "and is gone" within [ ! -e "$M/own" ]
	echo precious >"$M/mine"
	kill_on_opening mine
	is "a file that is not ours is not even opened" "$?" 1
	is "and stays" "$(cat "$M/mine")" precious
	rm "$M/mine"
fi

# Calls that are interrupted, and calls that move less than they were asked to
runs() { jq "[.runs[] | select($1)] | length" "$TEST_TMP/result.json"; }
if ! command -v strace >/dev/null || ! command -v jq >/dev/null; then
	skip "interrupted calls" "strace or jq is not installed"
else
	strace -f -qq -o "$TEST_TMP/trace" -e inject=pwritev2,preadv2:error=EINTR:when=2+5 \
		"$B" control --quick --dir "$M" --quiet --io-sizes 64K --size 1M --rounds 1 \
		--json "$TEST_TMP/result.json" 2>"$TEST_TMP/err"
	is "interrupted calls end no run" "$? $(cat "$TEST_TMP/err")" "0 "
	is "they are counted" "$(runs '.metrics.interrupted > 0')" 4
	is "and every byte is moved" "$(runs '.metrics.bytes == 1048576 and .metrics.ops == 16')" 4
	rm -f "$TEST_TMP/result.json"
fi
# No call moves 2 GiB: the last page of them takes a second one.
free=$(awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo)
if [ "$free" -lt 6144 ] || ! command -v jq >/dev/null; then
	skip "calls that move less" "needs jq and 6 GiB of memory, $free MiB are there"
else
	mkdir "$TEST_TMP/big"
	mount -t tmpfs -o size=3G none "$TEST_TMP/big"
	"$B" control --quick --dir "$TEST_TMP/big" --quiet --io-sizes 2G --size 2G --label before \
		--append "$TEST_TMP/result.json" 2>"$TEST_TMP/err"
	is "calls that move less end no run" "$? $(cat "$TEST_TMP/err")" "0 "
	is "they are counted" "$(runs '.metrics.short_ops == 1')" 2
	is "and every byte is moved" "$(runs '.metrics.bytes == 2147483648 and .metrics.ops == 1')" 2
	umount "$TEST_TMP/big"
fi

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

# Killed with groups within a group
CG=$(memory_mount)
if [ -z "$CG" ]; then
	skip "groups within a group" "no memory controller is mounted"
else
	v2=$([ -e "$CG/cgroup.controllers" ] && echo 2)
	[ -z "$v2" ] || was=$(handed_down)
	for sig in TERM KILL; do
		"$B" neighbour --quick --duration 30 --dir "$M" --quiet 2>"$TEST_TMP/err" &
		pid=$!
		must "groups within a group, for SIG$sig" within has_victim "$pid"
		children=$(pgrep -P "$pid" | tr '\n' ' ')
		kill -"$sig" "$pid"
		wait "$pid" 2>/dev/null
		for c in $children; do
			must "child $((++n)) ends after SIG$sig" within gone "$c"
		done
		must "no group within a group after SIG$sig" within no_cgroup
		must "no file of theirs after SIG$sig" within no_files "$M"
		[ -z "$v2" ] || must "controllers are handed down as before SIG$sig" within as_before "$was"
	done
	[ -n "$v2" ] || skip "controllers that were handed down" "only version 2 of cgroups does that"

	# A run in a group goes back to the group that it came from
	mkdir "$CG/bench-faults-$$"
	at_end rmdir "$CG/bench-faults-$$"
	(
		echo "$BASHPID" >"$CG/bench-faults-$$/cgroup.procs" || exit 1
		exec "$B" per-second --quick --duration 1 --cooldown 3 --dir "$M" --memory-limit 64M --quiet
	) &
	pid=$!
	must "a run in its group" within in_group "$pid"
	G=
	within left_group "$pid"
	like "leaves it for the group that it came from" "$G" "/bench-faults-$$\$"
	wait "$pid"
	is "and ends well" "$?" 0
fi

# Killed under the tracer, and the tracer killed
traced_run() {
	"$B" per-second --quick --duration 60 --dir "$M" --trace --quiet >/dev/null 2>"$TEST_TMP/err" &
	pid=$!
	must "a traced load before SIGKILL of $1" within written "$M"
	tracer=$(pgrep -P "$pid" '^dropbehind')
	inner=$(pgrep -P "$tracer" '^dontcache-bench')
	like "its processes before SIGKILL of $1" "$tracer $inner" '^[0-9]+ [0-9]+$'
	is "its directory before SIGKILL of $1" "$(find /tmp -maxdepth 1 -name "dontcache-bench.$pid.*" | wc -l)" 1
}
no_trace_dir() { [ -z "$(find /tmp -maxdepth 1 -name "dontcache-bench.$1.*")" ]; }
traced_is_gone() {
	must "no tracer after SIGKILL of $1" within gone "$tracer"
	must "no traced bench after SIGKILL of $1" within gone "$inner"
	must "no directory after SIGKILL of $1" within no_trace_dir "$pid"
	must "no traced file after SIGKILL of $1" within no_files "$M"
}
if [ ! -x "$BUILD/dropbehind" ] || ! "$BUILD/dropbehind" stat -j -- true >"$TEST_TMP/stat" 2>&1; then
	skip "killed under the tracer" "dropbehind is not built or cannot trace here"
else
	traced_run "the bench"
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	traced_is_gone "the bench"
	traced_run "the tracer"
	kill -KILL "$tracer"
	wait "$pid"
	is "a tracer that was killed ends the run" "$?" 1
	like "and is told" "$(cat "$TEST_TMP/err")" 'the traced run ended with signal 9'
	traced_is_gone "the tracer"
fi

# Stopped while a command of the user's hangs
command_runs() { [ "$(wc -w 2>/dev/null <"$TEST_TMP/pids")" = 2 ]; }
command_gone() {
	local p
	while read -r -d ' ' p; do
		gone "$p" || return 1
	done <<<"$(tr '\n' ' ' <"$TEST_TMP/pids")"
}
hang="sleep 1000 & echo \$\$ \$! >$TEST_TMP/pids; wait"
for how in "" "trap '' TERM;"; do
	rm -f "$TEST_TMP/pids"
	"$B" control --quick --dir "$M" --quiet --before "$how $hang" --after true 2>"$TEST_TMP/err" &
	pid=$!
	must "a command that hangs ($how)" within command_runs
	kill -TERM "$pid"
	wait "$pid"
	is "stopped all the same ($how)" "$?" 130
	like "and told ($how)" "$(cat "$TEST_TMP/err")" '^dontcache-bench: stopped by a signal'
	must "and the command is gone ($how)" within command_gone
done
if ! command -v script >/dev/null; then
	skip "^C while a command hangs" "no script to give it a terminal"
else
	rm -f "$TEST_TMP/pids"
	{
		within command_runs && printf '\003'
		within command_gone
	} | SHELL=/bin/sh script -qec \
		"exec $B control --quick --dir $M --quiet --before '$hang' --after true" /dev/null >"$TEST_TMP/tty" 2>&1
	is "^C while a command hangs" "${PIPESTATUS[1]}" 130
	like "is told" "$(cat "$TEST_TMP/tty")" 'stopped by a signal'
	must "and the command is gone after ^C" command_gone
	rm -f "$TEST_TMP/pids"
	SHELL=/bin/sh script -qec "exec $B control --quick --dir $M --quiet --before 'cat </dev/tty' --after true" \
		/dev/null </dev/null >"$TEST_TMP/tty" 2>&1
	is "a command that reads the terminal is refused" "$?" 1
	like "and told so" "$(cat "$TEST_TMP/tty")" 'asks for input on the terminal'
fi

# Commands that leave another place behind than there was
O=$TEST_TMP/over
mkdir "$O"
was=$(touched "$O")
anew() { printf 'umount %s && mount -t %s -o size=%s none %s' "$O" "$1" "$2" "$O"; }
sides() { # BEFORE AFTER
	"$B" control --quick --dir "$O" --quiet --rounds 1 --before "$1" --after "$2"
}
mount -t tmpfs -o size=64M none "$O"
refuses "a command that takes the filesystem away" 1 "over \(tmpfs\) and is on .*; let the command mount it again" \
	sides "umount $O" true
is "it was taken away" "$(stat -c %m "$O")" "$(stat -c %m "$TEST_TMP")"
is "and nothing was written below" "$(touched "$O")" "$was"
mount -t tmpfs -o size=64M none "$O"
must "a command that mounts it anew" sides "$(anew tmpfs 64M)" "$(anew tmpfs 48M)"
refuses "a command that mounts it too small" 1 'MiB free and the preset needs' sides true "$(anew tmpfs 1M)"
umount "$O"
mount -t tmpfs -o size=64M none "$O"
refuses "a command that mounts another filesystem" 1 'over \(tmpfs\) and is on .*/over \(ramfs\) after' \
	sides "$(anew ramfs 64M)" true
umount "$O"
refuses "a command that takes the directory away" 1 'over is gone after' sides "rmdir $O" true

# Immutable files are removed all the same, and files that cannot be made are told
both_full() { [ "$(find "$M" -type f -size 4194304c | wc -l)" -eq 2 ]; }
touch "$M/attr"
if chattr +i "$M/attr" 2>/dev/null; then
	chattr -i "$M/attr"
	rm "$M/attr"
	for sig in TERM KILL; do
		"$B" per-second --quick --op read --files 2 --size 8M --duration 30 --dir "$M" --quiet \
			2>"$TEST_TMP/err" &
		pid=$!
		must "a read of files, for SIG$sig" within both_full
		must "they become immutable, for SIG$sig" chattr +i "$M"/dontcache-bench-*
		kill -"$sig" "$pid"
		wait "$pid" 2>/dev/null
		must "no immutable file after SIG$sig" within no_files "$M"
	done
	chattr +i "$M"
	refuses "a directory that takes no file" 1 'Operation not permitted|Permission denied' \
		"$B" f2fs-dontcache --quick --dir "$M" --quiet
	chattr -i "$M"
else
	rm "$M/attr"
	skip "immutable files" "this filesystem has no such attribute"
fi
finish
