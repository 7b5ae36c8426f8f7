# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What both demonstrations share; sourced. Given: OUT, where `trace` left its files; BUILD.

demo_dir=$(dirname "${BASH_SOURCE[0]}")

# The tree may be entered from anywhere, and make names BUILD relative to its top.
BUILD=${BUILD:-build}
case $BUILD in
/*) ;;
*) BUILD=$(cd "$demo_dir/../.." && pwd)/$BUILD ;;
esac
export BUILD

demo_die() {
	printf 'dropbehind demo: %s\n' "$*" >&2
	exit 1
}

demo_programs() {
	local program
	for program in dropbehind dontcache-workload; do
		[ -x "$BUILD/$program" ] || demo_die "$BUILD/$program is missing; build it with 'make'"
	done
	for program in jq "$@"; do
		command -v "$program" >/dev/null || demo_die "$program is not installed; 'make setup' installs what is needed"
	done
}

# Prints report and paragraph of place $1; its rows go to OUT/rows.
demo_show() {
	local name=$1
	printf '\n=== %s ===\n\n' "$name"
	"$BUILD/dropbehind" report "$OUT/$name.dbr" || demo_die "the recording of $name cannot be read"
	"$BUILD/dropbehind" report --json "$OUT/$name.dbr" >"$OUT/$name.ledger" || demo_die "no JSON of $name"
	cat "$OUT/$name".{append,overwrite,read}.json 2>/dev/null |
		jq -s . >"$OUT/$name.works"
	jq -nc --arg place "$name" --slurpfile ledger "$OUT/$name.ledger" --slurpfile resident "$OUT/$name.resident.json" \
		--argjson works "$(cat "$OUT/$name.works")" -f "$demo_dir/rows.jq" >"$OUT/$name.rows" ||
		demo_die "the figures of $name cannot be put together"
	cat "$OUT/$name.rows" >>"$OUT/rows"
	printf '\nWhat this says\n'
	jq -nr --slurpfile ledger "$OUT/$name.ledger" --argjson rows "$(jq -sc . "$OUT/$name.rows")" \
		-f "$demo_dir/says.jq" | fold -s -w 100 | sed 's/ $//'
}

# The table of all rows; fails when the tracer and cachestat(2) disagree anywhere.
demo_table() {
	local line='%-6s %-10s %8s %8s %8s  %-32s %10s  %s\n'
	printf '\n'
	# shellcheck disable=SC2059
	printf "$line" fs scenario births dropped left reason cachestat agree
	jq -r '[.place, .scenario, .births, .dropped, .left, (if .left == 0 then "-" else .reason end),
		.resident, (if .agree then "yes" else "NO" end)] | @tsv' "$OUT/rows" |
		while IFS=$'\t' read -r -a row; do
			# shellcheck disable=SC2059
			printf "$line" "${row[@]}"
		done
	printf '(pages; cachestat: pages of the files that cachestat(2) finds in the cache at the end)\n'
	jq -se 'length > 0 and all(.agree)' "$OUT/rows" >/dev/null ||
		demo_die "the tracer and cachestat(2) do not agree, see the table"
}
