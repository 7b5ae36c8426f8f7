#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 900
#
# What can go wrong while tracing on this kernel: each fault has its answer, and nothing stays attached.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/fs.sh"

need_root "faults"
need "faults" jq setpriv mkfs.xfs mkfs.ext4 losetup
D=$BUILD/dropbehind
W=$BUILD/dontcache-workload
for program in "$D" "$W"; do
	[ -x "$program" ] || { skip "faults" "$program is not built"; finish; }
done
"$D" features -j >"$TEST_TMP/features"
[ $? -le 1 ] || { skip "faults" "tracing does not work here: $(json "$TEST_TMP/features" '.reasons[0]')"; finish; }
"${CC:-gcc}" -o "$TEST_TMP/deny" "$ROOT/tests/host/fixtures/deny.c" || { not_ok "faults" "deny.c does not build"; finish; }
deny=$TEST_TMP/deny
SYS_bpf=$(printf '#include <sys/syscall.h>\nSYS_bpf\n' | "${CC:-gcc}" -E -P - | tail -n 1)
SYS_cachestat=451
EPERM=1
ENOSYS=38

fs_make xfs 320 || { not_ok "faults" "no filesystem"; finish; }
xfs=$FS_DIR
FS_LOOP_DIO=1 fs_make ext4 200 || { not_ok "faults" "no filesystem"; finish; }
ext4=$FS_DIR

# Starts CMD in the background and waits until it traces: it has printed its header, or given up privileges.
# Then $! is its pid, its output is in $TEST_TMP/NAME.
start() {
	local name=$1 i
	shift
	"$@" >"$TEST_TMP/$name" 2>"$TEST_TMP/$name.err" &
	for ((i = 0; i < 300; i++)); do
		[ -s "$TEST_TMP/$name" ] && return
		grep -q '^tracing on ' "$TEST_TMP/$name.err" && return
		grep -q '^NoNewPrivs:.1' /proc/$!/status 2>/dev/null && return
		kill -0 $! 2>/dev/null || return
		sleep 0.1
	done
}

# ---- refused by the kernel

nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
cp "$D" "$TEST_TMP/dropbehind"
chmod 755 "$TEST_TMP" "$TEST_TMP/dropbehind"
for verb in stat trace left; do
	refuses "$verb, not root" 1 "needs CAP_BPF and CAP_PERFMON: run as root, or grant with 'setcap cap_bpf" \
		"${nobody[@]}" "$TEST_TMP/dropbehind" "$verb" -d 1
	refuses "$verb, bpf(2) refused by seccomp" 1 "refused: Operation not permitted, and this process runs under a seccomp filter" \
		"$deny" "$SYS_bpf" "$EPERM" "$D" "$verb" -d 1
done
"${nobody[@]}" "$TEST_TMP/dropbehind" features -j "$TEST_TMP" >"$TEST_TMP/out"
is "features, not root, status" $? 2
json_is "features, not root, verdict" "$TEST_TMP/out" .verdict "not usable"
json_is "features, not root, which capability" "$TEST_TMP/out" .capabilities.CAP_BPF false
like "features, not root, what to do" "$(json "$TEST_TMP/out" '.reasons[0]')" "setcap cap_bpf,cap_perfmon"
json_is "features, not root, filesystem tried as far as it may" "$TEST_TMP/out" '.filesystems[0].why' \
	"no permission to make a temporary file"
"$deny" "$SYS_bpf" "$EPERM" "$D" features -j "$xfs" >"$TEST_TMP/out"
is "features under seccomp, status" $? 2
json_is "features under seccomp, filter seen" "$TEST_TMP/out" .kernel.seccomp_filter true
like "features under seccomp, why" "$(json "$TEST_TMP/out" .mechanisms.raw_tp.why_not)" "seccomp"
json_is "features under seccomp, filesystem still tried" "$TEST_TMP/out" '.filesystems[0].write' works

