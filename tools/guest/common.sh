# SPDX-License-Identifier: GPL-2.0
# Shared by every part of the guest runner: messages, the cache directory, locks.

# The runner's own failures (bad usage, something missing) exit with this; CMD's status is never changed.
GUEST_EXIT_ERROR=125
GUEST_EXIT_TIMEOUT=124
GUEST_EXIT_LOST=123
GUEST_EXIT_SPLAT=122

GUEST_CACHE=${DROPBEHIND_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/dropbehind}
GUEST_SUITE=trixie

# say TEXT: progress, on stderr.
say()
{
	printf 'guest: %s\n' "$*" >&2
}

# die TEXT: one line that names what is wrong and what to do; ends the program.
die()
{
	printf 'guest: %s\n' "$*" >&2
	exit "$GUEST_EXIT_ERROR"
}

# need COMMAND PACKAGE: stops when COMMAND is not installed.
need()
{
	[ -x "$(PATH=$PATH:/usr/sbin:/sbin command -v "$1")" ] ||
		die "$1 is not installed: run 'tools/guest/guest install' as root (Debian package $2)"
}

need_root()
{
	[ "$(id -u)" -eq 0 ] || die "$1 needs root: run it as root"
}

need_x86_64()
{
	[ "$(uname -m)" = x86_64 ] ||
		die "guests are x86-64 only, this machine is $(uname -m): run this on an x86-64 machine"
}

# cache_dir: makes the cache directory, or says why it cannot be used.
cache_dir()
{
	case $GUEST_CACHE in
	/*) ;;
	*) die "cache directory '$GUEST_CACHE' is not an absolute path: set DROPBEHIND_CACHE to one" ;;
	esac
	mkdir -p "$GUEST_CACHE" 2>/dev/null && [ -w "$GUEST_CACHE" ] ||
		die "cannot write the cache directory $GUEST_CACHE: set DROPBEHIND_CACHE to a writable one"
}

# tied COMMAND...: runs COMMAND so that it does not outlive this shell, however that ends. (A subshell outlives
# the shell, so this must not be called in one when COMMAND takes long.)
tied()
{
	setpriv --pdeathsig KILL -- "$@"
}

# with_lock NAME COMMAND...: runs COMMAND holding the cache's lock NAME; waits, and says so, when another
# process holds it. The lock is gone with the process that holds it, however that ends.
with_lock()
{
	local name=$1 fd rc
	shift
	cache_dir
	exec {fd}>"$GUEST_CACHE/$name.lock" || die "cannot open $GUEST_CACHE/$name.lock"
	if ! flock -n "$fd"; then
		say "waiting for another process that works on $name"
		tied flock "$fd" || die "cannot lock $GUEST_CACHE/$name.lock"
	fi
	"$@"
	rc=$?
	exec {fd}>&-
	return $rc
}

# human BYTES: a size for a message.
human()
{
	awk -v b="$1" 'BEGIN { printf b < 1048576 ? "%.0f KiB" : "%.0f MiB", b < 1048576 ? b / 1024 : b / 1048576 }'
}
