/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OPCHECK_SYS_H
#define OPCHECK_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "dropbehind/uapi.h"

/*
 * Writes or reads all of @len bytes at @off with preadv2/pwritev2 flags
 * @rwf. Returns 0, or a negative errno; a read that meets the end of the file
 * early gives -ENODATA, a write that makes no progress -EIO.
 */
int sys_write_all(int fd, const void *buf, size_t len, off_t off, int rwf);
int sys_read_all(int fd, void *buf, size_t len, off_t off, int rwf);

/* What the page cache holds of one file, in pages. */
struct sys_residency {
	uint64_t mincore_pages;
	uint64_t cached_pages;
	uint64_t dirty_pages;
	uint64_t writeback_pages;
	bool have_cachestat;	/* false: only mincore_pages is known */
};

/* Counts the first @len bytes of @fd. Returns 0 or a negative errno. */
int sys_residency(int fd, off_t len, struct sys_residency *out);

#endif
