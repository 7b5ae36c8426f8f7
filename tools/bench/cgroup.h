/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_CGROUP_H
#define BENCH_CGROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A memory cgroup of ours, version 1 or 2. */
struct cgroup {
	char path[PATH_MAX];	/* "" while there is none */
	char origin[PATH_MAX];	/* where this process was when the group was made */
	bool v2;
	bool enabled_memory;	/* we switched the controller on in a parent that is not ours */
};

/* 2, 1, or 0 when there is no memory controller to use. */
int cgroup_version(void);

/*
 * Make a group below @parent, or below the root of the hierarchy when @parent
 * is NULL, with at most @limit_bytes of memory (0: no limit). It is removed
 * at the latest when the program ends. 0 or a negative errno (told).
 */
int cgroup_make(struct cgroup *cg, struct cgroup *parent, const char *name,
		uint64_t limit_bytes);

/* Move process @pid into it. 0 or a negative errno (told). */
int cgroup_join(const struct cgroup *cg, pid_t pid);

/*
 * Move process @pid to the group that this process was in when @cg was made; to
 * the root of the hierarchy when that could not be told. 0 or a negative errno
 * (told).
 */
int cgroup_leave(const struct cgroup *cg, pid_t pid);

/* File pages that came back after eviction, so far; NAN when unavailable. */
double cgroup_refaults(const struct cgroup *cg);

/*
 * Remove it if it exists, and switch the memory controller off again if it was
 * switched on for it. What is still busy is removed when the program ends.
 */
void cgroup_remove(struct cgroup *cg);

#endif
