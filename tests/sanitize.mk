# SPDX-License-Identifier: GPL-2.0
#
# The tool and the unit tests once more, with the address and undefined-behaviour sanitizers, in
# $(BUILD)/sanitize. tests/unit/sanitize.sh runs them as part of `make check`.

SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -O1
SAN := $(BUILD)/sanitize
SAN_OBJS := $(SRC_LIB:src/%.c=$(SAN)/src/%.o)
SAN_TESTS := $(patsubst tests/unit/%.c,$(SAN)/tests/unit/%,$(wildcard tests/unit/*.c))

.PHONY: check-sanitize

$(SAN)/src/%.o: src/%.c | $(BUILD)/dropbehind.skel.h $(BUILD)/calibrate.skel.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) $(SRC_CFLAGS) -MMD -MP -c $< -o $@

$(SAN)/libdropbehind.a: $(SAN_OBJS)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

$(SAN)/dropbehind: $(SAN)/src/main.o $(SAN)/libdropbehind.a
	$(Q)$(CC) $(CFLAGS) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(SAN_TESTS): $(SAN)/tests/unit/%: tests/unit/%.c tests/unit/check.h $(SAN)/libdropbehind.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) -Itests/unit -iquote src -Iinclude -MMD -MP -MF $@.d \
		$(LDFLAGS) -o $@ $< $(SAN)/libdropbehind.a $(LDLIBS)

-include $(SAN_OBJS:.o=.d) $(SAN)/src/main.d $(SAN_TESTS:%=%.d)

tests: $(SAN)/dropbehind $(SAN_TESTS)

check-sanitize: all $(SAN)/dropbehind $(SAN_TESTS)
	BUILD=$(BUILD) tests/run tests/unit/sanitize.sh
