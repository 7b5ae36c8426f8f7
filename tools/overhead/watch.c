// SPDX-License-Identifier: GPL-2.0
#include "watch.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A thread that ended takes its time with it; none of the tracers has such. */
static long long cpu_of(pid_t pid)
{
	unsigned long long on_cpu_ns;
	struct dirent *entry;
	char path[320];
	long long sum = 0;
	FILE *f;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return -1;
	while (sum >= 0 && (entry = readdir(dir))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%s/schedstat", pid, entry->d_name);
		f = fopen(path, "re");
		if (!f || fscanf(f, "%llu", &on_cpu_ns) != 1)
			sum = -1;
		else
			sum += on_cpu_ns;
		if (f)
			fclose(f);
	}
	closedir(dir);
	return sum;
}

/* The number that @label has in the kernel's description of a descriptor of @pid; 0: none. */
static __u32 fd_number(pid_t pid, const char *fd, const char *label)
{
	char path[320], line[256];
	size_t length = strlen(label);
	__u32 number = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%s", pid, fd);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (!number && fgets(line, sizeof(line), f))
		if (!strncmp(line, label, length) && line[length] == ':')
			number = strtoul(line + length + 1, NULL, 10);
	fclose(f);
	return number;
}

static int take_program(struct watch *watch, __u32 id)
{
	struct watch_program *program;
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);
	int i, fd, err;

	for (i = 0; i < watch->nprograms; i++)
		if (watch->programs[i].id == id)
			return 0;
	if (watch->nprograms == WATCH_PROGRAMS)
		return -1;
	fd = bpf_prog_get_fd_by_id(id);
	if (fd < 0)
		return -1;
	err = bpf_obj_get_info_by_fd(fd, &info, &size);
	close(fd);
	if (err)
		return -1;
	program = &watch->programs[watch->nprograms++];
	program->id = id;
	snprintf(program->name, sizeof(program->name), "%.*s", (int)sizeof(info.name), info.name);
	program->runs = info.run_cnt;
	program->run_ns = info.run_time_ns;
	program->missed = info.recursion_misses;
	return 0;
}

/* Calls back for each descriptor of @pid until the callback fails. */
static int each_fd(pid_t pid, int (*call)(struct watch *watch, pid_t pid, const char *fd),
		   struct watch *watch)
{
	struct dirent *entry;
	char path[64];
	int err = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo", pid);
	dir = opendir(path);
	if (!dir)
		return -1;
	while (!err && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			err = call(watch, pid, entry->d_name);
	closedir(dir);
	return err;
}

static int take_fd(struct watch *watch, pid_t pid, const char *fd)
{
	__u32 id = fd_number(pid, fd, "prog_id");

	return id ? take_program(watch, id) : 0;
}

void watch_take(struct watch *watch, pid_t pid)
{
	memset(watch, 0, sizeof(*watch));
	watch->cpu_ns = cpu_of(pid);
	if (each_fd(pid, take_fd, watch))
		watch->nprograms = -1;
}

static struct btf *kernel_btf;	/* while watch_name() runs */

/* The BTF that a target's number is of; to be freed unless it is the kernel's own. */
static struct btf *btf_of(__u32 id)
{
	struct bpf_btf_info info = {};
	__u32 size = sizeof(info);
	char name[32] = "";
	int fd = bpf_btf_get_fd_by_id(id), err;

	if (fd < 0)
		return NULL;
	info.name = (__u64)(unsigned long)name;
	info.name_len = sizeof(name);
	err = bpf_obj_get_info_by_fd(fd, &info, &size);
	close(fd);
	if (err)
		return NULL;
	return strcmp(name, "vmlinux") ? btf__load_from_kernel_by_id_split(id, kernel_btf) : kernel_btf;
}

static void name_function(struct watch_program *program, const struct bpf_link_info *info)
{
	struct btf *btf = btf_of(info->tracing.target_obj_id);
	const struct btf_type *type = btf ? btf__type_by_id(btf, info->tracing.target_btf_id) : NULL;

	if (type)
		snprintf(program->name, sizeof(program->name), "%.64s%s",
			 btf__name_by_offset(btf, type->name_off),
			 info->tracing.attach_type == BPF_TRACE_FEXIT ? " (return)" : "");
	if (btf != kernel_btf)
		btf__free(btf);
}

static int name_fd(struct watch *watch, pid_t pid, const char *fd)
{
	__u32 id = fd_number(pid, fd, "link_id"), size;
	struct bpf_link_info info = {};
	struct watch_program *program = NULL;
	char target[64] = "";
	int link, i;

	if (!id)
		return 0;
	link = bpf_link_get_fd_by_id(id);
	if (link < 0)
		return 0;
	/* room for a raw tracepoint's name; for other kinds the kernel ignores or refuses it */
	info.raw_tracepoint.tp_name = (__u64)(unsigned long)target;
	info.raw_tracepoint.tp_name_len = sizeof(target);
	size = sizeof(info);
	if (bpf_obj_get_info_by_fd(link, &info, &size))
		goto out;
	for (i = 0; i < watch->nprograms; i++)
		if (watch->programs[i].id == info.prog_id)
			program = &watch->programs[i];
	if (!program)
		goto out;
	if (info.type == BPF_LINK_TYPE_RAW_TRACEPOINT)
		snprintf(program->name, sizeof(program->name), "%s", target);
	else if (info.type == BPF_LINK_TYPE_TRACING)
		name_function(program, &info);
out:
	close(link);
	return 0;
}

void watch_name(struct watch *watch, pid_t pid)
{
	kernel_btf = btf__load_vmlinux_btf();
	each_fd(pid, name_fd, watch);
	btf__free(kernel_btf);
	kernel_btf = NULL;
}

int watch_enable_stats(void)
{
	int fd = bpf_enable_stats(BPF_STATS_RUN_TIME);

	return fd < 0 ? -errno : fd;
}
