// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "mounts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Filesystems without a block device that hold files all the same. */
static const char *const remote[] = {
	"nfs", "nfs4", "cifs", "smb3", "ceph", "9p", "virtiofs", "fuse", "fuseblk", "afs",
	"glusterfs", "lustre", "ocfs2", "gfs2", NULL
};

static const char *const stacked[] = { "overlay", "zfs", "bcachefs", "ecryptfs", NULL };

static bool listed(const char *const *names, const char *name)
{
	for (; *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

bool db_fs_known(const char *type)
{
	FILE *f = fopen("/proc/filesystems", "re");
	char line[128];
	bool known = !f;

	if (!f)
		return known;
	while (!known && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		known = strchr(line, '\t') && !strcmp(strchr(line, '\t') + 1, type);
	}
	fclose(f);
	return known;
}

/* Is the type marked "nodev" in /proc/filesystems? */
static bool without_device(FILE *filesystems, const char *type)
{
	char line[128], name[64];

	if (!filesystems)
		return false;
	rewind(filesystems);
	while (fgets(line, sizeof(line), filesystems))
		if (sscanf(line, "nodev %63s", name) == 1 && !strcmp(name, type))
			return true;
	return false;
}

static enum db_mount_kind kind_of(FILE *filesystems, const char *type)
{
	char base[16];

	snprintf(base, sizeof(base), "%.*s", (int)strcspn(type, "."), type);
	if (listed(remote, base))
		return DB_MOUNT_REMOTE;
	if (listed(stacked, type))
		return DB_MOUNT_DISK;
	return without_device(filesystems, type) ? DB_MOUNT_VIRTUAL : DB_MOUNT_DISK;
}

/* mountinfo writes space, tab, newline and backslash as three octal digits. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' && text[2] >= '0' &&
		    text[2] <= '7' && text[3] >= '0' && text[3] <= '7') {
			*to++ = (text[1] - '0') * 64 + (text[2] - '0') * 8 + (text[3] - '0');
			text += 3;
		} else {
			*to++ = *text;
		}
	}
	*to = 0;
}

static bool has_option(const char *options, const char *wanted)
{
	size_t n = strlen(wanted);
	const char *at;

	for (at = options; *at; at += strcspn(at, ",")) {
		at += *at == ',';
		if (!strncmp(at, wanted, n) && (at[n] == ',' || !at[n]))
			return true;
	}
	return false;
}

/* The mount's options and then the filesystem's, but for its "rw" or "ro": one is enough. */
static char *join_options(const char *mount, const char *super, bool read_only)
{
	const char *more = super ? super + strcspn(super, ",") : "";
	char *all;

	if (asprintf(&all, "%s%s%s", read_only ? "ro" : "rw", mount + strcspn(mount, ","),
		     more) < 0)
		return NULL;
	return all;
}

/* ID PARENT MAJ:MIN ROOT PATH OPTIONS [TAGS] - TYPE SOURCE SUPEROPTIONS */
static int parse(struct db_mount *mount, char *line, FILE *filesystems)
{
	char *field[6], *save = NULL, *type = NULL, *source = NULL, *options = NULL, *word;
	unsigned int major, minor;
	int n = 0;

	line[strcspn(line, "\n")] = 0;
	for (word = strtok_r(line, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (n < 6) {
			field[n++] = word;
		} else if (!strcmp(word, "-")) {
			type = strtok_r(NULL, " ", &save);
			source = strtok_r(NULL, " ", &save);
			options = strtok_r(NULL, " ", &save);
		}
	}
	if (n < 6 || !type || !source || sscanf(field[2], "%u:%u", &major, &minor) != 2)
		return -EINVAL;
	mount->id = atoi(field[0]);
	mount->parent = atoi(field[1]);
	mount->dev = major << 20 | minor;
	mount->read_only = has_option(field[5], "ro") || (options && has_option(options, "ro"));
	mount->kind = kind_of(filesystems, type);
	unescape(field[3]);
	unescape(field[4]);
	unescape(source);
	mount->fs = strdup(type);
	mount->source = strdup(source);
	mount->root = strdup(field[3]);
	mount->path = strdup(field[4]);
	mount->options = join_options(field[5], options, mount->read_only);
	return mount->fs && mount->source && mount->root && mount->path && mount->options ? 0 : -ENOMEM;
}

static bool below(const char *path, const char *mount)
{
	size_t n = strlen(mount);

	if (!strcmp(mount, "/"))
		return true;
	return !strncmp(path, mount, n) && (!path[n] || path[n] == '/');
}

static bool is_child(const struct db_mounts *mounts, const struct db_mount *mount,
		     const struct db_mount *parent)
{
	size_t i;

	if (parent)
		return mount != parent && mount->parent == parent->id;
	for (i = 0; i < mounts->n; i++)
		if (mounts->list[i].id == mount->parent && &mounts->list[i] != mount)
			return false;
	return true;
}

/* Walks down the path as the kernel does, from mount to mount. */
const struct db_mount *db_mounts_find(const struct db_mounts *mounts, const char *path)
{
	const struct db_mount *here = NULL, *next, *mount;
	size_t i, depth;

	for (depth = 0; depth <= mounts->n; depth++) {
		next = NULL;
		for (i = 0; i < mounts->n; i++) {
			mount = &mounts->list[i];
			if (below(path, mount->path) &&
			    (!next || strlen(mount->path) < strlen(next->path)) &&
			    is_child(mounts, mount, here))
				next = mount;
		}
		if (!next)
			break;
		here = next;
	}
	return here;
}

int db_mounts_path(const struct db_mounts *mounts, __u32 dev, const char *inside, char **path)
{
	const struct db_mount *mount, *best = NULL;
	size_t i, skip;

	for (i = 0; i < mounts->n; i++) {
		mount = &mounts->list[i];
		if (mount->dev != dev || mount->covered || !below(inside, mount->root))
			continue;
		/* the whole filesystem before a part of it */
		if (!best || strlen(mount->root) < strlen(best->root))
			best = mount;
	}
	if (!best)
		return -ENOENT;
	skip = strcmp(best->root, "/") ? strlen(best->root) : 0;
	if (asprintf(path, "%s%s", strcmp(best->path, "/") ? best->path : "", inside + skip) < 0) {
		*path = NULL;
		return -ENOMEM;
	}
	return 0;
}

static void free_mount(struct db_mount *mount)
{
	free(mount->fs);
	free(mount->source);
	free(mount->root);
	free(mount->path);
	free(mount->options);
}

int db_mounts_read(struct db_mounts *mounts)
{
	FILE *f = fopen("/proc/self/mountinfo", "re"), *filesystems;
	struct db_mount *bigger, mount;
	char *line = NULL;
	size_t room = 0, i;
	int err = 0;

	memset(mounts, 0, sizeof(*mounts));
	if (!f)
		return -errno;
	filesystems = fopen("/proc/filesystems", "re");
	while (!err && getline(&line, &room, f) > 0) {
		memset(&mount, 0, sizeof(mount));
		err = parse(&mount, line, filesystems);
		bigger = err ? NULL : realloc(mounts->list, (mounts->n + 1) * sizeof(mount));
		if (bigger) {
			mounts->list = bigger;
			mounts->list[mounts->n++] = mount;
			continue;
		}
		free_mount(&mount);
		err = err == -EINVAL ? 0 : -ENOMEM;
	}
	free(line);
	if (filesystems)
		fclose(filesystems);
	fclose(f);
	if (err)
		db_mounts_free(mounts);
	for (i = 0; i < mounts->n; i++)
		mounts->list[i].covered =
			db_mounts_find(mounts, mounts->list[i].path) != &mounts->list[i];
	return err;
}

static int mount_id(int fd, int *id)
{
	char name[64], line[128];
	int err = -ENODATA;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/self/fdinfo/%d", fd);
	f = fopen(name, "re");
	if (!f)
		return -errno;
	while (err && fgets(line, sizeof(line), f))
		if (sscanf(line, "mnt_id: %d", id) == 1)
			err = 0;
	fclose(f);
	return err;
}

int db_mounts_dev(int fd, __u32 *dev)
{
	struct db_mounts mounts;
	int id = 0, err = mount_id(fd, &id);
	size_t i;

	if (!err)
		err = db_mounts_read(&mounts);
	if (err)
		return err;
	err = -ENOENT;
	for (i = 0; i < mounts.n && err; i++) {
		if (mounts.list[i].id != id)
			continue;
		*dev = mounts.list[i].dev;
		err = 0;
	}
	db_mounts_free(&mounts);
	return err;
}

void db_mounts_free(struct db_mounts *mounts)
{
	size_t i;

	for (i = 0; i < mounts->n; i++)
		free_mount(&mounts->list[i]);
	free(mounts->list);
	memset(mounts, 0, sizeof(*mounts));
}

bool db_mounts_chosen(const struct db_mounts *mounts, const struct db_mount *mount)
{
	const struct db_mount *best = NULL;
	size_t i;

	for (i = 0; i < mounts->n; i++) {
		if (mounts->list[i].dev != mount->dev || mounts->list[i].covered)
			continue;
		if (!best || (best->read_only && !mounts->list[i].read_only))
			best = &mounts->list[i];
	}
	return best == mount;
}
