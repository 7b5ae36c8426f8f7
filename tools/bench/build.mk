# SPDX-License-Identifier: GPL-2.0
# dontcache-bench: one static program, so that it also runs on a phone or in a
# guest. BENCH_LDFLAGS= makes a dynamic one (sanitizers need that).

BENCH_LDFLAGS ?= -static
BENCH_SRCS := $(wildcard tools/bench/*.c)
# The one parser of mountinfo is the tool's; it stands alone.
BENCH_OBJS := $(BENCH_SRCS:tools/bench/%.c=$(BUILD)/bench/%.o) $(BUILD)/bench/mounts.o
BENCH_CFLAGS := -std=gnu11 -D_FILE_OFFSET_BITS=64
TOOLS_BINS += $(BUILD)/dontcache-bench

$(BUILD)/bench/%.o: tools/bench/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(BENCH_CFLAGS) -Iinclude -D_GNU_SOURCE -MMD -MP -c -o $@ $<

$(BUILD)/bench/mounts.o: src/mounts.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(BENCH_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/dontcache-bench: $(BENCH_OBJS)
	$(CC) $(CFLAGS) $(BENCH_LDFLAGS) -o $@ $(BENCH_OBJS) -ljansson -lpthread -lm

-include $(BENCH_OBJS:.o=.d)

# Its arithmetic, tested without a kernel.
$(BUILD)/bench/bench_test: tests/unit/bench/bench_test.c tests/unit/check.h $(BENCH_OBJS)
	$(CC) $(CFLAGS) -std=gnu11 -D_GNU_SOURCE -Itests/unit -Itools/bench -Iinclude $(BENCH_LDFLAGS) -o $@ $< \
		$(filter-out %/main.o,$(BENCH_OBJS)) -ljansson -lpthread -lm

tests: $(BUILD)/bench/bench_test
