#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 1200
#
# The tree builds without a word of warning with trixie's clang 19, gcc and libbpf 1.5, and what comes out counts
# right in a guest.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../oracle/judge.sh"
. "$(dirname "$0")/../oracle/guest.sh"

need_guest "trixie build"
build=$ROOT/build/trixie-$$
mkdir -p "$build"
at_end rm -rf "$build"

"$ROOT/tools/guest/guest" chroot --rw "$build" -- bash -c 'clang --version | head -n 1; pkg-config --modversion libbpf
	make -C "$1" V=1 BUILD="$2" all' build "$ROOT" "$build" >"$TEST_TMP/make.log" 2>"$TEST_TMP/make.err"
status=$?
sed -n 1,2p "$TEST_TMP/make.log"
like "trixie, compiler" "$(sed -n 1p "$TEST_TMP/make.log")" "clang version 19"
like "trixie, libbpf" "$(sed -n 2p "$TEST_TMP/make.log")" "^1\.5"
[ "$status" -eq 0 ] || tail -n 20 "$TEST_TMP/make.log" "$TEST_TMP/make.err"
is "trixie, builds" "$status" 0
is "trixie, no warning" "$(grep -iE 'warning' "$TEST_TMP/make.err" | head -n 3)" ""
[ "$status" -eq 0 ] || finish

BUILD=$build
out=$TEST_TMP/out
guest_plan "$out" small -- -k 7.3 -d virtio:320 -d virtio:320 || finish
judge_session "$out" fentry fentry,raw_tp
judge_session "$out" kprobe kprobe,raw_tp
judge_same "$out" fentry kprobe
finish
