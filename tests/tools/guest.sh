#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 1800
# The guest runner without a guest: what it says to bad input, its cache, builds that are interrupted.
# (With guests: tests/guest/runner.sh.)
. "$(dirname "$0")/../lib.sh"

guest=$ROOT/tools/guest/guest
real_cache=${DROPBEHIND_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/dropbehind}
export DROPBEHIND_CACHE=$TEST_TMP/cache

like "--help names the exit statuses" "$("$guest" --help)" "124 .*time limit"
refuses "unknown option" 125 "unknown option '--bogus'" "$guest" --bogus -- true
refuses "no command and no terminal" 125 "no command" "$guest"
refuses "command without --" 125 "comes after --" "$guest" true
refuses "option without value" 125 "-k needs a value" "$guest" -k
refuses "bad number" 125 "memory 'x' is not a number" "$guest" -m x -- true
refuses "too little memory" 125 "at least 256" "$guest" -m 8 -- true
refuses "no CPU" 125 "cpus must be" "$guest" -c 0 -- true
refuses "bad series" 125 "'seven' is not a kernel series" "$guest" -k seven -- true
refuses "cloud series" 125 "no 9p file system" "$guest" -k 7.3-cloud -- true
refuses "kernel directory without a kernel" 125 "has no vmlinuz" "$guest" -k "$TEST_TMP/" -- true
refuses "bad disk" 125 "is not KIND:MIB" "$guest" -d virtio -- true
refuses "unknown disk kind" 125 "disk kind 'floppy' is unknown" "$guest" -d floppy:1 -- true
refuses "unknown disk option" 125 "loop has no option 'irqmode'" "$guest" -d loop:64,irqmode=1 -- true
refuses "disk option without value" 125 "'irqmode' is not OPTION=VALUE" "$guest" -d null:64,irqmode -- true
refuses "disk of no size" 125 "the size must be" "$guest" -d loop:0 -- true
refuses "bad lower disk" 125 "'on' must be" "$guest" -d delay:64,on=scsi -- true
refuses "bad irqmode" 125 "'irqmode' must be 0, 1 or 2" "$guest" -d null:64,irqmode=9 -- true
refuses "two scsi disks" 125 "only one scsi disk" "$guest" -d scsi:8 -d loop:8 -d scsi:8 -- true
refuses "bad environment" 125 "is not NAME or NAME=VALUE" "$guest" -e 1x=2 -- true
refuses "shared directory missing" 125 "is not a writable directory" "$guest" --rw "$TEST_TMP/none" -- true
refuses "bad cgroup" 125 "takes v1 or v2" "$guest" --cgroup v3 -- true
refuses "shell without a terminal" 125 "needs a terminal" "$guest" shell
refuses "fetch nothing" 125 "fetch needs" "$guest" fetch
refuses "source of nothing" 125 "source needs" "$guest" source
refuses "headers of nothing" 125 "headers needs" "$guest" headers
refuses "chroot without command" 125 "chroot needs a command" "$guest" chroot
refuses "list with argument" 125 "list takes no" "$guest" list all
refuses "clean with argument" 125 "clean takes" "$guest" clean now
refuses "relative cache directory" 125 "is not an absolute path" env DROPBEHIND_CACHE=here "$guest" root
refuses "cache directory that cannot be made" 125 "cannot write the cache directory" \
	env DROPBEHIND_CACHE=/proc/none "$guest" root
refuses "another architecture" 125 "this machine is i686" setarch i686 "$guest" -- true
like "list of an empty cache" "$("$guest" list)" "nothing cached"
is "nothing made by all that" "$(find "$TEST_TMP/cache" -type f ! -name '*.lock' 2>/dev/null)" ""
like "install --list" "$("$guest" install --list)" "debootstrap"

need_root "the rest of the guest runner's tests"

: >"$TEST_TMP/no-program"
refuses "debootstrap missing" 125 "debootstrap is not installed: run" unshare --mount sh -c '
	if [ -e /usr/sbin/debootstrap ]; then mount --bind "$1" /usr/sbin/debootstrap; fi
	exec "$0" root' "$guest" "$TEST_TMP/no-program"

