/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_ATTR_H
#define BENCH_ATTR_H

#include <stdbool.h>

/*
 * Set or clear the immutable attribute. F2FS gives large folios only to
 * immutable files. 0 or a negative errno (-EOPNOTSUPP, -EPERM, ...).
 */
int attr_set_immutable(int fd, bool on);
int attr_set_immutable_path(const char *path, bool on);

#endif
