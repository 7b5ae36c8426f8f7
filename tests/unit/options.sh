#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Wrong use is answered by one line that names what is wrong and what to do, before anything is attached.

. "$(dirname "$0")/../lib.sh"

D=$BUILD/dropbehind
[ -x "$D" ] || { skip "options" "$D is not built"; finish; }

refuses "unknown verb" 64 "unknown verb 'nonsense'; 'dropbehind --help' lists them" "$D" nonsense
for verb in features stat record report trace left; do
	refuses "$verb, unknown option" 64 "^dropbehind: $verb: unknown option --nonsense; see 'dropbehind $verb --help'$" \
		"$D" "$verb" --nonsense
	refuses "$verb, unknown letter" 64 "^dropbehind: $verb: unknown option .*Q.*--help" "$D" "$verb" -Q
	must "$verb --help" "$D" "$verb" --help
done
refuses "option of another verb" 64 "left: unknown option --events" "$D" left --events drop
refuses "missing value" 64 "option --duration needs a value" "$D" stat --duration
refuses "operand where none is taken" 64 "unexpected 'ls' \(a command goes behind '--'\)" "$D" stat ls
refuses "no command" 64 "no command behind '--'" "$D" stat --
refuses "verb without a command" 64 "features runs no command" "$D" features -- ls

refuses "duration, no number" 64 "--duration takes a number of seconds above 0, not 'soon'" "$D" stat -d soon
refuses "duration 0" 64 "--duration takes a number" "$D" stat -d 0
refuses "duration below 0" 64 "--duration takes a number" "$D" stat -d -1
refuses "duration nan" 64 "--duration takes a number" "$D" stat -d nan
refuses "interval with a unit" 64 "--interval takes a number of seconds" "$D" stat -i 1s
refuses "pid, no number" 64 "--pid takes a whole number" "$D" stat -p self
refuses "pid 0" 64 "--pid takes a whole number" "$D" stat -p 0
refuses "comm too long" 64 "--comm takes a task name of at most 15 bytes" "$D" stat --comm abcdefghijklmnop
refuses "comm empty" 64 "--comm takes a task name" "$D" stat --comm ""
refuses "fs too long" 64 "--fs takes a filesystem type" "$D" stat --fs abcdefghijklmnop
refuses "dev, no such file" 64 "--dev /nonexistent: No such file or directory" "$D" stat --dev /nonexistent
refuses "dev, no device" 64 "--dev /: not a block device; for a directory use --mount" "$D" stat --dev /
refuses "mount, no directory" 64 "--mount /dev/null: not a directory; for a file use --file" "$D" stat --mount /dev/null
refuses "file, a directory" 64 "--file /: not a regular file" "$D" stat --file /
refuses "file, no such file" 64 "--file /nonexistent: No such file" "$D" stat --file /nonexistent
refuses "cgroup, no such directory" 64 "--cgroup /nonexistent: No such file" "$D" stat --cgroup /nonexistent
refuses "cgroup, another directory" 64 "--cgroup /tmp: not the directory of a cgroup" "$D" stat -d 0.1 --cgroup /tmp
v1=$(awk '$3 == "cgroup" && $4 !~ /memory/ { print $2; exit }' /proc/mounts)
if [ -n "$v1" ]; then
	refuses "cgroup of another controller" 64 "--cgroup $v1: not in the memory controller's hierarchy" \
		"$D" stat -d 0.1 --cgroup "$v1"
else
	skip "cgroup of another controller" "no cgroup v1 hierarchy without the memory controller here"
fi
v2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
if [ -n "$v2" ] && [ ! -e "$v2/memory.stat" ]; then
	refuses "cgroup without the memory controller" 64 "--cgroup $v2: the memory controller is not enabled for it" \
		"$D" stat -d 0.1 --cgroup "$v2"
else
	skip "cgroup without the memory controller" "no cgroup v2 hierarchy without the memory controller here"
fi
# Both filters of these pairs cannot hold, and the last one would win.
touch "$TEST_TMP/one" "$TEST_TMP/two"
refuses "two places" 64 "^dropbehind: --file $TEST_TMP/one: nothing can match this together with: mount /proc; trace each in" \
	"$D" stat -d 0.1 --mount /proc --file "$TEST_TMP/one"
