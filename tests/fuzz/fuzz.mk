# SPDX-License-Identifier: GPL-2.0
#
# The recording decoder under libFuzzer. `make check` gives it a short run (tests/unit/fuzz.sh), `make fuzz`
# a long one: FUZZ_SECONDS, what it finds is kept in $(BUILD)/fuzz/corpus.

FUZZ_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
FUZZ_SRCS := block replay update ledger histogram json json_read jsonput jsontake words event eventline \
	flownames names mounts text output complain coverage
FUZZ_OBJS := $(FUZZ_SRCS:%=$(BUILD)/fuzz/src/%.o)
FUZZ_SECONDS ?= 600

.PHONY: fuzz

$(BUILD)/fuzz/src/%.o: src/%.c
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(CPPFLAGS) $(CFLAGS) -O1 $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link $(SRC_CFLAGS) -MMD -MP -c $< -o $@

# Without libFuzzer an empty file stands for it, and the test says that it skips.
$(BUILD)/fuzz/replay: tests/fuzz/replay.c $(FUZZ_OBJS)
	$(Q)if echo 'int LLVMFuzzerTestOneInput(void); int LLVMFuzzerTestOneInput(void) { return 0; }' | \
		$(CLANG) -x c -fsanitize=fuzzer - -o $@.try 2>/dev/null; then \
		$(CLANG) $(CPPFLAGS) $(CFLAGS) -O1 $(FUZZ_FLAGS) -fsanitize=fuzzer -iquote src -Iinclude \
			$< $(FUZZ_OBJS) -lz -ljansson -lm -o $@; \
	else \
		: >$@; \
	fi; rm -f $@.try

$(BUILD)/fuzz/seeds: tests/fuzz/seeds.c tests/unit/synthetic.h $(BUILD)/libdropbehind.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -Itests/unit -iquote src -Iinclude $(LDFLAGS) -o $@ $< \
		$(BUILD)/libdropbehind.a $(LDLIBS)

-include $(FUZZ_OBJS:.o=.d)

tests: $(BUILD)/fuzz/replay $(BUILD)/fuzz/seeds

fuzz: $(BUILD)/fuzz/replay $(BUILD)/fuzz/seeds
	@[ -s $(BUILD)/fuzz/replay ] || { echo "fuzz: libFuzzer is not installed (libclang-rt-dev)" >&2; exit 1; }
	@mkdir -p $(BUILD)/fuzz/corpus
	$(BUILD)/fuzz/seeds $(BUILD)/fuzz/corpus
	$(BUILD)/fuzz/replay -max_total_time=$(FUZZ_SECONDS) -max_len=65536 -timeout=20 -rss_limit_mb=2048 \
		-artifact_prefix=$(BUILD)/fuzz/ $(BUILD)/fuzz/corpus
