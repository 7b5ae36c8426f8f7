/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_VIEWS_ROWS_H
#define BENCH_VIEWS_ROWS_H

#include "table.h"

/*
 * Tables whose rows are not the groups of a result: seconds, or variants.
 * @control as for table_add_change(). 0 or a negative errno.
 */
int view_per_second(const struct result *r, const struct result *control,
		    struct table_list *l);
int view_neighbour(const struct result *r, const struct result *control,
		   struct table_list *l);
int view_fsync_neighbour(const struct result *r, const struct result *control,
			 struct table_list *l);

#endif
