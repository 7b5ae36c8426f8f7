# SPDX-License-Identifier: GPL-2.0
# Runs one guest: the run directory, qemu, its output pipes, the time limit, and what is left of it afterwards.

# run_kill: ends what this run has started.
run_kill()
{
	local p
	for p in "${RUN_PIDS[@]}"; do kill -KILL "$p" 2>/dev/null; done
	[ "${#RUN_PIDS[@]}" -gt 0 ] && wait "${RUN_PIDS[@]}" 2>/dev/null
	RUN_PIDS=()
}

# run_cleanup: ends this run's processes and removes its directory; safe to call at any time.
run_cleanup()
{
	trap '' INT TERM HUP
	run_kill
	[ -n "${RUN_STTY:-}" ] && stty "$RUN_STTY" <&"$RUN_TTY" 2>/dev/null
	[ -n "${RUN_DIR:-}" ] && rm -rf --one-file-system "$RUN_DIR"
	RUN_DIR=
}

# run_sweep: removes run directories whose runner was killed with SIGKILL; a living one holds a lock.
run_sweep()
{
	local d fd
	for d in "${TMPDIR:-/tmp}"/dropbehind-guest.*; do
		[ -O "$d" ] && [ -e "$d/lock" ] || continue
		exec {fd}<"$d/lock" || continue
		flock -n "$fd" && rm -rf --one-file-system "$d"
		exec {fd}<&-
	done
}

# qemu_find ROOT: sets QEMU to the command that runs the root's own QEMU on this machine. QEMU 7.2 (Debian 12)
# is not used: with several threads it now and then runs a translation of code that another processor has
# patched since, and the guest dies of an "Oops: int3" on static keys, ftrace or an attached BPF program.
qemu_find()
{
	local lib=$1/usr/lib/x86_64-linux-gnu

	[ -x "$1/usr/bin/qemu-system-x86_64" ] || die "the root $1 has no QEMU: run 'guest clean --all' and try again"
	QEMU=("$1/usr/lib64/ld-linux-x86-64.so.2" --library-path "$lib" "$1/usr/bin/qemu-system-x86_64"
		-L "$1/usr/share/qemu" -L "$1/usr/share/seabios")
}

# background COMMAND...: starts COMMAND so that it dies with this process; its process id is in RUN_LAST.
background()
{
	# Without the redirection bash would give it /dev/null as input, whatever the caller chose.
	setpriv --pdeathsig KILL -- "$@" <&0 &
	RUN_LAST=$!
	RUN_PIDS+=("$RUN_LAST")
}

# splat_lines FILE [-n]: prints the kernel's complaints in a console log, with -n their line numbers.
splat_lines()
{
	local complaint='BUG:|\[ BUG:|WARNING:|INFO: (task|rcu|possible|inconsistent|suspicious|trying)|Oops|Kernel panic'
	complaint+='|general protection fault|kernel BUG at|watchdog: BUG|Unable to handle|UBSAN:|refcount_t:'
	complaint+='|rcu: INFO:|list_(add|del) corruption|possible (circular|recursive) locking|inconsistent lock state'
	complaint+='|suspicious RCU usage|DEBUG_LOCKS_WARN_ON|INFO: suspicious'
	grep -aE ${2:+"$2"} "^(\[ *[0-9]+\.[0-9]+\](\[[ TC0-9]+\])? )?($complaint)" "$1"
}

# splat_show FILE: prints the console log from the first complaint on, on stderr.
splat_show()
{
	local first
	first=$(splat_lines "$1" -n | head -1 | cut -d: -f1)
	say "the guest's console from there on (120 lines at most):"
	tail -n "+$((first > 2 ? first - 2 : 1))" "$1" | head -n 120 | tr -d '\r' | sed 's/^/| /' >&2
}

