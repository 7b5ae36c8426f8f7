# SPDX-License-Identifier: GPL-2.0
#
# Is a ledger consistent and without loss? Input: null. Arguments: $ledger (array of one), $births (pages
# that the workloads of the session had by their flows), $how (mechanisms it may use, as for --attach).
# Output as judge.jq's. Calls missed at points that time work items only are no loss of counts.

def check($name; $holds; $why):
	if $holds then "ok\t\($name)" else "no\t\($name)\t\($why)" end;
def total: [.[]? | .pages] | add // 0;

$ledger[0] as $l
| ([$l.total.births[].pages] | add // 0) as $all
| ([$l.live.pending[].pages] | add) as $pending
| ([$l.total.outcomes[].claimed.pages // 0] | add // 0) as $claimed
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
	($how | split(",") | map(select(. != "")) | if length == 0 then empty else
		. as $allowed
		| check("attached by what was asked for";
			($l.completeness.points | map(.attached) | unique - ["none"]) as $used
			| ($used - $allowed) == [] and ($used | index($allowed[0])) != null;
			"asked \($allowed), used \($l.completeness.points | map("\(.point)=\(.attached)") | join(" "))")
	 end)
  )
