# SPDX-License-Identifier: GPL-2.0
# What tracing costs: make bench-overhead. OVERHEAD_FLAGS= are options of tools/overhead/overhead.

OVERHEAD_BINS := $(BUILD)/dropbehind-empty $(BUILD)/dropbehind-stream
TOOLS_BINS += $(OVERHEAD_BINS)

# A directory and name of its own: bpf.mk's rules are for objects with our types in them.
$(BUILD)/overhead/empty.bpf.o: tools/overhead/empty.bpf.c
	@mkdir -p $(@D)
	$(Q)$(CLANG) -g -O2 -target bpf -mcpu=v3 -Wall -Wextra -Werror -Wno-unused-parameter \
		-I/usr/include/$(shell uname -m)-linux-gnu -c $< -o $@

$(BUILD)/overhead/empty.skel.h: $(BUILD)/overhead/empty.bpf.o
	$(Q)$(BPFTOOL) gen skeleton $< name empty_bpf > $@.new
	$(Q)mv $@.new $@

$(BUILD)/dropbehind-empty: tools/overhead/empty.c $(BUILD)/overhead/empty.skel.h
	$(Q)$(CC) $(CFLAGS) -I$(BUILD)/overhead -o $@ $< $(LDLIBS)

$(BUILD)/dropbehind-stream: tools/overhead/stream.c tools/overhead/watch.c tools/overhead/watch.h include/dropbehind/uapi.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -Iinclude -o $@ $(filter %.c,$^) -lbpf -ljansson

.PHONY: bench-overhead
bench-overhead: setup
	@$(MAKE) --no-print-directory all
	BUILD=$(BUILD) tools/overhead/overhead $(OVERHEAD_FLAGS)
