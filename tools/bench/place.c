// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include "attr.h"
#include "err.h"
#include "guard.h"
#include "place.h"
#include "stream.h"
#include "units.h"

static int open_device(struct place *p)
{
	struct stat st;
	int err;

	if (stat(p->path, &st))
		return bench_fail(-errno, "open device", p->path);
	if (!S_ISBLK(st.st_mode))
		return bench_error("%s is no block device; give one to --dev, or a directory to --dir",
				   p->path);
	if (!options_forced(p->opt, p->path))
		return bench_error("%s would be overwritten; if you mean it, add --force %s",
				   p->path, p->path);
	/* O_EXCL on a block device fails while it is mounted or otherwise claimed. */
	p->hold_fd = open(p->path, O_RDWR | O_EXCL | O_CLOEXEC);
	if (p->hold_fd < 0)
		return bench_fail(-errno, "open device", p->path);
	if (ioctl(p->hold_fd, BLKGETSIZE64, &p->dev_bytes)) {
		err = bench_fail(-errno, "ask the size of", p->path);
		place_close(p);
		return err;
	}
	p->dev = st.st_rdev;
	p->is_dev = true;
	return 0;
}

int place_open(struct place *p, const struct options *opt)
{
	struct stat st;

	memset(p, 0, sizeof(*p));
	p->hold_fd = -1;
	p->opt = opt;
	snprintf(p->path, sizeof(p->path), "%s", opt->dev ? opt->dev : opt->dir);
	if (opt->dev)
		return open_device(p);
	if (stat(p->path, &st))
		return bench_fail(-errno, "open directory", p->path);
	if (!S_ISDIR(st.st_mode))
		return bench_error("%s is no directory; give one to --dir, or a block device to --dev",
				   p->path);
	p->dev = st.st_dev;
	return 0;
}

void place_close(struct place *p)
{
	if (p->hold_fd >= 0)
		close(p->hold_fd);
	p->hold_fd = -1;
}

int place_check_space(const struct place *p, uint64_t bytes)
{
	const uint64_t margin = bytes / 32 + 4 * MIB;
	struct statvfs vfs;
	uint64_t room;

	if (p->is_dev) {
		if (bytes <= p->dev_bytes)
			return 0;
		return bench_error("%s has %" PRIu64 " MiB and the preset needs %" PRIu64
				   " MiB; give a smaller --size",
				   p->path, p->dev_bytes / MIB, bytes / MIB);
	}
	if (statvfs(p->path, &vfs))
		return bench_fail(-errno, "ask the free space of", p->path);
	room = (uint64_t)vfs.f_bavail * vfs.f_frsize;
	if (bytes + margin <= room)
		return 0;
	bench_error("%s has %" PRIu64 " MiB free and the preset needs %" PRIu64
		    " MiB; give a smaller --size or free some space",
		    p->path, room / MIB, (bytes + margin + MIB - 1) / MIB);
	return -ENOSPC;
}

static int try_dontcache(int fd, off_t at)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct iovec iov = { .iov_len = page };
	ssize_t n;

	iov.iov_base = aligned_alloc(page, page);
	if (!iov.iov_base)
		return -ENOMEM;
	memset(iov.iov_base, 0x5a, page);
	n = pwritev2(fd, &iov, 1, at, RWF_DONTCACHE);
	free(iov.iov_base);
	return n < 0 ? -errno : 0;
}

int place_check_dontcache(struct place *p)
{
	struct bfile f;
	int err;

	err = bfile_make(&f, p, 0, 0);
	if (err)
		return err;
	err = try_dontcache(f.fd, 0);
	bfile_remove(&f);
	if (err == -EOPNOTSUPP)
		bench_error("%s: RWF_DONTCACHE answered EOPNOTSUPP (this filesystem or kernel "
			    "does not support it); nothing was measured, choose another %s",
			    p->path, p->is_dev ? "--dev" : "--dir");
	else if (err)
		bench_fail(err, "write with RWF_DONTCACHE in", p->path);
	return err;
}

bool place_has_dontcache(struct place *p)
{
	struct bfile f;
	int err;

	if (bfile_make(&f, p, 0, 0))
		return false;
	err = try_dontcache(f.fd, 0);
	bfile_remove(&f);
	return !err;
}

/* A file with a name of ours is new; one that was named with --force may be there. */
static int make_guarded(struct bfile *f, bool forced)
{
	const int flags = O_RDWR | O_CLOEXEC | (forced ? O_CREAT | O_TRUNC : 0);
	int err = forced ? guard_add_file(f->path) : guard_make_file(f->path);

	if (err)
		return err;
	f->fd = open(f->path, flags, 0600);
	if (f->fd >= 0)
		return 0;
	err = -errno;
	if (!forced)
		unlink(f->path);
	guard_done(f->path);
	return err;
}

int bfile_make(struct bfile *f, struct place *p, unsigned int index, uint64_t part_bytes)
{
	int err, n;

	memset(f, 0, sizeof(*f));
	f->fd = -1;
	if (p->is_dev) {
		snprintf(f->path, sizeof(f->path), "%s", p->path);
		f->is_dev = true;
		f->start = index * part_bytes;
		f->fd = open(f->path, O_RDWR | O_CLOEXEC);
		return f->fd < 0 ? bench_fail(-errno, "open", f->path) : 0;
	}
	if (p->opt->file)
		n = index ? snprintf(f->path, sizeof(f->path), "%s/%s.%u", p->path,
				     p->opt->file, index) :
			    snprintf(f->path, sizeof(f->path), "%s/%s", p->path, p->opt->file);
	else
		n = snprintf(f->path, sizeof(f->path), "%s/dontcache-bench-%d-%u.tmp", p->path,
			     (int)getpid(), index);
	if (n >= (int)sizeof(f->path)) {
		f->path[0] = '\0';
		return bench_fail(-ENAMETOOLONG, "make a file in", p->path);
	}
	err = make_guarded(f, options_forced(p->opt, f->path));
	if (err) {
		bench_fail(err, "make", f->path);
		f->path[0] = '\0';
	}
	return err;
}

int bfile_reopen(struct bfile *f, int flags)
{
	int fd = open(f->path, flags | O_CLOEXEC);

	if (fd < 0)
		return bench_fail(-errno, "open", f->path);
	if (f->fd >= 0)
		close(f->fd);
	f->fd = fd;
	return 0;
}

void bfile_remove(struct bfile *f)
{
	if (!f->path[0])
		return;
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	if (f->is_dev)
		return;
	if (unlink(f->path) && errno == EPERM) {
		attr_set_immutable_path(f->path, false);
		unlink(f->path);
	}
	guard_done(f->path);
	f->path[0] = '\0';
}
