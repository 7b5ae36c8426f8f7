// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "resident.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dropbehind/uapi.h"
#include "mounts.h"
#include "privilege.h"

/* Bytes looked at by one mincore(2). */
#define MINCORE_STEP	(1ULL << 28)

static bool same_file(const struct db_flow *flow, int fd, const struct stat *st)
{
	__u32 dev = db_kernel_dev(st->st_dev);

	if (flow->bdev)
		return S_ISBLK(st->st_mode) && db_kernel_dev(st->st_rdev) == flow->bdev;
	if (!S_ISREG(st->st_mode) || st->st_ino != flow->ino)
		return false;
	return dev == flow->dev || (!db_mounts_dev(fd, &dev) && dev == flow->dev);
}

/* Opens the flow's file for reading.  Descriptor, or -1 with the reason in @why. */
static int open_file(const struct db_flow *flow, struct stat *st, char *why, size_t size)
{
	long generation = 0;
	char self[32];
	int path, fd;

	if (!flow->file || (flow->file_found != DB_FOUND_DENTRY && flow->file_found != DB_FOUND_DEVICE)) {
		snprintf(why, size, "%s", flow->file_found == DB_FOUND_LUMPED ?
			 "files not told apart (--max-files)" : "its whole name is not known");
		return -1;
	}
	/* Not opened before it is known to be the file: opening can do things. */
	path = open(flow->file, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (path < 0 || fstat(path, st)) {
		snprintf(why, size, "%s", strerror(errno));
		if (path >= 0)
			close(path);
		return -1;
	}
	if (!same_file(flow, path, st)) {
		snprintf(why, size, "another file has this name now");
		close(path);
		return -1;
	}
	snprintf(self, sizeof(self), "/proc/self/fd/%d", path);
	fd = open(self, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		snprintf(why, size, "%s", strerror(errno));
	close(path);
	if (fd >= 0 && !flow->bdev && !ioctl(fd, FS_IOC_GETVERSION, &generation) &&
	    (__u32)generation != flow->gen) {
		snprintf(why, size, "another file has this inode number now");
		close(fd);
		fd = -1;
	}
	return fd;
}

static int count_mincore(int fd, __u64 bytes, __u64 *pages)
{
	size_t page = sysconf(_SC_PAGESIZE), n, i;
	unsigned char *vec = malloc(MINCORE_STEP / page);
	__u64 at, step;
	void *mem;
	int err = 0;

	if (!vec)
		return -ENOMEM;
	*pages = 0;
	for (at = 0; at < bytes && !err; at += step) {
		step = bytes - at < MINCORE_STEP ? bytes - at : MINCORE_STEP;
		mem = mmap(NULL, step, PROT_READ, MAP_SHARED, fd, at);
		if (mem == MAP_FAILED) {
			err = -errno;
			break;
		}
		n = (step + page - 1) / page;
		if (mincore(mem, step, vec))
			err = -errno;
		for (i = 0; i < n && !err; i++)
			*pages += vec[i] & 1;
		munmap(mem, step);
	}
	free(vec);
	return err;
}

static void ask_mincore(struct db_resident *r, int fd, const struct stat *st)
{
	__u64 bytes = st->st_size;
	int err;

	/* To whoever neither owns nor may write the file it says that everything is in cache. */
	if (st->st_uid != geteuid() && !db_privilege_has(CAP_FOWNER)) {
		snprintf(r->why, sizeof(r->why), "not the owner; mincore(2) would not tell");
		return;
	}
	if (S_ISBLK(st->st_mode) && ioctl(fd, BLKGETSIZE64, &bytes)) {
		snprintf(r->why, sizeof(r->why), "size of the device: %s", strerror(errno));
		return;
	}
	err = count_mincore(fd, bytes, &r->pages);
	r->known = !err;
	r->method = "mincore";
	if (err)
		snprintf(r->why, sizeof(r->why), "mincore: %s", strerror(-err));
}

void db_resident_find(struct db_resident *r, const struct db_flow *flow)
{
	struct db_cachestat pages = {};
	struct stat st;
	int fd, err;

	memset(r, 0, sizeof(*r));
	fd = open_file(flow, &st, r->why, sizeof(r->why));
	if (fd < 0)
		return;
	err = db_cachestat(fd, 0, 0, &pages);
	if (!err) {
		r->known = true;
		r->pages = pages.nr_cache;
		r->method = "cachestat";
	} else if (err == -ENOSYS) {
		ask_mincore(r, fd, &st);
	} else {
		snprintf(r->why, sizeof(r->why), "cachestat: %s", strerror(-err));
	}
	close(fd);
}
