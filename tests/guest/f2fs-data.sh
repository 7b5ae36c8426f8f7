#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 900
#
# F2FS features under RWF_DONTCACHE: nothing stays in the cache, everything reads back, fsck.f2fs is content.
# Takes cases as arguments; without, those that fit into a few minutes.

. "$(dirname "$0")/../lib.sh"

need_root "f2fs data"
cases=("$@")
[ $# -gt 0 ] || cases=(lfs inplace mixed read inline append lz4 user_compress encrypted atomic zoned shutdown_inplace umount)
ko=$("$ROOT/kernel/build-module" -q -k "${SERIES:-7.3}" f2fs) ||
	{ not_ok "f2fs data" "the module does not build"; finish; }
for tool in dcstream opcheck f2fs-atomic; do
	[ -x "$BUILD/$tool" ] || { not_ok "f2fs data" "no $BUILD/$tool: run make"; finish; }
done

"$ROOT/tools/guest/guest" -q -k "${SERIES:-7.3}" -t "${LIMIT:-800}" \
	-e DCSTREAM="$BUILD/dcstream" -e OPCHECK="$BUILD/opcheck" -e F2FS_ATOMIC="$BUILD/f2fs-atomic" \
	-e OPS="${OPS:-}" -e SEEDS="${SEEDS:-}" -e TEST_TMP=/tmp \
	-d virtio:512 -d virtio:512 -d "null:768,zoned=1,zone_size=16,zone_nr_conv=8,irqmode=2,memory_backed=1" -- \
	"$ROOT/tests/guest/fixtures/f2fs-data-guest" "$ko" "${cases[@]}"
status=$?
case $status in
0 | 1) ;;
122) not_ok "f2fs data, kernel log" "a warning or oops (see above)" ;;
*) not_ok "f2fs data" "the guest exited with $status" ;;
esac
lib_cases=$((lib_cases + 1))
[ "$status" -eq 0 ] || lib_failed=1
finish
