# SPDX-License-Identifier: GPL-2.0
# Programs of the kernel tests. Static, so that they run in any guest or chroot.

OPCHECK_COMMON := $(addprefix $(BUILD)/opcheck-obj/,pattern.o sys.o)
OPCHECK_BINS := $(BUILD)/dcstream $(BUILD)/opcheck $(BUILD)/f2fs-atomic
TOOLS_BINS += $(OPCHECK_BINS)

$(BUILD)/opcheck-obj/%.o: tools/opcheck/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -Iinclude -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -MMD -MP -c -o $@ $<

$(BUILD)/opcheck: $(BUILD)/opcheck-obj/shadow.o
$(OPCHECK_BINS): $(BUILD)/%: $(BUILD)/opcheck-obj/%.o $(OPCHECK_COMMON)
	$(CC) $(CFLAGS) -static -o $@ $^

-include $(wildcard $(BUILD)/opcheck-obj/*.d)