# A copy of the runner that anybody can read and whose root builder is ours: it waits for a file, or fails.
tools=$(mktemp -d "${TMPDIR:-/tmp}/dropbehind-test-guest.XXXXXX")
at_end rm -rf "$tools"
chmod 755 "$tools"
mkdir -p "$tools/tools"
cp -r "$ROOT/tools/guest" "$tools/tools/guest"
chmod -R a+rX "$tools"
copy=$tools/tools/guest/guest
cat >"$tools/tools/guest/root-build" <<'END'
#!/bin/bash
echo "$$" >>"$WAIT.started"
mkdir -p "$1/etc" && echo 0 >"$1/etc/debian_version"
for ((i = 0; i < 600; i++)); do
	[ -e "$WAIT.go" ] && break
	sleep 0.1
done
[ ! -e "$WAIT.fail" ] || { echo "no space"; exit 1; }
: >"$1/.guest-root"
END
mkdir "$TEST_TMP/nobody" && chmod 755 "$TEST_TMP" && chmod 777 "$TEST_TMP/nobody"
refuses "not root" 125 "needs root" setpriv --reuid 65534 --regid 65534 --clear-groups \
	env DROPBEHIND_CACHE="$TEST_TMP/nobody" "$copy" root
chmod 700 "$TEST_TMP"

export WAIT=$TEST_TMP/wait

# started N: waits until builders have been started N times.
started() {
	local i
	for ((i = 0; i < 600; i++)); do
		[ "$(wc -l 2>/dev/null <"$WAIT.started")" = "$1" ] && return 0
		sleep 0.1
	done
	return 1
}

# gone: waits until no builder is left.
gone() {
	local i
	for ((i = 0; i < 300; i++)); do
		pgrep -f "$tools/tools/guest/root-build" >/dev/null || return 0
		sleep 0.1
	done
	return 1
}

for signal in TERM KILL; do
	rm -f "$WAIT".*
	"$copy" root >/dev/null 2>&1 &
	pid=$!
	must "a root build starts (SIG$signal)" started 1
	kill -s "$signal" "$pid"
	wait "$pid" 2>/dev/null
	must "SIG$signal leaves no builder" gone
	is "SIG$signal leaves no root in use" "$(ls "$DROPBEHIND_CACHE/roots")" ""
	like "list after SIG$signal" "$("$copy" list)" "nothing cached"
done
is "mounts left" "$(grep -c "$TEST_TMP" /proc/self/mounts)" 0

: >"$WAIT.go"
: >"$WAIT.fail"
out=$("$copy" root 2>&1)
is "a build that fails: status" $? 125
like "a build that fails: its last words and what to do" "$out" "no space.*making the root failed.*check"
is "a build that fails leaves nothing" "$(find "$DROPBEHIND_CACHE/roots" -mindepth 1 -maxdepth 1 ! -name view)" ""

rm -f "$WAIT".*
"$copy" root >"$TEST_TMP/first" 2>/dev/null &
first=$!
must "the first of two builders starts" started 1
"$copy" root >"$TEST_TMP/second" 2>"$TEST_TMP/second.err" &
second=$!
for ((i = 0; i < 300; i++)); do
	grep -q "waiting for another process" "$TEST_TMP/second.err" && break
	sleep 0.1
done
like "the second says that it waits" "$(cat "$TEST_TMP/second.err")" "waiting for another process"
: >"$WAIT.go"
wait "$first"
is "the first builds the root" $? 0
wait "$second"
is "the second gets it too" $? 0
is "both name the same root" "$(cat "$TEST_TMP/first")" "$(cat "$TEST_TMP/second")"
is "the root was built once" "$(wc -l <"$WAIT.started")" 1
is "no half root is left" "$(find "$DROPBEHIND_CACHE/roots" -name '.new.*')" ""
rm -f "$WAIT".*
old=$(cat "$TEST_TMP/first")
is "a warm cache is quiet" "$("$copy" root 2>&1)" "$old"

