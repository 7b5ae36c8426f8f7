/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_CSV_H
#define BENCH_CSV_H

#include "table.h"

/*
 * Read a CSV table with a heading line, such as the published ones or our own.
 * The columns before the first one that holds a number in every row are keys
 * (at least one). The table's name is the file's without folder and ".csv".
 * 0 or a negative errno (told).
 */
int csv_read(struct table *t, const char *path);

/* Write all samples of all runs as CSV. 0 or -EIO. */
int csv_write_samples(const struct result *r, FILE *f);

#endif
