/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_VIEW_LEDGER_H
#define BENCH_VIEW_LEDGER_H

#include "table.h"

/*
 * The tracer's ledger as a table: births, outcomes, what was left behind, both
 * sides of the balance, contexts, deferral and residency p99, losses. Nothing
 * when the run was not traced. 0 or a negative errno.
 */
int view_ledger(const struct result *r, struct table_list *l);

#endif
