// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgroup.h"
#include "err.h"
#include "guard.h"
#include "kvfile.h"

/* Is @word one of the words in @list, which are separated by @sep? */
static bool has_word(const char *list, const char *word, const char *sep)
{
	size_t len = strlen(word);

	while (*list) {
		size_t n = strcspn(list, sep);

		if (n == len && !strncmp(list, word, len))
			return true;
		list += n + (list[n] ? 1 : 0);
	}
	return false;
}

static bool v2_has_memory(const char *mount)
{
	char path[PATH_MAX + 32], line[512];

	snprintf(path, sizeof(path), "%s/cgroup.controllers", mount);
	return !read_first_line(path, line, sizeof(line)) && has_word(line, "memory", " ");
}

/* Where the memory controller is mounted; returns its version, 0 if nowhere. */
static int find_root(char *root, size_t size)
{
	FILE *f = fopen("/proc/mounts", "re");
	char *line = NULL, where[1024], type[64], opts[1024];
	size_t cap = 0;
	int version = 0;

	if (!f)
		return 0;
	while (!version && getline(&line, &cap, f) > 0) {
		if (sscanf(line, "%*s %1023s %63s %1023s", where, type, opts) != 3)
			continue;
		if (!strcmp(type, "cgroup") && has_word(opts, "memory", ","))
			version = 1;
		else if (!strcmp(type, "cgroup2") && v2_has_memory(where))
			version = 2;
	}
	if (version)
		snprintf(root, size, "%s", where);
	free(line);
	fclose(f);
	return version;
}

int cgroup_version(void)
{
	char root[1024];

	return find_root(root, sizeof(root));
}

static int put(const char *dir, const char *file, const char *text)
{
	char path[PATH_MAX + 64];
	int fd, err = 0;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* In version 2 the parent must hand the controller down. */
static int hand_down(struct cgroup *cg, const char *parent)
{
	char path[PATH_MAX + 64], line[512];

	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", parent);
	if (!read_first_line(path, line, sizeof(line)) && has_word(line, "memory", " "))
		return 0;
	cg->enabled_memory = true;
	return put(parent, "cgroup.subtree_control", "+memory");
}

int cgroup_make(struct cgroup *cg, struct cgroup *parent, const char *name,
		uint64_t limit_bytes)
{
	char dir[PATH_MAX], limit[32];
	int version, err;

	memset(cg, 0, sizeof(*cg));
	version = find_root(dir, sizeof(dir));
	if (!version)
		return bench_error("no memory cgroup controller is mounted; "
				   "mount cgroup2 or boot with cgroup_enable=memory");
	if (parent)
		snprintf(dir, sizeof(dir), "%s", parent->path);
	cg->v2 = version == 2;
	if (snprintf(cg->path, sizeof(cg->path), "%s/%s", dir, name) >= (int)sizeof(cg->path)) {
		cg->path[0] = '\0';
		return bench_fail(-ENAMETOOLONG, "make cgroup", name);
	}
	err = cg->v2 ? hand_down(cg, dir) : 0;
	if (!err)
		err = guard_add_dir(cg->path);
	if (!err && mkdir(cg->path, 0755))
		err = -errno;
	if (err) {
		err = bench_fail(err, "make cgroup", cg->path);
		guard_done(cg->path);
		cg->path[0] = '\0';
		return err;
	}
	if (!limit_bytes)
		return 0;
	snprintf(limit, sizeof(limit), "%" PRIu64, limit_bytes);
	err = put(cg->path, cg->v2 ? "memory.max" : "memory.limit_in_bytes", limit);
	if (err) {
		bench_fail(err, "limit the memory of", cg->path);
		cgroup_remove(cg);
	}
	return err;
}

static int move(const char *dir, pid_t pid)
{
	char text[32];
	int err;

	snprintf(text, sizeof(text), "%d", (int)pid);
	err = put(dir, "cgroup.procs", text);
	return err ? bench_fail(err, "move a process into cgroup", dir) : 0;
}

int cgroup_join(const struct cgroup *cg, pid_t pid)
{
	return move(cg->path, pid);
}

int cgroup_leave(const struct cgroup *cg, pid_t pid)
{
	char root[1024];

	(void)cg;
	if (!find_root(root, sizeof(root)))
		return -ENOENT;
	return move(root, pid);
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

void cgroup_remove(struct cgroup *cg)
{
	char *slash;
	int tries;

	if (!cg->path[0])
		return;
	for (tries = 0; tries < 50; tries++) {
		if (!rmdir(cg->path)) {
			guard_done(cg->path);
			break;
		}
		if (errno != EBUSY)
			break;
		usleep(20000);
	}
	slash = strrchr(cg->path, '/');
	if (cg->enabled_memory && slash) {
		*slash = '\0';
		put(cg->path, "cgroup.subtree_control", "-memory");
	}
	cg->path[0] = '\0';
}