refuses "two files" 64 "--file $TEST_TMP/two: nothing can match this together with: file $TEST_TMP/one" \
	"$D" stat -d 0.1 --file "$TEST_TMP/one" --file "$TEST_TMP/two"
refuses "two mounts" 64 "--mount /sys: nothing can match this together with: mount /proc" \
	"$D" stat -d 0.1 --mount /proc --mount /sys
refuses "two pids" 64 "--pid 2: nothing can match this together with: pid 1" "$D" stat -d 0.1 --pid 1 -p 2
refuses "two names of tasks" 64 "--comm b: nothing can match this together with: comm a" "$D" stat -d 0.1 --comm a --comm b
refuses "two types of filesystems" 64 "--fs ext4: nothing can match this together with: fs proc" \
	"$D" stat -d 0.1 --fs proc --fs ext4
# Said twice, or one inside the other, they hold together; what is wrong behind them is the next fault.
for words in "--pid 1 --pid 1" "--mount $TEST_TMP --file $TEST_TMP/one" "--fs proc --comm a --pid 1" \
	"--file $TEST_TMP/one --file $TEST_TMP/../${TEST_TMP##*/}/one"; do
	# shellcheck disable=SC2086 # words
	refuses "$words hold together" 64 "^dropbehind: --duration takes" "$D" stat $words -d 0
done
"$D" stat --fs nosuchfs -d 0 2>"$TEST_TMP/err"
like "type of filesystem that the kernel does not have, a note" "$(head -n 1 "$TEST_TMP/err")" \
	"^dropbehind: note: --fs nosuchfs: the kernel has no filesystem of this type"
refuses "type of filesystem that it has, no note" 64 "^dropbehind: --duration takes" "$D" stat --fs proc -d 0
refuses "event of another name" 64 "--events does not know 'dropped'; see --help" "$D" trace --events left,dropped
refuses "no event" 64 "--events needs at least one word" "$D" trace --events ,
refuses "latency without a unit" 64 "--min-latency takes a time such as 500us" "$D" trace --min-latency 5
refuses "latency, no number" 64 "--min-latency takes a time" "$D" trace --min-latency ms
refuses "mechanism of another name" 64 "--attach does not know 'uprobe'" "$D" stat --attach uprobe
refuses "slots, no number" 64 "--table-slots takes a whole number above 0" "$D" stat --table-slots many
refuses "slots 0" 64 "--table-slots takes a whole number above 0" "$D" stat --table-slots 0
refuses "ring, no number" 64 "--ring-size takes a number of bytes" "$D" stat --ring-size big
refuses "ring, unknown unit" 64 "--ring-size takes a number of bytes" "$D" stat --ring-size 1q
refuses "ring too large" 64 "--ring-size 2g: at most 1g" "$D" stat --ring-size 2g
refuses "files too many" 64 "--max-files 1000000: at most" "$D" stat --max-files 1000000
refuses "features of a path that is not there" 2 "features: /nonexistent: No such file" "$D" features /nonexistent

is "version" "$("$D" --version)" "$("$D" -V)"
like "version names the tool" "$("$D" --version)" "^dropbehind [0-9.]+$"
"$D" >"$TEST_TMP/out" 2>"$TEST_TMP/err"
is "no verb, status" $? 64
like "no verb, help on stderr" "$(head -n 1 "$TEST_TMP/err")" "^usage: dropbehind VERB"
is "no verb, nothing on stdout" "$(wc -c <"$TEST_TMP/out")" 0
if [ -e /dev/full ]; then
	for words in --help --version "stat --help"; do
		# shellcheck disable=SC2086 # words
		"$D" $words >/dev/full 2>"$TEST_TMP/err"
		is "$words on a full disk, status" $? 1
		is "$words on a full disk, line" "$(cat "$TEST_TMP/err")" \
			"dropbehind: cannot write the output: No space left on device"
	done
else
	skip "help on a full disk" "no /dev/full here"
fi
finish
