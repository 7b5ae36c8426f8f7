# SPDX-License-Identifier: GPL-2.0
# `guest chroot`: a command on this machine's kernel in a throw-away view of the guest's root.

chroot_verb()
{
	local series="" rw=() kernel="" headers="" root layers pid rc

	while [ $# -gt 0 ]; do
		case $1 in
		-k | --kernel) value "$1" $#; series=$2; shift ;;
		--rw)
			value "$1" $#
			[ -d "$2" ] && [ -w "$2" ] || die "'$2' is not a writable directory"
			rw+=("$(cd "$2" && pwd -P)")
			shift
			;;
		-h | --help) usage; exit 0 ;;
		--) shift; break ;;
		*) die "chroot: unknown argument '$1': the command comes after --, see 'guest --help'" ;;
		esac
		shift
	done
	[ $# -gt 0 ] || die "chroot needs a command after --"
	need_x86_64
	need_root "a view of the guest's root"
	need setpriv util-linux
	root_ensure
	root=$(root_path)
	layers=$root
	if [[ $series == */* ]]; then
		kernel=$(cd "$series" 2>/dev/null && pwd -P) || die "there is no kernel directory '$series'"
		kernel_local "$kernel"
		layers=$kernel:$root
	elif [ -n "$series" ]; then
		headers_ensure "$series"
		kernel=$(kernel_cached "$series") || exit
		headers=$(headers_cached "$(basename "$kernel")") || exit
		layers=$headers:$kernel:$root
	fi
	mkdir -p "$ROOT_DIR/view" || die "cannot write below $ROOT_DIR"
	root_hold "$root"
	# The view is a mount in a namespace of its own: it goes with the command, however that ends.
	trap 'kill -KILL $pid 2>/dev/null; wait $pid 2>/dev/null; exit 130' INT
	trap 'kill -KILL $pid 2>/dev/null; wait $pid 2>/dev/null; exit 143' TERM
	trap 'kill -KILL $pid 2>/dev/null; wait $pid 2>/dev/null; exit 129' HUP
	setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child \
		bash "$GUEST_DIR/chroot-view" "$ROOT_DIR/view" "$layers" "$GUEST_TREE" "$PWD" \
		"${#rw[@]}" "${rw[@]}" "$@" <&0 &
	pid=$!
	wait $pid
	rc=$?
	exit $rc
}
