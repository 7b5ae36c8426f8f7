// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "../../src/mounts.h"
#include "cgroup.h"
#include "env.h"
#include "err.h"
#include "kvfile.h"
#include "units.h"

#define UNAVAILABLE "unavailable"
#define CPUS_DIR "/sys/devices/system/cpu"

static const char *or_unavailable(const char *text)
{
	return *text ? text : UNAVAILABLE;
}

static int record_kernel(struct result *r)
{
	struct utsname u;
	int err;

	if (uname(&u))
		return result_env(r, "kernel", UNAVAILABLE);
	err = result_env(r, "kernel", u.release);
	err = err ? err : result_env(r, "kernel_version", u.version);
	return err ? err : result_env(r, "machine", u.machine);
}

/* The mount that holds @path; texts stay as they are when it cannot be told. */
static void find_mount(const char *path, char *point, size_t point_size, char *type,
		       size_t type_size, char *opts, size_t opts_size)
{
	const struct db_mount *mount;
	struct db_mounts mounts;
	char real[PATH_MAX];

	if (db_mounts_read(&mounts))
		return;
	mount = realpath(path, real) ? db_mounts_find(&mounts, real) : NULL;
	if (mount) {
		snprintf(point, point_size, "%s", mount->path);
		snprintf(type, type_size, "%s", mount->fs);
		snprintf(opts, opts_size, "%s", mount->options);
	}
	db_mounts_free(&mounts);
}

void env_mount(const char *path, char *point, size_t point_size, char *type, size_t type_size)
{
	char opts[1024];

	snprintf(point, point_size, "/");
	snprintf(type, type_size, UNAVAILABLE);
	find_mount(path, point, point_size, type, type_size, opts, sizeof(opts));
}

void env_mount_point(const char *path, char *buf, size_t size)
{
	char type[64];

	env_mount(path, buf, size, type, sizeof(type));
}

/* The last 20 bytes of the module's build-id note are its SHA-1. */
static bool module_build_id(const char *type, char *buf, size_t size)
{
	unsigned char note[256];
	char path[128];
	ssize_t n;
	int fd, i;

	snprintf(path, sizeof(path), "/sys/module/%.64s/notes/.note.gnu.build-id", type);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, note, sizeof(note));
	close(fd);
	if (n < 20 || size < 41)
		return false;
	for (i = 0; i < 20; i++)
		snprintf(buf + 2 * i, size - 2 * (size_t)i, "%02x", note[n - 20 + i]);
	return true;
}

void env_module(const char *type, char *buf, size_t size)
{
	char path[128];

	if (module_build_id(type, buf, size))
		return;
	snprintf(path, sizeof(path), "/sys/module/%.64s/srcversion", type);
	if (read_first_line(path, buf, size))
		snprintf(buf, size, "built in or unavailable");
}

/* The filesystem as a module tells two builds of one kernel version apart. */
static int record_module(struct result *r, const char *type)
{
	char text[128];

	env_module(type, text, sizeof(text));
	return result_env(r, "filesystem_module", text);
}

static int record_filesystem(struct result *r, const struct place *p)
{
	char type[64] = "", opts[1024] = "", point[PATH_MAX];
	int err;

	if (p->is_dev) {
		err = result_env(r, "filesystem", "none (block device)");
		err = err ? err : result_env(r, "mount_options", "none");
		return err ? err : result_env(r, "filesystem_module", "none");
	}
	find_mount(p->path, point, sizeof(point), type, sizeof(type), opts, sizeof(opts));
	err = result_env(r, "filesystem", or_unavailable(type));
	err = err ? err : result_env(r, "mount_options", or_unavailable(opts));
	return err ? err : record_module(r, type);
}

static void device_text(dev_t dev, const char *file, char *buf, size_t size)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/%s", major(dev), minor(dev), file);
	if (read_first_line(path, buf, size) && !strncmp(file, "queue/", 6)) {
		/* A partition has no queue of its own: ask the whole disk. */
		snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/../%s", major(dev), minor(dev),
			 file);
		read_first_line(path, buf, size);
	}
}

static int record_device(struct result *r, const struct place *p)
{
	char link[PATH_MAX], path[64], text[256], *name = NULL;
	ssize_t n;
	int err;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(p->dev), minor(p->dev));
	n = readlink(path, link, sizeof(link) - 1);
	if (n > 0) {
		link[n] = '\0';
		name = strrchr(link, '/');
	}
	err = result_env(r, "device", name ? name + 1 : UNAVAILABLE);
	device_text(p->dev, "device/model", text, sizeof(text));
	err = err ? err : result_env(r, "device_model", or_unavailable(text));
	device_text(p->dev, "size", text, sizeof(text));
	if (*text)
		snprintf(text, sizeof(text), "%llu", strtoull(text, NULL, 10) / 2048);
	err = err ? err : result_env(r, "device_mib", or_unavailable(text));
	device_text(p->dev, "queue/scheduler", text, sizeof(text));
	return err ? err : result_env(r, "device_scheduler", or_unavailable(text));
}

