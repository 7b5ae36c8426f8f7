/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_STREAM_H
#define BENCH_STREAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "dropbehind/uapi.h"
#include "hist.h"
#include "sampler.h"

/*
 * One sequential load on one file by one thread: as fast as it goes, or paced.
 * The caller fills the first part, stream_run() the second.
 */
struct stream {
	int fd;
	bool write;
	int rwf_flags;		/* 0 or RWF_DONTCACHE */
	size_t io_bytes;	/* per system call */
	off_t start;		/* first byte */
	uint64_t span_bytes;	/* go back to @start after so many */
	uint64_t total_bytes;	/* end after so many; 0: no such end */
	uint64_t limit_ns;	/* end so long after the begin; 0: no such end */
	const atomic_bool *stop;	/* end when it becomes true; may be NULL */
	struct byte_counter *counter;	/* counts what was moved */

	/* Paced loads only. Schedule: operation k is due when the rate has made k of them. */
	uint64_t rate_bytes_s;	/* 0: unpaced */
	uint64_t max_ops;	/* length of the schedule */
	struct hist *lag;	/* due time to start of the call */
	struct hist *latency;	/* due time to end of the call: a stall is not hidden */

	uint64_t begin_ns, end_ns;
	uint64_t done_bytes;
	uint64_t ops;
	uint64_t late_ops;	/* began more than a whole period behind schedule */
	uint64_t short_ops;	/* moved less than asked for */
	uint64_t interrupted;	/* EINTR answers, tried again */
	uint64_t wraps;		/* times it went back to @start */
};

/*
 * Run the load in this thread. 0, -EINTR when a signal asked us to stop, or a
 * negative errno, told by the caller (who knows the file's name).
 */
int stream_run(struct stream *s);

/*
 * After the run: put the operations of the schedule that were never begun into its
 * histograms, as late as they were at the end (they would have been later still).
 * Returns how many they are.
 */
uint64_t stream_count_unissued(struct stream *s);

/* Length of the schedule of a paced load. */
uint64_t stream_schedule_ns(const struct stream *s);

#endif
