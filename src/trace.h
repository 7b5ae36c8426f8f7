/* SPDX-License-Identifier: GPL-2.0 */
/* dropbehind trace: a line per event, as it happens. */
#ifndef DROPBEHIND_TRACE_H
#define DROPBEHIND_TRACE_H

struct db_options;

int db_verb_trace(struct db_options *options);

#endif
