/* SPDX-License-Identifier: GPL-2.0 */
/* One line for each ring record: columns for people, JSON for programs. */
#ifndef DROPBEHIND_EVENTLINE_H
#define DROPBEHIND_EVENTLINE_H

#include <stdio.h>

#include "flownames.h"

#define DB_TRACE_JSON_VERSION	1

/* "left", "drop", "defer" for one DB_EV_* bit. */
const char *db_event_word(__u32 type);

void db_event_heading(FILE *out);

/* Times are printed in seconds since @start_ns. */
void db_event_text(FILE *out, const struct db_event *event, struct db_flow_names *names,
		   __u64 start_ns);

/* 0 or -ENOMEM; errors of writing are left to the stream. */
int db_event_json(FILE *out, const struct db_event *event, struct db_flow_names *names);

#endif
