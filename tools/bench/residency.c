// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dropbehind/uapi.h"
#include "residency.h"
#include "units.h"

#define MINCORE_CHUNK (256 * MIB)

static int count_mincore(int fd, uint64_t offset, uint64_t length, struct residency *res)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *vec = malloc(MINCORE_CHUNK / page);
	uint64_t at;
	int err = 0;

	if (!vec)
		return -ENOMEM;
	for (at = offset; at < offset + length && !err; at += MINCORE_CHUNK) {
		uint64_t left = offset + length - at;
		size_t len = (size_t)(left < MINCORE_CHUNK ? left : MINCORE_CHUNK), i;
		void *map = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, (off_t)at);

		if (map == MAP_FAILED) {
			err = -errno;
			break;
		}
		if (mincore(map, len, vec))
			err = -errno;
		for (i = 0; !err && i < (len + page - 1) / page; i++)
			res->resident_pages += vec[i] & 1;
		munmap(map, len);
	}
	free(vec);
	return err;
}

int residency_count(int fd, uint64_t offset, uint64_t length, struct residency *res)
{
	struct db_cachestat counts;
	int err;

	memset(res, 0, sizeof(*res));
	if (!length)
		return 0;
	err = db_cachestat(fd, offset, length, &counts);
	if (!err) {
		res->resident_pages = counts.nr_cache;
		res->dirty_pages = counts.nr_dirty;
		res->evicted_pages = counts.nr_evicted;
		res->have_dirty = 1;
		return 0;
	}
	if (err != -ENOSYS && err != -EOPNOTSUPP && err != -EPERM)
		return err;
	return count_mincore(fd, offset, length, res);
}
