# SPDX-License-Identifier: GPL-2.0
#
# The test workload. jansson and liburing are linked in, so that it also runs in a guest whose root has
# neither.

WORKLOAD_SRCS := $(wildcard tools/workload/*.c)
WORKLOAD_OBJS := $(WORKLOAD_SRCS:%.c=$(BUILD)/%.o)
WORKLOAD_LIBS := -Wl,-Bstatic -ljansson -luring -Wl,-Bdynamic -lpthread

TOOLS_BINS += $(BUILD)/dontcache-workload

$(WORKLOAD_OBJS): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -Iinclude -D_GNU_SOURCE -MMD -MP -c -o $@ $<

$(BUILD)/dontcache-workload: $(WORKLOAD_OBJS)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(WORKLOAD_OBJS) $(WORKLOAD_LIBS)

-include $(WORKLOAD_OBJS:.o=.d)
