#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# A parent process can wait for the line that tracing is on, whatever the verb and its output.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/fs.sh"

need_root "header"
need "header" jq mkfs.ext4 losetup
D=$BUILD/dropbehind
fs_make ext4 100 || { not_ok "header" "no filesystem"; finish; }

for words in "stat" "record -o $TEST_TMP/one" "left" "trace" "stat -j" "record -j -o $TEST_TMP/two" "left -j" "trace -j"; do
	: >"$TEST_TMP/out"
	: >"$TEST_TMP/err"
	# shellcheck disable=SC2086 # words
	"$D" $words --mount "$FS_DIR" >"$TEST_TMP/out" 2>"$TEST_TMP/err" &
	pid=$!
	line=
	for ((i = 0; i < 100; i++)); do
		case $words in
		"trace -j") line=$(grep '"type":"start"\|"type": "start"' "$TEST_TMP/out") ;;
		*-j*) line=$(cat "$TEST_TMP/err") ;;
		*) line=$(grep '^tracing on' "$TEST_TMP/out") ;;
		esac
		[ -n "$line" ] && break
		sleep 0.1
	done
	like "${words/ $TEST_TMP*/}, tells when tracing is on" "$line" '^tracing on |"start"'
	kill -TERM "$pid"
	wait "$pid"
	is "${words/ $TEST_TMP*/}, status" $? 0
done
finish