old=$(cat "$TEST_TMP/first")
echo "hello" >>"$tools/tools/guest/root-packages"
: >"$WAIT.go"
new=$("$copy" root 2>/dev/null)
is "a changed package list makes a root" "$(wc -l <"$WAIT.started")" 1
if [ "$new" = "$old" ]; then not_ok "it is another root" "both are $old"; else ok "it is another root"; fi

mkdir -p "$DROPBEHIND_CACHE/kernels/"{7.3.1+deb13-amd64,7.3.10+deb13-amd64,7.3.9+deb13-rt-amd64,.new.left}
for k in "$DROPBEHIND_CACHE"/kernels/7*; do echo "linux-binary-$(basename "$k") 1" >"$k/package"; done
exec {held}<"$old/.guest-root"
flock -s "$held"
out=$("$copy" clean 2>&1)
like "clean leaves a root that is in use" "$out" "in use by a guest"
is "clean keeps the newest kernel of each series" "$(ls -A "$DROPBEHIND_CACHE/kernels" | sort | tr '\n' ' ')" \
	"7.3.10+deb13-amd64 7.3.9+deb13-rt-amd64 "
is "the root in use is still there" "$([ -e "$old/.guest-root" ] && echo yes)" yes
exec {held}<&-
"$copy" clean 2>/dev/null
is "clean removes the old root" "$([ -e "$old" ] || echo gone)" gone
is "clean keeps the current root" "$([ -e "$new/.guest-root" ] && echo yes)" yes

if [ ! -e "$real_cache/apt/fresh" ]; then
	skip "packages that vanished" "no package lists are cached yet: run 'tools/guest/guest fetch 7.3' once"
	finish
fi
mkdir -p "$DROPBEHIND_CACHE/apt/cache/archives/partial"
cp -a "$real_cache"/apt/{fresh,lists,none,sources,state,status} "$DROPBEHIND_CACHE/apt/"
refuses "a series that the archive lacks" 125 "no kernel of series 5.99" "$guest" fetch 5.99
refuses "a source that the archive lacks" 125 "no linux-source-5.99" "$guest" source 5.99
mkdir "$DROPBEHIND_CACHE/kernels/7.3.99+deb13-amd64"
echo "linux-binary-7.3.99+deb13-amd64 1" >"$DROPBEHIND_CACHE/kernels/7.3.99+deb13-amd64/package"
refuses "headers that vanished" 125 "no headers of 7.3.99\+deb13-amd64 any more.*fetch --refresh" "$guest" headers 7.3
is "a cached kernel needs no archive" "$("$guest" fetch 7.3 2>&1)" "$DROPBEHIND_CACHE/kernels/7.3.99+deb13-amd64"

# An archive with our lists whose packages are gone, then one that cannot be reached.
sources=$DROPBEHIND_CACHE/apt/sources/archive.sources
uri=$(awk '$1 == "URIs:" { print $2; exit }' "$sources")
prefix=$(sed -e 's,^[a-z]*://,,' -e 's,/,_,g' <<<"${uri%/}")
mkdir -p "$TEST_TMP/archive"
sed -i "s,^URIs:.*,URIs: copy:$TEST_TMP/archive," "$sources"
for f in "$DROPBEHIND_CACHE"/apt/lists/"$prefix"_*; do
	[ -e "$f" ] && mv "$f" "$DROPBEHIND_CACHE/apt/lists/$(sed 's,/,_,g' <<<"$TEST_TMP/archive")_${f#*/apt/lists/"$prefix"_}"
done
rm -f "$DROPBEHIND_CACHE"/apt/cache/*.bin
out=$(DROPBEHIND_MIRROR=copy:$TEST_TMP/archive "$guest" fetch 6.12 2>&1)
is "an archive that went away: status" $? 125
like "an archive that went away: message" "$out" "cannot (fetch the archive's package lists|download)"
is "an archive that went away leaves no kernel" "$(ls -d "$DROPBEHIND_CACHE"/kernels/6.12* 2>/dev/null)" ""

"$guest" clean --all 2>/dev/null
is "clean --all leaves nothing but locks" "$(find "$DROPBEHIND_CACHE" -type f ! -name '*.lock')" ""
finish
