#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# The path of a file is one that can be opened, wherever and however its filesystem is mounted.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/fs.sh"

need_root "names of files"
need "names of files" jq mkfs.ext4 losetup
D=$BUILD/dropbehind
W=$BUILD/dontcache-workload
for program in "$D" "$W"; do
	[ -x "$program" ] || { not_ok "names of files" "$program is missing: build it with make"; finish; }
done

fs_make ext4 100 || { not_ok "names of files" "no filesystem"; finish; }
part=$FS_DIR/'a part'
mkdir "$part"
tag=0

# names NAME WRITE_BELOW WANT FOUND: the file written there is called WANT (a directory; its name is kept) in the report.
names() {
	local name=$1 dir=$2 want=$3 found=$4
	tag=$((tag + 1))
	# shellcheck disable=SC2016 # for the inner shell
	"$D" stat -j --dev "$FS_DEV" -- "$W" append --dir "$dir" --size 64K --keep >"$TEST_TMP/out" 2>"$TEST_TMP/err"
	[ -s "$TEST_TMP/err" ] && cat "$TEST_TMP/err"
	grep '^{"version"' "$TEST_TMP/out" >"$TEST_TMP/json"
	json_is "$name" "$TEST_TMP/json" '.flows[] | "\(.file | sub("dontcache-workload-[0-9]+-0$"; "F")) \(.file_found)"' \
		"$want/F $found"
	[ "$found" != dentry_at_birth ] || must "$name, it is there" test -f "$(json "$TEST_TMP/json" '.flows[].file')"
}

names "whole filesystem" "$FS_DIR" "$FS_DIR" dentry_at_birth
blank=$TEST_TMP/$'with blank\ttab'
mkdir "$blank"
mount --move "$FS_DIR" "$blank" 2>/dev/null || { umount "$FS_DIR" && mount "$FS_DEV" "$blank"; }
at_end sh -c "! mountpoint -q '$blank' || umount '$blank'"
names "mount point with blanks" "$blank" "$blank" dentry_at_birth

"$D" left -j --mount "$blank" -- "$W" overwrite --dir "$blank" --size 256K --keep >"$TEST_TMP/out"
grep '^{"version"' "$TEST_TMP/out" >"$TEST_TMP/json"
json_is "mount point with blanks, left can look at the file" "$TEST_TMP/json" '.files[] | "\(.check) \(.file | sub("[^/]*$"; ""))"' \
	"agree $blank/"

long=$TEST_TMP
for ((i = 0; i < 6; i++)); do
	long+=/$(printf 'l%.0s' {1..120})
done
mkdir -p "$long"
mount --bind "$blank" "$long"
at_end sh -c "! mountpoint -q '$long' || umount '$long'"
umount "$blank"
names "mount point of more than 511 bytes" "$long" "$long" dentry_at_birth

dir=$TEST_TMP/only-a-part
mkdir "$dir"
mount --bind "$long/a part" "$dir"
at_end sh -c "! mountpoint -q '$dir' || umount '$dir'"
names "the whole filesystem is named before a part" "$dir" "$long/a part" dentry_at_birth
umount "$long"
names "only a directory of the filesystem is mounted" "$dir" "$dir" dentry_at_birth
umount "$dir"

if unshare -m true 2>/dev/null; then
	# shellcheck disable=SC2016 # for the inner shell
	"$D" stat -j --dev "$FS_DEV" -- unshare -m sh -c 'mount "$1" "$2" && "$0" append --dir "$2" --size 64K --keep' \
		"$W" "$FS_DEV" "$FS_DIR" >"$TEST_TMP/out"
	grep '^{"version"' "$TEST_TMP/out" >"$TEST_TMP/json"
	json_is "not mounted where the tracer can see it" "$TEST_TMP/json" \
		'.flows[] | "\(.file | sub("[^/]*$"; "")) \(.file_found)"' ".../ part_of_name_at_birth"
else
	skip "not mounted where the tracer can see it" "no mount namespaces here"
fi
finish
