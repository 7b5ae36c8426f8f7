#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 300
#
# The bench and fio do the same job on the same filesystem: the same bytes, the same pages left
# in the page cache. Their throughputs are printed side by side and judged by people, not here.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/bench-fio-lib.sh"

export BENCH=$BUILD/dontcache-bench
need_root "bench and fio"
need "bench and fio" fio jq fincore mkfs.xfs losetup

M=$TEST_TMP/mnt
OUT=$TEST_TMP/out
mkdir "$M" "$OUT"
truncate -s 400M "$M.img"
mkfs.xfs -q "$M.img"
if ! mount -o loop "$M.img" "$M" 2>/dev/null; then
	skip "bench and fio" "this kernel cannot mount XFS on a loop device"
	finish
fi
at_end umount "$M"

head -c 3000000 /dev/zero >"$M/some"
cat "$M/some" >/dev/null
is "resident counts what fincore counts" "$("$BENCH" resident "$M/some")" "$(fincore -nro PAGES "$M/some") $M/some"
rm "$M/some"
refuses "resident of nothing" 1 'open /nonexistent: No such file' "$BENCH" resident /nonexistent

# Older ones know the option and pass another bit; that shows in what they do, not in their help.
uncached=
version=$(fio --version)
if [[ $version =~ ^fio-3\.([0-9]+) ]] && [ "${BASH_REMATCH[1]}" -ge 39 ]; then
	uncached=uncached
else
	skip "fio with uncached=1" "$version passes another flag than RWF_DONTCACHE"
fi
if ! "$(dirname "$0")/fixtures/bench-fio-jobs" "$M" "$OUT" $uncached >"$OUT/log" 2>&1; then
	not_ok "jobs" "$(tail -n 1 "$OUT/log")"
	finish
fi
for bs in 4K 64K 1M; do
	for rw in write read; do
		judge normal $rw $bs
		[ -z "$uncached" ] || judge dontcache $rw $bs
	done
done
finish
