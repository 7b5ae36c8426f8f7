/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_TRACE_H
#define BENCH_TRACE_H

#include "model.h"
#include "options.h"

/* Set in the program that runs under the tracer: where it puts its result. */
#define TRACE_RESULT_ENV "DONTCACHE_BENCH_RESULT"

/*
 * Run this program once more, with the same command line, as the command of
 * `dropbehind stat --json`, and take in its result together with the tracer's
 * ledger. 0, -EINTR or a negative errno (told).
 */
int trace_run(struct result *r, const struct options *opt);

#endif
