/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cgroup.h"

/*
 * A load in a process of its own, because a memory cgroup holds processes. It
 * dies with us. What it finds goes into shared memory of the caller's.
 */
struct child {
	pid_t pid;
	atomic_bool ready;	/* prepared, waits for the start */
	atomic_bool go;
	atomic_bool stop;
	int err;		/* valid after child_wait() */
};

/* Memory shared with children, zeroed. NULL: out of memory. Free with child_shared_free(). */
void *child_shared(size_t size);
void child_shared_free(void *mem, size_t size);

/*
 * Start @prepare and, once child_go() is called, @load in a new process inside
 * @cg (NULL: where we are). @c must be in shared memory. 0 or a negative errno
 * (told).
 */
int child_start(struct child *c, const struct cgroup *cg, int (*prepare)(void *arg),
		int (*load)(void *arg), void *arg);

/* Wait until @c is prepared. 0, its error (told) or -EINTR. */
int child_wait_ready(struct child *c, const char *what);

/* Let it begin its load. */
void child_go(struct child *c);

/* Tell it to stop and wait for its end. Returns its error, told. */
int child_stop(struct child *c, const char *what);

/* Has it ended before it was told to? */
bool child_gone(struct child *c);

#endif