if unshare -m true 2>/dev/null; then
	# shellcheck disable=SC2016 # for the inner shell
	without='mount -t tmpfs none /sys/kernel/btf && exec "$@"'
	unshare -m sh -c "$without" sh "$D" features -j / >"$TEST_TMP/out"
	is "features, no BTF, status" $? 2
	json_is "features, no BTF" "$TEST_TMP/out" '.kernel.btf, .kernel.dropbehind' $'false\nnull'
	refuses "stat, no BTF" 1 "no BTF .* needs CONFIG_DEBUG_INFO_BTF" \
		unshare -m sh -c "$without" sh "$D" stat -d 1
else
	skip "no BTF" "no mount namespaces here"
fi

# ---- features tell the truth about filesystems

"$D" features -j "$xfs" "$ext4" /proc >"$TEST_TMP/out"
json_is "features, what works" "$TEST_TMP/out" '.filesystems[:2][] | "\(.fs) \(.write) \(.read)"' \
	$'xfs works works\next4 works works'
json_is "features, what cannot be tried" "$TEST_TMP/out" '.filesystems[2] | "\(.fs) \(.write)"' "proc untried"
mount -o remount,ro "$ext4"
"$D" features -j "$ext4" >"$TEST_TMP/out"
mount -o remount,rw "$ext4"
json_is "features, read-only" "$TEST_TMP/out" '.filesystems[0] | "\(.write) \(.why)"' "untried read-only"
is "features leave no file" "$(find "$xfs" "$ext4" -name '.dropbehind*' | wc -l)" 0

# ---- the command

for status in 0 7; do
	"$D" stat -- sh -c "exit $status" >/dev/null
	is "exit status $status is passed on" $? "$status"
done
# shellcheck disable=SC2016 # for the inner shell
"$D" stat -- sh -c 'kill -9 $$' >/dev/null
is "a command that was killed" $? 137
refuses "a command that is not there" 1 "cannot run /nonexistent: No such file or directory" "$D" stat -- /nonexistent
refuses "a command that may not run" 1 "cannot run /etc/passwd: Permission denied" "$D" stat -- /etc/passwd

mkfifo "$TEST_TMP/fifo"
start header timeout 30 "$D" stat -- cat "$TEST_TMP/fifo"
like "the header is flushed before the command ends" "$(head -n 1 "$TEST_TMP/header")" "^tracing on "
timeout 10 sh -c 'echo over >"$0"' "$TEST_TMP/fifo"
wait $!
is "the command went on" "$?$(sed -n 2p "$TEST_TMP/header")" "0over"

# It waits for the report to be there, so it outlives the time that is traced; what it does then is not counted.
# shellcheck disable=SC2016 # for the inner shell
"$D" stat -j -d 1 --mount "$xfs" -- sh -c 'until grep -q "\"verdict\"" "$2"; do sleep 0.2; done
	"$0" append --dir "$1" --size 1M >/dev/null; exit 7' "$W" "$xfs" "$TEST_TMP/outlived" >"$TEST_TMP/outlived"
is "a command that outlives --duration is waited for" $? 7
json_is "and is not counted any more" "$TEST_TMP/outlived" '"\(.balance.births_pages) \(.balance.verdict)"' "0 pass"

# shellcheck disable=SC2016 # for the inner shell
"$D" stat -- sh -c 'grep CapEff /proc/self/status; grep CapEff /proc/$PPID/status; sleep 1; grep CapEff /proc/$PPID/status' |
	grep CapEff >"$TEST_TMP/caps"
own=$(grep CapEff /proc/self/status)
is "the command keeps its capabilities" "$(sed -n 1p "$TEST_TMP/caps")" "$own"
# CAP_KILL and CAP_SYSLOG stay; CAP_PERFMON, CAP_BPF and CAP_SYS_ADMIN only where kprobes may follow modules.
is "tracing gives its capabilities up" "$((0x$(sed -n 3p "$TEST_TMP/caps" | cut -f 2) & ~0xc400200020))" 0

