#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 1200
#
# `make demo-guest` shows the finding: on stock 7.3 ext4 leaves behind what is overwritten, XFS and block devices
# do not.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../oracle/guest.sh"

need_guest "demo-guest"
mkdir "$TEST_TMP/tmp"
TMPDIR=$TEST_TMP/tmp "$ROOT/tools/demo/guest" >"$TEST_TMP/out" 2>"$TEST_TMP/err"
status=$?
[ "$status" -eq 0 ] || cat "$TEST_TMP/out" "$TEST_TMP/err"
is "demo-guest, status" "$status" 0
is "demo-guest, nothing left" "$(ls -A "$TEST_TMP/tmp")" ""
is "demo-guest, balances" "$(grep -c '^balance: .*: pass$' "$TEST_TMP/out")" 3
sed -n '/^fs /,$p' "$TEST_TMP/out"
# row FS SCENARIO: its births, dropped, left, reason, cachestat, agree
row() {
	sed -nE "s/^$1 +$2 +//p" "$TEST_TMP/out" | tr -s ' '
}
for scenario in append overwrite read; do
	like "demo-guest, xfs $scenario leaves nothing" "$(row xfs "$scenario")" "^([1-9][0-9]*) [0-9]+ 0 - 0 yes$"
done
like "demo-guest, block overwrite leaves nothing" "$(row block overwrite)" "^([1-9][0-9]*) [0-9]+ 0 - 0 yes$"
like "demo-guest, ext4 append leaves nothing" "$(row ext4 append)" "^([1-9][0-9]*) [0-9]+ 0 - 0 yes$"
read -r births dropped left reason <<<"$(row ext4 overwrite)"
is "demo-guest, ext4 overwrite leaves all, not in task" "$dropped $left $reason" "0 $births not in task $births yes"
like "demo-guest, something was overwritten" "$births" "^[1-9]"
finish
