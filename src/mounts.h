/* SPDX-License-Identifier: GPL-2.0 */
/* Mounted filesystems. */
#ifndef DROPBEHIND_MOUNTS_H
#define DROPBEHIND_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/sysmacros.h>
#include <sys/types.h>

#include <linux/types.h>

enum db_mount_kind {
	DB_MOUNT_DISK,		/* on a block device, or a stack of such */
	DB_MOUNT_REMOTE,	/* network and user-space filesystems: touching one may block */
	DB_MOUNT_VIRTUAL,	/* no files of anybody's: proc, sysfs, cgroup, tmpfs ... */
};

struct db_mount {
	int id, parent;		/* of mounts, as mountinfo numbers them */
	__u32 dev;		/* major << 20 | minor, as mountinfo has it */
	enum db_mount_kind kind;
	bool read_only;		/* this mount or its filesystem */
	bool covered;		/* its path leads to another mount */
	char *fs;		/* type; owned */
	char *source;		/* owned */
	char *root;		/* which directory of the filesystem is mounted; owned */
	char *path;		/* where; owned */
	char *options;		/* of this mount and of its filesystem, as /proc/mounts has them; owned */
};

struct db_mounts {
	struct db_mount *list;	/* owned */
	size_t n;
};

/* Reads /proc/self/mountinfo.  0 or negative errno, then empty. */
int db_mounts_read(struct db_mounts *mounts);
void db_mounts_free(struct db_mounts *mounts);

/* The mount that the absolute path without links lies in, or NULL. */
const struct db_mount *db_mounts_find(const struct db_mounts *mounts, const char *path);

/* A device number of stat(2) as the kernel and this tool write it: major << 20 | minor. */
static inline __u32 db_kernel_dev(dev_t dev)
{
	return major(dev) << 20 | minor(dev);
}

/*
 * Device number of the filesystem that the open file lies in.  Not always that
 * of fstat(2): btrfs gives each subvolume's files a number of its own there.
 * 0 or negative errno.
 */
int db_mounts_dev(int fd, __u32 *dev);

/*
 * Where the file that is called @inside ("/a/b") in the filesystem with this
 * device number can be reached; *@path is then to be freed.  0, -ENOMEM, or
 * -ENOENT when no mount shows it.
 */
int db_mounts_path(const struct db_mounts *mounts, __u32 dev, const char *inside, char **path);

/*
 * The mount to show for a device: the first that is not covered, one that can
 * be written before others.  Is @mount it?
 */
bool db_mounts_chosen(const struct db_mounts *mounts, const struct db_mount *mount);

/* Does the running kernel have this type of filesystem?  True when it does not say. */
bool db_fs_known(const char *type);

#endif
