/* SPDX-License-Identifier: GPL-2.0 */
/* What another process costs: its CPU time and its BPF programs, from outside. */
#ifndef OVERHEAD_WATCH_H
#define OVERHEAD_WATCH_H

#include <linux/types.h>
#include <sys/types.h>

#define WATCH_PROGRAMS	128

struct watch_program {
	__u32 id;
	char name[80];	/* what it is attached to where that can be told, else its own */
	__u64 runs;
	__u64 run_ns;	/* counted only while BPF run time statistics are on */
	__u64 missed;	/* not run because it was running already */
};

struct watch {
	long long cpu_ns;	/* of all its threads; -1: unavailable */
	int nprograms;		/* that it holds; -1: unavailable */
	struct watch_program programs[WATCH_PROGRAMS];
};

/*
 * Gives the programs of @watch the names of what they are attached to.  Takes
 * long (it reads the kernel's BTF), so do it when nothing is timed any more.
 */
void watch_name(struct watch *watch, pid_t pid);

/* Takes what @pid has used so far.  What cannot be had is marked so. */
void watch_take(struct watch *watch, pid_t pid);

/*
 * Turns BPF run time statistics on until the returned descriptor is closed, at
 * the latest when the process ends; -errno when the kernel refuses.
 */
int watch_enable_stats(void);

#endif
