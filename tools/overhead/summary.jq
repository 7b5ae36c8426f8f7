# SPDX-License-Identifier: GPL-2.0
# From all runs of an overhead benchmark: what each variant costs, and whether the aims are reached.
# $runs: one object per run; $points: report of a short `dropbehind stat`; the rest says where it ran.

def median:
	sort | length as $n |
	if $n == 0 then null
	elif $n % 2 == 1 then .[($n - 1) / 2]
	else (.[$n / 2 - 1] + .[$n / 2]) / 2 end;

def spread: if length == 0 then null else { median: median, min: min, max: max, runs: length } end;

def choose($n; $k): reduce range($k) as $i (1; . * ($n - $i) / ($i + 1));

# An interval that holds the true median with the given probability whatever the distribution: from the
# order statistics. With few values there is none of 95 %, and it is all of them.
def interval:
	sort as $sorted | length as $n |
	if $n == 0 then null
	else
		# outside(k): probability that the median lies outside the k-th smallest to the k-th largest
		(def outside($k): 2 * ([range($k) | choose($n; .)] | add) / pow(2; $n);
		 ([range(1; ($n / 2 | floor) + 1) | select(outside(.) <= 0.05)] | max) // 1 | . as $k |
		 { median: ($sorted | median), low: $sorted[$k - 1], high: $sorted[$n - $k], runs: $n,
		   confidence: (if $n == 1 then null else 1 - outside($k) end) })
	end;

# Programs of the same name (names are cut) are told apart by the order in which they were loaded.
def named_apart:
	if .programs == null then .
	else (.programs, .first.programs) |= ([sort_by(.id) | group_by(.name)[] | to_entries[] |
		.value + (if .key > 0 then { name: "\(.value.name) #\(.key + 1)" } else {} end)] | sort_by(.id)) end;

[$runs[] | named_apart] as $runs |

def mibs: .bytes / 1048576 / (.wall_ns / 1e9);

# Folios are as large as one write, which is a power of two and aligned.
def folios: .bytes / .block_bytes;

