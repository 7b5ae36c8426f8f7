# SPDX-License-Identifier: GPL-2.0
#
# The kernel change: module builds, its proof, its long tests. None of this runs with plain `make`.

KVER ?=

.PHONY: f2fs-test-modules f2fs-module ext4-module f2fs-proof check-f2fs check-series debug-kernel

f2fs-module:
	@BUILD=$(BUILD) kernel/build-module $(if $(KVER),-k $(KVER)) f2fs

ext4-module:
	@BUILD=$(BUILD) kernel/build-module $(if $(KVER),-k $(KVER)) ext4

# What the guest tests load, built before they start: a test's time limit is for the test. They say what is wrong if
# this fails, and skip without root, which a view of the guest's root needs.
f2fs-test-modules:
	-@[ "$$(id -u)" -ne 0 ] || for p in kernel/7.3/f2fs tests/guest/fixtures/f2fs-naive-7.3.patch; do \
		n=real; case $$p in *naive*) n=naive ;; esac; \
		BUILD=$(BUILD) kernel/build-module -q -k 7.3 -p $$p -n $$n f2fs >/dev/null || exit 1; \
	done

f2fs-proof: $(BUILD)/dcstream
	@BUILD=$(BUILD) kernel/proof $(if $(KVER),-k $(KVER))

check-series:
	@BUILD=$(BUILD) kernel/check-series

check-f2fs: $(BUILD)/dcstream $(BUILD)/opcheck
	@BUILD=$(BUILD) kernel/check-f2fs

debug-kernel:
	@kernel/debug-kernel
