/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_STOP_H
#define BENCH_STOP_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* Set for a program that shall stop when the process of that number, its parent, ends. */
#define STOP_WITH_ENV "DONTCACHE_BENCH_STOP_WITH"

/*
 * Number of the signal that asked us to stop, 0 while there is none. Every
 * load loop looks at it; the run then ends with -EINTR and cleans up.
 */
extern volatile sig_atomic_t stop_signal;

/*
 * Catch SIGINT, SIGTERM and SIGHUP, and take the end of the process that
 * STOP_WITH_ENV names for a SIGTERM. 0 or a negative errno.
 */
int stop_install(void);

/*
 * In a new process: get @sig when @parent, which has started it, ends. False if
 * it has ended already.
 */
bool stop_with_parent(pid_t parent, int sig);

#endif