# run_slot: waits for a place among the guests that may run at once, one per CPU (DROPBEHIND_GUESTS: another
# number), first come first served. Emulation is all computing: more guests would only run into their time limits.
run_slot()
{
	local n=${DROPBEHIND_GUESTS:-$(nproc)} i queue

	number DROPBEHIND_GUESTS "$n"
	[ "$n" -gt 0 ] || die "DROPBEHIND_GUESTS must be at least 1"
	exec {queue}>"$GUEST_CACHE/slots.lock" || die "cannot open $GUEST_CACHE/slots.lock"
	if ! flock -n "$queue"; then
		[ "$OPT_QUIET" -eq 1 ] || say "waiting for a place: other guests are running"
		tied flock "$queue" || die "cannot lock $GUEST_CACHE/slots.lock"
	fi
	while :; do
		for ((i = 0; i < n; i++)); do
			exec {RUN_SLOT}>"$GUEST_CACHE/slot$i.lock" || die "cannot open $GUEST_CACHE/slot$i.lock"
			if flock -n "$RUN_SLOT"; then
				exec {queue}>&-
				return
			fi
			exec {RUN_SLOT}>&-
		done
		sleep 1
	done
}

# run_qemu: starts the guest of the array qemu of the caller, with its output pipes, the watch on its boot and its time
# limit; sets the caller's *_pid.
run_qemu()
{
	: >"$status"
	rm -f "$console"
	if [ "$OPT_MODE" = shell ]; then
		background "${QEMU[@]}" "${qemu[@]}" <&"$RUN_TTY"
		qemu_pid=$RUN_LAST
	else
		background cat "$RUN_DIR/out" </dev/null
		out_pid=$RUN_LAST
		if [ "$merge" -eq 0 ]; then
			background cat "$RUN_DIR/err" </dev/null >&2
			err_pid=$RUN_LAST
		fi
		background "${QEMU[@]}" "${qemu[@]}" </dev/null >"$RUN_DIR/qemu" 2>&1
		qemu_pid=$RUN_LAST
		background "$GUEST_DIR/boot-watch" "$console" "$silence" </dev/null
		boot_pid=$RUN_LAST
	fi
	if [ "$OPT_TIME" -gt 0 ]; then
		background sleep "$OPT_TIME" </dev/null
		timer_pid=$RUN_LAST
	fi
}

