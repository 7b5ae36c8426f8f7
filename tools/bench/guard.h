/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_GUARD_H
#define BENCH_GUARD_H

/*
 * A second process that holds the list of what we made (files, cgroups). When
 * this program ends in any way, killed included, what is still on the list is
 * removed. Files whose immutable attribute we set are freed of it first.
 */

/* Start it. 0 or a negative errno (told). */
int guard_start(void);

/* In a child of ours: give up the connection, so that only the parent counts. */
void guard_forget(void);

/*
 * Put on the list (a directory before making it, a file as soon as it is known
 * to be ours), take off after removing it. 0 or a negative errno.
 */
int guard_add_file(const char *path);
int guard_add_dir(const char *path);
int guard_done(const char *path);

/* Let it remove what is left and wait for it. */
void guard_stop(void);

#endif
