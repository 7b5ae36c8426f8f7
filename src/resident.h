/* SPDX-License-Identifier: GPL-2.0 */
/* How much of a file is in the page cache, asked of the kernel. */
#ifndef DROPBEHIND_RESIDENT_H
#define DROPBEHIND_RESIDENT_H

#include "ledger.h"

struct db_resident {
	bool known;
	__u64 pages;		/* in cache, whoever put them there */
	const char *method;	/* "cachestat" or "mincore"; valid when known */
	char why[96];		/* why it is not known */
};

/*
 * Asks for the file of a flow.  Its name may belong to another file by now, so
 * it is trusted only if device, inode number and, where the filesystem tells
 * it, generation are the flow's.
 */
void db_resident_find(struct db_resident *resident, const struct db_flow *flow);

#endif
