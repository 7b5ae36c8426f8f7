#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 900
#
# What dropbehind says of F2FS: under the naive module every folio is left behind because its completion was not
# in a task, under the series every folio is dropped, through deferred bios. mincore must say the same.

. "$(dirname "$0")/../lib.sh"

need_root "f2fs context"
need "f2fs context" jq
series=${SERIES:-7.3}
naive=$("$ROOT/kernel/build-module" -q -k "$series" -p "$ROOT/tests/guest/fixtures/f2fs-naive-${series%%-*}.patch" \
	-n naive f2fs) && real=$("$ROOT/kernel/build-module" -q -k "$series" f2fs) ||
	{ not_ok "f2fs context" "a module does not build"; finish; }
must "f2fs context, guest" "$ROOT/tools/guest/guest" -q -k "$series" -t 800 --rw "$TEST_TMP" \
	-e DCSTREAM="$BUILD/dcstream" -d virtio:256 -- \
	"$ROOT/tests/guest/fixtures/f2fs-context-guest" "$BUILD/dropbehind" "$TEST_TMP" naive="$naive" real="$real" ||
	finish

outcome() { json "$TEST_TMP/$1.json" "$2"; }

naive_births=$(outcome naive .total.births.write.pages)
# Page 0 of a new file is not born dropbehind there: the conversion of the empty inline data makes it.
is "naive, births" "$naive_births" 1023
is "naive, left behind, not in task" "$(outcome naive '.total.outcomes.write.left_not_in_task.pages')" "$naive_births"
is "naive, bios deferred" "$(outcome naive .latencies.deferral_bio_complete_ns.count)" 0
like "naive, mincore" "$(cat "$TEST_TMP/naive.mincore")" '^mincore=1024 '
is "real, births" "$(outcome real .total.births.write.pages)" 1024
is "real, dropped after write" "$(outcome real .total.outcomes.write.dropped_after_write.pages)" 1024
is "real, left behind" "$(outcome real '[.live.left_behind[].pages] | add')" 0
between "real, bios deferred" "$(outcome real .latencies.deferral_bio_complete_ns.count)" 1 1024
like "real, mincore" "$(cat "$TEST_TMP/real.mincore")" '^mincore=0 '
is "naive, balance" "$(outcome naive .balance.verdict)" pass
is "real, balance" "$(outcome real .balance.verdict)" pass
finish
