// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "sys.h"

int sys_write_all(int fd, const void *buf, size_t len, off_t off, int rwf)
{
	const char *p = buf;

	while (len) {
		struct iovec iov = { .iov_base = (void *)p, .iov_len = len };
		ssize_t n = pwritev2(fd, &iov, 1, off, rwf);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -EIO;
		p += n;
		off += n;
		len -= n;
	}
	return 0;
}

int sys_read_all(int fd, void *buf, size_t len, off_t off, int rwf)
{
	char *p = buf;

	while (len) {
		struct iovec iov = { .iov_base = p, .iov_len = len };
		ssize_t n = preadv2(fd, &iov, 1, off, rwf);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -ENODATA;
		p += n;
		off += n;
		len -= n;
	}
	return 0;
}

int sys_residency(int fd, off_t len, struct sys_residency *out)
{
	size_t page = sysconf(_SC_PAGESIZE);
	size_t pages = (len + page - 1) / page;
	struct db_cachestat cs = { 0 };
	unsigned char *vec = NULL;
	void *map = MAP_FAILED;
	int err = 0;

	*out = (struct sys_residency){ 0 };
	if (!pages)
		return 0;

	vec = malloc(pages);
	if (!vec)
		return -ENOMEM;
	map = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED || mincore(map, len, vec)) {
		err = -errno;
		goto cleanup;
	}
	for (size_t i = 0; i < pages; i++)
		out->mincore_pages += vec[i] & 1;

	err = db_cachestat(fd, 0, len, &cs);
	if (!err) {
		out->have_cachestat = true;
		out->cached_pages = cs.nr_cache;
		out->dirty_pages = cs.nr_dirty;
		out->writeback_pages = cs.nr_writeback;
	} else if (err == -ENOSYS || err == -EOPNOTSUPP) {
		err = 0;
	}
cleanup:
	if (map != MAP_FAILED)
		munmap(map, len);
	free(vec);
	return err;
}
