/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options.  One table for all verbs, so that a letter means the same
 * everywhere; each verb names the ones it takes.  Help is generated from the
 * table.
 */
#ifndef DROPBEHIND_OPTIONS_H
#define DROPBEHIND_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "session.h"

/* Which options a verb takes. */
#define DB_OPT_JSON		0x0001
#define DB_OPT_INTERVAL		0x0002
#define DB_OPT_DURATION		0x0004
#define DB_OPT_OUTPUT		0x0008
#define DB_OPT_FILTERS		0x0010
#define DB_OPT_TRACING		0x0020	/* --attach, --table-slots, --max-files, --ring-size, --grace */
#define DB_OPT_MIN_LATENCY	0x0040
#define DB_OPT_SIZES		0x0080	/* --max-size, --rotate */
#define DB_OPT_COMMAND		0x0100	/* -- CMD */
#define DB_OPT_OPERANDS		0x0200	/* files or directories */
#define DB_OPT_EVENTS		0x0400	/* --events */
#define DB_OPT_SAMPLES		0x0800	/* --samples */

struct db_options {
	bool json;
	bool help;
	double interval_s;	/* 0: not given */
	double duration_s;	/* 0: not given */
	const char *output;
	__u64 max_bytes;	/* 0: no limit */
	unsigned int rotate;	/* files kept; 0: no rotation */
	unsigned int samples;	/* per second */
	struct db_session_options session;
	char **command;		/* NULL-ended, NULL if none */
	char **operands;	/* NULL-ended */
	int noperands;
};

struct db_verb {
	const char *name;
	const char *summary;	/* one line */
	const char *usage;	/* behind the verb */
	const char *examples;	/* lines, each indented by two */
	const char *exits;	/* exit statuses: those but EX_USAGE if it begins with "0 ", else those beyond 0, 1 and EX_USAGE; NULL: none */
	unsigned int options;	/* DB_OPT_* */
	int (*run)(struct db_options *options);	/* returns an exit status */
};

/*
 * Parses the arguments behind the verb.  0, or negative errno after one line on
 * stderr: wrong use, for which the exit status is EX_USAGE.
 */
int db_options_parse(struct db_options *options, const struct db_verb *verb, int argc, char **argv);

void db_options_help(FILE *out, const struct db_verb *verb);

/*
 * Calls back for each option the verb takes.  @letter is 0 for those without
 * one, @value NULL for those that take none.
 */
void db_options_each(const struct db_verb *verb,
		     void (*option)(void *arg, char letter, const char *name, const char *value,
				    const char *help),
		     void *arg);

/* The sentence on exit statuses, without a full stop; @size >= 256. */
void db_options_exits(const struct db_verb *verb, char *text, size_t size);

#endif
