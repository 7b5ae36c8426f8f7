/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_RESIDENCY_H
#define BENCH_RESIDENCY_H

#include <stdint.h>

/* Pages of a file or device in the page cache. */
struct residency {
	uint64_t resident_pages;
	uint64_t dirty_pages;		/* valid only if have_dirty */
	uint64_t evicted_pages;		/* reclaimed and remembered; valid only if have_dirty */
	int have_dirty;			/* 0: counted by mincore, which cannot tell */
};

/*
 * Count bytes [@offset, @offset + @length) of @fd with cachestat(2), else with
 * mincore(2). 0 or a negative errno.
 */
int residency_count(int fd, uint64_t offset, uint64_t length, struct residency *res);

#endif
