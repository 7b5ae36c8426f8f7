/* SPDX-License-Identifier: GPL-2.0 */
/* From the maps of a live session to the ledger. */
#ifndef DROPBEHIND_COLLECT_H
#define DROPBEHIND_COLLECT_H

#include <linux/types.h>

#include "dropbehind/terms.h"

struct db_flow_info;
struct db_session;
struct db_ledger;

/* Fills an initialised ledger.  0 or negative errno; then it is left empty. */
int db_collect(struct db_session *session, struct db_ledger *ledger);

/* Calls of the program at plan row @row that the kernel skipped since it was loaded. */
__u64 db_collect_missed(struct db_session *session, int row);

/* How much was lost of one kind so far.  0 or negative errno. */
int db_collect_loss(struct db_session *session, enum db_loss loss, __u64 *count);

/* What the kernel side keeps of a flow (records.h); info->used is 0 while it is being written. */
int db_collect_flow_info(struct db_session *session, __u32 slot, struct db_flow_info *info);

/* Name of a workqueue by its slot; empty if unknown.  @name: DB_NAME_LEN bytes. */
void db_collect_wq_name(struct db_session *session, __u32 slot, char *name);

#endif
