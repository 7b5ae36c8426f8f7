#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# The build on a kernel without BTF takes the types of the fetched kernel by itself.

. "$(dirname "$0")/../lib.sh"

guest=$ROOT/tools/guest/guest
[ "$(uname -m)" = x86_64 ] || { skip "types of the fetched kernel" "guests are x86-64 only"; finish; }
header=$TEST_TMP/build/vmlinux.h
must "vmlinux.h without BTF here" make -C "$ROOT" --no-print-directory BUILD="$TEST_TMP/build" KERNEL_BTF=/nonexistent "$header"
for type in 'struct folio {' 'struct bio {' 'BIO_COMPLETE_IN_TASK'; do
	must "it has $type, of 7.3" grep -q "$type" "$header"
done
must "the programs build with it" make -C "$ROOT" --no-print-directory BUILD="$TEST_TMP/build" KERNEL_BTF=/nonexistent \
	"$TEST_TMP/build/dropbehind"
if [ "$(id -u)" -eq 0 ] && [ "$("$BUILD/dropbehind" features -j / | jq -r .verdict)" != "not usable" ]; then
	must "and trace here" "$TEST_TMP/build/dropbehind" stat -d 0.5
else
	skip "and trace here" "tracing does not work here"
fi
file=$("$guest" btf 7.3)
must "guest btf prints a file with BTF" sh -c "'$(PATH=$PATH:/usr/sbin command -v bpftool)' btf dump file '$file' | grep -q dropbehind"
refuses "guest btf without a series" 125 "btf needs a kernel series" "$guest" btf
refuses "guest btf of no series" 125 "is not a kernel series" "$guest" btf nonsense
make -C "$ROOT" --no-print-directory BUILD="$TEST_TMP/other" VMLINUX_BTF=/nonexistent "$TEST_TMP/other/vmlinux.h" >"$TEST_TMP/out" 2>&1
is "VMLINUX_BTF that is not there, status" $? 2
like "VMLINUX_BTF that is not there, line" "$(cat "$TEST_TMP/out")" "VMLINUX_BTF: /nonexistent cannot be read"
finish
