# SPDX-License-Identifier: GPL-2.0
# The Debian archive through a private apt: its own sources, lists and cache below the cache directory. The
# archive's address and apt's settings are the machine's; the machine's apt state is not touched.

ARCHIVE_DIR=$GUEST_CACHE/apt
ARCHIVE_SUITES="$GUEST_SUITE $GUEST_SUITE-updates $GUEST_SUITE-backports sid"
ARCHIVE_KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# archive_mirror main|security: prints the archive address that this machine uses.
archive_mirror()
{
	local want=$1 uri release

	if [ "$want" = main ] && [ -n "${DROPBEHIND_MIRROR:-}" ]; then
		printf '%s\n' "$DROPBEHIND_MIRROR"
		return 0
	fi
	while read -r uri release; do
		case $want:$release in
		security:*-security) ;;
		main:*-security) continue ;;
		main:bookworm | main:trixie | main:forky | main:duke | main:sid | main:unstable) ;;
		main:stable | main:testing | main:oldstable) ;;
		*) continue ;;
		esac
		printf '%s\n' "${uri%/}"
		return 0
	done < <(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' 'Component: main' 2>/dev/null)
	return 1
}

# archive_apt PROGRAM ARG...: runs an apt program on the private state, in the directory ARCHIVE_CWD.
archive_apt()
{
	local program=$1
	shift
	tied env -C "${ARCHIVE_CWD:-/}" DEBIAN_FRONTEND=noninteractive "$program" \
		-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$ARCHIVE_DIR/sources" \
		-o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts="$ARCHIVE_DIR/none" \
		-o Dir::State="$ARCHIVE_DIR/state" -o Dir::State::lists="$ARCHIVE_DIR/lists" \
		-o Dir::State::status="$ARCHIVE_DIR/status" -o Dir::Cache="$ARCHIVE_DIR/cache" \
		-o Dir::Cache::pkgcache=pkgcache.bin -o Dir::Cache::srcpkgcache= \
		-o APT::Sandbox::User= -o APT::Architecture=amd64 -o APT::Architectures=amd64 \
		-o Acquire::Languages=none -o Acquire::Retries=2 "$@"
}

archive_write_sources()
{
	local mirror security

	mirror=$(archive_mirror main) ||
		die "found no Debian archive in this machine's apt sources: set DROPBEHIND_MIRROR to its address"
	[ -r "$ARCHIVE_KEYRING" ] || die "$ARCHIVE_KEYRING is missing: install debian-archive-keyring"
	mkdir -p "$ARCHIVE_DIR"/{sources,none,state,lists/partial,cache/archives/partial} || return 1
	: >"$ARCHIVE_DIR/status"
	{
		printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' \
			"$mirror" "$ARCHIVE_SUITES" "$ARCHIVE_KEYRING"
		if security=$(archive_mirror security); then
			printf '\nTypes: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' \
				"$security" "$GUEST_SUITE-security" "$ARCHIVE_KEYRING"
		fi
	} >"$ARCHIVE_DIR/sources/archive.sources.new" &&
		mv "$ARCHIVE_DIR/sources/archive.sources.new" "$ARCHIVE_DIR/sources/archive.sources"
}

# archive_complaint: what apt said last, on stderr.
archive_complaint()
{
	grep -E '^(E|W|Err):?' "$ARCHIVE_DIR/log" | head -5 >&2
}

# archive_refresh: fetches the package lists anew. The caller holds the lock "apt".
archive_refresh()
{
	need apt-get apt
	archive_write_sources || die "cannot write below $ARCHIVE_DIR"
	say "fetching the archive's package lists ($ARCHIVE_SUITES)"
	rm -f "$ARCHIVE_DIR/fresh"
	archive_apt apt-get -q update -o APT::Update::Error-Mode=any >"$ARCHIVE_DIR/log" 2>&1 </dev/null || {
		archive_complaint
		die "cannot fetch the archive's package lists: check the network and this machine's apt sources"
	}
	: >"$ARCHIVE_DIR/fresh"
}

# archive_ready: fetches the lists when there are none yet.
archive_ready()
{
	need apt-get apt
	[ -e "$ARCHIVE_DIR/fresh" ] || archive_refresh
}

# archive_names PREFIX: prints the names of the packages that begin so.
archive_names()
{
	archive_apt apt-cache pkgnames "$1"
}

# archive_prefer: of the package names on stdin prints those that the wanted release has, else all: sid's
# packages may need newer tools than the root has.
archive_prefer()
{
	local names own
	mapfile -t names
	[ "${#names[@]}" -gt 0 ] || return 0
	own=$(archive_apt apt-cache madison "${names[@]}" | awk -F' *[|] *' '$3 !~ / sid\// { sub(/^ */, "", $1); print $1 }')
	if [ -n "$own" ]; then printf '%s\n' "$own"; else printf '%s\n' "${names[@]}"; fi
}

# archive_field PACKAGE FIELD: prints a field of the candidate version.
archive_field()
{
	archive_apt apt-cache show --no-all-versions "$1" 2>/dev/null | awk -v f="$2:" '$1 == f { print $2; exit }'
}

# archive_unpack DIR RESOLVE: downloads the packages that RESOLVE puts into ARCHIVE_PACKAGES, checked by apt
# against the signed lists, and unpacks them below DIR. When one cannot be had, the lists may be older than the
# archive: they are fetched anew, and RESOLVE is asked again.
archive_unpack()
{
	local dir=$1 resolve=$2 package

	"$resolve"
	archive_download "$dir/.debs" || {
		say "cannot download $ARCHIVE_PACKAGES: looking for what the archive has now"
		archive_refresh
		"$resolve"
		archive_download "$dir/.debs" || {
			archive_complaint
			die "cannot download $ARCHIVE_PACKAGES: the archive has moved on or the network is down; try again later"
		}
	}
	for package in "$dir"/.debs/*.deb; do
		tied dpkg-deb -x "$package" "$dir" || die "cannot unpack $package: is the disk full?"
	done
	rm -rf "$dir/.debs"
	archive_merge_usr "$dir"
}

# archive_download DIR: downloads ARCHIVE_PACKAGES into the new directory DIR.
archive_download()
{
	local ARCHIVE_CWD=$1 bytes=0 package

	rm -rf "$1"
	mkdir -p "$1" || die "cannot write $1"
	for package in $ARCHIVE_PACKAGES; do
		bytes=$((bytes + $(archive_field "$package" Size)))
	done
	say "downloading $ARCHIVE_PACKAGES ($(human $bytes))"
	# shellcheck disable=SC2086
	archive_apt apt-get -q download $ARCHIVE_PACKAGES >"$ARCHIVE_DIR/log" 2>&1 </dev/null
}

# archive_merge_usr DIR: moves DIR/lib to DIR/usr/lib, so that DIR can be a layer over a merged-/usr root.
archive_merge_usr()
{
	local top

	for top in lib sbin bin; do
		[ -d "$1/$top" ] && [ ! -L "$1/$top" ] || continue
		mkdir -p "$1/usr/$top" && cp -a --link "$1/$top/." "$1/usr/$top/" && rm -rf "${1:?}/$top" ||
			die "cannot merge $1/$top into usr"
	done
}
