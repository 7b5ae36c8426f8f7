# SPDX-License-Identifier: GPL-2.0
# Headers and sources of a cached kernel. headers/RELEASE is a layer over the root (in `guest chroot -k` and in
# the guest) with what builds modules out of tree; sources/NAME-VERSION is an unpacked linux-source.

HEADERS_DIR=$GUEST_CACHE/headers
SOURCES_DIR=$GUEST_CACHE/sources

# headers_cached RELEASE: prints the layer's directory when it is there.
headers_cached()
{
	[ -e "$HEADERS_DIR/$1/package" ] && printf '%s\n' "$HEADERS_DIR/$1"
}

# headers_build RELEASE: the caller holds the lock "apt".
headers_build()
{
	local release=$1 new package packages

	headers_cached "$release" >/dev/null && return 0
	need dpkg-deb dpkg
	archive_ready
	package=linux-headers-$release
	packages=$(archive_apt apt-cache depends "$package" 2>/dev/null |
		awk '$1 == "Depends:" && $2 ~ /^linux-(headers|kbuild)-[0-9]/ { print $2 }')
	[ -n "$packages" ] ||
		die "the archive has no headers of $release any more: 'guest fetch --refresh SERIES' gets the newest kernel"
	mkdir -p "$HEADERS_DIR" || die "cannot write below $GUEST_CACHE"
	rm -rf "$HEADERS_DIR"/.new.*
	new=$(mktemp -d "$HEADERS_DIR/.new.XXXXXX") && chmod 755 "$new" || die "cannot write below $HEADERS_DIR"
	# shellcheck disable=SC2086
	archive_unpack "$new" "$package" $packages
	[ -e "$new/usr/lib/modules/$release/build" ] ||
		die "$package has no build directory for $release: the package's layout changed"
	printf '%s %s\n' "$package" "$(archive_field "$package" Version)" >"$new/package"
	mv "$new" "$HEADERS_DIR/$release" || die "cannot move the headers into $HEADERS_DIR"
}

# headers_ensure SERIES: makes sure that the series' newest cached kernel and its headers are there.
headers_ensure()
{
	local release

	kernel_ensure "$1"
	release=$(basename "$(kernel_cached "$1")")
	headers_cached "$release" >/dev/null || with_lock apt headers_build "$release"
}

# headers_verb SERIES: prints the build directory's path outside; in `guest chroot -k SERIES` it is
# /lib/modules/RELEASE/build.
headers_verb()
{
	local release

	[ $# -eq 1 ] || die "headers needs one kernel series, e.g. 'guest headers 7.3'"
	need_x86_64
	headers_ensure "$1"
	release=$(basename "$(kernel_cached "$1")")
	printf '%s/usr/lib/modules/%s/build\n' "$(headers_cached "$release")" "$release"
}

# source_build NAME VERSION: the caller holds the lock "apt".
source_build()
{
	local name=$1 version=$2 new tar

	[ -e "$SOURCES_DIR/$name-$version/.complete" ] && return 0
	mkdir -p "$SOURCES_DIR" || die "cannot write below $GUEST_CACHE"
	rm -rf "$SOURCES_DIR"/.new.*
	new=$(mktemp -d "$SOURCES_DIR/.new.XXXXXX") && chmod 755 "$new" || die "cannot write below $SOURCES_DIR"
	archive_unpack "$new" "$name=$version"
	tar=$(echo "$new"/usr/src/linux-source-*.tar.xz)
	[ -e "$tar" ] || die "$name holds no source archive: the package's layout changed"
	say "unpacking $name (about 1.7 GiB)"
	mkdir "$new/tree" && tied tar -C "$new/tree" --strip-components=1 -xJf "$tar" ||
		die "cannot unpack $tar: is the disk full?"
	: >"$new/tree/.complete"
	mv "$new/tree" "$SOURCES_DIR/$name-$version" || die "cannot move the source into $SOURCES_DIR"
	rm -rf "$new"
}

# source_verb VERSION: prints the path of the unpacked source of a kernel series.
source_verb()
{
	local name version kernel

	[ $# -eq 1 ] || die "source needs one kernel series, e.g. 'guest source 7.3'"
	kernel_series "$1"
	need dpkg-deb dpkg
	need xz xz-utils
	cache_dir
	name=linux-source-$KERNEL_VERSION
	# The source of the kernel that is cached: suites of the archive can have different versions.
	kernel=$(kernel_cached "$1") && version=$(cut -d' ' -f2 "$kernel/package")
	if [ -n "${version:-}" ] && [ ! -e "$SOURCES_DIR/$name-$version/.complete" ]; then
		with_lock apt archive_ready
		[ -z "$(archive_field "$name=$version" Size)" ] || with_lock apt source_build "$name" "$version"
	fi
	if [ -n "${version:-}" ] && [ -e "$SOURCES_DIR/$name-$version/.complete" ]; then
		printf '%s\n' "$SOURCES_DIR/$name-$version"
		return
	fi
	version=$(cd "$SOURCES_DIR" 2>/dev/null && for d in "$name"-*/.complete; do
		[ -e "$d" ] && d=${d%/.complete} && printf '%s\n' "${d#"$name-"}"
	done | sort -V | tail -1)
	if [ -z "$version" ]; then
		with_lock apt archive_ready
		version=$(archive_field "$name" Version)
		[ -n "$version" ] || die "the archive has no $name: use a series that it has, e.g. 7.3"
		with_lock apt source_build "$name" "$version"
	fi
	printf '%s\n' "$SOURCES_DIR/$name-$version"
}
