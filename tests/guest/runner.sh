#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 1800
# The guest runner with guests: what a command sees and returns, disks, time limit, a panic, what is left behind.
# Other series than 7.3 are booted by kernels.sh; what needs no guest is in tests/tools/guest.sh; warnings, signals and
# the shell are in runner-ends.sh.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/fixtures/runner-lib.sh"

# value NAME: what the guest printed as "NAME VALUE".
value() {
	sed -n "s/^$1 //p" "$TEST_TMP/out"
}

# What a command sees: everything that one boot can show.
printf 'from outside\n' >"$TEST_TMP/rw/in"
cd "$ROOT/tests" || exit 1
FROM=outside "$guest" -t 900 -k 7.3 -m 1536 -c 3 -e GIVEN='a b' -e FROM --rw "$TEST_TMP/rw" \
	-d virtio:96,queues=2 -d null:64,irqmode=1,memory_backed=1 -d loop:48 -d scsi:32 -d delay:40,ms=3 \
	-d flakey:24,up=3,down=1,on=loop -d null:16,irqmode=2,completion_nsec=50000 -d null:128,zoned=1,zone_size=16 \
	-- bash -c '
	echo release $(uname -r)
	echo user $(id -u)
	echo cwd $(pwd)
	echo src $(readlink /src)
	echo arguments "$0" "$1"
	echo given "$GIVEN"
	echo from "$FROM"
	echo cpus $(nproc)
	echo stdin $(wc -c)
	touch ./made-in-guest 2>/dev/null && echo tree writable || echo tree read-only
	touch /etc/made-in-guest && echo root writable
	cat "$2/in" >"$2/out"
	echo modules $(modprobe xfs && grep -c "^xfs " /proc/modules)
	echo btf $(ls /sys/kernel/btf/vmlinux)
	echo tracefs $(ls -d /sys/kernel/tracing/events/filemap)
	echo bpffs $(stat -f -c %T /sys/fs/bpf)
	echo controllers $(tr " " "\n" </sys/fs/cgroup/cgroup.subtree_control | grep -cxE "memory|io")
	echo lower $(grep -c " / .*overlay" /proc/self/mountinfo)
	for i in 0 1 2 3 4 5 6 7; do
		d=DISK$i
		echo disk$i $(($(blockdev --getsize64 ${!d}) >> 20)) ${!d}
	done
	echo irqmode $(cat /sys/kernel/config/nullb/nullb1/irqmode) $(cat /sys/kernel/config/nullb/nullb6/irqmode)
	echo queues $(ls -d /sys/block/vda/mq/* | wc -l)
	echo zoned $(cat /sys/block/${DISK7#/dev/}/queue/zoned)
	echo delay $(dmsetup table disk4 | cut -d" " -f 3,6,9)
	echo flakey $(dmsetup table disk5 | cut -d" " -f 3,6,7)
	mkfs.ext4 -q $DISK0 && mount $DISK0 /mnt && echo written >/mnt/f && echo mounted $(cat /mnt/f)
	echo kmsg-line >/dev/kmsg
	echo to-stderr >/dev/stderr
	sleep 1000 &
	exit 7' zero "one  1" "$TEST_TMP/rw" >"$TEST_TMP/out" 2>"$TEST_TMP/err"
is "the command's exit status is passed on" $? 7
cat "$TEST_TMP/out" "$TEST_TMP/err"
like "the series that was asked for" "$(value release)" '^7\.3\.'
is "the command is root" "$(value user)" 0
is "the working directory is kept" "$(value cwd)" "$ROOT/tests"
is "/src leads to the tree" "$(value src)" "$ROOT"
is "arguments are kept as they are" "$(value arguments)" "zero one  1"
is "environment, given" "$(value given)" "a b"
is "environment, passed on" "$(value from)" "outside"
is "processors" "$(value cpus)" 3
is "standard input is empty" "$(value stdin)" 0
is "the tree is read-only" "$(value tree)" read-only
is "the root is writable" "$(value root)" writable
is "a shared directory is read and written" "$(cat "$TEST_TMP/rw/out" 2>/dev/null)" "from outside"
is "modules load" "$(value modules)" 1
is "BTF" "$(value btf)" /sys/kernel/btf/vmlinux
is "tracefs" "$(value tracefs)" /sys/kernel/tracing/events/filemap
is "bpffs" "$(value bpffs)" bpf_fs
is "cgroup controllers are on" "$(value controllers)" 2
like "virtio disk" "$(value disk0)" '^96 /dev/vd'
is "virtio queues" "$(value queues)" 2
is "null_blk disk" "$(value disk1)" "64 /dev/nullb1"
like "loop disk" "$(value disk2)" '^48 /dev/loop'
like "scsi_debug disk" "$(value disk3)" '^32 /dev/sd'
is "dm-delay disk" "$(value disk4)" "40 /dev/mapper/disk4"
is "dm-delay's delays" "$(value delay)" "delay 3 3"
is "dm-flakey disk" "$(value disk5)" "24 /dev/mapper/disk5"
is "dm-flakey's intervals" "$(value flakey)" "flakey 3 1"
is "null_blk's irqmodes" "$(value irqmode)" "1 2"
is "zoned null_blk" "$(value zoned)" host-managed
is "a file system on a disk" "$(value mounted)" written
sed -i '/^guest: waiting for a place/d' "$TEST_TMP/err"
like "standard error is apart, after one line that says what booted" "$(cat "$TEST_TMP/err")" \
	$'^guest: booting 7\\.3\\.[^\n]*linux-binary-7\\.3[^\n]*root trixie [0-9.]+[^\n]*\nto-stderr$'
is "kernel messages are not in the output" "$(grep -c kmsg-line "$TEST_TMP/out" "$TEST_TMP/err" | grep -v ':0')" ""
is "a command's background process does not hold the guest, and nothing is left" "$(left)" ""

# Output is not changed on its way.
"$guest" -q -t 900 --console "$TEST_TMP/console" -- bash -c '
	head -c 3000000 /dev/urandom >/tmp/b; sha256sum </tmp/b >&2; cat /tmp/b' \
	>"$TEST_TMP/binary" 2>"$TEST_TMP/sum"
is "3 MB of binary output arrive whole" "$(sha256sum <"$TEST_TMP/binary")" "$(cat "$TEST_TMP/sum")"
like "--console keeps the kernel log" "$(grep -a 'Linux version' "$TEST_TMP/console")" "Linux version 7\.3"

out=$("$guest" -q -t 900 -- sh -c 'for i in 1 2 3; do echo out$i; echo err$i >&2; done; busybox poweroff -f' 2>&1)
is "a guest that powers off under its command: status" $? 123
like "its output came first, in order" "$out" $'^out1\nerr1\nout2\nerr2\nout3\nerr3\n'
like "and the end is explained" "$out" "ended without a status"

# Disks that the guest refuses.
refuses "null_blk attribute that does not exist" 125 "null_blk has no attribute 'speed'" \
	"$guest" -q -t 900 -d null:16,speed=3 -- true
refuses "null_blk value that is refused" 125 "disk 0: null_blk refuses blocksize=many" \
	"$guest" -q -t 900 -d null:16,blocksize=many -- true
refuses "scsi_debug parameter that does not exist" 125 "scsi_debug has no parameter 'speed'" \
	"$guest" -q -t 900 -d scsi:16,speed=3 -- true

# The time limit, at whatever point of the boot it strikes.
"$guest" -t 3 -- sleep 1000 >"$TEST_TMP/out" 2>"$TEST_TMP/err"
is "time limit: status" $? 124
like "time limit: message" "$(tail -n 1 "$TEST_TMP/err")" "time limit of 3 s reached.*-t SECONDS"
is "time limit: nothing is left" "$(left)" ""

# A panic.
out=$("$guest" -q -t 900 -- sh -c 'echo before; echo c >/proc/sysrq-trigger; sleep 1000' 2>"$TEST_TMP/err")
is "panic: status" $? 122
is "panic: the output before it" "$out" before
like "panic: the console is shown" "$(cat "$TEST_TMP/err")" "Kernel panic - not syncing: sysrq triggered crash"
is "panic: nothing is left" "$(left)" ""
finish
