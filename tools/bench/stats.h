/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_STATS_H
#define BENCH_STATS_H

#include <stddef.h>

/*
 * Statistics for a handful of runs. NAN stands for "cannot be said", and every
 * function returns it when its input does not carry the answer.
 */

/* Arithmetic mean; NAN for n == 0. */
double stats_mean(const double *v, size_t n);

/* Standard deviation of the sample (n - 1); NAN for n < 2. */
double stats_stddev(const double *v, size_t n);

/* Change from @base to @value in percent of @base; NAN when base is 0 or NAN. */
double stats_change_pct(double base, double value);

/*
 * Half-width of the 95 % confidence interval (Student's t) of the mean difference of
 * the pairs base[i], value[i] (same round). The centre of that interval is the
 * difference of the two means. NAN for n < 3.
 */
double stats_change_ci95(const double *base, const double *value, size_t n);

/* Greatest distance between two of the values; NAN for n < 2. */
double stats_spread(const double *v, size_t n);

#endif
