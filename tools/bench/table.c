// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "noise.h"
#include "stats.h"
#include "table.h"

struct table *tables_add(struct table_list *l, const char *name, const char *title)
{
	struct table *t = reallocarray(l->tables, l->nr + 1, sizeof(*t));

	if (!t)
		return NULL;
	l->tables = t;
	t += l->nr++;
	memset(t, 0, sizeof(*t));
	snprintf(t->name, sizeof(t->name), "%s", name);
	snprintf(t->title, sizeof(t->title), "%s", title);
	return t;
}

void tables_free(struct table_list *l)
{
	size_t i;

	for (i = 0; i < l->nr; i++) {
		free(l->tables[i].rows);
		free(l->tables[i].notes);
	}
	free(l->tables);
	memset(l, 0, sizeof(*l));
}

int table_add_column(struct table *t, const char *name, const char *title, int decimals)
{
	struct column *c = &t->cols[t->nr_cols];
	size_t i;

	if (t->nr_cols == TABLE_MAX_COLS)
		return -E2BIG;
	memset(c, 0, sizeof(*c));
	snprintf(c->name, sizeof(c->name), "%s", name);
	snprintf(c->title, sizeof(c->title), "%s", title);
	c->decimals = decimals;
	for (i = 0; i < t->nr_rows; i++)
		t->rows[i].cells[t->nr_cols].value = NAN;
	return (int)t->nr_cols++;
}

int table_add_row(struct table *t, const char *group)
{
	struct table_row *rows = reallocarray(t->rows, t->nr_rows + 1, sizeof(*rows));
	size_t i;

	if (!rows)
		return -ENOMEM;
	t->rows = rows;
	rows += t->nr_rows;
	memset(rows, 0, sizeof(*rows));
	snprintf(rows->group, sizeof(rows->group), "%s", group);
	for (i = 0; i < TABLE_MAX_COLS; i++)
		rows->cells[i].value = NAN;
	return (int)t->nr_rows++;
}

int table_add_note(struct table *t, const char *fmt, ...)
{
	char *line, *notes;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&line, fmt, ap);
	va_end(ap);
	if (n < 0)
		return -ENOMEM;
	n = asprintf(&notes, "%s%s\n", t->notes ? t->notes : "", line);
	free(line);
	if (n < 0)
		return -ENOMEM;
	free(t->notes);
	t->notes = notes;
	return 0;
}

static bool has_row(const struct table *t, const char *group)
{
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		if (!strcmp(t->rows[i].group, group))
			return true;
	return false;
}

/* Cut the group's key part at its bars into the key cells. */
static void fill_keys(struct table_row *row, const char *keys, size_t nr_keys)
{
	size_t i;

	for (i = 0; i < nr_keys; i++) {
		size_t len = i + 1 < nr_keys ? strcspn(keys, "|") : strlen(keys);

		snprintf(row->cells[i].text, sizeof(row->cells[i].text), "%.*s", (int)len, keys);
		keys += len + (keys[len] ? 1 : 0);
	}
}

int table_add_groups(struct table *t, const struct result *r, const char *prefix,
		     size_t nr_keys, const char *const *key_names,
		     const char *const *key_titles)
{
	size_t len = strlen(prefix), i;
	int n;

	for (i = 0; i < nr_keys; i++) {
		n = table_add_column(t, key_names[i], key_titles[i], 0);
		if (n < 0)
			return n;
		t->cols[n].is_text = true;
	}
	t->nr_keys = nr_keys;
	for (i = 0; i < r->nr_runs; i++) {
		const char *group = r->runs[i].group;

		if (strncmp(group, prefix, len) || group[len] != '|' || has_row(t, group))
			continue;
		n = table_add_row(t, group);
		if (n < 0)
			return n;
		fill_keys(&t->rows[n], group + len + 1, nr_keys);
	}
	return 0;
}

/* The run of this group, variant and round, or NULL. */
static const struct run *find_run(const struct result *r, const char *group,
				  const char *variant, unsigned int round)
{
	size_t i;

	for (i = 0; i < r->nr_runs; i++)
		if (r->runs[i].round == round && !strcmp(r->runs[i].variant, variant) &&
		    !strcmp(r->runs[i].group, group))
			return &r->runs[i];
	return NULL;
}

size_t table_collect_round(const struct result *r, const char *group, const char *variant,
			   const char *metric, unsigned int round, double *out)
{
	const struct run *run = find_run(r, group, variant, round);
	double v = run ? run_value(run, metric) : NAN;

	if (isnan(v))
		return 0;
	*out = v;
	return 1;
}

