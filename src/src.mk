# SPDX-License-Identifier: GPL-2.0
# The command-line tool: all of src/ but main.c is a library, so that tests can
# link it.

SRC_LIB := $(filter-out src/main.c,$(wildcard src/*.c))
SRC_OBJS := $(SRC_LIB:src/%.c=$(BUILD)/src/%.o)
SRC_CFLAGS := -I$(BUILD) -Iinclude -iquote src -DDROPBEHIND_VERSION='"$(VERSION)"'

$(BUILD)/src/%.o: src/%.c | $(BUILD)/dropbehind.skel.h $(BUILD)/calibrate.skel.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SRC_CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/libdropbehind.a: $(SRC_OBJS)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

$(BUILD)/dropbehind: $(BUILD)/src/main.o $(BUILD)/libdropbehind.a
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

-include $(SRC_OBJS:.o=.d) $(BUILD)/src/main.d

include src/man/man.mk
