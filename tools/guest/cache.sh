# SPDX-License-Identifier: GPL-2.0
# `guest list` and `guest clean`: what is in the cache.

# cache_old: prints the directories that no series, root or headers of today use any more.
cache_old()
{
	local k r release keep=" " root

	for k in "$KERNEL_DIR"/*/package; do
		[ -e "$k" ] || continue
		release=$(basename "$(dirname "$k")")
		[[ $release =~ ^([0-9]+\.[0-9]+)\.[^-]*(-rt|-cloud)?-amd64$ ]] || continue
		keep+="$(kernel_cached "${BASH_REMATCH[1]}${BASH_REMATCH[2]}") "
	done
	for k in "$KERNEL_DIR"/* "$HEADERS_DIR"/*; do
		[ -d "$k" ] && [[ $keep != *" $KERNEL_DIR/$(basename "$k") "* ]] && printf '%s\n' "$k"
	done
	root=$(root_path)
	for r in "$ROOT_DIR"/*-*; do
		[ -d "$r" ] && [ "$r" != "$root" ] && printf '%s\n' "$r"
	done
	for k in "$KERNEL_DIR"/.new.* "$HEADERS_DIR"/.new.* "$SOURCES_DIR"/.new.*; do
		[ -d "$k" ] && printf '%s\n' "$k"
	done
	return 0
}

cache_size()
{
	du -sh "$1" 2>/dev/null | cut -f1
}

list_verb()
{
	local d any=0

	[ $# -eq 0 ] || die "list takes no argument"
	printf 'cache %s\n' "$GUEST_CACHE"
	for d in "$KERNEL_DIR"/*/package "$HEADERS_DIR"/*/package; do
		[ -e "$d" ] || continue
		any=1
		printf '%-8s %-28s %6s  %s\n' "$(basename "$(dirname "$(dirname "$d")")")" \
			"$(basename "$(dirname "$d")")" "$(cache_size "$(dirname "$d")")" "$(cat "$d")"
	done
	for d in "$SOURCES_DIR"/*/.complete; do
		[ -e "$d" ] || continue
		any=1
		printf '%-8s %-28s %6s\n' sources "$(basename "$(dirname "$d")")" "$(cache_size "$(dirname "$d")")"
	done
	for d in "$ROOT_DIR"/*/.guest-root; do
		[ -e "$d" ] || continue
		any=1
		d=$(dirname "$d")
		printf '%-8s %-28s %6s  %s%s\n' roots "$(basename "$d")" "$(cache_size "$d")" "$(root_release "$d")" \
			"$([ "$d" = "$(root_path)" ] || echo ' (old: packages changed)')"
	done
	[ $any -eq 1 ] || printf 'nothing cached: a guest gets what it needs at its first use\n'
}

# clean_locked ALL: the caller holds the locks "apt" and "root".
clean_locked()
{
	local d fd

	root_sweep
	{
		cache_old
		if [ "$1" -eq 1 ]; then
			printf '%s\n' "$KERNEL_DIR" "$HEADERS_DIR" "$SOURCES_DIR" "$ARCHIVE_DIR" "$ROOT_DIR"/*
		fi
	} | while read -r d; do
		[ -d "$d" ] || continue
		if [ -e "$d/.guest-root" ]; then
			exec {fd}<"$d/.guest-root"
			if ! flock -n "$fd"; then
				say "$(basename "$d") is in use by a guest: left"
				exec {fd}<&-
				continue
			fi
			exec {fd}<&-
		fi
		say "removing $d"
		rm -rf --one-file-system "$d" || die "cannot remove $d"
	done
}

clean_verb()
{
	local all=0

	case ${1:-} in
	--all) all=1 ;;
	"") ;;
	*) die "clean takes --all or nothing" ;;
	esac
	[ -d "$GUEST_CACHE" ] || return 0
	with_lock apt with_lock root clean_locked $all
}
