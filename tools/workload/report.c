// SPDX-License-Identifier: GPL-2.0
/*
 * One model, two forms: JSON, or the same as key=value lines, a.b[0].c=value.
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "workload.h"

static void print_flat(const char *prefix, const json_t *value)
{
	const char *key;
	char path[512];
	json_t *item;
	size_t i;

	if (json_is_object(value)) {
		json_object_foreach((json_t *)value, key, item) {
			snprintf(path, sizeof(path), "%s%s%s", prefix, *prefix ? "." : "", key);
			print_flat(path, item);
		}
	} else if (json_is_array(value)) {
		json_array_foreach(value, i, item) {
			snprintf(path, sizeof(path), "%s[%zu]", prefix, i);
			print_flat(path, item);
		}
	} else if (json_is_string(value)) {
		printf("%s=%s\n", prefix, json_string_value(value));
	} else if (json_is_integer(value)) {
		printf("%s=%lld\n", prefix, (long long)json_integer_value(value));
	} else if (json_is_boolean(value)) {
		printf("%s=%s\n", prefix, json_is_true(value) ? "true" : "false");
	} else {
		printf("%s=unknown\n", prefix);
	}
}

/* Takes @root. 0 or a negative errno: a closed or full output is an error. */
static int print_and_free(json_t *root, bool json)
{
	int err = 0;

	if (!root)
		return -ENOMEM;
	if (json) {
		if (json_dumpf(root, stdout, JSON_INDENT(2)))
			err = -EIO;
		putchar('\n');
	} else {
		print_flat("", root);
	}
	if (fflush(stdout) || ferror(stdout))
		err = -EIO;
	json_decref(root);
	return err;
}

static json_t *range_json(const struct wl_range *range)
{
	return json_pack("{s:I, s:o, s:b}", "min", (json_int_t)range->min, "max",
			 range->max == WL_UNBOUNDED ? json_null() :
						      json_integer((json_int_t)range->max),
			 "exact", range->min == range->max);
}

static json_t *expect_json(const struct wl_expect *expect)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:I}",
			 "births_write_pages", range_json(&expect->births_write),
			 "births_read_pages", range_json(&expect->births_read),
			 "claimed_pages", range_json(&expect->claimed),
			 "mapped_pages", range_json(&expect->mapped),
			 "resident_pages", range_json(&expect->resident),
			 "resident_all_dropped_pages", (json_int_t)expect->resident_all_dropped);
}

static void add_range(struct wl_range *sum, const struct wl_range *range)
{
	sum->min += range->min;
	if (sum->max == WL_UNBOUNDED || range->max == WL_UNBOUNDED)
		sum->max = WL_UNBOUNDED;
	else
		sum->max += range->max;
}

static void add_expect(struct wl_expect *sum, const struct wl_expect *expect)
{
	add_range(&sum->births_write, &expect->births_write);
	add_range(&sum->births_read, &expect->births_read);
	add_range(&sum->claimed, &expect->claimed);
	add_range(&sum->mapped, &expect->mapped);
	add_range(&sum->resident, &expect->resident);
	sum->resident_all_dropped += expect->resident_all_dropped;
}

static json_t *did_json(const struct wl_did *did)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
			 "dontcache_write_calls", (json_int_t)did->dontcache_write_calls,
			 "dontcache_write_bytes", (json_int_t)did->dontcache_write_bytes,
			 "dontcache_read_calls", (json_int_t)did->dontcache_read_calls,
			 "dontcache_read_bytes", (json_int_t)did->dontcache_read_bytes,
			 "cached_write_calls", (json_int_t)did->cached_write_calls,
			 "cached_write_bytes", (json_int_t)did->cached_write_bytes,
			 "cached_read_calls", (json_int_t)did->cached_read_calls,
			 "cached_read_bytes", (json_int_t)did->cached_read_bytes,
			 "mapped_touches", (json_int_t)did->mapped_touches);
}

static json_t *pages_json(const struct wl_pages *pages)
{
	if (pages->only_cached)
		return json_pack("{s:I, s:n, s:n, s:n, s:s}", "resident_pages",
				 (json_int_t)pages->cached, "dirty_pages", "writeback_pages",
				 "evicted_pages", "by", "mincore");
	return json_pack("{s:I, s:I, s:I, s:I, s:s}", "resident_pages", (json_int_t)pages->cached,
			 "dirty_pages", (json_int_t)pages->dirty,
			 "writeback_pages", (json_int_t)pages->writeback,
			 "evicted_pages", (json_int_t)pages->evicted, "by", "cachestat");
}

static const char *settled_name(enum wl_settled settled)
{
	switch (settled) {
	case WL_NOT_SETTLED:
		return "no";
	case WL_SETTLED_BY_KERNEL:
		return "by the kernel";
	case WL_SETTLED_FORCED:
		return "forced";
	case WL_SETTLE_TIMED_OUT:
		return "timed out";
	}
	return "no";
}

/* Reclaim may take clean pages at any time. It leaves a trace, which cachestat(2) counts as evicted. */
static bool file_contradicted(const struct wl_file *file)
{
	const struct wl_range *want = &file->expect.resident;

	return file->measured && (file->after.cached + file->after.evicted < want->min ||
				  file->after.cached > want->max);
}

bool wl_contradicted(const struct wl_run *run)
{
	int i;

	for (i = 0; i < run->nr_files; i++)
		if (file_contradicted(&run->files[i]) &&
		    run->files[i].settled != WL_SETTLE_TIMED_OUT)
			return true;
	return false;
}

