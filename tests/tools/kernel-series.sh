#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# The patch series apply without fuzz and pass checkpatch; the kernel scripts refuse wrong use in one line.

. "$(dirname "$0")/../lib.sh"

build=$ROOT/kernel/build-module
refuses "build-module, no filesystem" 2 "name a filesystem" "$build"
refuses "build-module, unknown filesystem" 2 "no series for 'btrfs'" "$build" btrfs
refuses "build-module, unknown kernel" 2 "there is a series for 7.2 and 7.3 only" "$build" -k 6.1.0 f2fs
refuses "build-module, no kernel" 2 "no kernel release" "$build" -k newest f2fs
# What make says of it: ours first, then its own.
like "make f2fs-module, unknown kernel" "$(make -s -C "$ROOT" BUILD="$BUILD" f2fs-module KVER=6.1.0 2>&1 | head -n 1)" \
	"^build-module: kernel 6.1.0: there is a series for 7.2 and 7.3 only"
refuses "check-series, unknown series" 2 "no series '7.3/xfs'" "$ROOT/kernel/check-series" 7.3/xfs
refuses "check-series, unknown option" 2 "unknown option '--all'" "$ROOT/kernel/check-series" --all
refuses "dkms-package, unknown kernel" 2 "there is a series for 7.2 and 7.3 only" "$ROOT/kernel/dkms-package" -k 6.1.0
refuses "load-module, nothing named" 2 "name one module file" "$ROOT/kernel/load-module"

source=''
for dir in "${DROPBEHIND_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/dropbehind}"/sources/linux-source-7.3-*; do
	[ -e "$dir/.complete" ] && source=$dir
done
if [ -z "$source" ] || [ "$(id -u)" -ne 0 ]; then
	skip "series apply" "the source of 7.3 is not in the cache, or this is not root"
	finish
fi
while read -r line; do
	case $line in
	"ok - "*) ok "${line#ok - }" ;;
	"not ok - "*) line=${line#not ok - }; not_ok "${line%%: *}" "${line#*: }" ;;
	esac
done < <("$ROOT/kernel/check-series" 7.3/f2fs 7.3/ext4)

refuses "build-module, kernel without headers" 2 "no headers in /lib/modules/7.3.999-none/build.*archive's newest 7.3" \
	"$build" -k 7.3.999-none f2fs
refuses "build-module, no such patches" 2 "neither a directory nor a file" "$build" -k 7.3 -p /nonexistent f2fs
refuses "build-module, none and a patch" 2 "none goes alone" "$build" -k 7.3 -p none -p series f2fs
KERNEL_SOURCE=/nonexistent refuses "build-module, no source" 2 "KERNEL_SOURCE=/nonexistent has no fs/f2fs" \
	"$build" -k 7.3 f2fs
# The source of another version, as far as build-module looks.
mkdir -p "$TEST_TMP/older/fs/f2fs"
printf 'VERSION = 7\nPATCHLEVEL = 3\nSUBLEVEL = 0\n' >"$TEST_TMP/older/Makefile"
KERNEL_SOURCE=$TEST_TMP/older refuses "build-module, other kernel's source" 2 \
	"the source in .*/older is 7.3.0, not 7.3.[1-9]" "$build" -k 7.3 f2fs
# A series that no longer applies: which patch, which hunk.
mkdir "$TEST_TMP/stale"
sed 's/op_flags = 0/op_flags = 1/; s/bio_list_lock/bio_list_lock_gone/' \
	"$ROOT"/kernel/7.3/f2fs/0002-*.patch >"$TEST_TMP/stale/0001-stale.patch"
refuses "build-module, stale series" 3 "0001-stale.patch does not apply to 7.3.*Hunk #[0-9]+ failed.* in fs/f2fs/data.c" \
	"$build" -q -k 7.3 -p "$TEST_TMP/stale" -n stale f2fs
finish
