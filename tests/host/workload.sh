#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 1200
#
# The workload, which the tool's own tests trust: what it says is born and resident is checked against the
# kernel's page-cache tracepoints and against cachestat(2) and mincore(2), on real filesystems.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/fs.sh"

W=$BUILD/dontcache-workload
OUT=$TEST_TMP/out.json
P=$(getconf PAGESIZE)

# workload ARG...: runs it; OUT is its JSON, status its exit status.
workload() {
	"$W" "$@" --json --settle-wait 0.5 >"$OUT" 2>"$TEST_TMP/err"
	status=$?
	[ "$status" -eq 0 ] || cat "$TEST_TMP/err"
}

# passes NAME ARG...: the measured residency is as expected.
passes() {
	local name=$1
	shift
	workload "$@"
	is "$name" "$status $(json "$OUT" .verdict 2>&1)" "0 pass"
}

# --- wrong usage: one line, status 2 ---

refuses "no scenario" 2 "which scenario" "$W"
refuses "unknown scenario" 2 "unknown scenario 'bogus'" "$W" bogus --dir /
refuses "unknown option" 2 "unknown option '--bogus'" "$W" append --bogus
refuses "option without value" 2 "--size needs a value" "$W" append --size
refuses "no place" 2 "give one of --dir, --file and --dev" "$W" append
refuses "two places" 2 "give one of --dir, --file and --dev" "$W" append --dir / --dev /dev/null
refuses "directory that is none" 2 "--dir '/nonexistent' is not a directory" "$W" append --dir /nonexistent
refuses "number that is none" 2 "--size '1x'" "$W" append --dir / --size 1x
refuses "number too large" 2 "--size '99999999999G'" "$W" append --dir / --size 99999999999G
refuses "block that is no whole page" 2 "whole pages" "$W" append --dir / --block $((P + 1))
refuses "block larger than size" 2 "larger than" "$W" append --dir / --size "$P" --block $((2 * P))
refuses "threads where there is one" 2 "has one thread" "$W" mapped --dir / --threads 2
refuses "more cgroups than files" 2 "need as many --files" "$W" append --dir / --cgroup /a --cgroup /b
refuses "file scenario on a device" 2 "block device" "$W" truncate --dev /dev/null
refuses "resident without a file" 2 "which file" "$W" resident
refuses "resident of nothing" 3 "/nonexistent: No such file" "$W" resident /nonexistent
refuses "device that is none" 3 "/dev/null is not a block device" "$W" append --dev /dev/null
must "help" "$W" --help
must "list of scenarios" "$W" --list

need_root "filesystems"
need "filesystems" jq losetup mkfs.xfs mkfs.ext4

# --- refusals of the system ---

mkdir "$TEST_TMP/tmpfs"
mount -t tmpfs -o size=4M tmpfs "$TEST_TMP/tmpfs"
at_end umount "$TEST_TMP/tmpfs"
refuses "tmpfs has no dontcache writes" 4 "no RWF_DONTCACHE writes on this tmpfs" \
	"$W" append --dir "$TEST_TMP/tmpfs" --size 1M
refuses "tmpfs has none with io_uring" 4 "no RWF_DONTCACHE writes on this tmpfs" \
	"$W" append --dir "$TEST_TMP/tmpfs" --size 1M --engine io_uring
refuses "tmpfs has no dontcache reads" 4 "no RWF_DONTCACHE reads on this tmpfs" \
	"$W" read-hole --dir "$TEST_TMP/tmpfs" --size 1M
refuses "full filesystem" 3 "No space left on device" "$W" control --dir "$TEST_TMP/tmpfs" --size 16M
refuses "cgroup that is none" 3 "is it a cgroup directory" \
	"$W" control --dir "$TEST_TMP/tmpfs" --size 1M --cgroup "$TEST_TMP/tmpfs"
is "nothing left after refusals" "$(ls "$TEST_TMP/tmpfs")" ""

# --- births against the kernel's tracepoints ---

# Scenarios whose births are known exactly, and others; in none does a cached call add pages of the file
# but for the one page that the mapped ones read before they write.
exact="append overwrite partial sparse truncate unlink mapped mapped-write"
ranged="rewrite read read-random read-hole unread"

