/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_GUARD_H
#define BENCH_GUARD_H

/*
 * A second process that holds the list of what we made (files, cgroups). When
 * this program ends in any way, killed included, what is still on the list is
 * undone, the last first. Files whose immutable attribute is set are freed of
 * it before.
 */

/* Start it. 0 or a negative errno (told). */
int guard_start(void);

/* In a child of ours: give up the connection, so that only the parent counts. */
void guard_forget(void);

/*
 * Have the guard make it. It is on the list from its first moment, and what
 * somebody else made never is: -EEXIST then, or another negative errno. A tree
 * is a directory of ours alone, removed with the files in it. Without a guard
 * it is only made.
 */
int guard_make_file(const char *path);
int guard_make_dir(const char *path);
int guard_make_tree(const char *path);

/*
 * Put on the list: a file that was given to us and is removed like our own; a
 * cgroup.subtree_control where we are about to switch the memory controller on.
 * 0 or a negative errno.
 */
int guard_add_file(const char *path);
int guard_add_memory(const char *control);

/* Take off the list after undoing it ourselves. 0 or a negative errno. */
int guard_done(const char *path);

/* Let it undo what is left and wait for it. */
void guard_stop(void);

#endif
