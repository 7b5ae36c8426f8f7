# SPDX-License-Identifier: GPL-2.0
# The guest's root: a Debian root made by debootstrap, one per package list. roots/ID is complete when
# roots/ID/.guest-root exists; it is built beside and renamed.

ROOT_DIR=$GUEST_CACHE/roots
# The packages of the root beside debootstrap's minbase, one or more a line. A change rebuilds the root, and so does
# one more line of comment.
ROOT_PACKAGES_FILE=$GUEST_DIR/root-packages
ROOT_RECIPE=1

root_packages()
{
	sed 's/#.*//' "$ROOT_PACKAGES_FILE"
}

# root_id: names the root by its package list and recipe.
root_id()
{
	printf '%s-%s\n' "$GUEST_SUITE" "$({ root_packages; echo "$ROOT_RECIPE"; } | sha256sum | cut -c1-12)"
}

root_path()
{
	printf '%s/%s\n' "$ROOT_DIR" "$(root_id)"
}

root_cached()
{
	[ -e "$(root_path)/.guest-root" ]
}

# root_ensure: makes sure that the root is there.
root_ensure()
{
	root_cached || with_lock root root_build
}

# root_sweep: removes what interrupted builds left. The caller holds the lock "root"; the builder's mounts
# are in its own mount namespace and went with it.
root_sweep()
{
	local left
	for left in "$ROOT_DIR"/.new.*; do
		[ -e "$left" ] && rm -rf --one-file-system "$left"
	done
	return 0
}

# root_build: the caller holds the lock "root".
root_build()
{
	local new mirror security log packages

	root_cached && return 0
	need_x86_64
	need_root "making the guest's root"
	install_ensure
	need debootstrap debootstrap
	need setpriv util-linux
	mirror=$(archive_mirror main) ||
		die "found no Debian archive in this machine's apt sources: set DROPBEHIND_MIRROR to its address"
	security=$(archive_mirror security) || security=
	mkdir -p "$ROOT_DIR" || die "cannot write below $GUEST_CACHE"
	root_sweep
	new=$(mktemp -d "$ROOT_DIR/.new.XXXXXX") && chmod 755 "$new" || die "cannot write below $ROOT_DIR"
	log=$new.log
	say "making the $GUEST_SUITE root (once; about 280 MiB to download, 1.2 GiB on disk)"
	packages=$(root_packages)
	# A mount and pid namespace: whatever ends this build also ends its processes and mounts.
	# shellcheck disable=SC2086
	if ! tied unshare --mount --pid --fork --kill-child --mount-proc \
		bash "$GUEST_DIR/root-build" "$new" "$GUEST_SUITE" "$mirror" "$security" $packages \
		>"$log" 2>&1 </dev/null; then
		tail -n 15 "$log" >&2
		rm -rf --one-file-system "$new" "$log"
		die "making the root failed (its last lines are above): check the network and the disk's space"
	fi
	rm -f "$log"
	mv -T "$new" "$(root_path)" || die "cannot move the root to $(root_path)"
	say "the root is in the cache"
}

# root_release ROOT: prints name and version of a root for a message.
root_release()
{
	printf '%s %s' "$GUEST_SUITE" "$(cat "$1/etc/debian_version")"
}

# root_hold ROOT: keeps `guest clean` from removing the root as long as this process lives.
root_hold()
{
	exec {ROOT_HOLD}<"$1/.guest-root" && flock -s -n "$ROOT_HOLD" ||
		die "the root $1 is being removed by 'guest clean': try again"
}

root_verb()
{
	[ $# -eq 0 ] || die "root takes no argument"
	root_ensure
	root_path
}
