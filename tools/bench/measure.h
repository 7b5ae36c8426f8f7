/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "session.h"

/* One run: which row, column and round it is, and what to look at. */
struct measured {
	const char *group;
	const char *variant;
	unsigned int round;
	const char *cgroup;	/* directory whose memory.stat is sampled, or NULL */
};

/*
 * One measured run of @nr streams, each on its file and, when there are
 * several, in a thread of its own: samples only within the loop, then the
 * final fsync on the clock, then the pages that stayed. Appends a run to the
 * result with these metrics (and those of the sampler):
 *   bytes, loop_s, throughput_mib_s        the loop alone
 *   fsync_s, throughput_fsync_mib_s        loop and final fsync (writes only)
 *   resident_end_pages, dirty_end_pages    right after the loop
 *   resident_pages, evicted_pages          after fsync and a moment of rest; evicted
 *                                          are those that reclaim took, and no drop
 *   process_read_bytes, device_read_bytes, read_amplification   (reads only)
 *   ops, short_ops, interrupted, wraps
 *   foreign_cache_drops                    times somebody else dropped the cache
 * The counters of the streams must be one array, in the order of the streams.
 * *runp, when not NULL, gets the run for further metrics. 0 or a negative
 * errno (told).
 */
int measure_streams(struct session *s, struct stream *st, const struct bfile *files,
		    size_t nr, const struct measured *m, struct run **runp);

/* Fill @st for sequential I/O of @total bytes in blocks of @io on @f. */
void measure_prepare(struct stream *st, struct byte_counter *counter, const struct bfile *f,
		     bool write, int rwf_flags, uint64_t io, uint64_t total);

/* Name of the row for I/O of @io bytes in table @prefix: "PREFIX|4K". */
void measure_group(char *group, size_t size, const char *prefix, uint64_t io);

/*
 * Make file number 0 with @fill bytes of data in it (0: empty). On error there
 * is no file. 0 or a negative errno (told).
 */
int measure_make_file(struct bfile *f, struct place *p, uint64_t fill);

/* Write @total bytes to @f with plain I/O and fsync them. 0 or a negative errno (told). */
int measure_fill_file(const struct bfile *f, uint64_t total);

#endif
