#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# The manual pages: one for each verb, with the options of --help and no others, and groff has nothing to say.

. "$(dirname "$0")/../lib.sh"

D=$BUILD/dropbehind
M=$BUILD/man
[ -x "$D" ] && [ -e "$M/dropbehind.1" ] || { skip "manual pages" "they are not built"; finish; }
need "manual pages" groff

# Options at the beginning of lines of the options section of a text.
options() {
	sed -n '/^[Oo]ptions:\?$/I,/^[^ ]*xamples/p' | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+( [A-Z]+)?' | sed 's/^ *//' | sort
}

verbs=$("$D" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p')
between "verbs" "$(wc -w <<<"$verbs")" 4 40
is "a page for each verb and no other" "$(cd "$M" && ls -- *.1)" \
	"$({ echo dropbehind.1; for verb in $verbs; do echo "dropbehind-$verb.1"; done; } | sort)"
for page in "$M"/*.1; do
	name=${page##*/}
	is "$name, warnings" "$(groff -man -Tutf8 -ww -rLL=200n "$page" 2>&1 >/dev/null | head -n 1)" ""
	groff -man -Tascii -P-cbou -rLL=200n "$page" >"$TEST_TMP/$name.txt" 2>/dev/null
done
for verb in $verbs; do
	page=$TEST_TMP/dropbehind-$verb.1.txt
	"$D" "$verb" --help >"$TEST_TMP/help"
	options <"$TEST_TMP/help" >"$TEST_TMP/in-help"
	between "$verb, options in --help" "$(wc -l <"$TEST_TMP/in-help")" 1 100
	is "$verb, the same options in the page" "$(options <"$page")" "$(cat "$TEST_TMP/in-help")"
	like "$verb, its page says what --help says" "$(cat "$page")" "$(sed -n '2s/\.$//p' "$TEST_TMP/help" | cut -c 1-60)"
	like "$verb, exit status" "$(tr -s ' \n' ' ' <"$page")" "EXIT STATUS $(sed -n 's/^Exit status: \(.*\)\.$/\1/p' "$TEST_TMP/help")"
	like "$verb, in the overview" "$(cat "$TEST_TMP/dropbehind.1.txt")" "dropbehind-$verb\(1\)"
done

# Options that a text names must be there.
for file in "$ROOT"/src/man/*.txt; do
	verb=${file##*/}
	verb=${verb%.txt}
	known=$(for v in $verbs; do "$D" "$v" --help; done)
	[ "$verb" = dropbehind ] || known=$("$D" "$verb" --help)
	for option in $(grep -oE '(^|[ (])--[a-z][a-z-]+' "$file" | tr -d ' (' | sort -u); do
		like "$verb.txt names $option" "$known" " ${option}[ :]"
	done
done
finish
