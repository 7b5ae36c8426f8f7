# SPDX-License-Identifier: GPL-2.0
#
# Tests. The top Makefile gives BUILD, CC, CFLAGS, LDLIBS and the target all.

TEST_SUITES := unit replay host tools guest

# Every tests/SUITE/*.c is a program of its own, linked with the tool's objects.
TEST_SRCS := $(foreach suite,$(TEST_SUITES),$(wildcard tests/$(suite)/*.c))
TEST_BINS := $(TEST_SRCS:%.c=$(BUILD)/%)

.PHONY: check check-quick check-long tests $(TEST_SUITES:%=check-%)

tests: $(TEST_BINS)

$(TEST_BINS): $(BUILD)/%: %.c tests/unit/check.h $(BUILD)/libdropbehind.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -Itests/unit -iquote src -Iinclude -MMD -MP -MF $@.d $(LDFLAGS) -o $@ $< \
		$(BUILD)/libdropbehind.a $(LDLIBS)

-include $(TEST_BINS:%=%.d)

# Each installs what it needs first, then builds, then runs.
check: setup setup-guest
	@$(MAKE) --no-print-directory all tests
	@$(MAKE) --no-print-directory f2fs-test-modules
	@BUILD=$(BUILD) tests/run --retry

# With the tests that plain runs leave out, whose reasons they print.
check-long: setup setup-guest
	@$(MAKE) --no-print-directory all tests
	@$(MAKE) --no-print-directory f2fs-test-modules
	@BUILD=$(BUILD) tests/run --retry --long

check-quick: setup
	@$(MAKE) --no-print-directory all tests
	@BUILD=$(BUILD) tests/run --retry --quick

check-guest: setup-guest

$(TEST_SUITES:%=check-%): check-%: setup
	@$(MAKE) --no-print-directory all tests
	@$(if $(filter guest,$*),$(MAKE) --no-print-directory f2fs-test-modules)
	@BUILD=$(BUILD) tests/run $*

include tests/sanitize.mk tests/fuzz/fuzz.mk

MAKE_RECORDINGS := $(BUILD)/tests/replay/make-recordings

$(MAKE_RECORDINGS): tests/replay/fixtures/make-recordings.c tests/unit/synthetic.h $(BUILD)/libdropbehind.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -Itests/unit -iquote src -Iinclude $(LDFLAGS) -o $@ $< \
		$(BUILD)/libdropbehind.a $(LDLIBS)

tests: $(MAKE_RECORDINGS)

# Moves pages under a workload, in guests.
SOFT_OFFLINE := $(BUILD)/tests/guest/soft-offline

$(SOFT_OFFLINE): tests/guest/fixtures/soft-offline.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $<

tests: $(SOFT_OFFLINE)