static const char *verdict(const struct wl_run *run)
{
	int i;

	if (wl_contradicted(run))
		return "fail";
	for (i = 0; i < run->nr_files; i++)
		if (!run->files[i].measured || run->files[i].settled == WL_SETTLE_TIMED_OUT)
			return "inconclusive";
	return "pass";
}

static json_t *file_json(const struct wl_run *run, const struct wl_file *file)
{
	const char *cgroup = run->opt.nr_cgroups ? run->opt.cgroups[file->process] : NULL;
	char dev[32];

	snprintf(dev, sizeof(dev), "%u:%u", major(file->dev), minor(file->dev));
	return json_pack("{s:s, s:s, s:I, s:s?, s:b, s:b, s:o, s:o, s:o, s:s}",
			 "path", file->path, "dev", dev, "ino", (json_int_t)file->ino,
			 "cgroup", cgroup, "extended", file->extended, "gone", file->gone,
			 "did", did_json(&file->did), "expect", expect_json(&file->expect),
			 "measured", file->measured ? pages_json(&file->after) : json_null(),
			 "settled", settled_name(file->settled));
}

/* Prints the whole run. Also used while a write is held, so nothing is assumed to be over. */
int wl_report(const struct wl_run *run)
{
	const struct wl_options *opt = &run->opt;
	json_t *root, *files, *cgroups, *item;
	struct wl_expect total = { 0 };
	uint64_t resident = 0, evicted = 0;
	bool measured = true;
	struct utsname uts;
	int i, c;

	if (uname(&uts))
		return -errno;
	files = json_array();
	cgroups = json_array();
	for (i = 0; i < run->nr_files; i++) {
		const struct wl_file *file = &run->files[i];

		json_array_append_new(files, file_json(run, file));
		add_expect(&total, &file->expect);
		measured = measured && file->measured;
		resident += file->after.cached;
		evicted += file->after.evicted;
	}
	for (c = 0; c < opt->nr_cgroups; c++) {
		struct wl_expect sum = { 0 };

		for (i = 0; i < run->nr_files; i++)
			if (run->files[i].process == c)
				add_expect(&sum, &run->files[i].expect);
		json_array_append_new(cgroups, json_pack("{s:s, s:o}", "path", opt->cgroups[c],
							 "expect", expect_json(&sum)));
	}
	item = json_pack("{s:I, s:I, s:i, s:i, s:i, s:s, s:i, s:b, s:b, s:b}",
			 "size_bytes", (json_int_t)opt->size, "block_bytes", (json_int_t)opt->block,
			 "files", run->nr_files, "threads", opt->nr_threads,
			 "processes", run->nr_processes,
			 "engine", opt->engine == WL_URING ? "io_uring" : "sync",
			 "depth", opt->engine == WL_URING ? opt->depth : 1, "dsync", opt->dsync,
			 "o_dsync", opt->o_dsync, "fsync", opt->fsync);
	root = json_pack("{s:s, s:s, s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:s}",
			 "scenario", opt->scenario->name, "why", opt->scenario->why,
			 "kernel", uts.release,
			 "fs", run->files[0].fd >= 0 ? wl_fs_name(run->files[0].fd) : "unknown",
			 "page_size_bytes", (json_int_t)run->page_size, "parameters", item,
			 "expect", expect_json(&total),
			 "resident_pages", measured ? json_integer((json_int_t)resident) : json_null(),
			 "evicted_pages", measured ? json_integer((json_int_t)evicted) : json_null(),
			 "files", files, "cgroups", cgroups, "verdict", verdict(run));
	return print_and_free(root, opt->json);
}

int wl_report_resident(char **paths, int nr_paths, bool json, bool use_mincore)
{
	json_t *files = json_array(), *item;
	int i, fd, err, status = WL_EXIT_OK;
	struct wl_pages pages;

	for (i = 0; i < nr_paths; i++) {
		fd = open(paths[i], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		err = fd < 0 ? -errno : wl_pages_of(fd, 0, 0, use_mincore, &pages);
		if (fd >= 0)
			close(fd);
		if (err) {
			fprintf(stderr, "dontcache-workload: %s: %s\n", paths[i], strerror(-err));
			status = WL_EXIT_ERROR;
			continue;
		}
		item = pages_json(&pages);
		json_object_set_new(item, "path", json_string(paths[i]));
		json_array_append_new(files, item);
	}
	if (print_and_free(json_pack("{s:I, s:o}", "page_size_bytes",
				     (json_int_t)sysconf(_SC_PAGESIZE), "files", files), json))
		status = WL_EXIT_ERROR;
	return status;
}

int wl_wait_fifo(struct wl_run *run, const char *path)
{
	char byte;
	ssize_t n;
	int fd;

	/* blocks until somebody opens it for writing */
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return wl_fail(run, errno, "open %s", path);
	do {
		n = read(fd, &byte, 1);
	} while (n < 0 && errno == EINTR);
	close(fd);
	return n < 0 ? wl_fail(run, errno, "read from %s", path) : 0;
}

int wl_hold(struct wl_run *run)
{
	const struct wl_options *opt = &run->opt;
	struct timespec ts;

	if (opt->hold_s > 0) {
		ts.tv_sec = (time_t)opt->hold_s;
		ts.tv_nsec = (long)((opt->hold_s - ts.tv_sec) * 1e9);
		while (nanosleep(&ts, &ts) && errno == EINTR)
			;
	}
	return opt->wait_fifo ? wl_wait_fifo(run, opt->wait_fifo) : 0;
}