# ---- ends

start term "$D" stat -j -d 100 --grace 1ms
like "with --json the header goes to stderr" "$(cat "$TEST_TMP/term.err")" "^tracing on "
kill -TERM $!
wait $!
is "SIGTERM, status" $? 0
json_is "SIGTERM, report" "$TEST_TMP/term" '.completeness.final' true
start int "$D" trace -j --events drop
kill -INT $!
wait $!
is "SIGINT, status" $? 0
is "SIGINT, end of the stream" "$(tail -n 1 "$TEST_TMP/int" | jq -r .type)" end
start both "$D" stat -- sleep 100
kill -TERM $!
wait $!
is "SIGTERM reaches the command" $? 143
like "and gives the report" "$(cat "$TEST_TMP/both")" "balance: "

start ids "$D" stat
ids=$(cat /proc/$!/fdinfo/* 2>/dev/null | awk '$1 == "prog_id:" { print "prog", $2 } $1 == "map_id:" { print "map", $2 }' | sort -u)
between "programs and maps while it runs" "$(wc -l <<<"$ids")" 10 1000
pinned=$(find /sys/fs/bpf -mindepth 1 2>/dev/null | sort)
kill -KILL $!
wait $! 2>/dev/null
for ((i = 0; i < 50; i++)); do
	stay=$(while read -r kind id; do bpftool "$kind" show id "$id" >/dev/null 2>&1 && echo "$kind $id"; done <<<"$ids")
	[ -z "$stay" ] && break
	sleep 0.2
done
is "killed, nothing of it stays in the kernel" "$stay" ""
is "nothing is pinned" "$(find /sys/fs/bpf -mindepth 1 2>/dev/null | sort)" "$pinned"

for words in "stat" "stat -i 0.2" "trace" "left" "trace -j"; do
	# shellcheck disable=SC2086 # words
	timeout 30 "$D" $words -d 20 2>"$TEST_TMP/err" | head -n 1 >"$TEST_TMP/out"
	is "$words | head -1, status" "${PIPESTATUS[0]}" 0
	is "$words | head -1, quiet" "$(cat "$TEST_TMP/err")" ""
done
for words in "stat -d 0.2" "stat -j -d 0.2" "trace -d 0.2" "left -d 0.2" "features" "features -j"; do
	# shellcheck disable=SC2086 # words
	"$D" $words >/dev/full 2>"$TEST_TMP/err"
	between "$words on a full disk, status" $? 1 2
	is "$words on a full disk, line" "$(grep -v "^tracing on " "$TEST_TMP/err")" "dropbehind: cannot write the output: No space left on device"
done

# ---- losses are told

"$D" trace -j --events drop --ring-size 4096 --mount "$xfs" -- \
	"$W" append --dir "$xfs" --size 16M --block 4K --threads 2 >"$TEST_TMP/all"
grep '^{"type"' "$TEST_TMP/all" >"$TEST_TMP/ring"
is "tiny ring, every line is JSON" "$(jq -r .type "$TEST_TMP/ring" | wc -l)" "$(wc -l <"$TEST_TMP/ring")"
between "tiny ring, losses" "$(tail -n 1 "$TEST_TMP/ring" | jq .lost_records)" 1 1000000
is "tiny ring, losses in the stream add up" "$(jq -s '[.[] | select(.type == "lost").ring_records] | add' "$TEST_TMP/ring")" \
	"$(tail -n 1 "$TEST_TMP/ring" | jq .lost_records)"
is "tiny ring, completeness has them too" "$(tail -n 1 "$TEST_TMP/ring" | jq .completeness.losses.ring_records)" \
	"$(tail -n 1 "$TEST_TMP/ring" | jq .lost_records)"
is "tiny ring, lines are counted" "$(grep -c '^{"type":"drop"' "$TEST_TMP/ring")" \
	"$(tail -n 1 "$TEST_TMP/ring" | jq .events.drop)"
is "tiny ring, verdict" "$(tail -n 1 "$TEST_TMP/ring" | jq -r .verdict)" inconclusive
"$D" trace -j --events drop --ring-size 64m --mount "$xfs" -- \
	"$W" append --dir "$xfs" --size 16M --block 4K --threads 2 >"$TEST_TMP/all"
grep '^{"type"' "$TEST_TMP/all" >"$TEST_TMP/ring"
is "large ring, nothing lost" "$(tail -n 1 "$TEST_TMP/ring" | jq -r '"\(.lost_records) \(.verdict)"')" "0 pass"
is "large ring, pages dropped are pages written" \
	"$(jq -s '[.[] | select(.type == "drop").pages] | add' "$TEST_TMP/ring")" 4096

# Overwritten on ext4 every folio stays, so the table is full whatever the speed of the machine.
"$D" stat -j --table-slots 64 --mount "$ext4" -- "$W" overwrite --dir "$ext4" --size 8M --block 4K >"$TEST_TMP/all"
grep '^{"version"' "$TEST_TMP/all" >"$TEST_TMP/table"
between "tiny table, losses" "$(json "$TEST_TMP/table" .completeness.losses.table_full_pages)" 1 100000
json_is "tiny table, verdict" "$TEST_TMP/table" .balance.verdict inconclusive
json_is "tiny table, births are counted all the same" "$TEST_TMP/table" .balance.births_pages 2048
start small "$D" left --table-slots 64 --mount "$ext4"
"$W" overwrite --dir "$ext4" --size 4M --block 4K --keep >/dev/null
kill -INT $!
wait $!
is "left with a tiny table, status" $? 3

# Only so many files are told apart; the others are one row, and nothing is lost.
# shellcheck disable=SC2016 # for the inner shell
"$D" stat -j --max-files 3 --mount "$xfs" -- bash -c 'for i in 1 2 3 4 5 6; do "$@" || exit; done' _ \
	"$W" append --dir "$xfs" --size 1M --block 64K --keep >"$TEST_TMP/all"
rm -f "$xfs"/dontcache*
grep '^{"version"' "$TEST_TMP/all" >"$TEST_TMP/files"
json_is "more files than --max-files, births" "$TEST_TMP/files" \
	'"\(.balance.births_pages) \(.balance.verdict) \([.flows[].counts.births.write.pages] | add)"' "1536 pass 1536"
json_is "those beyond are one row" "$TEST_TMP/files" \
	'[.flows[] | select(.file_found == "lumped")] | length' 1
json_is "the others have their own" "$TEST_TMP/files" \
	'[.flows[] | select(.file_found != "lumped") | .counts.births.write.pages] | unique | tojson' '[256]'

# ---- several at once, suspended, cgroups that go

"$D" stat -j --mount "$xfs" -- "$D" stat -j --mount "$xfs" -- \
	"$W" append --dir "$xfs" --size 8M --block 64K >"$TEST_TMP/all"
grep '^{"version"' "$TEST_TMP/all" >"$TEST_TMP/two"
json_is "two tracers at once" "$TEST_TMP/two" '"\(.balance.births_pages) \(.balance.verdict)"' \
	$'2048 pass\n2048 pass'

start stopped "$D" trace -j --events drop --ring-size 64k --mount "$xfs"
tracer=$!
kill -STOP $tracer
"$W" append --dir "$xfs" --size 16M --block 4K >/dev/null
sleep 10
kill -CONT $tracer
sleep 1
kill -INT $tracer
wait $tracer
is "suspended for 10 s, status" $? 0
last=$(tail -n 1 "$TEST_TMP/stopped")
between "suspended, losses are counted" "$(jq .lost_records <<<"$last")" 1 100000
is "suspended, what was kept and what was lost is all" \
	"$(jq '.events.drop + .lost_records' <<<"$last")" \
	"$("$D" stat -j --mount "$xfs" -- "$W" append --dir "$xfs" --size 16M --block 4K |
		grep '^{"version"' | jq '[.total.outcomes[].dropped_after_write.folios // 0] | add')"

# group_goes NAME HIERARCHY SCENARIO FILTER NAMED WANT: the workload runs in a cgroup that is gone at report time.
group_goes() {
	local name=$1 group=$2/dropbehind-$$
	at_end sh -c "[ ! -d $group ] || rmdir $group"
	# shellcheck disable=SC2016 # for the inner shell
	"$D" stat -j --mount "$xfs" -- bash -c 'mkdir "$0" && "$@" --cgroup "$0"; status=$?; rmdir "$0"; exit $status' \
		"$group" "$W" "$3" --dir "$xfs" --size 4M --block 64K >"$TEST_TMP/all"
	is "$name deleted during the run, command" $? 0
	grep '^{"version"' "$TEST_TMP/all" >"$TEST_TMP/group"
	is "$name deleted during the run is gone" "$([ -d "$group" ] && echo there)" ""
	json_is "$5" "$TEST_TMP/group" "$4" "$6"
}

if [ -d /sys/fs/cgroup/memory ]; then
	group_goes cgroup /sys/fs/cgroup/memory append '.flows[] | select(.counts.births.write.pages == 1024).cgroup' \
		"and keeps its name" "/dropbehind-$$"
else
	skip "cgroup v1 deleted during the run" "no v1 memory controller here; the guest has v2"
fi

# Bios belong to the io controller's cgroup, which version 1 has in a hierarchy of its own.
if [ -d /sys/fs/cgroup/blkio ]; then
	group_goes "cgroup of bios" /sys/fs/cgroup/blkio overwrite \
		'[.contexts[] | select(.place == "bio" and .cgroup_id != 1).cgroup] | unique | tojson' \
		"and keeps its name in the completion contexts" "[\"/dropbehind-$$\"]"
else
	skip "cgroup v1 of bios" "no v1 blkio controller here; the guest has v2"
fi

# ---- left

"$W" overwrite --dir "$ext4" --size 4M --block 64K --keep >"$TEST_TMP/out"
"$D" left -j --mount "$ext4" -- "$W" overwrite --dir "$ext4" --size 4M --block 64K --keep >"$TEST_TMP/all"
grep '^{"version"' "$TEST_TMP/all" >"$TEST_TMP/left"
resident=$(sed -n 's/^files\[0\].measured.resident_pages=//p' "$TEST_TMP/all")
json_is "left is what the workload found in cache" "$TEST_TMP/left" .left_pages "$resident"
json_is "left by looking at each folio" "$TEST_TMP/left" .looked_pages "$resident"
json_is "left, each file checked" "$TEST_TMP/left" '.files[] | "\(.check) \(.method) \(.resident_pages)"' \
	"agree cachestat $resident"
json_is "left, verdict" "$TEST_TMP/left" .verdict pass
"$deny" "$SYS_cachestat" "$ENOSYS" "$D" left -j --mount "$ext4" -- "$W" overwrite --dir "$ext4" --size 4M --block 64K --keep |
	grep '^{"version"' >"$TEST_TMP/left"
json_is "left without cachestat(2)" "$TEST_TMP/left" '.files[] | "\(.check) \(.method)"' "agree mincore"
# shellcheck disable=SC2016 # for the inner shell
"$D" left -j --mount "$ext4" -- bash -c '"$0" overwrite --dir "$1" --size 4M --block 64K --keep
	cd "$1" && for f in dontcache-workload*; do mv "$f" old-"$f" && cp old-"$f" "$f"; done' "$W" "$ext4" |
	grep '^{"version"' >"$TEST_TMP/left"
json_is "left does not trust a name that moved on" "$TEST_TMP/left" '.files[] | "\(.check) \(.why)"' \
	"unchecked another file has this name now"
json_is "and is inconclusive" "$TEST_TMP/left" .verdict inconclusive

finish
