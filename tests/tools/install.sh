#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# `make install` puts everything where it was asked to, and setup says what is missing where it cannot install it.

. "$(dirname "$0")/../lib.sh"

[ -x "$BUILD/dropbehind" ] || { not_ok "make install" "$BUILD/dropbehind is missing: build it with make"; finish; }
must "make install" make -C "$ROOT" --no-print-directory install BUILD="$BUILD" DESTDIR="$TEST_TMP/dest" PREFIX=/opt/some
cd "$TEST_TMP" || exit 1
is "what is installed" "$(cd dest && find . -type f | sort)" "$({
	echo ./opt/some/bin/dropbehind
	echo ./opt/some/share/doc/dropbehind/JSON.md
	for page in "$BUILD"/man/*.1; do
		echo "./opt/some/share/man/man1/${page##*/}"
	done
} | sort)"
is "who may read it" "$(find dest -type f -printf '%m %f\n' | awk '{ print $1, $2 == "dropbehind" ? "tool" : "text" }' | sort -u)" \
	$'644 text\n755 tool'
is "the installed tool runs" "$(dest/opt/some/bin/dropbehind --version)" "$("$BUILD/dropbehind" --version)"
for page in left stat; do
	like "page of $page names the keys' description" "$(tr -s ' \n' ' ' <"dest/opt/some/share/man/man1/dropbehind-$page.1")" \
		"JSON.md"
done
like "bench-overhead installs what it needs first" "$(make -C "$ROOT" -n BUILD="$BUILD" bench-overhead 2>&1)" "tools/setup/setup"
for package in bpftrace linux-perf fio libxml2-utils; do
	must "setup knows $package, which tests and benchmarks use" grep -qx "$package" "$ROOT/tools/setup/packages"
done

# setup on machines that have not got everything: only the programs it uses, and a dpkg-query that knows no package.
mkdir bin
for program in bash dirname readlink uname sed id; do
	ln -s "$(command -v "$program")" "bin/$program"
done
setup=$ROOT/tools/setup/setup
bash=$(command -v bash)
refuses "setup, no dpkg" 1 "no dpkg here; install by hand .*build-essential.*valgrind" env PATH="$TEST_TMP/bin" "$bash" "$setup"
printf '#!%s\nexit 1\n' "$bash" >bin/dpkg-query
chmod 755 bin/dpkg-query "$TEST_TMP"
if [ "$(id -u)" -eq 0 ]; then
	refuses "setup, no apt" 1 "no apt-get here, and missing: build-essential" env PATH="$TEST_TMP/bin" "$bash" "$setup"
	setpriv=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	cp -r "$ROOT/tools/setup" "$TEST_TMP/setup"
	chmod -R a+rX "$TEST_TMP/setup"
	refuses "setup, not root" 1 "not root, and missing: build-essential .*apt-get install build-essential" \
		"${setpriv[@]}" env PATH="$TEST_TMP/bin" "$bash" "$TEST_TMP/setup/setup"
	printf '#!%s\necho "$@" >>%q\n[ "$2" = update ] || { echo "E: no such package"; exit 100; }\n' "$bash" "$TEST_TMP/apt" >bin/apt-get
	chmod 755 bin/apt-get
	for program in mktemp rm tail; do
		ln -s "$(command -v "$program")" "bin/$program"
	done
	env PATH="$TEST_TMP/bin" "$bash" "$setup" 2>err
	is "setup, apt fails, status" $? 1
	like "setup, apt fails, its words" "$(cat err)" "E: no such package"
	like "setup, apt fails, the last line" "$(tail -n 1 err)" "apt-get could not install build-essential"
else
	skip "setup, no apt or not root" "needs root"
fi
printf '#!%s\necho armv7l\n' "$bash" >bin/other-uname
rm bin/uname
mv bin/other-uname bin/uname
chmod 755 bin/uname
refuses "setup, another machine" 1 "this machine is armv7l; .*x86-64 and arm64 only" env PATH="$TEST_TMP/bin" "$bash" "$setup"
finish
