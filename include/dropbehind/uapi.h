/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers and layouts of the kernel's system calls that the distribution's headers may be too old
 * for, for the tool, the bench and the test programs.
 */
#ifndef DROPBEHIND_UAPI_H
#define DROPBEHIND_UAPI_H

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Flag of preadv2(2) and pwritev2(2): drop the folios this adds. include/uapi/linux/fs.h, Linux 6.14. */
#ifndef RWF_DONTCACHE
#define RWF_DONTCACHE		0x00000080
#endif

/* The same number on every architecture but alpha. Linux 6.5. */
#define DB_NR_CACHESTAT		451

/* struct cachestat_range of include/uapi/linux/mman.h, Linux 6.5, under a name that no header has. */
struct db_cachestat_range {
	uint64_t off;		/* bytes */
	uint64_t len;		/* bytes; 0: to the end of the file */
};

/* struct cachestat of the same place, in pages. */
struct db_cachestat {
	uint64_t nr_cache;
	uint64_t nr_dirty;
	uint64_t nr_writeback;
	uint64_t nr_evicted;
	uint64_t nr_recently_evicted;
};

/*
 * cachestat(2): the page cache of @len bytes of @fd from @off. 0 or a negative errno: -ENOSYS before
 * Linux 6.5, -EOPNOTSUPP for hugetlbfs, -EPERM for a file that the caller neither owns nor may write.
 */
static inline int db_cachestat(int fd, uint64_t off, uint64_t len, struct db_cachestat *pages)
{
	struct db_cachestat_range range = { .off = off, .len = len };

	return syscall(DB_NR_CACHESTAT, fd, &range, pages, 0) ? -errno : 0;
}

#endif
