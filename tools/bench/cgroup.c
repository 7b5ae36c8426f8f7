// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../src/mounts.h"
#include "cgroup.h"
#include "err.h"
#include "guard.h"
#include "kvfile.h"

/* Where the memory controller is mounted. */
struct hierarchy {
	int version;		/* 1 or 2, 0: nowhere */
	char mount[PATH_MAX];
	char root[PATH_MAX];	/* the group that is seen there */
};

static bool v2_has_memory(const char *mount)
{
	char path[PATH_MAX + 32], line[512];

	snprintf(path, sizeof(path), "%s/cgroup.controllers", mount);
	return !read_first_line(path, line, sizeof(line)) && has_word(line, "memory", " ");
}

static int version_of(const struct db_mount *m)
{
	if (m->covered)
		return 0;
	if (!strcmp(m->fs, "cgroup"))
		return has_word(m->options, "memory", ",") ? 1 : 0;
	return !strcmp(m->fs, "cgroup2") && v2_has_memory(m->path) ? 2 : 0;
}

static void find_hierarchy(struct hierarchy *h)
{
	struct db_mounts mounts;
	size_t i;

	h->version = 0;
	if (db_mounts_read(&mounts))
		return;
	for (i = 0; i < mounts.n && !h->version; i++) {
		h->version = version_of(&mounts.list[i]);
		if (!h->version)
			continue;
		snprintf(h->mount, sizeof(h->mount), "%s", mounts.list[i].path);
		snprintf(h->root, sizeof(h->root), "%s", mounts.list[i].root);
	}
	db_mounts_free(&mounts);
}

/* The path in a line of /proc/self/cgroup (ID:CONTROLLERS:PATH) if it is of this hierarchy. */
static const char *group_in(char *line, const struct hierarchy *h)
{
	char *controllers = strchr(line, ':'), *path;

	path = controllers ? strchr(controllers + 1, ':') : NULL;
	if (!path)
		return NULL;
	controllers++;
	*path++ = '\0';
	path[strcspn(path, "\n")] = '\0';
	if (h->version == 2)
		return *controllers ? NULL : path;
	return has_word(controllers, "memory", ",") ? path : NULL;
}

/* Directory of the group that /proc calls @path. 0, or -ENOENT when the mount does not show it. */
static int group_dir(const struct hierarchy *h, const char *path, char *buf, size_t size)
{
	const size_t skip = strcmp(h->root, "/") ? strlen(h->root) : 0;

	if (strncmp(path, h->root, skip) || (path[skip] && path[skip] != '/'))
		return -ENOENT;
	if (snprintf(buf, size, "%s%s", h->mount, path + skip) >= (int)size)
		return -ENOENT;
	return access(buf, F_OK) ? -ENOENT : 0;
}

static void find_origin(const struct hierarchy *h, char *buf, size_t size)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	const char *path = NULL;
	char *line = NULL;
	size_t cap = 0;

	while (f && !path && getline(&line, &cap, f) > 0)
		path = group_in(line, h);
	if (!path || group_dir(h, path, buf, size))
		snprintf(buf, size, "%s", h->mount);
	free(line);
	if (f)
		fclose(f);
}

int cgroup_version(void)
{
	struct hierarchy h;

	find_hierarchy(&h);
	return h.version;
}

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* The file in which the parent of @cg hands controllers down. */
static void control_of(const struct cgroup *cg, char *buf, size_t size)
{
	snprintf(buf, size, "%.*s/cgroup.subtree_control",
		 (int)(strrchr(cg->path, '/') - cg->path), cg->path);
}

/*
 * In version 2 the parent must hand the controller down. A parent of ours takes
 * that with it when it goes; in one that is not ours it must be undone.
 */
static int hand_down(struct cgroup *cg, bool own_parent)
{
	char control[PATH_MAX + 64], line[512];
	int err;

	control_of(cg, control, sizeof(control));
	if (!read_first_line(control, line, sizeof(line)) && has_word(line, "memory", " "))
		return 0;
	if (own_parent)
		return put(control, "+memory");
	err = guard_add_memory(control);
	if (err)
		return err;
	err = put(control, "+memory");
	if (err)
		guard_done(control);
	cg->enabled_memory = !err;
	return err;
}

