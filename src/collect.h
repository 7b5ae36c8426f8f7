/* SPDX-License-Identifier: GPL-2.0 */
/* From the maps of a live session to the ledger. */
#ifndef DROPBEHIND_COLLECT_H
#define DROPBEHIND_COLLECT_H

#include <linux/types.h>

struct db_session;
struct db_ledger;

/* Fills an initialised ledger.  0 or negative errno; then it is left empty. */
int db_collect(struct db_session *session, struct db_ledger *ledger);

/* Calls of the program at plan row @row that the kernel skipped since it was loaded. */
__u64 db_collect_missed(struct db_session *session, int row);

#endif
