/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "session.h"

/*
 * One measured run of one stream on one file: samples only within the loop,
 * then the final fsync on the clock, then the pages that stayed. Appends a run
 * to the result with these metrics (and those of the sampler):
 *   bytes, loop_s, throughput_mib_s        the loop alone
 *   fsync_s, throughput_fsync_mib_s        loop and final fsync (writes only)
 *   resident_end_pages                     right after the loop
 *   resident_pages                         after fsync and a moment of rest
 *   dirty_end_pages                        right after the loop
 *   process_read_bytes, device_read_bytes, read_amplification   (reads only)
 *   short_ops, interrupted, wraps
 * @cgroup is the directory whose memory.stat is sampled, or NULL. *runp, when
 * not NULL, gets the run for further metrics. 0 or a negative errno (told).
 */
int measure_stream(struct session *s, struct stream *st, const struct bfile *f,
		   const char *group, const char *variant, unsigned int round,
		   const char *cgroup, struct run **runp);

/* Fill @path's stream for sequential I/O of @total bytes in blocks of @io. */
void measure_prepare(struct stream *st, struct byte_counter *counter, const struct bfile *f,
		     bool write, int rwf_flags, uint64_t io, uint64_t total);

/* Write @total bytes to @f with plain I/O and fsync them. 0 or a negative errno (told). */
int measure_fill_file(const struct bfile *f, uint64_t total);

#endif
