#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 1200
# long: dkms builds the whole module: 3 passed in 407 s beside two guests
#
# The DKMS package of the F2FS series builds by `dkms build` in the guest's root, and is for one kernel only.

. "$(dirname "$0")/../lib.sh"

need_root "dkms"
must "dkms add and dkms build" "$ROOT/kernel/dkms-package" -k 7.3 --try
conf=$(grep -hv '^#' "$BUILD"/dkms/f2fs-dontcache-1.0+7.3.*/dkms.conf)
like "dkms, the package is for one kernel" "$conf" 'BUILD_EXCLUSIVE_KERNEL="\^7\\\\?\.3\\\\?\.[0-9]+\[-\+\]"'
case $conf in
*@*) not_ok "dkms, every place in the template is filled in" "$(grep -m1 @ <<<"$conf")" ;;
*) ok "dkms, every place in the template is filled in" ;;
esac
finish
