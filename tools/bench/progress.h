/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_PROGRESS_H
#define BENCH_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which run of how many, on stderr, with an estimate of the time left. */
struct progress {
	bool on;
	bool terminal;
	unsigned int total, done;
	uint64_t begin_ns, last_ns;
	size_t width;		/* of the line on the screen */
	char what[192];		/* the run that goes on */
};

/* @when: 1 always, -1 never, 0 when stderr is a terminal. */
void progress_init(struct progress *p, int when, unsigned int total_runs);

/* A run begins. */
void progress_run(struct progress *p, const char *group, const char *variant,
		  unsigned int round);

/* The run goes on at @mb_s (NAN: not known). Called by the sampler's thread. */
void progress_tick(struct progress *p, double mb_s);

/* A run has ended. */
void progress_done(struct progress *p);

/* Nothing more to say: clear the line. */
void progress_end(struct progress *p);

#endif
