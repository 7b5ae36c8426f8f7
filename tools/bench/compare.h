/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_COMPARE_H
#define BENCH_COMPARE_H

#include "model.h"
#include "options.h"

/*
 * Are two results alike, so that their numbers may stand beside each other?
 * The kernel, the filesystem's module, the command and the date may differ;
 * anything else only when it is named with --allow. 0, or -EINVAL with the
 * differences told in one line.
 */
int compare_check(const struct result *a, const struct result *b, const struct options *opt);

/*
 * Make in @out one result of preset "compare" from two alike ones: their runs
 * side by side as variants "before" and "after". 0 or a negative errno (told).
 */
int compare_merge(struct result *out, const struct result *a, const struct result *b);

/*
 * Append the runs of @more to @to, which is from the same preset. 0 or a
 * negative errno (told).
 */
int compare_append(struct result *to, const struct result *more);

/* Greatest change between "before" and "after" throughput in percent; NAN if there is none. */
double compare_noise_pct(const struct result *control);

#endif
