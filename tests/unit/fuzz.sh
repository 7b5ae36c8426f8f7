#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# A short run of the fuzzer over the recording decoder; `make fuzz` is the long one.
. "$(dirname "$0")/../lib.sh"

runs=${FUZZ_RUNS:-6000}

if [ ! -s "$BUILD/fuzz/replay" ]; then
	skip "fuzz the recording decoder" "libFuzzer is not installed (libclang-rt-dev)"
	finish
fi
mkdir "$TEST_TMP/corpus" "$TEST_TMP/found"
must "seeds" "$BUILD/fuzz/seeds" "$TEST_TMP/corpus"
"$BUILD/fuzz/replay" -seed=1 -runs=0 "$TEST_TMP/corpus" >"$TEST_TMP/log" 2>&1 ||
	not_ok "every seed is read" "$(tail -n 3 "$TEST_TMP/log")"
if "$BUILD/fuzz/replay" -runs="$runs" -max_len=16384 -timeout=60 -rss_limit_mb=2048 \
	-artifact_prefix="$TEST_TMP/found/" "$TEST_TMP/corpus" >"$TEST_TMP/log" 2>&1; then
	grep -E '^(INFO: Seed|Done|#[0-9]+.*(DONE|INITED))' "$TEST_TMP/log"
	ok "$runs hostile inputs: no crash, leak, overflow or hang"
else
	tail -n 40 "$TEST_TMP/log"
	for file in "$TEST_TMP"/found/*; do
		[ -e "$file" ] && base64 "$file"
	done
	not_ok "$runs hostile inputs" "$(grep -m1 -E 'ERROR|runtime error' "$TEST_TMP/log")"
fi
finish
