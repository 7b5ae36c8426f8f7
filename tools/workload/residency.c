// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "dropbehind/uapi.h"
#include "workload.h"

/* mincore(2) over a mapping that is never touched: counts uptodate pages in the cache. */
static int pages_by_mincore(int fd, uint64_t off, uint64_t len, struct wl_pages *pages)
{
	const uint64_t page_size = sysconf(_SC_PAGESIZE);
	const uint64_t step = 1ull << 30;
	unsigned char *vec = NULL;
	uint64_t at, nr, i;
	void *map;
	int err = 0;

	memset(pages, 0, sizeof(*pages));
	pages->only_cached = true;
	if (!len) {
		struct stat st;

		if (fstat(fd, &st))
			return -errno;
		len = st.st_size;
		if (S_ISBLK(st.st_mode) && ioctl(fd, BLKGETSIZE64, &len))
			return -errno;
		if (off >= len)
			return 0;
		len -= off;
	}
	vec = malloc(step / page_size);
	if (!vec)
		return -ENOMEM;
	for (at = off; at < off + len && !err; at += step) {
		uint64_t part = off + len - at < step ? off + len - at : step;

		map = mmap(NULL, part, PROT_READ, MAP_SHARED, fd, at);
		if (map == MAP_FAILED) {
			err = -errno;
			break;
		}
		nr = (part + page_size - 1) / page_size;
		if (mincore(map, part, vec))
			err = -errno;
		for (i = 0; i < nr && !err; i++)
			pages->cached += vec[i] & 1;
		munmap(map, part);
	}
	free(vec);
	return err;
}

/*
 * The page-cache state of @len bytes from @off, to the end of the file with @len 0.
 * Where the kernel has no cachestat(2), mincore(2) is asked and only the cached pages are known.
 */
int wl_pages_of(int fd, uint64_t off, uint64_t len, bool use_mincore, struct wl_pages *pages)
{
	struct db_cachestat stat = { 0 };
	int err;

	if (use_mincore)
		return pages_by_mincore(fd, off, len, pages);
	err = db_cachestat(fd, off, len, &stat);
	if (err == -ENOSYS)
		return pages_by_mincore(fd, off, len, pages);
	if (err)
		return err;
	*pages = (struct wl_pages) {
		.cached = stat.nr_cache,
		.dirty = stat.nr_dirty,
		.writeback = stat.nr_writeback,
		.evicted = stat.nr_evicted,
	};
	return 0;
}

/*
 * What the scenario works on of @file: all of it, but of a block device only the part it uses, for
 * readahead may go on behind. 0 or a negative errno, told.
 */
int wl_measure(struct wl_run *run, struct wl_file *file, struct wl_pages *pages)
{
	uint64_t len = 0;
	int err;

	if (run->opt.device) {
		len = run->opt.size;
		if (run->opt.scenario->flags & WL_PAGE_MORE)
			len += run->page_size;
	}
	err = wl_pages_of(file->fd, 0, len, run->opt.use_mincore, pages);
	return err ? wl_fail(run, err, "cachestat of %s", file->path) : 0;
}

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void pause_ms(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

/*
 * Waits until the file has nothing dirty or in writeback and its cached pages have not changed for
 * opt.quiet_ms: the kernel ends a folio's writeback, and wakes whoever waits for that, before it
 * drops the folio. First the kernel is left alone for opt.settle_wait_s, then writeback is started
 * here. Gives up after opt.settle_limit_s; that is no error.
 */
int wl_settle(struct wl_run *run, struct wl_file *file)
{
	const struct wl_options *opt = &run->opt;
	double start = now_s(), quiet_since = start;
	struct wl_pages last = { .cached = UINT64_MAX };
	bool forced = false;
	int err;

	for (;;) {
		struct wl_pages now;
		double t;

		err = wl_measure(run, file, &now);
		if (err)
			return err;
		t = now_s();
		if (now.only_cached && !forced) {
			/* dirty and writeback cannot be seen: wait for both */
			if (fdatasync(file->fd))
				return wl_fail(run, errno, "fdatasync of %s", file->path);
			forced = true;
		}
		if (now.dirty || now.writeback || now.cached != last.cached)
			quiet_since = t;
		last = now;
		if ((t - quiet_since) * 1000 >= opt->quiet_ms) {
			file->settled = forced ? WL_SETTLED_FORCED : WL_SETTLED_BY_KERNEL;
			break;
		}
		if (t - start > opt->settle_limit_s) {
			file->settled = WL_SETTLE_TIMED_OUT;
			break;
		}
		if (!forced && now.dirty && t - start > opt->settle_wait_s) {
			if (sync_file_range(file->fd, 0, 0, SYNC_FILE_RANGE_WRITE))
				return wl_fail(run, errno, "sync_file_range of %s", file->path);
			forced = true;
		}
		pause_ms(20);
	}
	return 0;
}
