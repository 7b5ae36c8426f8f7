# SPDX-License-Identifier: GPL-2.0
#
# Is a ledger consistent and without loss? Input: null. Arguments: $ledger (array of one), $births (pages
# that the workloads of the session had by their flows), $how (mechanisms it may use, as for --attach).
# Output as judge.jq's. Calls missed at points that time work items only are no loss of counts.

def check($name; $holds; $why):
	if $holds then "ok\t\($name)" else "no\t\($name)\t\($why)" end;
def total: [.[]? | .pages] | add // 0;
def attached($point): any($ledger[0].completeness.points[]; .point == $point and .attached != "none");

$ledger[0] as $l
| ([$l.total.births[].pages] | add // 0) as $all
| ([$l.live.pending[].pages] | add) as $pending
| ([$l.total.outcomes[].claimed.pages // 0] | add // 0) as $claimed
| ([$l.total.outcomes[] | (.dropped_after_write.folios // 0) + (.dropped_after_read.folios // 0)]
   + [$l.total.fates[] | (.dropped_by_writeback.folios // 0) + (.dropped_by_read.folios // 0)] | add // 0) as $dropped
| ([$l.total.fates[][].folios] | add // 0) as $fated
| (
	check("balance"; $l.balance.verdict == "pass" and $l.balance.births_pages == $all;
	      $l.balance | tostring),
	check("nothing lost";
	      $l.completeness.count_losses == 0 and ([$l.completeness.losses[]] | add) == 0;
	      ($l.completeness.losses | tostring) + " missed " +
	      ([$l.completeness.points[] | select(.missed > 0) | "\(.point)=\(.missed)"] | join(" "))),
	check("nothing pending"; $pending == 0; $l.live.pending | tostring),
	check("births are those of the workloads"; $all == $births; "\($all), workloads \($births)"),
	check("left behind, counted and found alive agree";
	      any($l.completeness.points[]; .point == "migrate" and .attached != "none") as $followed
	      | [$l.live.left_behind | keys[] | select(. != "left_migrated" or $followed)]
	      | all(. as $reason
		    | ([$l.total.outcomes[][$reason].pages // 0] | add) - ($l.total.fates[$reason] | total)
		      == ($l.live.left_behind[$reason].pages // 0));
	      [$l.live.left_behind | keys[]
	       | . as $reason
	       | "\(.): \([$l.total.outcomes[][$reason].pages // 0] | add) less \($l.total.fates[$reason] | total), alive \($l.live.left_behind[$reason].pages)"]
	      | join("; ")),
	check("claimed alive are no more than claimed"; $l.live.claimed.pages <= $claimed;
	      "\($l.live.claimed.pages) of \($claimed)"),
	# Latencies against what was counted beside them: folios dropped, folios with a later fate, bios handed off.
	check("a residency for every folio dropped";
	      $l.latencies.residency_write_ns.count + $l.latencies.residency_read_ns.count == $dropped;
	      "\($l.latencies.residency_write_ns.count) and \($l.latencies.residency_read_ns.count), dropped \($dropped)"),
	# None is known of those found to be left behind only when they died, and perhaps none of those that a truncation
	# took as soon as they were.
	check("a time stayed for every folio with a fate";
	      $l.latencies.stayed_ns.count <= $fated and
	      $l.latencies.stayed_ns.count >= ([$l.total.fates | to_entries[]
		| select(.key | IN("left_never_read", "left_cleaned_without_writeback", "left_reason_unavailable") | not)
		| .value[].folios] | add // 0);
	      "\($l.latencies.stayed_ns.count), with a fate \($fated)"),
	(["dirty_wait_ns", "writeback_ns", "drop_delay_ns"][] as $part
	 | if attached("writeback_start") and attached("writeback_end") then
		check("\($part) of every written folio dropped";
		      $l.latencies[$part].count == $l.latencies.residency_write_ns.count;
		      "\($l.latencies[$part].count), of \($l.latencies.residency_write_ns.count)")
	   else empty end),
	(if $l.truth == null then empty else
		check("a deferral for every bio that the block layer deferred";
		      $l.latencies.deferral_bio_complete_ns.count
		      == $l.truth.agree_deferred + $l.truth.judged_safe_but_deferred;
		      "\($l.latencies.deferral_bio_complete_ns.count), \($l.truth)")
	 end),
	(["bio_complete", "xfs_ioend", "ext4_conversion"][] as $by
	 | ($l.latencies["deferral_\($by)_ns"].count // 0) as $deferred
	 | if $deferred == 0 then empty else
		check("depths and work items of \($by)";
		      $l.latencies["depth_\($by)"] as $depth | $l.latencies["work_\($by)_ns"].count as $works
		      | $depth.count == $deferred and $depth.min == 0 and $depth.max < $deferred
			and $works > 0 and $works <= $deferred;
		      "\($deferred) deferred, depths \($l.latencies["depth_\($by)"] | {count, min, max}), work items \($l.latencies["work_\($by)_ns"].count)")
	   end),
	($how | split(",") | map(select(. != "")) | if length == 0 then empty else
		. as $allowed
		| check("attached by what was asked for";
			($l.completeness.points | map(.attached) | unique - ["none"]) as $used
			| ($used - $allowed) == [] and ($used | index($allowed[0])) != null;
			"asked \($allowed), used \($l.completeness.points | map("\(.point)=\(.attached)") | join(" "))")
	 end)
  )
