# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Filesystems on loop devices for tests; sourced after lib.sh. Whatever was made is unmounted, detached and
# removed when the test ends, however it ends.
#
#	fs_make TYPE SIZE_MB [MKFS_OPTION...]
#		TYPE xfs, ext4, btrfs, f2fs, or block for a bare loop device. Sets FS_DIR (mount point, empty
#		for block) and FS_DEV. XFS needs 300 MB or more. With FS_LOOP_DIO=1 the loop device does
#		direct I/O on its backing file: completions then come from the disk below, without it
#		from the loop driver's worker. Returns non-zero with a line on stderr when it fails.
#	fs_end DIR|DEV
#		takes one down before the test ends.
#	fs_cold DIR
#		remounts the filesystem of DIR, so that nothing of it is in the page cache.

FS_DIR=
FS_DEV=
fs_count=0

fs_make() {
	local type=$1 size_mb=$2 image dir dev
	shift 2
	fs_count=$((fs_count + 1))
	image=$TEST_TMP/fs$fs_count.img
	dir=$TEST_TMP/fs$fs_count
	FS_DIR=
	FS_DEV=
	if [ "$type" != block ] && ! command -v "mkfs.$type" >/dev/null; then
		printf 'fs_make: mkfs.%s is not installed\n' "$type" >&2
		return 1
	fi
	if ! truncate -s "${size_mb}M" "$image"; then
		return 1
	fi
	if [ "$type" != block ] && ! "mkfs.$type" -q "$@" "$image" >"$TEST_TMP/mkfs.log" 2>&1; then
		printf 'fs_make: mkfs.%s failed: %s\n' "$type" "$(tail -n 1 "$TEST_TMP/mkfs.log")" >&2
		rm -f "$image"
		return 1
	fi
	if [ "${FS_LOOP_DIO:-0}" = 1 ]; then
		dev=$(losetup --direct-io=on -f --show "$image")
	else
		dev=$(losetup -f --show "$image")
	fi
	if [ -z "$dev" ]; then
		printf 'fs_make: no loop device for %s\n' "$image" >&2
		rm -f "$image"
		return 1
	fi
	at_end fs_take_down "$dir" "$dev" "$image"
	if [ "$type" != block ]; then
		mkdir -p "$dir"
		if ! mount -t "$type" "$dev" "$dir"; then
			fs_take_down "$dir" "$dev" "$image"
			return 1
		fi
		# shellcheck disable=SC2034 # for the test
		FS_DIR=$dir
	fi
	# shellcheck disable=SC2034 # for the test
	FS_DEV=$dev
}

# Undoes fs_make; harmless when done already.
fs_take_down() {
	local dir=$1 dev=$2 image=$3
	if mountpoint -q "$dir"; then
		umount "$dir" || umount -l "$dir"
	fi
	if [ "$(losetup -nO BACK-FILE "$dev" 2>/dev/null)" = "$image" ]; then
		losetup -d "$dev"
	fi
	rm -f "$image"
	[ ! -d "$dir" ] || rmdir "$dir"
}

fs_end() {
	local image dev dir
	for image in "$TEST_TMP"/fs*.img; do
		[ -e "$image" ] || continue
		dev=$(losetup -nO NAME -j "$image" | head -n 1)
		dir=${image%.img}
		if [ "$1" = "$dir" ] || [ "$1" = "$dev" ]; then
			fs_take_down "$dir" "$dev" "$image"
			return
		fi
	done
	printf 'fs_end: %s is not one of this test\n' "$1" >&2
	return 1
}

fs_cold() {
	local dev type
	dev=$(findmnt -no SOURCE -M "$1") && type=$(findmnt -no FSTYPE -M "$1") &&
		umount "$1" && mount -t "$type" "$dev" "$1"
}
