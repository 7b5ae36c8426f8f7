#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# The programs of the kernel tests: they pass on a good filesystem, see wrong data, and refuse wrong use.

. "$(dirname "$0")/../lib.sh"

opcheck=$BUILD/opcheck dcstream=$BUILD/dcstream
dir=$TEST_TMP

must "opcheck, good file" "$opcheck" -n 800 -s 3 -D "$dir/good"
must "opcheck, same seed is the same run" test \
	"$("$opcheck" -n 300 -s 9 -D "$dir/a")" = "$("$opcheck" -n 300 -s 9 -D "$dir/a")"

# Someone else writes into the file: opcheck must notice.
"$opcheck" -n 100000000 -D "$dir/bad" >"$dir/out" 2>"$dir/err" &
pid=$!
end_it() { kill -KILL "$pid" 2>/dev/null; }
at_end end_it
for ((i = 0; i < 3000; i++)); do
	kill -0 "$pid" 2>/dev/null || break
	printf 'not what was written' | dd of="$dir/bad" bs=20 seek=$((i % 50)) conv=notrunc status=none 2>/dev/null
done
if kill -0 "$pid" 2>/dev/null; then
	not_ok "opcheck, wrong data" "it still runs although the file was changed under it"
	kill "$pid"
else
	wait "$pid"
	is "opcheck, wrong data" $? 1
	like "opcheck, wrong data, says where" "$(head -n 1 "$dir/err")" 'byte [0-9]+ is 0x|final check|size is'
fi

must "dcstream, write" "$dcstream" write -s 300k -b 10000 "$dir/s"
must "dcstream, check" "$dcstream" check -s 300k "$dir/s"
refuses "dcstream, other seed" 1 'wrong data at 0 ' "$dcstream" check -s 300k -e 2 "$dir/s"
printf x | dd of="$dir/s" bs=1 seek=123457 conv=notrunc status=none
refuses "dcstream, one wrong byte" 1 'wrong data at 123457 ' "$dcstream" check -s 300k "$dir/s"
must "dcstream, compressible" "$dcstream" write -z -s 100k "$dir/z"
between "dcstream, compressible, size by gzip" "$(gzip -c "$dir/z" | wc -c)" 100 20000
must "dcstream, acked" "$dcstream" write -s 64k -b 4k -f 4 -a "$dir/acked" "$dir/t"
is "dcstream, acked, all" "$((10#$(cat "$dir/acked")))" 65536

refuses "opcheck, no such operation" 2 "no operation 'fly'" "$opcheck" -x fly "$dir/x"
refuses "opcheck, no number" 2 "is not a number" "$opcheck" -n many "$dir/x"
refuses "opcheck, no file" 2 "want one file" "$opcheck"
refuses "dcstream, no verb" 2 "no such verb" "$dcstream" sing "$dir/x"
refuses "dcstream, bad size" 2 "not a number of bytes" "$dcstream" write -s 4q "$dir/x"
refuses "dcstream, no directory" 1 "No such file" "$dcstream" read /nonexistent/x
refuses "f2fs-atomic, wrong use" 2 "wrong arguments" "$BUILD/f2fs-atomic" both "$dir/x"
finish
