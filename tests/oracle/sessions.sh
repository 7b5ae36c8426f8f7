# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Runs workloads under the tracer and keeps what both say, for judge.sh. Sourced, on this kernel or in a guest;
# it needs no JSON tool. Given: BUILD, and OUT, a directory for the results.
#
#	place NAME TYPE DISK [MOUNT OPTION...]
#					makes a filesystem of TYPE on DISK and mounts it; TYPE block: DISK itself
#	place_at NAME DIR		a place that is there already
#	session NAME [TOOL OPTION...]	begins a session: one run of `dropbehind stat --json`
#	work NAME PLACE EXPECT ARG...	a workload in it; its files are kept to the end of the session. EXPECT is
#					for judge.sh
#	held NAME PLACE EXPECT CMD ARG...
#					as work, of a scenario that stops half way (--wait-fifo): bash's CMD runs
#					while it stands there
#	beside CMD...			a command to run in it, between workloads
#	session_end			runs the session, up to three times while the tracer calls it inconclusive
#	places_end			unmounts and closes the places
#
# Results: OUT/devices, "PLACE MAJOR MINOR" a line; of session S: OUT/S/{ledger.json,err,status}, the pages of all its files in the cache at its end
# OUT/S/resident.json, and for its workload W OUT/S/W.{json,err,status,expect}.

set -u

DROPBEHIND=$BUILD/dropbehind
WORKLOAD=$BUILD/dontcache-workload
work_prefix=()		# of the workloads' commands; in a session, `beside eval` sets it

declare -A place_of=()
place_mounts=()

place() {
	local name=$1 type=$2 disk=$3 dir fd options=("${@:4}")
	echo "$name $((0x$(stat -c %t "$disk"))) $((0x$(stat -c %T "$disk")))" >>"$OUT/devices"
	if [ "$type" = block ]; then
		# The page cache of a block device lives as long as somebody has it open.
		exec {fd}<"$disk" || return 1
		place_of[$name]=$disk
		return
	fi
	case $type in
	ext4) set -- -F -E lazy_itable_init=0,lazy_journal_init=0 ;;
	*) set -- ;;
	esac
	dir=/run/oracle/$name
	if ! mkdir -p "$dir" || ! "mkfs.$type" -q "$@" "$disk" || ! mount -t "$type" "${options[@]}" "$disk" "$dir"; then
		printf 'cannot make %s on %s\n' "$type" "$disk" >&2
		return 1
	fi
	place_mounts+=("$dir")
	place_of[$name]=$dir
}

place_at() {
	place_of[$1]=$2
}

session() {
	session_name=$1
	shift
	session_options=("$@")
	session_dir=$OUT/$session_name
	mkdir -p "$session_dir"
	printf 'BUILD=%q OUT=%q session_dir=%q\n. %q\n' "$BUILD" "$OUT" "$session_dir" \
		"${BASH_SOURCE[0]}" >"$session_dir/script"
	: >"$session_dir/works"
}

work() {
	local name=$1 place=$2 expect=$3 where=--dir
	shift 3
	[ -b "${place_of[$place]}" ] && where=--dev
	printf '%s\n' "$name" >>"$session_dir/works"
	printf '%s\n' "$expect" >"$session_dir/$name.expect"
	beside "${work_by:-do_work}" "$name" "$@" "$where" "${place_of[$place]}"
}

held() {
	local name=$1 place=$2 expect=$3 cmd=$4
	shift 4
	work_by=do_held work "$name" "$place" "$expect" "$cmd" "$@"
}

beside() {
	printf '%q ' "$@" >>"$session_dir/script"
	printf '\n' >>"$session_dir/script"
}

# In the session: one workload.
do_work() {
	local name=$1 keep=--keep
	shift
	[[ " $* " == *" --dev "* ]] && keep=
	"${work_prefix[@]}" "$WORKLOAD" "$@" $keep --json --settle-wait 0.5 --quiet-ms 100 >"$session_dir/$name.json" 2>"$session_dir/$name.err"
	echo $? >"$session_dir/$name.status"
}

# In the session: CMD while the workload stands still, which it tells by its report.
do_held() {
	local name=$1 cmd=$2 fifo=/run/oracle-held-$1 pid i
	shift 2
	# A session that is repeated has the report of the time before, which does not tell that this one stands still.
	rm -f "$session_dir/$name.json"
	mkfifo "$fifo" || return
	do_work "$name" "$@" --wait-fifo "$fifo" &
	pid=$!
	for ((i = 0; i < 600; i++)); do
		[ ! -s "$session_dir/$name.json" ] && [ -e "/proc/$pid" ] || break
		sleep 0.1
	done
	if [ -s "$session_dir/$name.json" ] && [ -e "/proc/$pid" ]; then
		eval "$cmd" >>"$session_dir/$name.err" 2>&1
		timeout 60 bash -c ': >"$1"' release "$fifo"
	fi
	wait "$pid"
	rm -f "$fifo"
}

# In the session, at its end: pages of all files.
measure_all() {
	local place files=()
	for place; do
		if [ -d "$place" ]; then
			files+=("$place"/dontcache-workload-*)
		else
			files+=("$place")
		fi
	done
	"$WORKLOAD" resident --json "${files[@]}" >"$session_dir/resident.json" 2>"$session_dir/resident.err"
}

session_end() {
	local place
	{
		printf 'shopt -s nullglob\nmeasure_all '
		printf '%q ' "${place_of[@]}"
		printf '\n'
	} >>"$session_dir/script"
	# A run whose verdict is inconclusive asks to be repeated: it counted calls that the kernel skipped.
	for ((session_try = 1; session_try <= 3; session_try++)); do
		"$DROPBEHIND" stat --json --grace 100ms "${session_options[@]}" -- bash "$session_dir/script" \
			>"$session_dir/ledger.json" 2>"$session_dir/err"
		echo $? >"$session_dir/status"
		for place in "${place_of[@]}"; do
			[ ! -d "$place" ] || rm -f "$place"/dontcache-workload-*
		done
		grep -qE '"verdict": ?"inconclusive"' "$session_dir/ledger.json" || break
		cp "$session_dir/ledger.json" "$session_dir/inconclusive-$session_try.json"
	done
}

places_end() {
	local dir
	for dir in "${place_mounts[@]}"; do
		umount "$dir" || umount -l "$dir"
	done
	place_mounts=()
}
