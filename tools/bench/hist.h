/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_HIST_H
#define BENCH_HIST_H

#include <stdint.h>

/*
 * Histogram of nanoseconds: 64 linear steps per power of two, so a value read
 * back is at most 1/64 (1.6 %) above the one put in. The maximum is
 * exact. Plain memory without pointers: it may live in shared memory.
 */
#define HIST_SUB_BITS 6
#define HIST_BUCKETS ((64 - HIST_SUB_BITS + 1) << HIST_SUB_BITS)

struct hist {
	uint64_t count;
	uint64_t max_ns;
	uint64_t bucket[HIST_BUCKETS];
};

/* Make @h empty. */
void hist_init(struct hist *h);

/* Count one value. */
void hist_add(struct hist *h, uint64_t ns);

/*
 * The smallest bucket limit that at least @percent of the values do not
 * exceed, in ns, never above the maximum; NAN when empty.
 */
double hist_percentile_ns(const struct hist *h, double percent);

#endif
