/* SPDX-License-Identifier: GPL-2.0 */
/* Capabilities: what tracing needs, and giving up what it does not need any more. */
#ifndef DROPBEHIND_PRIVILEGE_H
#define DROPBEHIND_PRIVILEGE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/* A capability that some part of the tool uses. */
struct db_capability {
	int number;		/* CAP_* */
	const char *name;
	const char *use;	/* what it is good for here */
};

/* All of them, ended by an entry without a name. */
extern const struct db_capability db_capabilities[];

#define DB_CAP_BIT(cap)	(1ULL << (cap))

/* Is it in this thread's effective set? */
bool db_privilege_has(int cap);

/*
 * Are the capabilities for loading tracing programs there: CAP_BPF and
 * CAP_PERFMON, or CAP_SYS_ADMIN?  0, or -EPERM with the words in @why.
 */
int db_privilege_check(char *why, size_t size);

/*
 * Gives up every capability but those in @keep (DB_CAP_BIT()), for good: they
 * cannot be had back, not by exec either.  Call it after the command was
 * started and before any thread is, since it acts on the calling thread.  0 or
 * negative errno.
 */
int db_privilege_drop(__u64 keep);

#endif
