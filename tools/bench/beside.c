// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "beside.h"
#include "csv.h"
#include "err.h"

static bool same_keys(const struct table *a, const struct table *b)
{
	size_t i;

	if (a->nr_keys != b->nr_keys)
		return false;
	for (i = 0; i < a->nr_keys; i++)
		if (strcmp(a->cols[i].name, b->cols[i].name))
			return false;
	return true;
}

static unsigned int shared_columns(const struct table *a, const struct table *b)
{
	unsigned int n = 0;
	size_t i, j;

	for (i = a->nr_keys; i < a->nr_cols; i++)
		for (j = b->nr_keys; j < b->nr_cols; j++)
			n += !strcmp(a->cols[i].name, b->cols[j].name);
	return n;
}

static struct table *find_partner(struct table_list *l, const char *preset,
				  const struct table *ref)
{
	struct table *best = NULL;
	unsigned int most = 0;
	char name[96];
	size_t i;

	for (i = 0; i < l->nr; i++) {
		unsigned int n;

		if (!same_keys(&l->tables[i], ref))
			continue;
		snprintf(name, sizeof(name), "%s-%s", preset, l->tables[i].name);
		if (!strcmp(name, ref->name))
			return &l->tables[i];
		n = shared_columns(&l->tables[i], ref);
		if (n > most) {
			most = n;
			best = &l->tables[i];
		}
	}
	return best;
}

/* "normal_r2_mib_s" is the value of a single round. */
static bool is_round(const char *name)
{
	const char *p = name;

	while ((p = strstr(p, "_r"))) {
		p += 2;
		if (isdigit((unsigned char)*p))
			return true;
	}
	return false;
}

static int find_row(const struct table *t, const struct table *ref, size_t ref_row)
{
	size_t i, k;

	for (i = 0; i < t->nr_rows; i++) {
		for (k = 0; k < t->nr_keys; k++)
			if (strcasecmp(t->rows[i].cells[k].text, ref->rows[ref_row].cells[k].text))
				break;
		if (k == t->nr_keys)
			return (int)i;
	}
	return -1;
}

/* Our row for each row of the reference; those we do not have are appended, blank. */
static int match_rows(struct table *t, const struct table *ref, int *match)
{
	size_t i, k;

	for (i = 0; i < ref->nr_rows; i++) {
		match[i] = find_row(t, ref, i);
		if (match[i] >= 0)
			continue;
		match[i] = table_add_row(t, "");
		if (match[i] < 0)
			return match[i];
		for (k = 0; k < t->nr_cols; k++) {
			struct cell *cell = &t->rows[match[i]].cells[k];

			if (k < t->nr_keys)
				memcpy(cell->text, ref->rows[i].cells[k].text, sizeof(cell->text));
			else
				cell->blank = true;
		}
	}
	return 0;
}

static int copy_columns(struct table *t, const struct table *ref, const int *match)
{
	char name[80];
	size_t c, i;
	int col;

	for (c = ref->nr_keys; c < ref->nr_cols; c++) {
		if (is_round(ref->cols[c].name))
			continue;
		snprintf(name, sizeof(name), "ref_%s", ref->cols[c].name);
		col = table_add_column(t, name, name, ref->cols[c].decimals);
		if (col < 0)
			return col;
		for (i = 0; i < t->nr_rows; i++)
			t->rows[i].cells[col].blank = true;
		for (i = 0; i < ref->nr_rows; i++)
			t->rows[match[i]].cells[col] = ref->rows[i].cells[c];
	}
	return 0;
}

int beside_join(struct table_list *l, const char *preset, const char *path)
{
	struct table ref, *t;
	int *match = NULL;
	int err = csv_read(&ref, path);

	if (err)
		return err;
	t = find_partner(l, preset, &ref);
	if (!t) {
		err = bench_error("%s: no table of %s has its rows and columns; "
				  "give a reference for this preset", path, preset);
		goto out;
	}
	match = calloc(ref.nr_rows, sizeof(*match));
	err = match ? match_rows(t, &ref, match) : -ENOMEM;
	err = err ? err : copy_columns(t, &ref, match);
	err = err ? err : table_add_note(t, "ref_ columns are %s, measured elsewhere: compare "
					 "shapes and ratios, never absolute numbers", ref.name);
	if (err)
		bench_fail(err, "put beside our tables", path);
out:
	free(match);
	free(ref.rows);
	return err;
}