size_t table_collect(const struct result *r, const char *group, const char *variant,
		     const char *metric, double *out)
{
	unsigned int round, rounds = result_rounds(r);
	size_t n = 0;

	for (round = 1; round <= rounds; round++)
		n += table_collect_round(r, group, variant, metric, round, out + n);
	return n;
}

int table_add_round(struct table *t, const struct result *r, const char *variant,
		    const char *metric, unsigned int round, const char *name,
		    const char *title, int decimals)
{
	int c = table_add_column(t, name, title, decimals);
	size_t i;

	for (i = 0; c >= 0 && i < t->nr_rows; i++) {
		const struct run *run = find_run(r, t->rows[i].group, variant, round);

		if (run)
			t->rows[i].cells[c].value = run_value(run, metric);
	}
	return c;
}

int table_add_mean(struct table *t, const struct result *r, const char *variant,
		   const char *metric, const char *name, const char *title, int decimals)
{
	double *v = calloc(r->nr_runs + 1, sizeof(*v));
	int c = v ? table_add_column(t, name, title, decimals) : -ENOMEM;
	size_t i;

	for (i = 0; c >= 0 && i < t->nr_rows; i++)
		t->rows[i].cells[c].value = stats_mean(v, table_collect(r, t->rows[i].group,
								 variant, metric, v));
	free(v);
	return c;
}

/* Key cells of a row joined by blanks. */
static void row_name(const struct table *t, const struct table_row *row, char *buf,
		     size_t size)
{
	size_t used = 0, i;

	*buf = '\0';
	for (i = 0; i < t->nr_keys && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? " " : "",
					 row->cells[i].text);
}

/* What two variants differ by in one row, in the unit of its metric. */
struct difference {
	double base;		/* mean; all NAN when it cannot be said */
	double change;
	double ci95;
	double noise_pct;	/* what a control tells, or NAN */
	bool within_control;
	bool within_spread;	/* too few runs for an interval: less than the base runs differ by */
	bool open;		/* the interval includes no change */
};

/* Rows to be named in a note. */
struct row_list {
	char *names;
	double least_pct, greatest_pct;	/* of what the control tells; NAN when it tells nothing */
};

/* The notes of a table, and whether memory ran out on the way. */
struct remarks {
	struct row_list control, spread, open;
	bool failed;
};

static void append_name(struct remarks *m, struct row_list *list, const struct table *t,
			const struct table_row *row, double noise)
{
	char name[160], *longer;

	row_name(t, row, name, sizeof(name));
	if (asprintf(&longer, "%s%s%s", list->names ? list->names : "", list->names ? ", " : "",
		     name) < 0) {
		m->failed = true;
		return;
	}
	free(list->names);
	list->least_pct = list->names ? fmin(list->least_pct, noise) : noise;
	list->greatest_pct = list->names ? fmax(list->greatest_pct, noise) : noise;
	list->names = longer;
}

/* Pairs of the rounds that both variants have; @a and @b have room for all runs. */
static size_t collect_pairs(const struct result *r, const char *group, const char *base,
			    const char *variant, const char *metric, double *a, double *b)
{
	unsigned int round, rounds = result_rounds(r);
	size_t n = 0;

	for (round = 1; round <= rounds; round++)
		n += table_collect_round(r, group, base, metric, round, a + n) &&
		     table_collect_round(r, group, variant, metric, round, b + n);
	return n;
}

/* @a and @b have room for the values of all runs. */
static struct difference find_difference(const struct result *r, const char *group,
					 const char *base, const char *variant,
					 const char *metric, const struct result *control,
					 double *a, double *b)
{
	size_t na = table_collect(r, group, base, metric, a);
	size_t nb = table_collect(r, group, variant, metric, b);
	struct difference d = { .base = stats_mean(a, na) };
	double spread = stats_spread(a, na);
	size_t pairs;

	d.change = stats_mean(b, nb) - d.base;
	d.noise_pct = noise_pct(control, group, metric);
	d.within_control = fabs(d.change) <= d.noise_pct / 100 * fabs(d.base);
	pairs = collect_pairs(r, group, base, variant, metric, a, b);
	d.ci95 = stats_change_ci95(a, b, pairs);
	d.open = d.ci95 > 0 && fabs(d.change) <= d.ci95;
	d.within_spread = isnan(d.ci95) && fabs(d.change) <= spread;
	return d;
}

