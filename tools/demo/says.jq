# SPDX-License-Identifier: GPL-2.0
#
# One paragraph on what a place's figures say. Arguments: $ledger (array of one), $rows (array, by rows.jq).

def time:
	if . >= 1e9 then "\(. / 1e7 | round / 100) s"
	elif . >= 1e6 then "\(. / 1e4 | round / 100) ms"
	else "\(. / 10 | round / 100) us" end;
def mib($pages): "\($pages * $rows[0].page_bytes / 10485.76 | round / 100) MiB";
def listed: if length < 2 then join("") else (.[:-1] | join(", ")) + " and " + .[-1] end;

# Why the kernel keeps such a folio.
def because: {
	left_not_in_task: "its completion ran in an interrupt, where the kernel does not drop",
	left_lock_busy: "somebody held the lock of the folio when its writeback ended",
	left_mapped: "a process has the folio mapped",
	left_refused: "the filesystem refused to let go of it",
	left_cleaned_without_writeback: "it was cleaned without writeback, so nobody came to drop it",
	left_never_read: "readahead brought it in and nobody read it",
	left_migrated: "it was moved in memory, which loses the flag",
	left_reason_unavailable: "the reason is unavailable, because this kernel refuses probes on the drop; the completion context is a hint"
}[.] // .;
def in_words: {
	hard_irq: "hard IRQ", soft_irq: "soft IRQ", irqs_off: "task with IRQs off", preemption_off: "task with preemption off",
	rcu_reader: "RCU reader", task: "task (safe)"
}[.] // .;

$ledger[0] as $l
| ($rows | map(.births) | add) as $births
| ($rows | map(.dropped) | add) as $dropped
| ($rows | map(.left) | add) as $left
| ($rows | map(.resident) | add) as $resident
| ($rows | map(.alive) | add) as $alive
| ([$l.contexts[] | select(.place == "bio")] | group_by(.context)
   | map({context: .[0].context, events: (map(.events) | add)}) | sort_by(-.events)) as $contexts
| $l.latencies as $h
| "On \($rows[0].place), \($rows | map(.scenario) | listed) brought \($births) dropbehind pages (\(mib($births))) into the page cache. "
+ (if $births == 0 then "Nothing was measured. "
   elif $dropped == $births then "The kernel dropped every one of them. "
   else "The kernel dropped \($dropped) of them and left \($left) (\(mib($left))) behind"
	+ (if $births == $dropped + $left then "" else "; \($births - $dropped - $left) were claimed, or gone before" end)
	+ ". " end)
+ ([$rows[] | . as $row | select(.left > 0)
    | "\(.scenario | (.[:1] | ascii_upcase) + .[1:]) left \(.left) of \(.births): "
      + ([.reasons | to_entries[] | (if ($row.reasons | length) > 1 then "\(.value) because " else "" end) + (.key | because)]
	 | join("; ")) + ". "] | add // "")
+ (if $h.residency_write_ns.count > 0 then
	"A written folio that was dropped had stayed for \($h.residency_write_ns.p50 | time) at the median and \($h.residency_write_ns.p99 | time) at p99"
	+ (if $h.drop_delay_ns.count > 0 then ", of which \($h.drop_delay_ns.p50 | time) (median) passed after its writeback" else "" end)
	+ ". "
   else "" end)
+ (if $h.deferral_bio_complete_ns.count > 0 then
	"The block layer handed \($h.deferral_bio_complete_ns.count) completions to its worker, which took \($h.deferral_bio_complete_ns.p50 | time) at the median. "
   else "" end)
+ (if ($contexts | length) > 0 then
	"Write completions with such folios ran in "
	+ ([$contexts[] | "\(.context | in_words) (\(.events) bio\(if .events == 1 then "" else "s" end))"] | listed) + ". "
   else "" end)
+ (if $l.truth != null and ($l.truth | .agree_deferred + .agree_direct) > 0 then
	"Of these contexts, \($l.truth | .agree_deferred + .agree_direct) were also judged by the kernel itself, \(if $l.truth | .judged_safe_but_deferred + .judged_unsafe_but_direct == 0 then "each alike" else "and \($l.truth | .judged_safe_but_deferred + .judged_unsafe_but_direct) otherwise" end). "
   else "" end)
+ "Births less deaths leave \($alive) pages in the cache; cachestat finds \($resident)"
+ (if $rows | all(.agree) then ": they agree" else ": THEY DO NOT AGREE" end)
+ ". The ledger's verdict is \($l.balance.verdict)"
+ (if $l.completeness.count_losses == 0 then ", nothing was lost." else ", \($l.completeness.count_losses) losses were counted." end)
