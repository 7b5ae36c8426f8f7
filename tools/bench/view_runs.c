// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"
#include "view_runs.h"

bool metric_applies(const char *variant, const char *metric)
{
	return strcmp(variant, "alone") ||
	       (strncmp(metric, "stream_", 7) && strncmp(metric, "throughput", 10));
}

static bool any_run_has(const struct result *r, const char *group, const char *metric)
{
	size_t i;

	for (i = 0; i < r->nr_runs; i++)
		if (!strcmp(r->runs[i].group, group) && !isnan(run_value(&r->runs[i], metric)))
			return true;
	return false;
}

/* Append the row of one group and metric, named by its key and its heading. */
static int add_row(struct table *t, const struct runs_table *what, const char *group,
		   const struct metric_column *m)
{
	int n = table_add_row(t, group);
	struct cell *cell;

	if (n < 0)
		return n;
	cell = t->rows[n].cells;
	if (what->key) {
		snprintf(cell->text, sizeof(cell->text), "%s", group + strlen(what->prefix) + 1);
		cell++;
	}
	snprintf(cell->text, sizeof(cell->text), "%s", m->title);
	return 0;
}

static int text_column(struct table *t, const char *name, const char *title)
{
	int c = table_add_column(t, name, title, 0);

	if (c < 0)
		return c;
	t->cols[c].is_text = true;
	t->nr_keys = (size_t)c + 1;
	return 0;
}

/* Has a run before number @n the same group? */
static bool seen(const struct result *r, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(r->runs[i].group, r->runs[n].group))
			return true;
	return false;
}

/* Rows by metric, then group; @metrics gets the metric of each row. */
static int add_rows(struct table *t, const struct result *r, const struct runs_table *what,
		    const struct metric_column **metrics)
{
	const size_t len = strlen(what->prefix);
	size_t i, k;
	int err = 0;

	for (k = 0; k < what->nr_metrics; k++) {
		for (i = 0; i < r->nr_runs && !err; i++) {
			const char *group = r->runs[i].group;

			if (strncmp(group, what->prefix, len) || group[len] != '|' ||
			    seen(r, i) || !any_run_has(r, group, what->metrics[k].metric))
				continue;
			metrics[t->nr_rows] = &what->metrics[k];
			err = add_row(t, what, group, &what->metrics[k]);
		}
	}
	return err;
}

/* A column for @round of @variant, or for the mean of all when @round is 0. */
static int add_values(struct table *t, const struct result *r, const char *variant,
		      unsigned int round, const char *name, const char *title,
		      const struct metric_column *const *metrics, double *v)
{
	int c = table_add_column(t, name, title, 2);
	size_t i, n;

	for (i = 0; c >= 0 && i < t->nr_rows; i++) {
		const char *metric = metrics[i]->metric, *group = t->rows[i].group;
		struct cell *cell = &t->rows[i].cells[c];

		if (round)
			n = table_collect_round(r, group, variant, metric, round, v);
		else
			n = table_collect(r, group, variant, metric, v);
		cell->value = stats_mean(v, n);
		cell->blank = !metric_applies(variant, metric);
	}
	return c < 0 ? c : 0;
}

static int add_variant(struct table *t, const struct result *r, const char *variant,
		       const struct metric_column *const *metrics, double *v)
{
	unsigned int round, rounds = result_rounds(r);
	char name[64], title[64];
	int err = 0;

	for (round = 1; rounds > 1 && round <= rounds && round <= VIEW_MAX_ROUNDS && !err;
	     round++) {
		snprintf(name, sizeof(name), "%s_r%u", variant, round);
		snprintf(title, sizeof(title), "%s r%u", variant, round);
		err = add_values(t, r, variant, round, name, title, metrics, v);
	}
	if (err)
		return err;
	snprintf(name, sizeof(name), "%s_mean", variant);
	snprintf(title, sizeof(title), rounds > 1 ? "%s mean" : "%s", variant);
	return add_values(t, r, variant, 0, name, title, metrics, v);
}

