/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_PLOT_H
#define BENCH_PLOT_H

#include <stdio.h>

#include "model.h"

#define PLOT_MAX_SERIES 4
#define PLOT_MAX_POINTS 2048
#define PLOT_MAX_LABELS 64

struct series {
	char name[32];
	size_t nr;
	double x[PLOT_MAX_POINTS];
	double y[PLOT_MAX_POINTS];
};

/*
 * A line plot. With labels, x is the index of the label; without, x is a
 * number from 0 up.
 */
struct plot {
	char name[64];		/* part of the file name */
	char title[160];
	char x_title[64], y_title[64];
	char labels[PLOT_MAX_LABELS][40];
	size_t nr_labels;
	struct series series[PLOT_MAX_SERIES];
	size_t nr_series;
};

/* Write @p as a stand-alone SVG file. 0 or -EIO. */
int svg_write(const struct plot *p, FILE *f);

/*
 * Make the plots of @r one after the other and hand each to @emit: throughput
 * per row of each table, then throughput and Cached over time of the longest
 * run. Stops at the first error and returns it.
 */
int plots_make(const struct result *r, int (*emit)(const struct plot *p, void *arg), void *arg);

#endif
