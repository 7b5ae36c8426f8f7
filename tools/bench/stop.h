/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_STOP_H
#define BENCH_STOP_H

#include <signal.h>

/*
 * Number of the signal that asked us to stop, 0 while there is none. Every
 * load loop looks at it; the run then ends with -EINTR and cleans up.
 */
extern volatile sig_atomic_t stop_signal;

/* Catch SIGINT, SIGTERM and SIGHUP. 0 or a negative errno. */
int stop_install(void);

#endif
