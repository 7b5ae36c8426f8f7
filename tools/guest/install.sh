# SPDX-License-Identifier: GPL-2.0
# `guest install`: what the runner needs on this machine.

# install_ensure: installs what is missing when that can be done without asking; otherwise what needs it says so.
install_ensure()
{
	[ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null && command -v dpkg-query >/dev/null || return 0
	install_verb >&2
}

install_verb()
{
	local packages missing=() p

	packages=$(sed 's/#.*//' "$GUEST_DIR/host-packages")
	case ${1:-} in
	--list)
		# shellcheck disable=SC2086
		printf '%s\n' $packages
		return 0
		;;
	"") ;;
	*) die "install takes --list or nothing" ;;
	esac
	command -v apt-get >/dev/null && command -v dpkg-query >/dev/null ||
		die "this machine has no apt: install what corresponds to the Debian packages" $packages
	for p in $packages; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || missing+=("$p")
	done
	[ "${#missing[@]}" -gt 0 ] || return 0
	need_root "installing ${missing[*]}"
	say "installing ${missing[*]}"
	apt-get -qq update >&2 || die "apt-get update failed: check the network and this machine's apt sources"
	DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -y install --no-install-recommends \
		"${missing[@]}" >/dev/null || die "apt-get could not install ${missing[*]}: its message is above"
}
