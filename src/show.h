/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ledgers on stdout, as text or JSON, the same for every verb.  0; -EPIPE:
 * nobody reads any more; other negative errno after one line on stderr.
 */
#ifndef DROPBEHIND_SHOW_H
#define DROPBEHIND_SHOW_H

#include <stdbool.h>

#include "ledger.h"

/* The whole report.  @apart: other lines went before, so text begins with an empty line. */
int db_show_report(const struct db_ledger *ledger, bool json, bool apart);

/* What happened from @before to @after; @line counts from 0. */
int db_show_interval(const struct db_ledger *before, const struct db_ledger *after, bool json,
		     unsigned long line);

#endif
