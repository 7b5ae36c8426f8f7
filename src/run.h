/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What all tracing verbs share: attach, start the command, wait for the end
 * whatever brings it, pass the command's exit status on.
 *
 *	struct db_run run = { .options = options, ... };
 *
 *	err = db_run_begin(&run);
 *	if (!err)
 *		err = db_run_wait(&run);
 *	if (!err)
 *		...	report; counting is off
 *	return db_run_end(&run, err);
 */
#ifndef DROPBEHIND_RUN_H
#define DROPBEHIND_RUN_H

#include "child.h"
#include "options.h"
#include "session.h"

struct db_run {
	/* set by the verb before db_run_begin() */
	struct db_options *options;
	__u64 keep;		/* capabilities it needs to the end, DB_CAP_BIT() */
	bool silent;		/* what it measures does not go to stdout: a closed pipe is no reason to end */
	void *arg;
	int (*event)(void *arg, void *record, size_t size);	/* gets ring records, with .arg */
	/* Each may be NULL; negative errno, after a line on stderr, ends the run; -EPIPE quietly. */
	int (*attached)(struct db_run *run);	/* counting is on, the command not yet started */
	int (*interval)(struct db_run *run);	/* every --interval */
	int (*turn)(struct db_run *run);	/* some fifty times a second; > 0: again at once */
	int (*ending)(struct db_run *run);	/* counting is still on, the command is over */

	/* to be read */
	struct db_session session;
	struct db_child child;
	bool gone;		/* nobody reads our output any more */
};

/* 0, or negative errno after one line on stderr.  db_run_end() follows in any case. */
int db_run_begin(struct db_run *run);

/*
 * Until the command ends, the time is up, a signal comes or nobody reads the
 * output any more; then counting is switched off.  0 or negative errno.
 */
int db_run_wait(struct db_run *run);

/*
 * Detaches, waits for a command that still runs, and gives the exit status: 1
 * for an error, which was told before, else the command's, else 0.  -EPIPE is
 * no error.
 */
int db_run_end(struct db_run *run, int err);

/*
 * Says that tracing is on and flushes; a parent process may wait for this
 * line.  Suits .attached.
 */
int db_run_header(struct db_run *run);

#endif
