# SPDX-License-Identifier: GPL-2.0
# Each tool has its rules beside it.
include $(wildcard tools/*/build.mk)
