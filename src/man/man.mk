# SPDX-License-Identifier: GPL-2.0
# Manual pages, from the option table and the texts beside this file.

MAN_TEXTS := $(wildcard src/man/*.txt)

$(BUILD)/mkman: src/man/mkman.c $(BUILD)/libdropbehind.a
	$(Q)$(CC) $(CFLAGS) $(SRC_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/man/.made: $(BUILD)/mkman $(MAN_TEXTS)
	@mkdir -p $(@D)
	$(Q)rm -f $(@D)/*.1
	$(Q)$(BUILD)/mkman src/man $(@D)
	$(Q)touch $@

all: $(BUILD)/man/.made

.PHONY: install-man
install: install-man
install-man: $(BUILD)/man/.made
	install -d $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 $(BUILD)/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1/