# births_by_tracepoint TYPE: all scenarios are prepared, then traced together, then released one by one.
births_by_tracepoint() {
	local type=$1 s n tracer ino s_dev got min max
	local -A pid

	for s in $exact $ranged; do
		mkfifo "$TEST_TMP/$s.fifo"
		"$W" "$s" --dir "$FS_DIR" --size 4M --json --keep --settle-wait 0.5 \
			--start-fifo "$TEST_TMP/$s.fifo" >"$TEST_TMP/$s.json" 2>"$TEST_TMP/$s.err" &
		pid[$s]=$!
	done
	# prepared is what waits for its fifo's writer
	for s in $exact $ranged; do
		for ((n = 0; n < 600; n++)); do
			grep -qsE 'wait_for_partner|fifo_open' "/proc/${pid[$s]}/wchan" && break
			[ -e "/proc/${pid[$s]}" ] || break
			sleep 0.1
		done
	done
	"$ROOT/tools/setup/with-tracefs" bpftrace -B line -e '
		tracepoint:filemap:mm_filemap_add_to_page_cache {
			if (@seen == 0) { printf("attached\n"); }
			@seen = 1;
			@added[args->s_dev >> 20, args->s_dev & 0xfffff, args->i_ino] =
				sum((uint64)1 << args->order);
		}' >"$TEST_TMP/trace" 2>"$TEST_TMP/trace.err" &
	tracer=$!
	for ((n = 0; n < 1200; n++)); do
		echo canary >"$FS_DIR/canary"
		rm "$FS_DIR/canary"
		grep -qs '^attached' "$TEST_TMP/trace" && break
		[ -e "/proc/$tracer" ] || break
		sleep 0.1
	done
	if ! grep -qs '^attached' "$TEST_TMP/trace"; then
		if kill "$tracer" 2>/dev/null; then
			not_ok "$type births by tracepoint" "bpftrace did not attach in time"
		else
			skip "$type births by tracepoint" "bpftrace: $(tail -n 1 "$TEST_TMP/trace.err")"
		fi
		kill "${pid[@]}" 2>/dev/null
		wait
		rm -f "$FS_DIR"/dontcache-workload-* "$TEST_TMP"/*.fifo "$TEST_TMP/trace"
		return
	fi
	for s in $exact $ranged; do
		echo go >"$TEST_TMP/$s.fifo"
		wait "${pid[$s]}"
		is "$type $s, exit status" "$? $(cat "$TEST_TMP/$s.err")" "0 "
	done
	kill -INT "$tracer"
	wait "$tracer"
	for s in $exact $ranged; do
		ino=$(json "$TEST_TMP/$s.json" .files[0].ino)
		s_dev=$(json "$TEST_TMP/$s.json" .files[0].dev)
		got=$(sed -n "s/^@added\[${s_dev%:*}, ${s_dev#*:}, $ino\]: //p" "$TEST_TMP/trace")
		min=$(json "$TEST_TMP/$s.json" '.expect | .births_write_pages.min + .births_read_pages.min')
		max=$(json "$TEST_TMP/$s.json" '.expect | .births_write_pages.max + .births_read_pages.max')
		[[ $s == mapped* ]] && got=$((got - 1))
		if [[ " $exact " == *" $s "* ]]; then
			is "$type $s, its births are said to be exact" "$min" "$max"
		fi
		between "$type $s, births by tracepoint" "${got:-0}" "$min" "$max"
	done
	rm -f "$FS_DIR"/dontcache-workload-* "$TEST_TMP"/*.fifo "$TEST_TMP/trace"
}

# --- residency ---

for type in xfs ext4; do
	fs_make "$type" 400 || { not_ok "$type filesystem" "cannot be made"; continue; }
	workload append --dir "$FS_DIR" --size 1M
	if [ "$status" -eq 4 ]; then
		skip "$type" "this kernel has no RWF_DONTCACHE there"
		continue
	fi
	D=(--dir "$FS_DIR" --size 4M)

	# what the kernel may drop must be dropped where a worker completes; the rest stays in any case
	passes "$type append leaves nothing" append "${D[@]}" --left none
	passes "$type append in small blocks leaves nothing" append "${D[@]}" --block "$P" --left none
	passes "$type append with fsync leaves nothing" append "${D[@]}" --block 1M --fsync --left none
	passes "$type append RWF_DSYNC leaves nothing" append "${D[@]}" --dsync --left none
	passes "$type append O_DSYNC leaves nothing" append "${D[@]}" --o-dsync --left none
	passes "$type append by io_uring leaves nothing" append "${D[@]}" --engine io_uring --left none
	passes "$type append by 8 threads leaves nothing" append "${D[@]}" --threads 8 --left none
	passes "$type sparse leaves nothing" sparse "${D[@]}" --left none
	passes "$type mixed leaves the cached blocks" mixed "${D[@]}" --left none
	passes "$type overwrite of a cached file leaves all" overwrite-cached "${D[@]}" --left none
	passes "$type control leaves all" control "${D[@]}"
	passes "$type control of reads leaves all" control-read "${D[@]}"
	passes "$type claim leaves all" claim "${D[@]}"
	passes "$type mapped for writing leaves all" mapped-write "${D[@]}"
	passes "$type truncate leaves nothing" truncate "${D[@]}"
	passes "$type dontcache reads of a cached file leave all" read-cached "${D[@]}"
	passes "$type read in order leaves nothing" read "${D[@]}" --left none
	passes "$type read of a hole leaves nothing" read-hole "${D[@]}" --left none
	passes "$type read by io_uring" read "${D[@]}" --engine io_uring
	if [ "$type" = xfs ]; then
		passes "xfs overwrite leaves nothing" overwrite "${D[@]}" --left none
		passes "xfs partial pages leave nothing" partial "${D[@]}" --left none
		passes "xfs overwrite of a half cached file leaves that half" overwrite-half-cached "${D[@]}" \
			--left none
	else
		# ext4 completes an overwrite where the device does; here it is measured, not demanded
		passes "ext4 overwrite" overwrite "${D[@]}"
		echo "ext4 overwrite leaves $(json "$OUT" .resident_pages) of $((4 * 1048576 / P)) pages"
		passes "ext4 partial pages" partial "${D[@]}"
		passes "ext4 overwrite of a half cached file" overwrite-half-cached "${D[@]}"
	fi
	for s in rewrite partial-append reader mapped read-random unread unread-cached; do
		passes "$type $s" "$s" "${D[@]}"
		echo "$type $s leaves $(json "$OUT" .resident_pages) pages"
	done

	workload append "${D[@]}" --left all
	is "$type a wrong demand is contradicted" "$status $(json "$OUT" .verdict)" "1 fail"

	workload pending --file "$FS_DIR/held" --size 4M --no-settle --hold 0
	json_is "$type pending, resident while the write is held" "$OUT" .resident_pages \
		$((4 * 1048576 / P + 1))
	# the page where it is held was cached before; ext4 has it dirty by then
	between "$type pending, the rest is dirty" "$(json "$OUT" .files[0].measured.dirty_pages)" \
		$((4 * 1048576 / P)) $((4 * 1048576 / P + 1))
	rm "$FS_DIR/held"

	"$W" pending "${D[@]}" --json --hold 100 >"$OUT" 2>"$TEST_TMP/err" &
	held=$!
	for ((n = 0; n < 600; n++)); do
		[ -n "$(find "$FS_DIR" -type f)" ] && break
		sleep 0.1
	done
	sleep 1	# until it holds its write, most likely
	kill -TERM "$held"
	wait "$held"
	is "$type SIGTERM with a write held ends it and removes its file" "$? $(find "$FS_DIR" -type f | wc -l)" \
		"143 0"

	workload control "${D[@]}" --keep
	file=$(json "$OUT" .files[0].path)
	is "$type cachestat and mincore agree" \
		"$("$W" resident -j "$file" | jq '.files[0] | .resident_pages + .evicted_pages')" \
		"$("$W" resident -j --mincore "$file" | jq .files[0].resident_pages)"
	rm "$file"

	if command -v bpftrace >/dev/null; then
		births_by_tracepoint "$type"
	else
		skip "$type births by tracepoint" "bpftrace is not installed"
	fi
	is "$type no file is left" "$(find "$FS_DIR" -type f | head -n 1)" ""
done

# --- memory cgroups ---

memcg=$(awk '$3 == "cgroup" && $4 ~ /memory/ { print $2; exit }' /proc/mounts)
key=total_cache
if [ -z "$memcg" ]; then
	memcg=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	grep -qsw memory "$memcg/cgroup.subtree_control" || memcg=
	key='file'
fi
if [ -z "$memcg" ]; then
	skip "cgroups" "no memory controller is mounted"
else
	fs_make xfs 400
	groups=("$memcg/dropbehind-$$-a" "$memcg/dropbehind-$$-b")
	mkdir "${groups[@]}"
	at_end rmdir "${groups[@]}"
	workload append --dir "$FS_DIR" --size 1M --files 3 --cgroup "${groups[0]}" --cgroup "${groups[1]}"
	is "cgroups, births of each" \
		"$(json "$OUT" '[.cgroups[].expect.births_write_pages.min] | @text')" \
		"[$((2 * 1048576 / P)),$((1048576 / P))]"
	workload control --dir "$FS_DIR" --size 8M --keep --cgroup "${groups[0]}"
	charged=$(awk -v k="$key" '$1 == k { print $2 }' "${groups[0]}/memory.stat")
	resident=$(($(json "$OUT" .resident_pages) * P))
	# pages may be reclaimed meanwhile; statistics are summed up in steps
	between "cgroups, page cache is charged to the process's group" "$charged" \
		$((resident - 1048576)) $((resident + 1048576))
fi

finish
