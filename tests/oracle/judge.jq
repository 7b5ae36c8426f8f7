# SPDX-License-Identifier: GPL-2.0
#
# Compares a ledger of the tracer with what a workload did and measured. Input: null.
# Arguments: $ledger (array of one), $work (array of one), $resident (array of one: pages of the files at the
# end), $expect (words for what is expected of all births of the workload, separated by commas).
# Output: "births<TAB>PAGES", then lines "ok<TAB>NAME" or "no<TAB>NAME<TAB>WHY".

def total: [.[]? | .pages] | add // 0;
def number_of_device: split(":") | (.[0] | tonumber) * 1048576 + (.[1] | tonumber);
def name_of_file: split("/") | last;

# The flows of a workload's file. An inode number may have been used before, a name of a workload's file not.
def flows_of($file):
	($file.dev | number_of_device) as $dev
	| [$ledger[0].flows[]
	   | select(if ($file.path | startswith("/dev/")) then .block_dev == $dev
		    else .dev == $dev and .inode == $file.ino and
			 (.file == null or (.file | name_of_file) == ($file.path | name_of_file))
		    end)];

def tally:
	{
		write: [.[].counts.births.write.pages // 0] | add,
		read: [.[].counts.births | (.read.pages // 0) + (.readahead.pages // 0)] | add,
		fated: [.[].counts.fates[] | total] | add,
		fates: (reduce (.[].counts.fates | to_entries[]) as $reason ({};
			reduce ($reason.value | to_entries[]) as $e (.;
				.[$reason.key + ":" + $e.key] += $e.value.pages))),
		out: (reduce (.[].counts.outcomes[] | to_entries[]) as $e ({};
			.[$e.key] += $e.value.pages))
	}
	| .write //= 0 | .read //= 0 | .fated //= 0
	| .births = .write + .read
	| .dropped = (.out.dropped_after_write // 0) + (.out.dropped_after_read // 0)
	| .left = ([.out | to_entries[] | select(.key | startswith("left_")) | .value] | add // 0)
	| .claimed = (.out.claimed // 0)
	| .outcomes = ([.out[]] | add // 0)
	| .alive = .births - .dropped - (.out.truncated // 0) - (.out.reclaimed // 0) - .fated;

def within($range): . >= $range.min and ($range.max == null or . <= $range.max);
def told($range): "\($range.min) to \($range.max // "any")";

# Pages of the workload's files in the cache that are no dropbehind births: range.
def plain($w; $t):
	$w.expect.resident_all_dropped_pages as $cached
	| if [$w.scenario] | inside(["overwrite-cached", "control", "read-cached", "control-read",
				     "overwrite-half-cached", "mixed"]) then
		{min: $cached, max: $cached}
	  elif $w.scenario == "pending" then {min: 1, max: 1}
	  elif $w.scenario | startswith("mapped") then {min: 1, max: (1 + $t.dropped)}
	  elif $w.scenario == "claim" then {min: $t.dropped, max: $t.dropped}
	  elif [$w.scenario] | inside(["reader", "partial-append"]) then {min: 0, max: $t.dropped}
	  # what is claimed may go as well, without being counted then
	  elif $w.scenario == "truncate" then {min: (0 - $t.claimed), max: 0}
	  elif $w.scenario == "unread-cached" then
		{min: 0, max: ($w.parameters.size_bytes / $w.page_size_bytes)}
	  else {min: 0, max: 0} end;

def check($name; $holds; $why):
	if $holds then "ok\t\($name)" else "no\t\($name)\t\($why)" end;

# What one word of $expect demands.
def demanded($word; $t):
	if $word == "any" then true
	elif $word == "none" then $t.births == 0
	elif $word == "dropped" then $t.births > 0 and $t.dropped == $t.births
	elif $word == "exact" then true		# of what is resident, below
	elif $word == "stays" then $t.births > 0 and $t.dropped == 0 and $t.alive == $t.births
	elif $word | startswith("all=") then
		$t.births > 0 and ($t.out[$word[4:]] // 0) == $t.births
	elif $word | startswith("among=") then
		$t.births > 0 and ([$t.out[$word[6:] | split("+")[]] // 0] | add) == $t.births
	elif $word | startswith("some=") then ($t.out[$word[5:]] // 0) > 0
	elif $word | startswith("no=") then ($t.out[$word[3:]] // 0) == 0
	# PAGES=OUTCOME; PAGES=REASON:FATE
	elif $word | test("^[0-9]+=") then
		($word | split("=")) as [$pages, $name]
		| (($t.out + $t.fates)[$name] // 0) == ($pages | tonumber)
	elif $word | startswith("fate=") then
		# all births were left behind for that reason, and had that fate
		$t.births > 0 and ($t.out[$word[5:] | split(":")[0]] // 0) == $t.births and
		($t.fates[$word[5:]] // 0) == $t.births
	elif $word | startswith("somefate=") then ($t.fates[$word[9:]] // 0) > 0
	else error("unknown expectation \($word)") end;

$work[0] as $w
| ($ledger[0].completeness.points | any(.point == "drop" and .attached != "none")) as $sees_drop
| [$w.files[] | {file: ., tally: (flows_of(.) | tally), groups: ([flows_of(.)[].cgroup] | unique)}] as $files
| ([$w.files[] | flows_of(.)[]] | unique_by(.slot) | tally) as $t
| (
	"births\t\($t.births)",
	check("births";
	      $files | all(. as $f | ($f.tally.write | within($f.file.expect.births_write_pages))
			     and ($f.tally.read | within($f.file.expect.births_read_pages)));
	      [$files[] | . as $f
	       | select((($f.tally.write | within($f.file.expect.births_write_pages))
			 and ($f.tally.read | within($f.file.expect.births_read_pages))) | not)
	       | "\($f.file.path): written \($f.tally.write), want \(told($f.file.expect.births_write_pages)); read \($f.tally.read), want \(told($f.file.expect.births_read_pages))"]
	      | join("; ")),

	check("an outcome for every birth"; $t.births == $t.outcomes;
	      "\($t.births) births, \($t.outcomes) outcomes"),

	check("claimed";
	      if $sees_drop then
		($t.claimed | within($w.expect.claimed_pages)) and
		(($t.out.left_mapped // 0) | within($w.expect.mapped_pages))
	      elif $w.scenario == "unlink" then
		# eviction and the drop race, and without a probe on the drop who removes a page without flag is a guess
		true
	      else
		$t.claimed | within({min: $w.expect.claimed_pages.min,
				     max: (if $w.expect.claimed_pages.max == null or
					      $w.expect.mapped_pages.max == null then null
					   else $w.expect.claimed_pages.max + $w.expect.mapped_pages.max
					   end)})
	      end;
	      "claimed \($t.claimed), want \(told($w.expect.claimed_pages)); mapped \($t.out.left_mapped // 0), want \(told($w.expect.mapped_pages))"),

	# Reclaim may take plain pages as well; of those only cachestat(2) knows. "exact": it took no plain ones.
	(if $w.files | any(.gone) then
		check("nothing alive of what is gone"; $t.alive - $t.claimed <= 0; "\($t)")
	 else
		plain($w; $t) as $plain
		| [$w.files[].path as $path | $resident[0].files[] | select(.path == $path)] as $now
		| ($now | map(.resident_pages) | add) as $cached
		| (if $expect | split(",") | any(. == "exact") then 0 else
			$now | map(.evicted_pages) | add end) as $evicted
		| check("resident pages";
			($now | length) == ($w.files | length) and
			$cached >= $t.alive + $plain.min - $evicted and
			$cached <= $t.alive + $plain.max;
			"births \($t.births) less deaths \($t.births - $t.alive) is \($t.alive), with \(told($plain)) pages that are no births; resident \($cached), evicted \($evicted)")
	 end),

	check("workload's own verdict";
	      $w.verdict == (if $w.scenario == "unlink" then "inconclusive" else "pass" end);
	      "\($w.verdict): resident \($w.resident_pages)"),

	($expect | split(",")[] as $word
	 | check("expected, \($word)"; demanded($word; $t); "\($t | {births, dropped, left, claimed, alive, out, fates})")),

	(if ($w.cgroups | length) == 0 then empty else
		check("attribution to cgroups";
		      $files | all(. as $f | ($f.groups | length) == 1 and $f.groups[0] != null and
					     ($f.file.cgroup | endswith($f.groups[0])));
		      [$files[] | "\(.file.path) in \(.file.cgroup): \(.groups)"] | join("; "))
	 end)
  )
