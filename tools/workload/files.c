// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "workload.h"

static int open_device(struct wl_run *run, struct wl_file *file, int flags)
{
	struct stat st;
	uint64_t size;

	if (stat(file->path, &st))
		return wl_fail(run, errno, "%s", file->path);
	if (!S_ISBLK(st.st_mode))
		return wl_fail(run, 0, "%s is not a block device; use --file or --dir",
			       file->path);
	/* O_EXCL: refused while it is mounted or otherwise in use */
	file->fd = open(file->path, flags | O_EXCL);
	if (file->fd < 0)
		return wl_fail(run, errno, "open %s", file->path);
	if (ioctl(file->fd, BLKGETSIZE64, &size))
		return wl_fail(run, errno, "size of %s", file->path);
	if (size < run->opt.size + run->page_size)
		return wl_fail(run, 0, "%s has %llu bytes, too few for --size %llu and a page",
			       file->path, (unsigned long long)size,
			       (unsigned long long)run->opt.size);
	file->dev = st.st_rdev;
	file->ino = st.st_ino;
	return 0;
}

static int open_file(struct wl_run *run, struct wl_file *file, int flags)
{
	struct stat st;

	file->fd = open(file->path, flags | O_CREAT | O_EXCL, 0600);
	if (file->fd >= 0) {
		file->created = true;
	} else if (errno == EEXIST && run->opt.file) {
		if (!stat(file->path, &st) && !S_ISREG(st.st_mode))
			return wl_fail(run, 0, "%s is not a regular file", file->path);
		file->fd = open(file->path, flags);
	}
	if (file->fd < 0)
		return wl_fail(run, errno, "open %s", file->path);
	if (fstat(file->fd, &st))
		return wl_fail(run, errno, "%s", file->path);
	file->dev = st.st_dev;
	file->ino = st.st_ino;
	return 0;
}

int wl_open_files(struct wl_run *run)
{
	const struct wl_options *opt = &run->opt;
	int flags = O_RDWR | O_CLOEXEC | (opt->o_dsync ? O_DSYNC : 0);
	int i, err, n;

	for (i = 0; i < run->nr_files; i++) {
		struct wl_file *file = &run->files[i];

		if (opt->dir)
			n = snprintf(file->path, sizeof(file->path), "%s/dontcache-workload-%d-%d",
				     opt->dir, (int)getpid(), i);
		else
			n = snprintf(file->path, sizeof(file->path), "%s",
				     opt->file ? opt->file : opt->device);
		if (n < 0 || (size_t)n >= sizeof(file->path))
			return wl_fail(run, ENAMETOOLONG, "path of file %d", i);
		err = opt->device ? open_device(run, file, flags) : open_file(run, file, flags);
		if (err)
			return err;
	}
	return 0;
}

/* Removes the files this run made in --dir unless they are to be kept. Also called from a signal handler. */
void wl_remove_files(struct wl_run *run)
{
	int i;

	for (i = 0; i < run->nr_files; i++) {
		struct wl_file *file = &run->files[i];

		if (run->opt.dir && file->created && !file->gone && !run->opt.keep)
			unlink(file->path);
	}
}

void wl_close_files(struct wl_run *run)
{
	int i;

	for (i = 0; i < run->nr_files; i++) {
		struct wl_file *file = &run->files[i];

		if (file->fd >= 0)
			close(file->fd);
		file->fd = -1;
	}
}

/* An empty file with nothing in the cache; a block device just becomes cold. */
int wl_make_empty(struct wl_run *run, struct wl_file *file)
{
	if (run->opt.device)
		return wl_make_cold(run, file);
	if (ftruncate(file->fd, 0))
		return wl_fail(run, errno, "truncate %s", file->path);
	return 0;
}

/* A file of @bytes that is one hole. */
int wl_make_sized(struct wl_run *run, struct wl_file *file, uint64_t bytes)
{
	int err = wl_make_empty(run, file);

	if (err || run->opt.device)
		return err;
	if (ftruncate(file->fd, bytes))
		return wl_fail(run, errno, "truncate %s to %llu bytes", file->path,
			       (unsigned long long)bytes);
	return 0;
}

/* opt.size bytes of data, written, on the device, and nothing of it in the cache. */
int wl_make_full(struct wl_run *run, struct wl_file *file)
{
	const size_t step = 1 << 20;
	uint64_t off;
	char *buf;
	int err;

	err = wl_make_empty(run, file);
	if (err)
		return err;
	buf = wl_buffer(run, step);
	if (!buf)
		return -ENOMEM;
	for (off = 0; off < run->opt.size && !err; off += step) {
		uint64_t left = run->opt.size - off;
		size_t len = left < step ? left : step;
		ssize_t n;

		/* not through wl_write(): preparation is not what the run did */
		n = pwrite(file->fd, buf, len, off);
		if (n != (ssize_t)len)
			err = wl_fail(run, n < 0 ? errno : ENOSPC, "write to %s at offset %llu",
				      file->path, (unsigned long long)off);
	}
	munmap(buf, step);
	return err ? err : wl_make_cold(run, file);
}

/* Empties the file's page cache; an error if pages stay. */
int wl_make_cold(struct wl_run *run, struct wl_file *file)
{
	struct wl_pages pages = { 0 };
	int err, try;

	if (fsync(file->fd))
		return wl_fail(run, errno, "fsync of %s", file->path);
	/* a folio still locked or queued on another CPU is skipped the first time */
	for (try = 0; try < 20; try++) {
		err = posix_fadvise(file->fd, 0, 0, POSIX_FADV_DONTNEED);
		if (err)
			return wl_fail(run, err, "fadvise of %s", file->path);
		err = wl_pages_of(file->fd, 0, 0, run->opt.use_mincore, &pages);
		if (err)
			return wl_fail(run, err, "cachestat of %s", file->path);
		if (!pages.cached)
			return 0;
		usleep(20000);
	}
	return wl_fail(run, 0, "%llu pages of %s do not leave the page cache; is it in use?",
		       (unsigned long long)pages.cached, file->path);
}
