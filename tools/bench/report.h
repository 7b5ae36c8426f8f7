/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "model.h"
#include "options.h"

/* Write everything the output options ask for. 0 or a negative errno (told). */
int report_write(const struct result *r, const struct options *opt);

#endif
