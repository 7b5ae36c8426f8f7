/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_SAMPLER_H
#define BENCH_SAMPLER_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"
#include "progress.h"

/* Bytes moved so far by one load thread; alone on its cache line. */
struct byte_counter {
	alignas(64) _Atomic uint64_t bytes;
};

struct sampler;

/*
 * Start sampling /proc/meminfo, /proc/vmstat, the CPU time of kswapd and, when
 * @cgroup is not NULL, memory.stat in that directory, every @interval_s, in a
 * thread of its own. Throughput comes from the @nr @counters; @prog is told
 * of it. 0 or a negative errno (told).
 */
int sampler_start(struct sampler **sp, double interval_s, const struct byte_counter *counters,
		  size_t nr, const char *cgroup, struct progress *prog);

/*
 * Stop, and put into @run the samples, the mean of each level over them
 * ("cached_mib", ...), kswapd's CPU share, and what the kernel's counters
 * gained between start and stop. Frees the sampler. 0 or -ENOMEM.
 */
int sampler_stop(struct sampler *s, struct run *run);

#endif
