/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_VIEWS_H
#define BENCH_VIEWS_H

#include "table.h"

/*
 * Make the tables that belong to the preset of @r, with the noise that the result
 * @control tells (NULL: none). 0 or a negative errno (told).
 */
int views_build(const struct result *r, const struct result *control,
		struct table_list *l);

#endif
