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

# headers_resolve: sets ARCHIVE_PACKAGES for the headers of HEADERS_RELEASE.
headers_resolve()
{
	local package=linux-headers-$HEADERS_RELEASE needs

	needs=$(archive_apt apt-cache depends "$package" 2>/dev/null |
		awk '$1 == "Depends:" && $2 ~ /^linux-(headers|kbuild)-[0-9]/ { print $2 }')
	[ -n "$needs" ] ||
		die "the archive has no headers of $HEADERS_RELEASE any more: 'guest fetch --refresh SERIES' gets the newest kernel"
	ARCHIVE_PACKAGES="$package ${needs//$'\n'/ }"
}

# headers_build RELEASE: the caller holds the lock "apt".
headers_build()
{
	local release=$1 new package=linux-headers-$1

	headers_cached "$release" >/dev/null && return 0
	need dpkg-deb dpkg
	archive_ready
	HEADERS_RELEASE=$release
	headers_resolve
	mkdir -p "$HEADERS_DIR" || die "cannot write below $GUEST_CACHE"
	rm -rf "$HEADERS_DIR"/.new.*
	new=$(mktemp -d "$HEADERS_DIR/.new.XXXXXX") && chmod 755 "$new" || die "cannot write below $HEADERS_DIR"
	archive_unpack "$new" headers_resolve
	[ -e "$new/usr/lib/modules/$release/build" ] ||
		die "$package has no build directory for $release: the package's layout changed"
	printf '%s %s\n' "$package" "$(archive_field "$package" Version)" >"$new/package"
	mv -T "$new" "$HEADERS_DIR/$release" || die "cannot move the headers into $HEADERS_DIR"
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

# source_wanted SERIES: prints the version of the series' cached kernel, or nothing. Its source is wanted: suites
# of the archive can have different versions.
source_wanted()
{
	local kernel

	kernel=$(kernel_cached "$1") && cut -d' ' -f2 "$kernel/package"
}

# source_cached NAME VERSION: prints the directory of that unpacked source, of the newest when VERSION is empty.
source_cached()
{
	local version=$2

	[ -n "$version" ] || version=$(cd "$SOURCES_DIR" 2>/dev/null && for d in "$1"-*/.complete; do
		[ -e "$d" ] && d=${d%/.complete} && printf '%s\n' "${d#"$1-"}"
	done | sort -V | tail -1)
	[ -n "$version" ] && [ -e "$SOURCES_DIR/$1-$version/.complete" ] && printf '%s\n' "$SOURCES_DIR/$1-$version"
}

# source_resolve: sets ARCHIVE_PACKAGES and SOURCE_VERSION for the package SOURCE_NAME, of version SOURCE_WANTED
# when the archive has that.
source_resolve()
{
	SOURCE_VERSION=
	[ -z "$SOURCE_WANTED" ] || SOURCE_VERSION=$(archive_field "$SOURCE_NAME=$SOURCE_WANTED" Version)
	[ -n "$SOURCE_VERSION" ] || SOURCE_VERSION=$(archive_field "$SOURCE_NAME" Version)
	[ -n "$SOURCE_VERSION" ] || die "the archive has no $SOURCE_NAME: use a series that it has, e.g. 7.3"
	ARCHIVE_PACKAGES=$SOURCE_NAME=$SOURCE_VERSION
}

# source_build NAME WANTED: the caller holds the lock "apt".
source_build()
{
	local new tar

	source_cached "$1" "$2" >/dev/null && return 0
	archive_ready
	SOURCE_NAME=$1 SOURCE_WANTED=$2
	source_resolve
	if [ -n "$2" ] && [ "$SOURCE_VERSION" != "$2" ]; then
		say "the archive has no $1 of version $2, that of the cached kernel: taking $SOURCE_VERSION"
	fi
	source_cached "$1" "$SOURCE_VERSION" >/dev/null && return 0
	mkdir -p "$SOURCES_DIR" || die "cannot write below $GUEST_CACHE"
	rm -rf "$SOURCES_DIR"/.new.*
	new=$(mktemp -d "$SOURCES_DIR/.new.XXXXXX") && chmod 755 "$new" || die "cannot write below $SOURCES_DIR"
	archive_unpack "$new" source_resolve
	tar=$(echo "$new"/usr/src/linux-source-*.tar.xz)
	[ -e "$tar" ] || die "$1 holds no source archive: the package's layout changed"
	say "unpacking $1 (about 1.7 GiB)"
	mkdir "$new/tree" && tied tar -C "$new/tree" --strip-components=1 -xJf "$tar" ||
		die "cannot unpack $tar: is the disk full?"
	: >"$new/tree/.complete"
	mv -T "$new/tree" "$SOURCES_DIR/$1-$SOURCE_VERSION" || die "cannot move the source into $SOURCES_DIR"
	rm -rf "$new"
}

# source_verb SERIES: prints the path of the unpacked source of a kernel series.
source_verb()
{
	local name wanted

	[ $# -eq 1 ] || die "source needs one kernel series, e.g. 'guest source 7.3'"
	kernel_series "$1"
	need dpkg-deb dpkg
	need xz xz-utils
	name=linux-source-$KERNEL_VERSION
	wanted=$(source_wanted "$1")
	source_cached "$name" "$wanted" >/dev/null || with_lock apt source_build "$name" "$wanted"
	source_cached "$name" "$wanted" || source_cached "$name" ""
}
