/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_VICTIM_H
#define BENCH_VICTIM_H

#include <stdatomic.h>
#include <stdint.h>

#include "hist.h"

/*
 * The application whose cache others pollute: random page-sized reads of a hot
 * set at a fixed rate. Lives in shared memory; the load process fills the second
 * part.
 */
struct victim {
	int fd;
	uint64_t hot_bytes;
	uint64_t period_ns;		/* open-loop schedule */
	uint64_t seed;
	atomic_bool *stop;

	struct hist latency;		/* due time to end of the read */
	uint64_t run_ns;		/* length of the schedule so far */
	uint64_t reads;
	uint64_t hits;			/* answered with RWF_NOWAIT */
	uint64_t misses;		/* RWF_NOWAIT said EAGAIN */
	uint64_t unissued;		/* due, but never begun: counted in @latency */
	int nowait_works;		/* else hits and misses are unavailable */
	double read_bytes;		/* from storage, NAN when unavailable */
};

/* Make the whole hot set resident and recently used. 0 or a negative errno. */
int victim_warm(void *victim);

/* Read until *stop. 0 or a negative errno. */
int victim_run(void *victim);

#endif
