// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "names.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mounts.h"

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

/* The table of mounts, read again when the kernel says that it changed. */
static const struct db_mounts *mounts_now(void)
{
	static struct db_mounts mounts;
	static int fd = -1;
	struct pollfd change = { .events = POLLPRI };

	if (fd < 0)
		fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	change.fd = fd;
	if (fd >= 0 && mounts.n && poll(&change, 1, 0) == 0)
		return &mounts;
	db_mounts_free(&mounts);
	db_mounts_read(&mounts);
	return &mounts;
}

static int name_file(struct db_flow *flow, const struct db_flow_info *info)
{
	char device[64] = "/dev/";
	char *inside;
	int err;

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
	inside = join("/", info->file);
	if (!inside)
		return -ENOMEM;
	flow->file_found = DB_FOUND_DENTRY;
	err = db_mounts_path(mounts_now(), info->key.dev, inside, &flow->file);
	free(inside);
	if (err != -ENOENT)
		return err;
	/* mounted nowhere that we can see: no more than the names inside are known */
	flow->file_found = DB_FOUND_DENTRY_PART;
	flow->file = join("...", info->file);
	return flow->file ? 0 : -ENOMEM;
}

char *db_name_cgroup(const char *names, bool whole)
{
	return join(whole ? "/" : "...", names);
}

int db_name_flow(struct db_flow *flow, const struct db_flow_info *info)
{
	int err = name_file(flow, info);

	if (err || !info->key.cgroup_id)
		return err;
	flow->cgroup_found = info->names & DB_NAMED_CGROUP ? DB_FOUND_KERNFS : DB_FOUND_DENTRY_PART;
	flow->cgroup = db_name_cgroup(info->cgroup, info->names & DB_NAMED_CGROUP);
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