/* "model name" (x86), else "Hardware" or "CPU part" (arm) of the first CPU. */
static void cpu_model(char *buf, size_t size)
{
	static const char *const keys[] = { "model name", "Hardware", "CPU part" };
	char *line = NULL, *colon;
	size_t cap = 0, i;
	FILE *f;

	*buf = '\0';
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]) && !*buf; i++) {
		f = fopen("/proc/cpuinfo", "re");
		if (!f)
			return;
		while (!*buf && getline(&line, &cap, f) > 0) {
			colon = strchr(line, ':');
			if (!colon || strncmp(line, keys[i], strlen(keys[i])))
				continue;
			colon += 1 + strspn(colon + 1, " \t");
			colon[strcspn(colon, "\n")] = '\0';
			snprintf(buf, size, "%s", colon);
		}
		fclose(f);
	}
	free(line);
}

static int is_cpu(const struct dirent *entry)
{
	const char *name = entry->d_name;

	return !strncmp(name, "cpu", 3) && isdigit((unsigned char)name[3]);
}

/* Add the governor of @cpu to the list @buf unless it is there already. */
static void add_governor(const char *cpu, char *buf, size_t size)
{
	char path[320], text[64];
	size_t used = strlen(buf);

	snprintf(path, sizeof(path), CPUS_DIR "/%.255s/cpufreq/scaling_governor", cpu);
	if (read_first_line(path, text, sizeof(text)) || !*text || has_word(buf, text, ","))
		return;
	snprintf(buf + used, size - used, "%s%s", used ? "," : "", text);
}

/* Each governor in use once, in the order of the CPUs; "" when there is none. */
static void governors(char *buf, size_t size)
{
	struct dirent **cpus;
	int nr = scandir(CPUS_DIR, &cpus, is_cpu, versionsort), i;

	*buf = '\0';
	for (i = 0; i < nr; i++) {
		add_governor(cpus[i]->d_name, buf, size);
		free(cpus[i]);
	}
	if (nr >= 0)
		free(cpus);
}

static int record_cpu(struct result *r)
{
	char model[256], text[256];
	int err;

	cpu_model(model, sizeof(model));
	err = result_env(r, "cpu", or_unavailable(model));
	snprintf(text, sizeof(text), "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	err = err ? err : result_env(r, "cpus", text);
	governors(text, sizeof(text));
	err = err ? err : result_env(r, "governor", or_unavailable(text));
	if (err)
		return err;
	if (strstr(model, "QEMU") || strstr(model, "TCG")) {
		err = result_note(r, "the CPU is emulated: absolute numbers say nothing, only "
				  "counts and ratios within this run do");
		return err ? err : result_env(r, "emulated", "yes");
	}
	return result_env(r, "emulated", "no sign of it");
}

static int record_memory(struct result *r)
{
	char text[64];
	struct kvfile kv;
	int err;

	if (kvfile_open(&kv, "/proc/meminfo"))
		return -ENOMEM;
	kvfile_read(&kv);
	snprintf(text, sizeof(text), "%.0f", kvfile_value(&kv, "MemTotal") / 1024);
	kvfile_close(&kv);
	err = result_env(r, "memory_mib", text);
	snprintf(text, sizeof(text), "%ld", sysconf(_SC_PAGESIZE));
	err = err ? err : result_env(r, "page_bytes", text);
	snprintf(text, sizeof(text), "%d", cgroup_version());
	return err ? err : result_env(r, "memory_cgroup_version", text);
}

/* DAMON may be set up to reclaim pages at any time, without any pressure. */
static int record_damon(struct result *r)
{
	char state[32];

	read_first_line("/sys/kernel/mm/damon/admin/kdamonds/0/state", state, sizeof(state));
	if (strcmp(state, "on"))
		return result_env(r, "damon", *state ? state : UNAVAILABLE);
	if (result_note(r, "DAMON runs on this machine and may reclaim pages at any time: a few "
			"pages of normal runs may be missing (see evicted_pages)"))
		return -ENOMEM;
	return result_env(r, "damon", state);
}

static char command[512];
static char **arguments;

int command_keep(int argc, char **argv)
{
	size_t used = 0;
	int i;

	/* A copy: getopt permutes the array it is given. */
	arguments = calloc((size_t)argc + 1, sizeof(*arguments));
	if (!arguments)
		return bench_fail(-ENOMEM, "keep", "the command line");
	memcpy(arguments, argv, (size_t)argc * sizeof(*arguments));
	for (i = 0; i < argc && used < sizeof(command); i++)
		used += (size_t)snprintf(command + used, sizeof(command) - used,
					 strpbrk(argv[i], " \t\"'") ? "%s'%s'" : "%s%s",
					 i ? " " : "", argv[i]);
	if (used < sizeof(command))
		return 0;
	return bench_error("the command line is longer than %zu characters; shorten the paths",
			   sizeof(command) - 1);
}

char **command_argv(void)
{
	return arguments;
}

static int record_command(struct result *r)
{
	char date[64];
	time_t now = time(NULL);
	struct tm tm;

	if (result_env(r, "command", command))
		return -ENOMEM;
	if (!gmtime_r(&now, &tm) || !strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &tm))
		snprintf(date, sizeof(date), UNAVAILABLE);
	return result_env(r, "date", date);
}

int env_record(struct result *r, const struct place *p)
{
	int err = record_kernel(r);

	err = err ? err : record_filesystem(r, p);
	err = err ? err : record_device(r, p);
	err = err ? err : record_memory(r);
	err = err ? err : record_cpu(r);
	err = err ? err : record_damon(r);
	return err ? err : record_command(r);
}
