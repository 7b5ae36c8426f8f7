#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# record and report around real I/O on this kernel: totals, a killed and a stopped recorder, a full disk, a closed pipe.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/fs.sh"

need_root "record"
need "record" jq mkfs.xfs
tool=$BUILD/dropbehind
work=$BUILD/dontcache-workload
cd "$TEST_TMP" || exit 1

if ! fs_make xfs 400; then
	not_ok "a filesystem to write to" "see the log"
	finish
fi

# births FILE: births in pages that a report's JSON has.
births() { jq -s 'last.balance.births_pages' "$1"; }

# wait_for FILE: a line that tracing is on.
wait_for() {
	local n
	for n in $(seq 600); do
		grep -q '^tracing on' "$1" 2>/dev/null && return 0
		sleep 0.1
	done
	return 1
}

# 1: the report of a recording is the report of the run, and both are the workload's.
"$tool" record -o run.dbr -i 0.5 --mount "$FS_DIR" -- \
	"$work" append --dir "$FS_DIR" --size 16M --json >live 2>err
is "record passes the command's status on" $? 0
is "and is quiet on stderr" "$(cat err)" ""
sed -n '/^dropbehind on /,$p' live >live.txt
must "report" sh -c "'$tool' report run.dbr >report.txt"
is "report prints what the live run printed" "$(sed '/^Recording$/,$d' report.txt | sed '$d')" "$(cat live.txt)"
is "and that it is complete" "$(tail -n 1 report.txt)" "recording: complete"
"$tool" report -j run.dbr >run.json
is "births are the workload's" "$(births run.json)" 4096
json_is "the balance holds" run.json .balance.verdict pass
json_is "the recording is whole" run.json .recording.complete true
"$tool" record -o other.dbr -- sh -c 'exit 7' >/dev/null
is "a failing command's status" $? 7
refuses "a recording is not overwritten" 1 'run.dbr exists and is not empty' "$tool" record -o run.dbr -d 1
refuses "a command that is not there" 1 'cannot run /nonexistent' "$tool" record -o none.dbr -- /nonexistent

# 2: samples and events.
"$tool" record -o samples.dbr -i 0.5 --samples 10 --mount "$FS_DIR" -- \
	"$work" append --dir "$FS_DIR" --size 4M >/dev/null
between "samples are kept, no more than asked for a second" \
	"$("$tool" report -j --events drop samples.dbr | grep -c '"type":"drop"')" 1 200

# 3: the recorder is killed.
"$tool" record -o killed.dbr -i 0.2 --mount "$FS_DIR" >killed.out &
pid=$!
wait_for killed.out
"$work" append --dir "$FS_DIR" --size 8M >/dev/null
sleep 1
kill -KILL $pid
wait $pid 2>/dev/null
"$tool" report killed.dbr >killed.txt
is "report of a killed recorder's file: status" $? 2
like "its last line" "$(tail -n 1 killed.txt)" 'recording: incomplete after [0-9.]+ s, .*verdict inconclusive'
"$tool" report -j killed.dbr >killed.json
is "the counts up to there" "$(births killed.json)" 2048

# 4: the recorder is stopped for 10 s; counting goes on in the kernel.
"$tool" record -o stopped.dbr -i 0.2 --mount "$FS_DIR" >stopped.out &
pid=$!
wait_for stopped.out
kill -STOP $pid
"$work" append --dir "$FS_DIR" --size 8M >/dev/null
sleep 10
kill -CONT $pid
sleep 0.5
kill -INT $pid
wait $pid
is "a stopped recorder ends well" $? 0
"$tool" report -j stopped.dbr >stopped.json
is "nothing was missed" "$(births stopped.json)" 2048
json_is "the report knows the time" stopped.json '[.recording.late.first[] | select(.length_ns > 9500000000)] | length' 1
like "and says it" "$("$tool" report stopped.dbr)" 'nothing written for [0-9.]+ s from'

# 5: the disk with the recording is full.
mkdir small
if mount -t tmpfs -o size=64k none small; then
	at_end umount "$TEST_TMP/small"
	"$tool" record -o small/full.dbr -i 0.1 --mount "$FS_DIR" -- sh -c \
		"'$work' append --dir '$FS_DIR' --size 4M >/dev/null; dd if=/dev/zero of=small/fill bs=4k 2>/dev/null
		'$work' append --dir '$FS_DIR' --size 4M >/dev/null; sleep 1" >full.out 2>full.err
	is "a full disk: status" $? 1
	is "one line on stderr" "$(grep -c . full.err)" 1
	like "that says so" "$(cat full.err)" 'full.dbr: No space left on device; the recording ends here'
	like "the run goes on to its report" "$(cat full.out)" 'births +2048 pages'
	"$tool" report small/full.dbr >full.txt
	is "the file is readable so far" $? 2
	like "and incomplete" "$(tail -n 1 full.txt)" 'verdict inconclusive$'
else
	skip "a full disk" "no tmpfs can be mounted"
fi

# 6: nobody reads what is printed.
"$tool" record -o pipe.dbr -i 0.2 -d 1 2>pipe.err | true
is "a closed pipe: status and stderr" "${PIPESTATUS[0]}$(cat pipe.err)" 0
is "the recording is whole all the same" "$("$tool" report pipe.dbr | tail -n 1)" "recording: complete"

# 7: rotation.
"$tool" record -o row.dbr -i 0.05 --max-size 64k --rotate 2 --mount "$FS_DIR" -- \
	"$work" append --dir "$FS_DIR" --size 16M --hold 8 >/dev/null
parts=(row.dbr*)
between "files kept" ${#parts[@]} 1 2
is "none is larger than asked" "$(find . -name 'row.dbr*' -size +64k | wc -l)" 0
"$tool" report -j "${parts[@]}" >row.json
is "the counts are whole" "$(births row.json)" 4096

# 8: a part cannot be brought to the disk.
"${CC:-gcc}" -o deny "$ROOT/tests/host/fixtures/deny.c" || not_ok "deny.c" "does not build"
fdatasync=$(printf '#include <sys/syscall.h>\nSYS_fdatasync\n' | "${CC:-gcc}" -E -P - | tail -n 1)
# shellcheck disable=SC2016 # for the inner shell
./deny "$fdatasync" 5 "$tool" record -o sync.dbr -i 0.05 --samples 20000 --max-size 64k --rotate 3 --mount "$FS_DIR" -- \
	sh -c 'for i in 1 2 3 4 5 6; do "$0" append --dir "$1" --size 16M --block 4K >/dev/null; done' "$work" "$FS_DIR" \
	>/dev/null 2>sync.err
is "a part that is not synced: status" $? 1
like "it is said of the part" "$(cat sync.err)" 'sync.dbr: Input/output error; this part may not be whole on the disk'

refuses "-o is asked for" 64 '-o FILE is missing' "$tool" record -d 1
refuses "a place that cannot be written" 1 'cannot make /nonexistent/x: No such file' "$tool" record -o /nonexistent/x -d 1
refuses "a device" 1 'regular file' "$tool" record -o /dev/null -d 1
refuses "a limit too small" 64 'at least 64k' "$tool" record -o y.dbr -d 1 --max-size 4k
finish