# run_guest: boots a guest as the OPT_* variables say and exits with its command's status.
run_guest()
{
	local kernel root release initramfs headers qemu=() line i append accel console status
	local qemu_pid="" timer_pid="" out_pid="" err_pid="" boot_pid="" who rc ended="" merge=0 drive
	local boots=1 silence=${DROPBEHIND_BOOT_SILENCE:-120}

	number DROPBEHIND_BOOT_SILENCE "$silence"
	need_x86_64
	need setpriv util-linux
	need flock util-linux
	cache_dir
	root_ensure
	root=$(root_path)
	if [[ $OPT_KERNEL == */* ]]; then
		kernel=$OPT_KERNEL
	else
		kernel_ensure "$OPT_KERNEL"
		kernel=$(kernel_cached "$OPT_KERNEL") || exit
	fi
	release=$(basename "$kernel")
	initramfs=$(initramfs_ready "$kernel" "$root") || exit
	headers=$(headers_cached "$release") || headers=

	qemu_find "$root"
	[ "$OPT_MODE" != run ] || run_slot
	RUN_PIDS=()
	run_sweep
	trap 'run_cleanup; exit 130' INT
	trap 'run_cleanup; exit 143' TERM
	trap 'run_cleanup; exit 129' HUP
	trap run_cleanup EXIT
	RUN_DIR=$(mktemp -d "${TMPDIR:-/tmp}/dropbehind-guest.XXXXXX") || die "cannot make a directory in ${TMPDIR:-/tmp}"
	: >"$RUN_DIR/lock"
	exec {RUN_LOCK}<"$RUN_DIR/lock"
	flock -n "$RUN_LOCK"
	root_hold "$root"
	mkdir "$RUN_DIR/ctl"

	[ "$OPT_ICOUNT" -eq 1 ] && accel=tcg,thread=single || accel=tcg,thread=multi
	[ "$OPT_KVM" -eq 1 ] && accel=kvm
	[ "$OPT_MODE" = run ] && [ /dev/fd/1 -ef /dev/fd/2 ] && merge=1
	console=$RUN_DIR/console
	status=$RUN_DIR/status
	append="console=ttyS0 rdinit=/init panic=-1 watchdog_thresh=60 rcupdate.rcu_cpu_stall_timeout=240"
	[ "$OPT_ALLOW_SPLAT" -eq 1 ] || append+=" oops=panic"
	[ -n "$headers" ] && append+=" guest.headers"
	[ "$OPT_CGROUP" = v1 ] && append+=" guest.cgroup=v1"

	qemu=(-nodefaults -no-user-config -display none -machine q35 -accel "$accel" -cpu max
		-smp "$OPT_CPUS" -m "$OPT_MEMORY" -no-reboot
		-kernel "$kernel/vmlinuz" -initrd "$initramfs" -append "$append${OPT_APPEND:+ $OPT_APPEND}"
		-serial "file:$console" -monitor none
		-device virtio-serial-pci
		-chardev "file,id=status,path=$status" -device virtserialport,chardev=status,name=status)
	[ "$OPT_ICOUNT" -eq 1 ] && qemu+=(-icount shift=0,sleep=on -rtc clock=vm)
	run_share root "$root" readonly=on
	run_share kernel "$kernel" readonly=on
	run_share ctl "$RUN_DIR/ctl" readonly=on
	run_share tree "$GUEST_TREE" readonly=on
	[ -n "$headers" ] && run_share headers "$headers" readonly=on
	i=0
	for line in "${OPT_RW[@]}"; do
		run_share "rw$i" "$line" readonly=off
		i=$((i + 1))
	done
	i=0
	: >"$RUN_DIR/ctl/disks"
	for line in "${OPT_DISKS[@]}"; do
		printf '%s %s\n' "$i" "$line" >>"$RUN_DIR/ctl/disks"
		if disk_is_virtio "$line"; then
			drive=$RUN_DIR/disk$i
			truncate -s "$(cut -d' ' -f2 <<<"$line")M" "$drive" || die "cannot make a disk file in $RUN_DIR"
			qemu+=(-drive "if=none,id=disk$i,file=$drive,format=raw,cache=unsafe,discard=unmap,detect-zeroes=off"
				-device "virtio-blk-pci,drive=disk$i,serial=DISK$i$(disk_queues "$line")")
		fi
		i=$((i + 1))
	done
	{
		printf 'GUEST_TREE=%q GUEST_CWD=%q GUEST_MODE=%q GUEST_CGROUP=%q\n' \
			"$GUEST_TREE" "$PWD" "$OPT_MODE" "$OPT_CGROUP"
		printf 'GUEST_ROWS=%q GUEST_COLS=%q GUEST_TERM=%q\n' "$OPT_ROWS" "$OPT_COLS" "${TERM:-linux}"
		printf 'GUEST_RW=('
		[ "${#OPT_RW[@]}" -gt 0 ] && printf ' %q' "${OPT_RW[@]}"
		printf ')\n'
	} >"$RUN_DIR/ctl/config"
	{
		printf 'export GUEST_SERIES=%q\n' "$OPT_KERNEL"
		for line in "${OPT_ENV[@]}"; do printf 'export %s=%q\n' "${line%%=*}" "${line#*=}"; done
	} >"$RUN_DIR/ctl/environment"
	cp "$GUEST_DIR/inside" "$GUEST_DIR/inside-disks" "$RUN_DIR/ctl/"
	{
		printf 'exec'
		[ "${#OPT_COMMAND[@]}" -gt 0 ] && printf ' %q' "${OPT_COMMAND[@]}"
		printf '\n'
	} >"$RUN_DIR/ctl/command"

	[ "$OPT_QUIET" -eq 1 ] || say "booting $release ($(cat "$kernel/package")), root $(root_release "$root"), $(
		)$OPT_CPUS CPUs, $OPT_MEMORY MiB, $accel"
	if [ "$OPT_MODE" = shell ]; then
		qemu+=(-chardev stdio,id=tty,signal=off -device virtconsole,chardev=tty)
		exec {RUN_TTY}<&0
		RUN_STTY=$(stty -g)
		# Every key is the guest's, ^C too.
		stty raw -echo <&"$RUN_TTY"
	else
		mkfifo "$RUN_DIR/out" "$RUN_DIR/err" || die "cannot make pipes in $RUN_DIR"
		qemu+=(-chardev "file,id=out,path=$RUN_DIR/out" -device virtserialport,chardev=out,name=out)
		[ "$merge" -eq 1 ] ||
			qemu+=(-chardev "file,id=err,path=$RUN_DIR/err" -device virtserialport,chardev=err,name=err)
	fi
	run_qemu

	while [ -n "$qemu_pid$out_pid$err_pid" ]; do
		who=
		# shellcheck disable=SC2086
		wait -n -p who $qemu_pid $out_pid $err_pid $timer_pid $boot_pid
		rc=$?
		case $who in
		"") ended=lost; break ;;
		"$timer_pid") ended=timeout; break ;;
		"$boot_pid")
			boot_pid=
			[ "$rc" -ne 0 ] || continue
			run_kill
			[ "$boots" -lt 3 ] || { ended=boot; break; }
			boots=$((boots + 1))
			say "the guest ($release) hangs at boot, its console says nothing for $silence s: started again"
			run_qemu
			;;
		"$qemu_pid")
			qemu_pid=
			# Without qemu nobody will ever open a pipe that it has not opened.
			[ -s "$RUN_DIR/qemu" ] && [ ! -s "$status" ] && break
			;;
		"$out_pid")
			out_pid=
			[ "$rc" -ne 0 ] && { ended=pipe; break; }
			;;
		"$err_pid") err_pid= ;;
		esac
	done
	run_status "$release" "$console" "$status" "$ended"
}

# run_share TAG DIR OPTION: adds a 9p share to the array qemu of the caller.
run_share()
{
	qemu+=(-fsdev "local,id=$1,path=${2//,/,,},security_model=none,multidevs=remap,$3"
		-device "virtio-9p-pci,fsdev=$1,mount_tag=$1")
}

disk_queues()
{
	[[ $1 =~ queues=([0-9]+) ]] && printf ',num-queues=%s' "${BASH_REMATCH[1]}"
}

# run_status RELEASE CONSOLE STATUS ENDED: reports how a run ended and exits with its status.
run_status()
{
	local release=$1 console=$2 status=$3 ended=$4 rc error splats qemu

	rc=$(awk '$1 == "exit" { print $2 }' "$status" 2>/dev/null)
	error=$(sed -n 's/^error //p' "$status" 2>/dev/null | head -1)
	splats=$(splat_lines "$console" 2>/dev/null)
	qemu=$(cat "$RUN_DIR/qemu" 2>/dev/null)
	if [ -n "$OPT_CONSOLE" ]; then
		cp "$console" "$OPT_CONSOLE" 2>/dev/null || say "cannot write the console log to $OPT_CONSOLE"
	fi
	case $ended in
	pipe)
		run_cleanup
		exit 141
		;;
	boot)
		run_console "$console" 40
		say "the guest ($release) hangs at boot, three times: the end of its console is above"
		exit "$GUEST_EXIT_LOST"
		;;
	timeout)
		run_console "$console" 40
		say "time limit of $OPT_TIME s reached: the guest ($release) was stopped; raise it with -t SECONDS"
		exit "$GUEST_EXIT_TIMEOUT"
		;;
	esac
	if [ -n "$error" ]; then
		say "$error"
		exit "$GUEST_EXIT_ERROR"
	fi
	if [ -n "$splats" ] && [ "$OPT_ALLOW_SPLAT" -eq 0 ]; then
		splat_show "$console"
		say "the guest's kernel ($release) complained: $(head -1 <<<"$splats")"
		exit "$GUEST_EXIT_SPLAT"
	fi
	if [ -z "$rc" ]; then
		run_console "$console" 40
		[ -n "$qemu" ] && printf '%s\n' "$qemu" | head -5 >&2
		say "the guest ($release) ended without a status for its command (the end of its console is above)"
		exit "$GUEST_EXIT_LOST"
	fi
	exit "$rc"
}

# run_console FILE LINES: the end of the console log, on stderr.
run_console()
{
	[ -s "$1" ] || return 0
	say "last $2 lines of the guest's console:"
	tail -n "$2" "$1" | tr -d '\r' | sed 's/^/| /' >&2
}
