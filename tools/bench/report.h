/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "model.h"
#include "options.h"

/*
 * Before a measurement: could what the output options ask for be written, and can the
 * files that belong beside it be read? 0 or a negative errno (told).
 */
int report_check(const struct options *opt);

/*
 * Write everything the output options ask for; what can be written is, also when
 * something else of it fails. 0 or the first negative errno (told).
 */
int report_write(const struct result *r, const struct options *opt);

#endif
