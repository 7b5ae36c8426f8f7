/* SPDX-License-Identifier: GPL-2.0 */
/* The command that a verb runs and watches, and the signals that end a run. */
#ifndef DROPBEHIND_CHILD_H
#define DROPBEHIND_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/* 128 + SIGKILL and the like, as a shell would say it. */
struct db_child {
	pid_t pid;	/* 0: none */
	bool ended;
	int status;	/* exit status to pass on, valid when ended */
};

/*
 * Catches SIGINT, SIGTERM and SIGHUP, whose coming db_interrupted() tells, and
 * ignores SIGPIPE and SIGXFSZ, so that writes fail instead.
 */
void db_catch_signals(void);
bool db_interrupted(void);

/*
 * Starts @argv with the signals as they were before db_catch_signals().  0, or
 * negative errno: the program could not be run (-ENOENT, -EACCES ...).
 */
int db_child_start(struct db_child *child, char **argv);

/* Looks whether it has ended, without waiting. */
void db_child_check(struct db_child *child);

/* Waits for it, handing it every signal that interrupts us, the first one included. */
void db_child_wait(struct db_child *child);

#endif
