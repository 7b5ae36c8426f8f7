/* SPDX-License-Identifier: GPL-2.0 */
/* Does RWF_DONTCACHE work at a place?  Found by doing it. */
#ifndef DROPBEHIND_DONTCACHE_H
#define DROPBEHIND_DONTCACHE_H

enum db_trial_result {
	DB_TRIAL_UNTRIED,
	DB_TRIAL_WORKS,
	DB_TRIAL_REFUSED,	/* by the filesystem or the kernel: EOPNOTSUPP */
	DB_TRIAL_FAILED,	/* with another error */
};

struct db_trial {
	enum db_trial_result write, read;
	char why[128];		/* for whatever does not work or was not tried; else empty */
};

/*
 * Writes and reads one page in a temporary file without a name in @dir (with
 * one, removed at once, where O_TMPFILE is not known).  Leaves nothing behind.
 */
void db_try_directory(struct db_trial *trial, const char *dir);

/* Reads one page of a file or block device; writing is not tried. */
void db_try_reading(struct db_trial *trial, const char *path);

#endif
