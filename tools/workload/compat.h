/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the distribution's headers may be too old for, with the kernel that added it.
 */
#ifndef WORKLOAD_COMPAT_H
#define WORKLOAD_COMPAT_H

#include <stdint.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <linux/fs.h>

/* Linux 6.14: uncached buffered I/O. */
#ifndef RWF_DONTCACHE
#define RWF_DONTCACHE	0x00000080
#endif

/* Linux 4.7: this write as if opened with O_DSYNC. */
#ifndef RWF_DSYNC
#define RWF_DSYNC	0x00000002
#endif

/* Linux 6.5: cachestat(2); the number is the same on every architecture. */
#ifndef __NR_cachestat
#define __NR_cachestat	451
#endif

/* struct cachestat_range and struct cachestat of Linux 6.5, under names that no header has. */
struct compat_cachestat_range {
	uint64_t off;
	uint64_t len;
};

struct compat_cachestat {
	uint64_t nr_cache;
	uint64_t nr_dirty;
	uint64_t nr_writeback;
	uint64_t nr_evicted;
	uint64_t nr_recently_evicted;
};

#endif
