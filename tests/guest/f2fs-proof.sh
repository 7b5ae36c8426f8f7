#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 900
#
# F2FS with half of the change leaves dontcache pages behind, with the series it leaves none, on every disk.

. "$(dirname "$0")/../lib.sh"

need_root "f2fs proof"
out=$TEST_TMP/proof.tsv
"$ROOT/kernel/proof" --tsv >"$out"
status=$?
[ "$status" -le 1 ] || { not_ok "f2fs proof" "kernel/proof exited with $status"; finish; }

while IFS=$'\t' read -r module disk case written left data fsck; do
	if [ "$module" = real ]; then
		is "real, $disk, $case, none left" "$left" 0
		is "real, $disk, $case, data" "$data $fsck" "ok ok"
	elif [ "$disk" = virtio-blk ]; then
		# The control: here completion is in an interrupt, so half a change must be seen to fail.
		is "naive, $disk, $case, all left" "$left" "$written"
	fi
done <"$out"
between "rows of the proof" "$(wc -l <"$out")" 60 60
finish
