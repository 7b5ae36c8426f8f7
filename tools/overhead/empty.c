// SPDX-License-Identifier: GPL-2.0
/*
 * dropbehind-empty: attaches a BPF program that does nothing to each probe
 * point of a list, waits to be ended, and prints what running them took.  The
 * list is what `dropbehind stat -j` says it attached to, so that the two can
 * be compared.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "empty.skel.h"

#define MAX_POINTS 64

/* One probe point and the program on it. */
struct point {
	const char *target;	/* belongs to the list */
	const char *attached;	/* raw_tp, fentry or kprobe; belongs to the list */
	bool at_return;
	struct empty_bpf *skel;
	struct bpf_link *link;
	int fd;			/* of the program; belongs to skel */
};

static const char usage_text[] =
	"usage: dropbehind-empty POINTS.json\n"
	"Attaches an empty BPF program to each probe point of the list, prints \"ready: N programs\",\n"
	"waits for SIGTERM or SIGINT, and prints their run counts and run times as JSON.\n"
	"\n"
	"POINTS.json is a report of `dropbehind stat -j` (then the points it attached to are taken),\n"
	"or a list of objects with target, attached (raw_tp, fentry, kprobe) and at_return.\n"
	"Run times are counted only while kernel.bpf_stats_enabled is 1.\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 wrong use.\n";

static int complain(const char *format, ...)
{
	va_list args;

	fputs("dropbehind-empty: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return -1;
}

static struct bpf_program *choose_program(struct empty_bpf *skel, const char *attached,
					  bool at_return)
{
	if (!strcmp(attached, "raw_tp"))
		return skel->progs.empty_raw_tp;
	if (!strcmp(attached, "fentry"))
		return at_return ? skel->progs.empty_fexit : skel->progs.empty_fentry;
	if (!strcmp(attached, "kprobe"))
		return at_return ? skel->progs.empty_kretprobe : skel->progs.empty_kprobe;
	return NULL;
}

static struct bpf_link *attach_program(struct bpf_program *program, const struct point *point)
{
	if (!strcmp(point->attached, "raw_tp"))
		return bpf_program__attach_raw_tracepoint(program, point->target);
	if (!strcmp(point->attached, "fentry"))
		return bpf_program__attach_trace(program);
	return bpf_program__attach_kprobe(program, point->at_return, point->target);
}

static int attach_point(struct point *point)
{
	struct bpf_program *program, *chosen;
	int err;

	point->skel = empty_bpf__open();
	if (!point->skel)
		return complain("cannot open the BPF object: %s", strerror(errno));
	chosen = choose_program(point->skel, point->attached, point->at_return);
	if (!chosen)
		return complain("%s: cannot attach by '%s'; known are raw_tp, fentry and kprobe",
				point->target, point->attached);
	bpf_object__for_each_program(program, point->skel->obj)
		bpf_program__set_autoload(program, program == chosen);
	if (!strcmp(point->attached, "fentry")) {
		err = bpf_program__set_attach_target(chosen, 0, point->target);
		if (err)
			return complain("%s: not in this kernel's BTF: %s", point->target,
					strerror(-err));
	}
	err = empty_bpf__load(point->skel);
	if (err)
		return complain("%s: the kernel does not load an empty program: %s", point->target,
				strerror(-err));
	point->link = attach_program(chosen, point);
	if (!point->link)
		return complain("%s: cannot attach by %s: %s", point->target, point->attached,
				strerror(errno));
	point->fd = bpf_program__fd(chosen);
	return 0;
}

/* Takes the attached points of @list; returns how many, negative after a complaint. */
static int take_points(json_t *list, struct point *points)
{
	json_t *entry;
	size_t i;
	int n = 0;

	json_array_foreach(list, i, entry) {
		const char *target = json_string_value(json_object_get(entry, "target"));
		const char *attached = json_string_value(json_object_get(entry, "attached"));

		if (!target || !attached)
			return complain("entry %zu of the list has no target or no attached", i);
		if (!choose_program(&(struct empty_bpf){}, attached, false) &&
		    (!strcmp(attached, "none") || !strcmp(attached, "unavailable")))
			continue;
		if (n == MAX_POINTS)
			return complain("more than %d probe points", MAX_POINTS);
		points[n].target = target;
		points[n].attached = attached;
		points[n].at_return = json_is_true(json_object_get(entry, "at_return"));
		n++;
	}
	return n ? n : complain("the list has no attached probe point");
}

static int print_results(const struct point *points, int n)
{
	json_t *all = json_array();
	struct bpf_prog_info info;
	__u32 size;
	int i, err = 0;

	for (i = 0; i < n && !err; i++) {
		memset(&info, 0, sizeof(info));
		size = sizeof(info);
		err = bpf_obj_get_info_by_fd(points[i].fd, &info, &size);
		if (err)
			break;
		json_array_append_new(all, json_pack("{s:s, s:s, s:b, s:I, s:I, s:I}",
						     "target", points[i].target,
						     "attached", points[i].attached,
						     "at_return", points[i].at_return,
						     "run_cnt", (json_int_t)info.run_cnt,
						     "run_time_ns", (json_int_t)info.run_time_ns,
						     "missed", (json_int_t)info.recursion_misses));
	}
	if (err)
		complain("cannot read the run times: %s", strerror(errno));
	else if (json_array_size(all) != (size_t)n)
		err = complain("out of memory");
	else if (json_dumpf(all, stdout, JSON_COMPACT) || putchar('\n') == EOF || fflush(stdout))
		err = complain("cannot print: %s", strerror(errno));
	json_decref(all);
	return err;
}

static int quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

static int run(const char *path)
{
	struct point points[MAX_POINTS] = {};
	json_error_t error;
	json_t *json, *list;
	sigset_t ends;
	int n, i, signal, err = -1;

	json = json_load_file(path, 0, &error);
	if (!json)
		return complain("%s: %s (line %d)", path, error.text, error.line);
	list = json_is_array(json) ? json :
	       json_object_get(json_object_get(json, "completeness"), "points");
	if (!json_is_array(list)) {
		complain("%s: neither a list nor a report of dropbehind stat -j", path);
		goto out;
	}
	n = take_points(list, points);
	if (n < 0)
		goto out;
	/* blocked before attaching, so that an early signal ends the wait at once */
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	libbpf_set_print(quiet);
	for (i = 0; i < n; i++)
		if (attach_point(&points[i]))
			goto out;
	printf("ready: %d programs\n", n);
	if (fflush(stdout)) {
		complain("cannot print: %s", strerror(errno));
		goto out;
	}
	sigwait(&ends, &signal);
	err = print_results(points, n);
out:
	for (i = 0; i < MAX_POINTS; i++) {
		bpf_link__destroy(points[i].link);
		empty_bpf__destroy(points[i].skel);
	}
	json_decref(json);
	return err;
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "help", no_argument, NULL, 'h' }, {} };
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c != 'h') {
			fputs("dropbehind-empty: see --help\n", stderr);
			return 2;
		}
		fputs(usage_text, stdout);
		return 0;
	}
	if (argc - optind != 1) {
		fputs("dropbehind-empty: one file with the probe points is needed; see --help\n",
		      stderr);
		return 2;
	}
	return run(argv[optind]) ? 1 : 0;
}
