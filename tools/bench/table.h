/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "model.h"

#define TABLE_MAX_COLS 48

/* A column: its name in CSV (as in published tables) and its heading. */
struct column {
	char name[64];
	char title[64];
	int decimals;
	bool is_text;		/* key or remark, left-aligned */
	bool is_signed;		/* print a plus sign */
};

struct cell {
	double value;		/* NAN: unavailable */
	char text[64];		/* for text columns */
	bool blank;		/* nothing belongs here (no such row in that source) */
	bool own_decimals;	/* rows of several units: not the column's ... */
	int decimals;		/* ... but so many */
};

struct table_row {
	char group[112];	/* the runs that this row is made of */
	struct cell cells[TABLE_MAX_COLS];
};

/* What every writer (terminal, Markdown, CSV) prints. */
struct table {
	char name[48];		/* part of the file name */
	char title[200];
	struct column cols[TABLE_MAX_COLS];
	size_t nr_cols;
	size_t nr_keys;		/* the first columns, which name the row */
	struct table_row *rows;
	size_t nr_rows;
	char *notes;		/* lines printed below, or NULL */
};

struct table_list {
	struct table *tables;
	size_t nr;
};

/* Append an empty table. The pointer holds until the next call. NULL: out of memory. */
struct table *tables_add(struct table_list *l, const char *name, const char *title);
void tables_free(struct table_list *l);

/*
 * Columns and rows. Adding a column leaves its cells unavailable. All return a
 * negative errno (-ENOMEM, or -E2BIG for too many columns), else the index.
 */
int table_add_column(struct table *t, const char *name, const char *title, int decimals);
int table_add_row(struct table *t, const char *group);
int table_add_note(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Make a row for each group of @r that begins with "@prefix|", in the order of
 * their first run; the parts behind it fill the @nr_keys key columns.
 */
int table_add_groups(struct table *t, const struct result *r, const char *prefix,
		     size_t nr_keys, const char *const *key_names,
		     const char *const *key_titles);

/* Values of @metric over the rounds, in their order, into @out[r->nr_runs]. Returns how many. */
size_t table_collect(const struct result *r, const char *group, const char *variant,
		     const char *metric, double *out);

/* The same of one round only: one value or none. */
size_t table_collect_round(const struct result *r, const char *group, const char *variant,
			   const char *metric, unsigned int round, double *out);

/* Columns from runs: the value of one round; the mean over rounds. */
int table_add_round(struct table *t, const struct result *r, const char *variant,
		    const char *metric, unsigned int round, const char *name,
		    const char *title, int decimals);
int table_add_mean(struct table *t, const struct result *r, const char *variant,
		   const char *metric, const char *name, const char *title, int decimals);

/*
 * The change between the means of two variants in percent ("change_pct"); from
 * three rounds on also half the width of its 95 % interval, over the rounds that
 * both have. Notes name the rows whose interval includes no change; with fewer
 * rounds those whose change is no greater than the spread of the base runs; and
 * those within the noise that @control tells (noise_pct(); NULL: no control).
 */
int table_add_change(struct table *t, const struct result *r, const char *base,
		     const char *variant, const char *metric, const struct result *control);

/*
 * The same for rows that each have a metric of their own, @metrics[row]: the
 * change and its interval in the unit of the row, which a base of 0 allows, and
 * the change in percent. A percent of 0 is blank. 0 or a negative errno.
 */
int table_add_changes(struct table *t, const struct result *r, const char *base,
		      const char *variant, const char *const *metrics,
		      const struct result *control);

/* Write one number as this column shows it ("unavailable" for NAN). */
void table_format(const struct column *c, const struct cell *cell, char *buf, size_t size);

/* Writers. 0, or -EIO when the file could not be written. */
int table_write_text(const struct table *t, FILE *f);
int table_write_markdown(const struct table *t, FILE *f);
int table_write_csv(const struct table *t, FILE *f);

#endif
