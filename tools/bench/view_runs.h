/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_VIEW_RUNS_H
#define BENCH_VIEW_RUNS_H

#include "table.h"

/* More rounds than fit a screen are in the JSON. */
#define VIEW_MAX_ROUNDS 10

/* A metric with its heading. */
struct metric_column {
	const char *metric;
	const char *title;
	int decimals;
};

/*
 * A table whose rows are metrics: each run's own value, the means, and the
 * change from the last but one to the last of the variants.
 */
struct runs_table {
	const char *name, *title;
	const char *prefix;		/* of the groups: "PREFIX|KEY" */
	const char *key, *key_title;	/* column for KEY; NULL: there is one group only */
	const char *const *variants;
	size_t nr_variants;
	const struct metric_column *metrics;
	size_t nr_metrics;
};

/*
 * Add that table, without the metrics that no run has. @control as for
 * table_add_change(). 0 or a negative errno.
 */
int view_runs(struct table_list *l, const struct result *r, const struct runs_table *what,
	      const struct result *control);

/* Does a number of the stream exist for this variant? "alone" has no stream. */
bool metric_applies(const char *variant, const char *metric);

/*
 * Runs in which system calls moved less than they were asked for, or were
 * interrupted, as a table; no table when there are none. 0 or a negative errno.
 */
int view_interruptions(struct table_list *l, const struct result *r);

#endif
