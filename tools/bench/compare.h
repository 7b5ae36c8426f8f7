/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_COMPARE_H
#define BENCH_COMPARE_H

#include "model.h"
#include "options.h"

/*
 * Are two results alike, so that their numbers may stand beside each other?
 * The kernel, the filesystem's module, the command and the date may differ, and the
 * memory by 2 %; anything else only when it is named with --allow. 0, or -EINVAL with the
 * differences told in one line.
 */
int compare_check(const struct result *a, const struct result *b, const struct options *opt);

/* The same before @b was measured: of the preset and the environment alone. */
int compare_check_env(const struct result *a, const struct result *b, const struct options *opt);

/*
 * Make in @out one result of preset "compare" from two alike ones: their runs
 * side by side as variants "before" and "after". 0 or a negative errno (told).
 */
int compare_merge(struct result *out, const struct result *a, const struct result *b);

/*
 * Append the runs of @more to @to, which is from the same preset. A fact that the
 * two tell differently, such as the kernel, becomes "EARLIER | LATER". 0 or a
 * negative errno (told).
 */
int compare_append(struct result *to, const struct result *more);

#endif