/* Each row in the decimals of its metric; percents keep those of their column. */
static void set_decimals(struct table *t, const struct metric_column *const *metrics)
{
	size_t i, c;

	for (i = 0; i < t->nr_rows; i++)
		for (c = t->nr_keys; c < t->nr_cols; c++) {
			t->rows[i].cells[c].own_decimals = strcmp(t->cols[c].name, "change_pct");
			t->rows[i].cells[c].decimals = metrics[i]->decimals;
		}
}

/* What the columns need: the metric of each row, and room for the values of all runs. */
struct room {
	const struct metric_column **metrics;
	const char **names;
	double *values;
};

static int add_columns(struct table *t, const struct result *r, const struct runs_table *what,
		       const struct room *room, const struct result *control)
{
	const char *const *v = what->variants;
	size_t i;
	int err = 0;

	if (what->key)
		err = text_column(t, what->key, what->key_title);
	err = err ? err : text_column(t, "what", "What");
	err = err ? err : add_rows(t, r, what, room->metrics);
	for (i = 0; i < t->nr_rows && !err; i++)
		room->names[i] = room->metrics[i]->metric;
	for (i = 0; i < what->nr_variants && !err; i++)
		if (result_has_variant(r, v[i]))
			err = add_variant(t, r, v[i], room->metrics, room->values);
	err = err ? err : table_add_changes(t, r, v[what->nr_variants - 2],
					    v[what->nr_variants - 1], room->names, control);
	if (!err && result_rounds(r) > VIEW_MAX_ROUNDS)
		err = table_add_note(t, "rounds after the %dth are in the means, and each in the JSON",
				     VIEW_MAX_ROUNDS);
	if (!err)
		set_decimals(t, room->metrics);
	return err;
}

int view_runs(struct table_list *l, const struct result *r, const struct runs_table *what,
	      const struct result *control)
{
	/* At most a row for each run's group and metric. */
	const size_t rows = r->nr_runs * what->nr_metrics + 1;
	struct room room = {
		calloc(rows, sizeof(*room.metrics)),
		calloc(rows, sizeof(*room.names)),
		calloc(r->nr_runs + 1, sizeof(*room.values)),
	};
	struct table *t = NULL;
	int err = -ENOMEM;

	if (room.metrics && room.names && room.values)
		t = tables_add(l, what->name, what->title);
	if (t)
		err = add_columns(t, r, what, &room, control);
	free(room.metrics);
	free(room.names);
	free(room.values);
	return err;
}

static int add_interruption(struct table *t, const struct run *run)
{
	int n = table_add_row(t, run->group);
	struct cell *cells;

	if (n < 0)
		return n;
	cells = t->rows[n].cells;
	snprintf(cells[0].text, sizeof(cells[0].text), "%.60s", run->group);
	snprintf(cells[1].text, sizeof(cells[1].text), "%s", run->variant);
	snprintf(cells[2].text, sizeof(cells[2].text), "%u", run->round);
	cells[3].value = run_value(run, "ops");
	cells[4].value = run_value(run, "short_ops");
	cells[5].value = run_value(run, "interrupted");
	return 0;
}

static int interruptions_table(struct table_list *l, struct table **t)
{
	static const struct {
		const char *name, *title;
	} c[] = {
		{ "run", "Run" }, { "io", "I/O" }, { "round", "Round" }, { "ops", "operations" },
		{ "short_ops", "moved less" }, { "interrupted", "interrupted" },
	};
	size_t i;
	int n;

	*t = tables_add(l, "interruptions", "Calls that moved less than they were asked for, or "
			"were interrupted by a signal (each was continued)");
	if (!*t)
		return -ENOMEM;
	for (i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		n = table_add_column(*t, c[i].name, c[i].title, 0);
		if (n < 0)
			return n;
		(*t)->cols[n].is_text = i < 3;
	}
	(*t)->nr_keys = 3;
	return 0;
}

int view_interruptions(struct table_list *l, const struct result *r)
{
	struct table *t = NULL;
	size_t i;
	int err = 0;

	for (i = 0; i < r->nr_runs && !err; i++) {
		const struct run *run = &r->runs[i];

		if (!(run_value(run, "short_ops") > 0) && !(run_value(run, "interrupted") > 0))
			continue;
		if (!t)
			err = interruptions_table(l, &t);
		err = err ? err : add_interruption(t, run);
	}
	return err;
}