def bpf_ns_per_folio: ([.programs[]?.run_ns] | add // 0) / folios;

def first_bpf_ns_per_folio: ([.first.programs[]?.run_ns] | add // 0) / folios;

def of($variant; $kind; $block):
	[$runs[] | select(.variant == $variant and .kind == $kind and .block_bytes == $block)];

# Per round, what f gives for variant a and b, for rounds that have both.
def paired($a; $b; $kind; $block; f):
	(of($b; $kind; $block) | map({ key: (.round | tostring), value: . }) | from_entries) as $other |
	of($a; $kind; $block) | map(. as $x | $other[$x.round | tostring] as $y |
		select($y != null) | { a: ($x | f), b: ($y | f) });

# Loss of throughput against the mean of the two untraced streams of the same round.
def losses($variant; $block):
	paired($variant; "untraced"; "speed"; $block; mibs) as $first |
	paired($variant; "again"; "speed"; $block; mibs) as $second |
	[range([($first | length), ($second | length)] | min) |
	 1 - $first[.].a / (($first[.].b + $second[.].b) / 2)];

def noise($block): [paired("again"; "untraced"; "speed"; $block; mibs)[] | 1 - .a / .b];

def probes($variant; $block):
	of($variant; "bpf"; $block) as $all |
	($all | map(folios) | first) as $folios |
	[$all[0].programs[]?.name] | unique | map(. as $name |
		[$all[].programs[]? | select(.name == $name)] as $mine |
		{ name: $name,
		  runs_per_folio: ([$mine[].runs / $folios] | median),
		  ns_per_run: ([$mine[] | select(.runs > 0) | .run_ns / .runs] | spread),
		  ns_per_folio: ([$mine[].run_ns / $folios] | spread) }) |
	map(select(.ns_per_run != null)) | sort_by(-.ns_per_folio.median);

# An interrupt that hits a program is in its run time and none of its cost. The quietest round of each
# program by itself has the fewest of them.
def quiet_ns_per_folio($variant; $block):
	[probes($variant; $block)[] | .ns_per_run.min * .runs_per_folio] | add;

def row($variant; $block):
	of($variant; "speed"; $block) as $speed | of($variant; "bpf"; $block) as $bpf |
	($speed + $bpf) as $all |
	{ variant: $variant,
	  mibs: ($speed | map(mibs) | spread),
	  loss: (if $variant == "untraced" then null else losses($variant; $block) | interval end),
	  bpf_ns_per_folio: (if ($bpf | length) == 0 then null else $bpf | map(bpf_ns_per_folio) | spread end),
	  first_bpf_ns_per_folio: (if ($bpf | length) == 0 then null else $bpf | map(first_bpf_ns_per_folio) | spread end),
	  quiet_ns_per_folio: quiet_ns_per_folio($variant; $block),
	  reader_ns_per_folio: ([$speed[] | select(.tracer_cpu_ns != null) | .tracer_cpu_ns / folios] | spread),
	  reader_start_end_ms: ([$speed[] | select(.tracer_cpu_ns != null) |
		([.all_cpu_ns - .total_cpu_ns - .tracer_cpu_ns - (.first.tracer_cpu_ns // 0), 0] | max) / 1e6] | spread),
	  written_bytes: ([$speed[] | select(.tracer_bytes != null) | .tracer_bytes] | spread),
	  lost_events: (if $variant == "untraced" then null else [$all[].lost] | add end),
	  folios_expected: ([$all[] | folios] | add),
	  folios_counted: (if any($all[]; .folios_counted != null) then [$all[].folios_counted] | add else null end),
	  resident_pages: ([$all[] | .resident_pages, .first.resident_pages] | add) };

def rounded($digits): . * pow(10; $digits) | round / pow(10; $digits);
def percent: . * 100 | rounded(2) | tostring + " %";

# Where time counts instructions, all that differs from round to round is interrupts: the quiet cost decides.
def ratio_aim($name; $block; $more; $less; $limit; $at_most):
	[paired($more; $less; "bpf"; $block; bpf_ns_per_folio)[]] as $pairs |
	([$pairs[] | .a / .b] | interval) as $ratio |
	quiet_ns_per_folio($more; $block) as $quiet_more | quiet_ns_per_folio($less; $block) as $quiet_less |
	{ aim: $name, block_bytes: $block } +
	if $ratio == null then
		{ verdict: "inconclusive", words: ("not measured: " +
			([$more, $less | select($skipped[.]) | . + ": " + $skipped[.]] |
			 if length > 0 then join("; ") else "one of " + $more + " and " + $less + " was left out" end)) }
	else
		($quiet_more / $quiet_less) as $quiet |
		(if $clock == "instructions" then { low: $quiet, high: $quiet } else $ratio end) as $decides |
		{ ratio: $ratio, quiet_ratio: $quiet, limit: $limit,
		  verdict: (if $at_most then
				if $decides.high <= $limit then "pass" elif $decides.low > $limit then "fail" else "inconclusive" end
			    elif $decides.low >= $limit then "pass" elif $decides.high < $limit then "fail"
			    else "inconclusive" end),
		  words: ("\($more) takes \($ratio.median | rounded(1)) times what \($less) takes per folio, " +
			"\([$pairs[].a] | median | rounded(0)) ns against \([$pairs[].b] | median | rounded(0)) " +
			"(rounds: \($ratio.low | rounded(1)) to \($ratio.high | rounded(1))); quiet, \($quiet | rounded(1)) times, " +
			"\($quiet_more | rounded(0)) ns against \($quiet_less | rounded(0)); the aim is " +
			(if $at_most then "at most" else "at least" end) + " \($limit)") }
	end;

def loss_aim($block):
	(losses("stat"; $block) | interval) as $loss | (noise($block) | interval) as $noise |
	{ aim: "stat costs less than 1 % of throughput", block_bytes: $block } +
	if $loss == null then { verdict: "inconclusive", words: "not measured: stat was left out" }
	else
		(of("untraced"; "speed"; $block) | map(.wall_ns / folios) | median) as $wall |
		(of("stat"; "bpf"; $block) | map(bpf_ns_per_folio) | median) as $bpf |
		{ loss: $loss, noise: $noise, stream_ns_per_folio: $wall,
		  bpf_share: (if $bpf then $bpf / $wall else null end),
		  within_noise: ($loss.runs > 1 and $loss.low <= 0 and $loss.high >= 0),
		  verdict: (if ($loss.confidence // 0) < 0.95 then "inconclusive" elif $loss.high < 0.01 then "pass"
			    elif $loss.low > 0.01 then "fail" else "inconclusive" end),
		  words: ("loss \($loss.median | percent) " +
			(if $loss.runs == 1 then "in one round, which says nothing about its noise"
			 else "(between \($loss.low | percent) and \($loss.high | percent))" +
			 "; two untraced streams of a round differ by \($noise.median | percent) " +
			 "(between \($noise.low | percent) and \($noise.high | percent))" +
			 (if $loss.confidence < 0.95 then ", with too few rounds for a verdict" else "" end) +
			 (if $loss.low <= 0 and $loss.high >= 0.01 then ": within noise, so that neither a loss nor its absence is shown"
			  elif $loss.low <= 0 and $loss.high >= 0 then ": within noise"
			  else "" end) end) +
			(if $bpf then "; by its run times stat takes \($bpf | rounded(0)) ns of the \($wall | rounded(0)) ns " +
			 "that the stream takes per folio, \($bpf / $wall | percent), counting itself included" else "" end)) }
	end;

def kept_aim($block):
	([$runs[] | select(.variant == "stat" and .block_bytes == $block)]) as $all |
	{ aim: "stat loses nothing and counts every folio", block_bytes: $block } +
	if ($all | length) == 0 then { verdict: "inconclusive", words: "not measured: stat was left out" }
	else
		([$all[].lost] | add) as $lost | ([$all[].folios_counted] | add) as $counted |
		([$all[] | folios] | add) as $folios | ([$all[].pages_counted] | add) as $pages |
		([$all[].bytes] | add / $page) as $pages_expected |
		{ lost: $lost, folios_counted: $counted, folios_expected: $folios, pages_counted: $pages,
		  pages_expected: $pages_expected,
		  verdict: (if $pages == $pages_expected and $lost == 0 then "pass"
			    elif $pages == $pages_expected then "inconclusive" else "fail" end),
		  words: ("\($counted) folios and \($pages) pages counted of \($folios) and \($pages_expected) written; " +
			"\($lost) events lost on the whole machine" +
			(if $lost > 0 then " (" + ([$all[].losses | to_entries[]] | group_by(.key) |
				map("\(.[0].key): \([.[].value] | add)") | join(", ")) + ")" else "" end) +
			if $counted != $folios then "; folios were not all as large as one write, so that figures per folio are per write" else "" end) }
	end;

def record_aim($block):
	([$runs[] | select(.variant == "record" and .block_bytes == $block)]) as $all |
	{ aim: "record is bounded and counts its losses", block_bytes: $block } +
	if ($all | length) == 0 then
		{ verdict: "inconclusive", words: ("not measured: " + ($skipped.record // "record was left out")) }
	else
		([$all[].lost] | add) as $lost | ([$all[].pages_counted] | add) as $pages |
		([$all[].bytes] | add / $page) as $pages_expected | ([$all[].tracer_bytes] | max) as $bytes |
		{ lost: $lost, pages_counted: $pages, pages_expected: $pages_expected, largest_bytes: $bytes,
		  verdict: (if $pages == $pages_expected then "pass" elif $lost > 0 then "inconclusive" else "fail" end),
		  words: ("\($pages) pages counted of \($pages_expected) written, \($lost) losses told; the largest recording has \($bytes) bytes") }
	end;

([$runs[].block_bytes] | unique) as $blocks |
{ version: 1,
  clock: $clock, kernel: $kernel, machine: $machine, cpus: $cpus, page_size_bytes: $page,
  image_on: $place, size_bytes: $size, rounds: $rounds,
  load_before: ($load | tonumber), load_after: ($load_after | tonumber),
  bpf_stats_were_on: ($stats_were != 0),
  mechanisms: ([$points[0].completeness.points[] | select(.attached != "none") | .attached] | group_by(.) |
	map({ key: .[0], value: length }) | from_entries),
  skipped: $skipped,
  tables: [$blocks[] as $block |
	{ block_bytes: $block, noise: (noise($block) | interval),
	  rows: [$variants[] | . as $variant | select($skipped[$variant] | not) | row($variant; $block)],
	  probes: [("stat", "record", "empty", "bpftrace") as $variant |
		select(of($variant; "bpf"; $block) | length > 0) |
		{ variant: $variant, probes: probes($variant; $block) }] }],
  aims: [$blocks[] as $block |
	ratio_aim("stat costs at most twice an empty program"; $block; "stat"; "empty"; 2; true),
	ratio_aim("stat is at least five times cheaper than bpftrace"; $block; "bpftrace"; "stat"; 5; false),
	loss_aim($block), kept_aim($block), record_aim($block)],
  runs: $runs }
