// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

size_t table_collect(const struct result *r, const char *group, const char *variant,
		     const char *metric, double *out)
{
	unsigned int round, rounds = result_rounds(r);
	size_t n = 0;

	for (round = 1; round <= rounds; round++) {
		const struct run *run = find_run(r, group, variant, round);
		double v = run ? run_value(run, metric) : NAN;

		if (!isnan(v))
			out[n++] = v;
	}
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

static void append_name(char *list, size_t size, const struct table *t,
			const struct table_row *row)
{
	char name[160];
	size_t used = strlen(list);

	row_name(t, row, name, sizeof(name));
	snprintf(list + used, size - used, "%s%s", used ? ", " : "", name);
}

int table_add_change(struct table *t, const struct result *r, const char *base,
		     const char *variant, const char *metric, double noise_pct)
{
	const bool with_ci = result_rounds(r) >= 3;
	double *a = calloc(r->nr_runs + 1, sizeof(*a)), *b = calloc(r->nr_runs + 1, sizeof(*b));
	char within[512] = "", open[512] = "";
	int c = -ENOMEM, ci = 0, err;
	size_t i;

	if (a && b)
		c = table_add_column(t, "change_pct", "Change %", 2);
	if (c >= 0 && with_ci)
		ci = table_add_column(t, "change_ci95_pct", "95% CI +-", 2);
	if (c < 0 || ci < 0)
		goto out;
	t->cols[c].is_signed = true;
	for (i = 0; i < t->nr_rows; i++) {
		struct table_row *row = &t->rows[i];
		size_t na = table_collect(r, row->group, base, metric, a);
		size_t nb = table_collect(r, row->group, variant, metric, b);
		double change = stats_change_pct(stats_mean(a, na), stats_mean(b, nb));
		double noise = fmax(stats_spread_pct(a, na), noise_pct);

		row->cells[c].value = change;
		if (!isnan(noise) && fabs(change) <= noise)
			append_name(within, sizeof(within), t, row);
		if (!with_ci || na != nb)
			continue;
		row->cells[ci].value = stats_change_ci95_pct(a, b, na);
		if (fabs(change) <= row->cells[ci].value)
			append_name(open, sizeof(open), t, row);
	}
	err = 0;
	if (*within && isnan(noise_pct))
		err = table_add_note(t, "within noise (no greater than the spread of the %s runs): %s",
				     base, within);
	else if (*within)
		err = table_add_note(t, "within noise (no greater than the spread of the %s runs or the control's greatest change, %.2f %%): %s",
				     base, noise_pct, within);
	if (!err && *open)
		err = table_add_note(t, "the 95%% interval includes no change: %s", open);
	if (!err && result_rounds(r) == 1)
		err = table_add_note(t, "one round only: nothing is known about the noise");
	if (err)
		c = err;
out:
	free(a);
	free(b);
	return c;
}

void table_format(const struct column *c, const struct cell *cell, char *buf, size_t size)
{
	if (cell->blank)
		snprintf(buf, size, "%s", "");
	else if (c->is_text)
		snprintf(buf, size, "%s", cell->text);
	else if (isnan(cell->value))
		snprintf(buf, size, "unavailable");
	else if (c->is_signed)
		snprintf(buf, size, "%+.*f", c->decimals, cell->value);
	else
		snprintf(buf, size, "%.*f", c->decimals, cell->value);
}
