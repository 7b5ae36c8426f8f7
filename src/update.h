/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What changed between two ledgers of one session, as a ledger that holds
 * only the changed rows, each with its whole count since the start of tracing.
 * Laid over the earlier ledger it gives the later one; applying it twice does
 * no harm, and a missed one costs nothing once the row changes again.
 */
#ifndef DROPBEHIND_UPDATE_H
#define DROPBEHIND_UPDATE_H

#include "ledger.h"

/* Fills @out, which is to be freed.  0 or -ENOMEM, then @out is empty. */
int db_update_make(struct db_ledger *out, const struct db_ledger *before,
		   const struct db_ledger *after);

/*
 * Lays @update over @ledger; what @update owned may be moved, it is still to
 * be freed.  0; -EPROTO: it does not belong to this ledger (another start, an
 * earlier end, or the flows do not add up to the total); -ENOMEM.  After an
 * error @ledger is not usable but to be freed.
 */
int db_update_apply(struct db_ledger *ledger, struct db_ledger *update);

/* Does the total equal the sum over the flows? */
bool db_update_adds_up(const struct db_ledger *ledger);

#endif
