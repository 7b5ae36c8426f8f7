/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_NOISE_H
#define BENCH_NOISE_H

#include "model.h"

/*
 * How much of a change of @metric in @group is noise, in percent of its base: the
 * greatest change that the result @control of the control preset shows for the same
 * operation and the same metric, over its I/O sizes. NAN when @control is NULL, or
 * when no run of it is like those of @group: it knows single streams of reads and
 * writes at full speed, and neither latencies nor streams beside something else.
 */
double noise_pct(const struct result *control, const char *group, const char *metric);

/* Does @r have runs before and after, as a control has? */
bool noise_is_control(const struct result *r);

#endif
