# SPDX-License-Identifier: GPL-2.0
# BPF programs: one object per .bpf.c, linked by bpftool, a skeleton each for
# the tracer and for the calibration.

BPF_ARCH := $(shell uname -m | sed 's/x86_64/x86/; s/aarch64/arm64/')
BPF_CFLAGS := -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) \
	-Wall -Wextra -Werror -Wno-unused-parameter -I$(BUILD) -Iinclude -Ibpf
BPF_MAIN := kfunc context lifecycle deferral sweep
BPF_CALIBRATE := kfunc context calibrate
BPF_HEADERS := $(wildcard bpf/*.h include/dropbehind/*.h)

# Types of the kernel that builds; of another one with VMLINUX_BTF=/path/to/vmlinux.
VMLINUX_BTF ?= /sys/kernel/btf/vmlinux

$(BUILD)/vmlinux.h: | $(BUILD)
	@test -r $(VMLINUX_BTF) || { echo "dropbehind: $(VMLINUX_BTF) is missing: this kernel has no BTF; point VMLINUX_BTF at a vmlinux that has it ('tools/guest/guest btf 7.3' prints one)" >&2; exit 1; }
	$(Q)$(BPFTOOL) btf dump file $(VMLINUX_BTF) format c > $@.new
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
