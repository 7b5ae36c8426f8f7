# SPDX-License-Identifier: GPL-2.0
# BPF programs: one object per .bpf.c, linked by bpftool, a skeleton each for
# the tracer and for the calibration.

# Types of 7.3 have unnamed members of named types, as Microsoft's compilers know them.
BPF_ARCH := $(shell uname -m | sed 's/x86_64/x86/; s/aarch64/arm64/')
BPF_CFLAGS := -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) \
	-fms-extensions -Wno-microsoft-anon-tag \
	-Wall -Wextra -Werror -Wno-unused-parameter -I$(BUILD) -Iinclude -Ibpf
BPF_MAIN := kfunc context lifecycle deferral sweep
BPF_CALIBRATE := kfunc context calibrate
BPF_HEADERS := $(wildcard bpf/*.h include/dropbehind/*.h)

# Types of the kernel that builds; where it has none, those of Debian's 7.3 kernel, which is downloaded; of another
# one with VMLINUX_BTF=/path/to/vmlinux.
KERNEL_BTF ?= /sys/kernel/btf/vmlinux
VMLINUX_BTF ?=

$(BUILD)/vmlinux.h: | $(BUILD)
	$(Q)btf='$(VMLINUX_BTF)'; \
	[ -n "$$btf" ] || { [ -r '$(KERNEL_BTF)' ] && btf='$(KERNEL_BTF)'; } || { \
		echo "dropbehind: this kernel has no BTF ($(KERNEL_BTF)); taking that of a 7.3 kernel" >&2; \
		btf=$$(tools/guest/guest btf 7.3) || exit 1; }; \
	[ -r "$$btf" ] || { echo "dropbehind: VMLINUX_BTF: $$btf cannot be read" >&2; exit 1; }; \
	$(BPFTOOL) btf dump file "$$btf" format c > $@.new
	$(Q)mv $@.new $@

$(BUILD)/bpf/%.bpf.o: bpf/%.bpf.c $(BPF_HEADERS) $(BUILD)/vmlinux.h
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_CFLAGS) -c $< -o $@

$(BUILD)/dropbehind.bpf.o: $(BPF_MAIN:%=$(BUILD)/bpf/%.bpf.o)
	$(Q)$(BPFTOOL) gen object $@ $^

$(BUILD)/calibrate.bpf.o: $(BPF_CALIBRATE:%=$(BUILD)/bpf/%.bpf.o)
	$(Q)$(BPFTOOL) gen object $@ $^

$(BUILD)/%.skel.h: $(BUILD)/%.bpf.o
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@.new
	$(Q)mv $@.new $@
.PRECIOUS: $(BUILD)/%.skel.h $(BUILD)/%.bpf.o
