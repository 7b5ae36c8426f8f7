# SPDX-License-Identifier: GPL-2.0
#
# One object for each workload of a place: what the tracer counted, what cachestat(2) found, whether both agree.
# Arguments: $place (its name), $ledger, $resident (arrays of one), $works (array).

def device_number: split(":") | (.[0] | tonumber) * 1048576 + (.[1] | tonumber);
def pages: [.[]? | .pages] | add // 0;

$works[]
| . as $work
| .files[0] as $file
| ($file.dev | device_number) as $dev
| [$ledger[0].flows[]
   | select(if $file.path | startswith("/dev/") then .block_dev == $dev
	    else .dev == $dev and .inode == $file.ino end)
   | .counts] as $counts
| ($resident[0].files | map(select(.path == $file.path))[0]) as $cache
| (reduce ($counts[].outcomes[] | to_entries[]) as $e ({}; .[$e.key] += $e.value.pages)) as $out
| {
	place: $place, scenario: $work.scenario, page_bytes: $work.page_size_bytes,
	births: ([$counts[].births | pages] | add // 0),
	dropped: (($out.dropped_after_write // 0) + ($out.dropped_after_read // 0)),
	reasons: ($out | with_entries(select((.key | startswith("left_")) and .value > 0))),
	others: (($out.claimed // 0) + ($out.truncated // 0) + ($out.reclaimed // 0)),
	gone: (($out.truncated // 0) + ($out.reclaimed // 0) + ([$counts[].fates[] | pages] | add // 0)),
	resident: $cache.resident_pages, expected: $work.expect
  }
| .left = ([.reasons[]] | add // 0)
| .alive = .births - .dropped - .gone
| .agree = (.resident == .alive
	    and .births >= .expected.births_write_pages.min + .expected.births_read_pages.min
	    and (.expected.births_write_pages.max == null or .expected.births_read_pages.max == null
		 or .births <= .expected.births_write_pages.max + .expected.births_read_pages.max))
| .reason = ((.reasons | length) as $n
	     | .reasons | to_entries | sort_by(-.value)
	     | map((.key | ltrimstr("left_") | gsub("_"; " ")) + (if $n > 1 then " \(.value)" else "" end))
	     | join(", "))
