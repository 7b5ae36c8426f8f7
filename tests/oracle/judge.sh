# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Judges what sessions.sh left; sourced after lib.sh, needs jq.
#
#	judge_session OUT SESSION [HOW]	all cases of one session; HOW: the mechanisms asked for
#	judge_truth OUT SESSION		the tracer's judgement of contexts is the kernel's
#	judge_context OUT SESSION PLACE CONTEXT
#					bios with dropbehind folios for PLACE's device all completed in CONTEXT
#	work_folios OUT SESSION WORK	folios born of a workload
#	judge_late OUT SESSION LATENCY MS COUNT
#					at least COUNT values of LATENCY, and not 0, were MS or longer
#	judge_same OUT SESSION...	the sessions' workloads have the same totals, those apart that may differ
#					from run to run (of which any outcome, some claimed or some fate is expected)
#	work_field OUT SESSION WORK FILTER
#					jq's FILTER on {write, read, births, dropped, left, claimed, alive, out} of a
#					workload's flows

judge_dir=$(dirname "${BASH_SOURCE[0]}")

# Turns judge.jq's lines into cases named $1, ...
judge_lines() {
	local prefix=$1 verdict name why
	while IFS=$'\t' read -r verdict name why; do
		case $verdict in
		ok) ok "$prefix, $name" ;;
		no) not_ok "$prefix, $name" "$why" ;;
		*) not_ok "$prefix" "cannot be judged: $verdict $name $why" ;;
		esac
	done
}

# The definitions of judge.jq without its verdicts, then $1.
judge_filter() {
	sed '/^\$work\[0\] as/,$d' "$judge_dir/judge.jq"
	printf '%s\n' "$1"
}

work_field() {
	local out=$1 session=$2 work=$3 filter=$4
	jq -nrc --slurpfile ledger "$out/$session/ledger.json" --slurpfile work "$out/$session/$work.json" \
		--argjson resident '[]' --arg expect any "$(judge_filter "
			[\$work[0].files[] | flows_of(.)[]] | unique_by(.slot) | tally | $filter")" 2>&1
}

work_folios() {
	jq -nr --slurpfile ledger "$1/$2/ledger.json" --slurpfile work "$1/$2/$3.json" --argjson resident '[]' --arg expect any \
		"$(judge_filter '[$work[0].files[] | flows_of(.)[]] | unique_by(.slot) | [.[].counts.births[].folios] | add // 0')"
}

judge_session() {
	local out=$1 session=$2 how=${3:-} dir=$1/$2 work status births=0 n lines
	status=$(cat "$dir/status" 2>&1)
	if [ "$status" != 0 ] || [ ! -s "$dir/ledger.json" ] || ! jq . "$dir/ledger.json" >/dev/null 2>&1; then
		not_ok "$session, tracer" "status $status: $(tail -n 1 "$dir/err")"
		return
	fi
	for lines in "$dir"/inconclusive-*.json; do
		[ ! -e "$lines" ] || echo "$session was inconclusive and repeated: $(jq -c '[.completeness
			| .losses, (.points[] | select(.missed > 0) | {point, missed})]' "$lines")"
	done
	is "$session, tracer says nothing on stderr" "$(cat "$dir/err")" ""
	while read -r work; do
		status=$(cat "$dir/$work.status" 2>&1)
		if [ "$status" != 0 ] && [ "$status" != 1 ]; then
			not_ok "$session, $work" "workload's status $status: $(cat "$dir/$work.err")"
			continue
		fi
		lines=$(jq -nr --slurpfile ledger "$dir/ledger.json" --slurpfile work "$dir/$work.json" \
			--slurpfile resident "$dir/resident.json" --arg expect "$(cat "$dir/$work.expect")" -f "$judge_dir/judge.jq" 2>&1)
		n=${lines%%$'\n'*}
		if [[ $n =~ ^births$'\t'([0-9]+)$ ]]; then
			births=$((births + BASH_REMATCH[1]))
			lines=${lines#*$'\n'}
		fi
		judge_lines "$session, $work" <<<"$lines"
	done <"$dir/works"
	lines=$(jq -nr --slurpfile ledger "$dir/ledger.json" --argjson births "$births" --arg how "$how" \
		-f "$judge_dir/session.jq" 2>&1)
	judge_lines "$session" <<<"$lines"
}

judge_truth() {
	local out=$1 session=$2
	json_is "$session, no bio deferred that was judged safe" "$out/$session/ledger.json" \
		.truth.judged_safe_but_deferred 0
	json_is "$session, no bio direct that was judged unsafe" "$out/$session/ledger.json" \
		.truth.judged_unsafe_but_direct 0
	json_is "$session, bios deferred and direct were judged" "$out/$session/ledger.json" \
		'.truth | .agree_deferred > 0 and .agree_direct > 0' true
}

judge_context() {
	local out=$1 session=$2 place=$3 context=$4 device
	device=$(awk -v place="$place" '$1 == place { print $2 * 1048576 + $3 }' "$out/devices")
	is "$session, bios of $place complete in $context" \
		"$(json "$out/$session/ledger.json" "[.contexts[] | select(.place == \"bio\" and .dev == $device)
			| .context] | unique | join(\" \")" 2>&1)" "$context"
}

judge_late() {
	local out=$1 session=$2 latency=$3 ms=$4 count=$5
	json_is "$session, $latency of $ms ms or more, $count times" "$out/$session/ledger.json" \
		"[.latencies.$latency.buckets[]? | select(.[0] >= $ms * 1000000) | .[1]] | (add // 0) >= $count and $count > 0" true
}

judge_same() {
	local out=$1 first=$2 session work
	shift 2
	while read -r work; do
		case $(cat "$out/$first/$work.expect") in
		any | some=claimed | *somefate=*) continue ;;
		esac
		for session; do
			is "$first and $session agree on $work" \
				"$(work_field "$out" "$session" "$work" "$judge_totals")" \
				"$(work_field "$out" "$first" "$work" "$judge_totals")"
		done
	done < <(sort -u "$out/$first/works")
}

# Totals that every mechanism knows: what the drop refuses counts as claimed where the drop cannot be probed.
judge_totals='{write, births, dropped, stayed: (.left + .claimed), alive}'
