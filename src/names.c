// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMES_MAX	32

/* "c\0b\0a\0\0" -> "a/b/c", behind @prefix.  NULL when out of memory. */
static char *join(const char *prefix, const char *names)
{
	const char *part[NAMES_MAX];
	size_t len = strlen(prefix) + 2, at, n = 0;
	char *path;

	for (at = 0; at < DB_PATH_LEN && names[at] && n < NAMES_MAX;
	     at += strnlen(names + at, DB_PATH_LEN - at) + 1) {
		part[n++] = names + at;
		len += strnlen(names + at, DB_PATH_LEN - at) + 1;
	}
	path = malloc(len);
	if (!path)
		return NULL;
	strcpy(path, prefix);
	at = strlen(path);
	while (n--) {
		if (at && path[at - 1] != '/')
			path[at++] = '/';
		strcpy(path + at, part[n]);
		at += strlen(part[n]);
	}
	path[at] = 0;
	return path;
}

void db_device_name(__u32 dev, char *name, size_t size)
{
	unsigned int major = dev >> 20, minor = dev & 0xfffff;
	char link[64], target[256];
	const char *base;
	ssize_t n;

	snprintf(name, size, "%u:%u", major, minor);
	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major, minor);
	n = readlink(link, target, sizeof(target) - 1);
	if (n <= 0)
		return;
	target[n] = 0;
	base = strrchr(target, '/');
	snprintf(name, size, "%s", base ? base + 1 : target);
}

/* Where the filesystem with this device number is mounted; the first such mount of its root. */
static char *mount_point(__u32 dev)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	unsigned int major, minor;
	char *line = NULL, *found = NULL;
	char root[512], where[512];
	size_t room = 0;

	if (!f)
		return NULL;
	while (!found && getline(&line, &room, f) > 0) {
		if (sscanf(line, "%*d %*d %u:%u %511s %511s", &major, &minor, root, where) != 4)
			continue;
		if ((major << 20 | minor) == dev && !strcmp(root, "/"))
			found = strdup(where);
	}
	free(line);
	fclose(f);
	return found;
}

static int name_file(struct db_flow *flow, const struct db_flow_info *info)
{
	char device[64] = "/dev/";
	char *mount;

	if (info->bdev) {
		flow->bdev = info->bdev;
		flow->file_found = DB_FOUND_DEVICE;
		db_device_name(info->bdev, device + 5, sizeof(device) - 5);
		flow->file = strdup(device);
		return flow->file ? 0 : -ENOMEM;
	}
	if (!info->key.ino) {
		flow->file_found = DB_FOUND_LUMPED;
		return 0;
	}
	if (!info->file[0])
		return 0;
	if (!(info->names & DB_NAMED_FILE)) {
		flow->file_found = DB_FOUND_DENTRY_PART;
		flow->file = join("...", info->file);
		return flow->file ? 0 : -ENOMEM;
	}
	flow->file_found = DB_FOUND_DENTRY;
	mount = mount_point(info->key.dev);
	flow->file = join(mount ? mount : "", info->file);
	free(mount);
	return flow->file ? 0 : -ENOMEM;
}

int db_name_flow(struct db_flow *flow, const struct db_flow_info *info)
{
	int err = name_file(flow, info);

	if (err || !info->key.cgroup_id)
		return err;
	flow->cgroup_found = info->names & DB_NAMED_CGROUP ? DB_FOUND_KERNFS : DB_FOUND_DENTRY_PART;
	flow->cgroup = join(info->names & DB_NAMED_CGROUP ? "/" : "...", info->cgroup);
	return flow->cgroup ? 0 : -ENOMEM;
}

static int name_device(struct db_ledger *ledger, __u32 dev)
{
	struct db_device *device;
	size_t i;

	for (i = 0; i < ledger->ndevices; i++)
		if (ledger->devices[i].dev == dev)
			return 0;
	device = db_ledger_add_device(ledger);
	if (!device)
		return -ENOMEM;
	device->dev = dev;
	db_device_name(dev, device->name, sizeof(device->name));
	return 0;
}

int db_name_devices(struct db_ledger *ledger)
{
	size_t i;
	int err = 0;

	for (i = 0; i < ledger->nflows && !err; i++)
		err = name_device(ledger, ledger->flows[i].dev);
	for (i = 0; i < ledger->ncontexts && !err; i++)
		err = name_device(ledger, ledger->contexts[i].key.dev);
	return err;
}

/* Looks for the directory with this inode number at or below @dir, which it closes. */
static char *find_directory(int dir, const char *path, __u64 id, int depth)
{
	struct dirent *entry;
	char *below = NULL, *found = NULL;
	struct stat st;
	DIR *d;
	int fd;

	if (!fstat(dir, &st) && st.st_ino == id) {
		close(dir);
		return strdup(path);
	}
	d = depth ? fdopendir(dir) : NULL;
	if (!d) {
		close(dir);
		return NULL;
	}
	while (!found && (entry = readdir(d))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		fd = openat(dirfd(d), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (asprintf(&below, "%s/%s", strcmp(path, "/") ? path : "", entry->d_name) < 0) {
			close(fd);
			break;
		}
		found = find_directory(fd, below, id, depth - 1);
		free(below);
	}
	closedir(d);
	return found;
}

char *db_cgroup_path(__u64 id)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	struct mntent *m;
	char *found = NULL;
	int fd;

	if (!f)
		return NULL;
	while (!found && id && (m = getmntent(f))) {
		if (strcmp(m->mnt_type, "cgroup") && strcmp(m->mnt_type, "cgroup2"))
			continue;
		fd = open(m->mnt_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0)
			found = find_directory(fd, "/", id, 16);
	}
	endmntent(f);
	return found;
}
