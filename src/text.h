/* SPDX-License-Identifier: GPL-2.0 */
/* The report for a terminal. */
#ifndef DROPBEHIND_TEXT_H
#define DROPBEHIND_TEXT_H

#include <stdio.h>

#include "ledger.h"

/* Most files and cgroups listed before the rest is summed up. */
#define DB_TEXT_ROWS	20

/* Whole report.  0, or -EPIPE and the like when the output is gone. */
int db_text_report(FILE *out, const struct db_ledger *ledger);

/* The block that says how complete the numbers are; not flushed. */
void db_text_completeness(FILE *out, const struct db_ledger *ledger);

/* One line for an interval; a heading every 20 lines, told by @line (0, 1, 2 ...). */
int db_text_interval(FILE *out, const struct db_ledger *delta, unsigned long line);

/* A flow's file: its name, else its inode number; and its memory cgroup. */
void db_text_file(FILE *out, const struct db_flow *flow);
void db_text_cgroup(FILE *out, const struct db_flow *flow);

/* "1.23 ms" from nanoseconds; @size >= 16. */
void db_text_time(__u64 ns, char *text, size_t size);

#endif
