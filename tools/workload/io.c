// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "dropbehind/uapi.h"
#include "workload.h"

int wl_dontcache_write_flags(const struct wl_options *opt)
{
	return RWF_DONTCACHE | (opt->dsync ? RWF_DSYNC : 0);
}

uint64_t wl_nr_blocks(const struct wl_options *opt)
{
	return (opt->size + opt->block - 1) / opt->block;
}

/* The last block of a file may be short. */
size_t wl_block_len(const struct wl_options *opt, uint64_t index)
{
	uint64_t left = opt->size - index * opt->block;

	return left < opt->block ? left : opt->block;
}

/* A filled buffer that lives as long as its process; NULL on error, told. */
void *wl_buffer(struct wl_run *run, size_t len)
{
	void *buf = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (buf == MAP_FAILED) {
		wl_fail(run, errno, "cannot have %zu bytes for I/O", len);
		return NULL;
	}
	memset(buf, 0xd8, len);
	return buf;
}

static int tell_io_error(struct wl_run *run, struct wl_file *file, int err, bool write,
			 uint64_t off, int flags)
{
	struct utsname uts;

	if (err == -EOPNOTSUPP && (flags & RWF_DONTCACHE)) {
		if (uname(&uts))
			strcpy(uts.release, "unknown");
		return wl_fail(run, err,
			       "%s: no RWF_DONTCACHE %s on this %s with Linux %s; it needs a filesystem that has it (block devices: since Linux 7.3)",
			       file->path, write ? "writes" : "reads", wl_fs_name(file->fd),
			       uts.release);
	}
	return wl_fail(run, err, "%s %s at offset %llu", write ? "write to" : "read from",
		       file->path, (unsigned long long)off);
}

int wl_write(struct wl_run *run, struct wl_file *file, const void *buf, size_t len, uint64_t off,
	     int flags)
{
	const char *at = buf;

	while (len) {
		struct iovec iov = { (void *)at, len };
		ssize_t n = pwritev2(file->fd, &iov, 1, off, flags);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return tell_io_error(run, file, n ? -errno : -EIO, true, off, flags);
		if (flags & RWF_DONTCACHE) {
			file->did.dontcache_write_calls++;
			file->did.dontcache_write_bytes += n;
		} else {
			file->did.cached_write_calls++;
			file->did.cached_write_bytes += n;
		}
		at += n;
		off += n;
		len -= n;
	}
	return 0;
}

int wl_read(struct wl_run *run, struct wl_file *file, void *buf, size_t len, uint64_t off,
	    int flags)
{
	char *at = buf;

	while (len) {
		struct iovec iov = { at, len };
		ssize_t n = preadv2(file->fd, &iov, 1, off, flags);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return tell_io_error(run, file, -errno, false, off, flags);
		if (!n)
			return wl_fail(run, 0, "%s ends at offset %llu, %zu bytes early",
				       file->path, (unsigned long long)off, len);
		if (flags & RWF_DONTCACHE) {
			file->did.dontcache_read_calls++;
			file->did.dontcache_read_bytes += n;
		} else {
			file->did.cached_read_calls++;
			file->did.cached_read_bytes += n;
		}
		at += n;
		off += n;
		len -= n;
	}
	return 0;
}
