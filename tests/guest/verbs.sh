#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 2400
#
# features, trace and left where fentry works, the faults that only a guest of one's own can have (CPUs and modules
# that come and go, steps of the clock), and a kernel that is locked down. For one without dontcache I/O see kernels.sh.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../oracle/guest.sh"

need_guest "verbs"

# in_guest NAME GUEST_OPTION... : the fixture's cases under NAME.
in_guest() {
	local name=$1 line status
	shift
	"$ROOT/tools/guest/guest" -q -e BUILD="$BUILD" "$@" -- "$ROOT/tests/guest/fixtures/verbs-guest" "$name" \
		>"$TEST_TMP/cases" 2>"$TEST_TMP/messages"
	status=$?
	while IFS= read -r line; do
		case $line in
		"ok - "*) ok "$name, ${line#ok - }" ;;
		"not ok - "*) not_ok "$name, $(sed 's/^not ok - \(.*\): .*/\1/' <<<"${line%%: *}: ")" "${line#*: }" ;;
		"skip - "*) skip "$name, $(sed 's/^skip - //' <<<"${line%%: *}")" "${line#*: }" ;;
		esac
	done <"$TEST_TMP/cases"
	[ "$status" -le 1 ] && [ -s "$TEST_TMP/cases" ] ||
		not_ok "$name, guest" "exit status $status: $(tail -n 1 "$TEST_TMP/messages")"
}

in_guest 7.3 -k 7.3 -t 1500 --cgroup v2 -d virtio:400 -d virtio:300
in_guest locked -k 7.3 --append lockdown=confidentiality
finish
