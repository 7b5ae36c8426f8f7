# SPDX-License-Identifier: GPL-2.0
#
# The kernel change: module builds, its proof, its long tests. None of this runs with plain `make`.

KVER ?=

.PHONY: f2fs-module ext4-module f2fs-proof check-f2fs check-series debug-kernel

f2fs-module:
	@BUILD=$(BUILD) kernel/build-module $(if $(KVER),-k $(KVER)) f2fs

ext4-module:
	@BUILD=$(BUILD) kernel/build-module $(if $(KVER),-k $(KVER)) ext4

f2fs-proof: $(BUILD)/dcstream
	@BUILD=$(BUILD) kernel/proof $(if $(KVER),-k $(KVER))

check-series:
	@BUILD=$(BUILD) kernel/check-series

check-f2fs: $(BUILD)/dcstream $(BUILD)/opcheck
	@BUILD=$(BUILD) kernel/check-f2fs

debug-kernel:
	@kernel/debug-kernel
