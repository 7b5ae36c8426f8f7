# SPDX-License-Identifier: GPL-2.0
#
#   make              build build/dropbehind and the programs beside it
#   make demo         install what is missing, build, trace real I/O here, print the report
#   make demo-guest   the same under a stock 7.3 kernel in an emulated guest
#   make check        install, build, run the tests; make check-quick leaves the guests out
#   make install      PREFIX=/usr/local DESTDIR=

VERSION := 0.1
BUILD ?= build
PREFIX ?= /usr/local
CC := gcc
CLANG ?= clang
BPFTOOL ?= $(or $(shell command -v bpftool 2>/dev/null),/usr/sbin/bpftool)
CFLAGS ?= -O2 -g
override CFLAGS += -std=gnu11 -Wall -Wextra -Werror
LDLIBS := -lbpf -lelf -lz -ljansson -lm
Q := $(if $(V),,@)

TOOLS_BINS :=

.PHONY: all clean demo demo-guest setup setup-guest install
all:

include bpf/bpf.mk src/src.mk
include $(wildcard tools/tools.mk tests/tests.mk kernel/kernel.mk)

all: $(BUILD)/dropbehind $(TOOLS_BINS)

$(BUILD):
	@mkdir -p $@

setup:
	@tools/setup/setup

setup-guest:
	@tools/guest/guest install

demo: setup
	@$(MAKE) --no-print-directory all
	@BUILD=$(BUILD) tools/demo/host

demo-guest: setup setup-guest
	@$(MAKE) --no-print-directory all
	@BUILD=$(BUILD) tools/demo/guest

install: all
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(BUILD)/dropbehind $(DESTDIR)$(PREFIX)/bin/
	install -d $(DESTDIR)$(PREFIX)/share/doc/dropbehind
	install -m 644 src/JSON.md $(DESTDIR)$(PREFIX)/share/doc/dropbehind/

clean:
	rm -rf $(BUILD)
