# SPDX-License-Identifier: GPL-2.0
# Kernels out of Debian packages, unpacked in the cache: kernels/RELEASE/{vmlinuz,usr/lib/modules}, complete
# when the file "package" is there. Headers and sources of a series likewise.

KERNEL_DIR=$GUEST_CACHE/kernels

# kernel_series SERIES: checks a series name (7.3, 7.3-rt) and sets KERNEL_VERSION, KERNEL_FLAVOUR.
kernel_series()
{
	[[ $1 == *-cloud ]] &&
		die "'$1': the cloud kernels have no 9p file system and cannot boot from the shared root; use ${1%-cloud}"
	[[ $1 =~ ^([0-9]+\.[0-9]+)(-rt)?$ ]] ||
		die "'$1' is not a kernel series: use e.g. 7.3, 7.3-rt, 7.2, 6.12"
	KERNEL_VERSION=${BASH_REMATCH[1]}
	KERNEL_FLAVOUR=${BASH_REMATCH[2]#-}
}

# kernel_match: of the names on stdin (RELEASE or PREFIX-RELEASE) prints those of KERNEL_VERSION and
# KERNEL_FLAVOUR.
kernel_match()
{
	grep -E "(^|-)${KERNEL_VERSION//./\\.}\.[0-9]+[^-]*${KERNEL_FLAVOUR:+-$KERNEL_FLAVOUR}-amd64$"
}

# kernel_pick: of the names on stdin prints the newest release that kernel_match lets through.
kernel_pick()
{
	kernel_match | sed -E 's/^(linux-[a-z]+-)?//' | sort -V | tail -1
}

# kernel_cached SERIES: prints the directory of the newest kernel of the series in the cache.
kernel_cached()
{
	local release

	kernel_series "$1"
	release=$(for k in "$KERNEL_DIR"/*/package; do
		[ -e "$k" ] && basename "$(dirname "$k")"
	done | kernel_pick)
	[ -n "$release" ] && printf '%s\n' "$KERNEL_DIR/$release"
}

# kernel_resolve: finds the newest release of KERNEL_VERSION and KERNEL_FLAVOUR in the archive and sets
# KERNEL_RELEASE, KERNEL_BINARY (the package with the image) and ARCHIVE_PACKAGES.
kernel_resolve()
{
	local names series=$KERNEL_VERSION${KERNEL_FLAVOUR:+-$KERNEL_FLAVOUR}

	names=$(archive_names linux-)
	KERNEL_RELEASE=$(printf '%s\n' "$names" | grep -E '^linux-(binary|image)-[0-9]' | kernel_match |
		archive_prefer | kernel_pick)
	[ -n "$KERNEL_RELEASE" ] ||
		die "the archive has no kernel of series $series (suites $ARCHIVE_SUITES): choose another, or try 'guest fetch --refresh $series'"
	if printf '%s\n' "$names" | grep -qxF "linux-binary-$KERNEL_RELEASE"; then
		KERNEL_BINARY=linux-binary-$KERNEL_RELEASE
		ARCHIVE_PACKAGES="$KERNEL_BINARY linux-modules-$KERNEL_RELEASE linux-base-$KERNEL_RELEASE"
	else
		KERNEL_BINARY=linux-image-$KERNEL_RELEASE
		ARCHIVE_PACKAGES=$KERNEL_BINARY
	fi
}

# kernel_build SERIES REFRESH: downloads and unpacks a kernel of the series: with REFRESH 0 when none is cached,
# 1 when the archive, its lists fetched anew, has a newer one, 2 likewise with the lists as they are. The caller
# holds the lock "apt".
kernel_build()
{
	local series=$1 refresh=$2 release new

	if [ "$refresh" -eq 0 ] && kernel_cached "$series" >/dev/null; then
		return 0
	fi
	kernel_series "$series"
	install_ensure
	need dpkg-deb dpkg
	need depmod kmod
	if [ "$refresh" -eq 1 ]; then archive_refresh; else archive_ready; fi
	kernel_resolve
	[ -e "$KERNEL_DIR/$KERNEL_RELEASE/package" ] && return 0
	mkdir -p "$KERNEL_DIR" || die "cannot write below $GUEST_CACHE"
	rm -rf "$KERNEL_DIR"/.new.*
	new=$(mktemp -d "$KERNEL_DIR/.new.XXXXXX") && chmod 755 "$new" || die "cannot write below $KERNEL_DIR"
	archive_unpack "$new" kernel_resolve
	release=$KERNEL_RELEASE
	# In newer series the image lies beside the modules, before that in /boot.
	mv "$new/usr/lib/modules/$release/vmlinuz" "$new/vmlinuz" 2>/dev/null ||
		mv "$new/boot/vmlinuz-$release" "$new/vmlinuz" 2>/dev/null ||
		die "$ARCHIVE_PACKAGES hold no kernel of release $release: the packages' layout changed"
	[ -d "$new/usr/lib/modules/$release/kernel" ] ||
		die "$ARCHIVE_PACKAGES hold no modules of release $release: the packages' layout changed"
	ln -sfn usr/lib "$new/lib"
	PATH=$PATH:/usr/sbin:/sbin depmod -b "$new" "$release" || die "depmod failed for $release"
	printf '%s %s\n' "$KERNEL_BINARY" "$(archive_field "$KERNEL_BINARY" Version)" >"$new/package"
	mv -T "$new" "$KERNEL_DIR/$release" || die "cannot move $release into $KERNEL_DIR"
	say "kernel $release is in the cache"
}

# kernel_local DIR: checks the directory of a kernel that was built by hand: DIR/vmlinuz and, when it has
# modules, DIR/usr/lib/modules/RELEASE. What the boot needs (INITRAMFS_MODULES) may be built in.
kernel_local()
{
	[ -r "$1/vmlinuz" ] || die "'$1' has no vmlinuz: give a series, or a directory with vmlinuz and usr/lib/modules"
}

# kernel_ensure SERIES: makes sure that a kernel of the series is cached.
kernel_ensure()
{
	kernel_series "$1"
	kernel_cached "$1" >/dev/null || with_lock apt kernel_build "$1" 0
}