static int add_remarks(struct table *t, const struct result *r, const char *base,
		       const struct remarks *m, bool with_control)
{
	const struct row_list *c = &m->control;
	int err = m->failed ? -ENOMEM : 0;

	if (!err && m->spread.names)
		err = table_add_note(t, "within noise (no greater than the spread of the %s runs): %s",
				     base, m->spread.names);
	if (!err && c->names && c->least_pct == c->greatest_pct)
		err = table_add_note(t, "within the control's noise (its greatest change for the same operation, %.2f %%): %s",
				     c->greatest_pct, c->names);
	else if (!err && c->names)
		err = table_add_note(t, "within the control's noise (its greatest changes for the same operation, %.2f to %.2f %%): %s",
				     c->least_pct, c->greatest_pct, c->names);
	if (!err && m->open.names)
		err = table_add_note(t, "the 95%% interval includes no change: %s",
				     m->open.names);
	if (!err && result_rounds(r) == 1)
		err = table_add_note(t, "one round only: nothing is known about the noise%s",
				     with_control ? " but what the control tells" : "");
	return err;
}

static double percent(double part, double base)
{
	return base == 0 ? NAN : part / fabs(base) * 100;
}

/* Columns of a change; -1 for one that the table does not have. */
struct change_columns {
	int change, ci95;	/* in the unit of the row */
	int pct, ci95_pct;	/* in percent of the base */
};

static int add_column(struct table *t, const char *name, const char *title, bool is_signed,
		      int *column)
{
	*column = table_add_column(t, name, title, 2);
	if (*column < 0)
		return *column;
	t->cols[*column].is_signed = is_signed;
	return 0;
}

static int add_change_columns(struct table *t, bool units, bool with_ci,
			      struct change_columns *c)
{
	int err = 0;

	*c = (struct change_columns){ -1, -1, -1, -1 };
	if (units)
		err = add_column(t, "change", "Change", true, &c->change);
	if (!err && units && with_ci)
		err = add_column(t, "change_ci95", "95% CI +-", false, &c->ci95);
	if (!err)
		err = add_column(t, "change_pct", "Change %", true, &c->pct);
	if (!err && !units && with_ci)
		err = add_column(t, "change_ci95_pct", "95% CI +-", false, &c->ci95_pct);
	return err;
}

static void fill_change(struct table_row *row, const struct change_columns *c,
			const struct difference *d)
{
	if (c->change >= 0)
		row->cells[c->change].value = d->change;
	if (c->ci95 >= 0)
		row->cells[c->ci95].value = d->ci95;
	/* In percent of nothing there is no change to speak of. */
	row->cells[c->pct].value = percent(d->change, d->base);
	row->cells[c->pct].blank = d->base == 0;
	if (c->ci95_pct < 0)
		return;
	row->cells[c->ci95_pct].value = percent(d->ci95, d->base);
	row->cells[c->ci95_pct].blank = d->base == 0;
}

/* @metrics: one for each row, or NULL and @metric for all. */
static int add_changes(struct table *t, const struct result *r, const char *base,
		       const char *variant, const char *metric, const char *const *metrics,
		       const struct result *control)
{
	double *a = calloc(r->nr_runs + 1, sizeof(*a)), *b = calloc(r->nr_runs + 1, sizeof(*b));
	struct change_columns c;
	struct remarks m = { 0 };
	bool with_control = false;
	int err = -ENOMEM;
	size_t i;

	if (a && b)
		err = add_change_columns(t, metrics, result_rounds(r) >= 3, &c);
	for (i = 0; i < t->nr_rows && !err; i++) {
		struct table_row *row = &t->rows[i];
		struct difference d = find_difference(r, row->group, base, variant,
						      metrics ? metrics[i] : metric,
						      control, a, b);

		fill_change(row, &c, &d);
		with_control = with_control || !isnan(d.noise_pct);
		if (d.within_control)
			append_name(&m, &m.control, t, row, d.noise_pct);
		if (d.within_spread)
			append_name(&m, &m.spread, t, row, NAN);
		if (d.open)
			append_name(&m, &m.open, t, row, NAN);
	}
	if (!err)
		err = add_remarks(t, r, base, &m, with_control);
	free(m.control.names);
	free(m.spread.names);
	free(m.open.names);
	free(a);
	free(b);
	return err;
}

int table_add_change(struct table *t, const struct result *r, const char *base,
		     const char *variant, const char *metric, const struct result *control)
{
	return add_changes(t, r, base, variant, metric, NULL, control);
}

int table_add_changes(struct table *t, const struct result *r, const char *base,
		      const char *variant, const char *const *metrics,
		      const struct result *control)
{
	return add_changes(t, r, base, variant, NULL, metrics, control);
}

void table_format(const struct column *c, const struct cell *cell, char *buf, size_t size)
{
	if (cell->blank)
		snprintf(buf, size, "%s", "");
	else if (c->is_text)
		snprintf(buf, size, "%s", cell->text);
	else if (isnan(cell->value))
		snprintf(buf, size, "unavailable");
	else
		snprintf(buf, size, c->is_signed ? "%+.*f" : "%.*f",
			 cell->own_decimals ? cell->decimals : c->decimals, cell->value);
}