static void take_back(struct cgroup *cg)
{
	char control[PATH_MAX + 64];

	if (!cg->enabled_memory)
		return;
	control_of(cg, control, sizeof(control));
	/* If it cannot be now, the guard tries once more. */
	if (!put(control, "-memory"))
		guard_done(control);
	cg->enabled_memory = false;
}

/* Make the directory, with the memory controller in it. */
static int make_dir(struct cgroup *cg, bool own_parent)
{
	int err = cg->v2 ? hand_down(cg, own_parent) : 0;

	if (err)
		return err;
	err = guard_make_dir(cg->path);
	if (err)
		take_back(cg);
	return err;
}

static int set_limit(const struct cgroup *cg, uint64_t limit_bytes)
{
	char path[PATH_MAX + 64], limit[32];

	snprintf(path, sizeof(path), "%s/%s", cg->path,
		 cg->v2 ? "memory.max" : "memory.limit_in_bytes");
	snprintf(limit, sizeof(limit), "%" PRIu64, limit_bytes);
	return put(path, limit);
}

int cgroup_make(struct cgroup *cg, struct cgroup *parent, const char *name,
		uint64_t limit_bytes)
{
	struct hierarchy h;
	int err;

	memset(cg, 0, sizeof(*cg));
	find_hierarchy(&h);
	if (!h.version)
		return bench_error("no memory cgroup controller is mounted; "
				   "mount cgroup2 or boot with cgroup_enable=memory");
	find_origin(&h, cg->origin, sizeof(cg->origin));
	cg->v2 = h.version == 2;
	if (snprintf(cg->path, sizeof(cg->path), "%s/%s", parent ? parent->path : h.mount,
		     name) >= (int)sizeof(cg->path)) {
		cg->path[0] = '\0';
		return bench_fail(-ENAMETOOLONG, "make cgroup", name);
	}
	err = make_dir(cg, parent);
	if (err) {
		bench_fail(err, "make cgroup", cg->path);
		cg->path[0] = '\0';
		return err;
	}
	err = limit_bytes ? set_limit(cg, limit_bytes) : 0;
	if (err) {
		bench_fail(err, "limit the memory of", cg->path);
		cgroup_remove(cg);
	}
	return err;
}

static int move(const char *dir, pid_t pid)
{
	char path[PATH_MAX + 64], text[32];
	int err;

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	snprintf(text, sizeof(text), "%d", (int)pid);
	err = put(path, text);
	return err ? bench_fail(err, "move a process into cgroup", dir) : 0;
}

int cgroup_join(const struct cgroup *cg, pid_t pid)
{
	return move(cg->path, pid);
}

int cgroup_leave(const struct cgroup *cg, pid_t pid)
{
	return move(cg->origin, pid);
}

double cgroup_refaults(const struct cgroup *cg)
{
	char path[PATH_MAX + 64];
	struct kvfile kv;
	double value = NAN;

	snprintf(path, sizeof(path), "%s/memory.stat", cg->path);
	if (kvfile_open(&kv, path))
		return NAN;
	if (!kvfile_read(&kv))
		value = kvfile_value(&kv, "workingset_refault_file");
	kvfile_close(&kv);
	return value;
}

/* It can be busy for a moment after its last process was told to end. */
static int remove_dir(const char *path)
{
	int tries;

	for (tries = 0; rmdir(path); tries++) {
		if (errno != EBUSY || tries == 50)
			return -errno;
		usleep(20000);
	}
	return 0;
}

void cgroup_remove(struct cgroup *cg)
{
	if (!cg->path[0])
		return;
	if (!remove_dir(cg->path)) {
		guard_done(cg->path);
		take_back(cg);
	}
	cg->path[0] = '\0';
}
