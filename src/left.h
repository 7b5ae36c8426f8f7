/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dropbehind left: the folios that were left behind while it traced and are
 * still in cache, each file checked against what the kernel says is resident.
 */
#ifndef DROPBEHIND_LEFT_H
#define DROPBEHIND_LEFT_H

#include <stdio.h>

#include "ledger.h"
#include "resident.h"

#define DB_LEFT_JSON_VERSION	1

/* The kernel counts everything cached of a file, so resident >= left is what can be checked. */
enum db_left_check {
	DB_LEFT_UNCHECKED,
	DB_LEFT_AGREES,
	DB_LEFT_DISAGREES,
};

/* One file: all its flows, which differ in the cgroup. */
struct db_left_file {
	const struct db_flow **flows;	/* into the ledger; the array is owned */
	size_t nflows;
	__u64 left_pages;	/* by the ledger, before the kernel was asked */
	__u64 least_pages;	/* of these, not known to have gone until after it was asked */
	struct db_resident resident;
	enum db_left_check check;
};

struct db_left {
	const struct db_ledger *ledger;
	struct db_left_file *files;	/* by falling left_pages; owned */
	size_t nfiles;
	__u64 left_pages;
	__u64 looked_pages;	/* the same, found by looking at each folio */
	enum db_verdict verdict;
};

/*
 * Finds the files in @ledger and asks the kernel about them.  0 or -ENOMEM,
 * then empty.  The ledger must outlive it.
 */
int db_left_find(struct db_left *left, const struct db_ledger *ledger);

/* Judges, with a ledger taken after db_left_find(). */
void db_left_judge(struct db_left *left, const struct db_ledger *after);

void db_left_free(struct db_left *left);

/* Views; 0 or negative errno as of db_output_finish(). */
int db_left_text(FILE *out, const struct db_left *left);
int db_left_json(FILE *out, const struct db_left *left);

const char *db_left_check_word(enum db_left_check check);

struct db_options;

/* The verb. */
int db_verb_left(struct db_options *options);

#endif
