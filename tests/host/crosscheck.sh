#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# On this kernel bpftrace can count pages that enter and leave the cache, by the tracepoints' own fields, which do
# not show the flag. For files that nothing but dontcache I/O touches these are the tracer's births and deaths.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/fs.sh"
OUT=$TEST_TMP/out
. "$(dirname "$0")/../oracle/sessions.sh"
. "$(dirname "$0")/../oracle/judge.sh"

need_root "crosscheck"
need "crosscheck" jq losetup mkfs.xfs mkfs.ext4 bpftrace

places=()
for type in xfs ext4; do
	fs_make "$type" 400 || { not_ok "$type filesystem" "cannot be made"; finish; }
	place_at "$type" "$FS_DIR"
	places+=("$FS_DIR")
done
"$ROOT/tools/setup/with-tracefs" bpftrace -q -B line -o "$TEST_TMP/trace" -e '
	BEGIN { printf("attached\n"); }
	tracepoint:filemap:mm_filemap_add_to_page_cache {
		@added[args->s_dev, args->i_ino] = sum((uint64)1 << args->order);
	}
	tracepoint:filemap:mm_filemap_delete_from_page_cache {
		@deleted[args->s_dev, args->i_ino] = sum((uint64)1 << args->order);
	}' >"$TEST_TMP/trace.err" 2>&1 &
counter=$!
end_counter() {
	kill "$counter" 2>/dev/null
}
at_end end_counter
# BEGIN may run before the others are attached: wait for their events as well
for ((i = 0; i < 600; i++)); do
	[ -e "/proc/$counter" ] || break
	grep -qs attached "$TEST_TMP/trace" && [ "$(find "/proc/$counter/fd" -lname 'anon_inode:*perf_event*' | wc -l)" -ge 3 ] && break
	sleep 0.1
done
if [ ! -e "/proc/$counter" ]; then
	skip "crosscheck" "bpftrace cannot: $(tail -n 1 "$TEST_TMP/trace.err")"
	finish
fi
sleep 1

for type in xfs ext4; do
	session "$type" --mount "${place_of[$type]}"
	work append "$type" any append --size 4M
	work append-4k "$type" any append --size 1M --block 4K
	work sparse "$type" any sparse --size 4M
	work threads "$type" any append --size 2M --threads 4 --files 2
	# read and overwritten files are made in the session with cached or direct I/O, which counts as well
	session_end
done
kill -INT "$counter"
wait "$counter"

counted() {
	sed -n "s/^@$1\[$2, $3\]: //p" "$TEST_TMP/trace"
}

for type in xfs ext4; do
	judge_session "$OUT" "$type" raw_tp
	while read -r work; do
		got='' want=''
		while read -r dev ino; do
			added=$(counted added "$dev" "$ino")
			got+=" added ${added:-0} deleted at the end $(counted deleted "$dev" "$ino")"
			want+=" added $(jq --argjson dev "$dev" --argjson ino "$ino" '[.flows[]
				| select(.dev == $dev and .inode == $ino) | .counts.births[].pages] | add' \
				"$OUT/$type/ledger.json") deleted at the end $added"
		done < <(jq -r '.files[] | (.dev | split(":") | (.[0] | tonumber) * 1048576 + (.[1] | tonumber)) as $dev
			| "\($dev) \(.ino)"' "$OUT/$type/$work.json")
		is "$type, bpftrace, $work" "$got" "$want"
	done <"$OUT/$type/works"
done
finish
