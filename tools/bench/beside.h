/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_BESIDE_H
#define BENCH_BESIDE_H

#include "table.h"

/*
 * Put the columns of the reference table @path beside those of the table of
 * ours that it belongs to: the one of the same name, else the one with the
 * same keys that shares most columns. Rows are joined by their keys; single
 * rounds are left out. 0 or a negative errno (told).
 */
int beside_join(struct table_list *l, const char *preset, const char *path);

#endif
