/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_VIEWS_H
#define BENCH_VIEWS_H

#include "table.h"

/*
 * Make the tables that belong to the preset of @r. @noise_pct is the change a
 * control run showed, or NAN. 0 or a negative errno (told).
 */
int views_build(const struct result *r, double noise_pct, struct table_list *l);

#endif
