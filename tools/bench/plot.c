// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"
#include "stats.h"
#include "table.h"

static void begin(struct plot *p, const char *name, const char *title, const char *x_title,
		  const char *y_title)
{
	memset(p, 0, sizeof(*p));
	snprintf(p->name, sizeof(p->name), "%s", name);
	snprintf(p->title, sizeof(p->title), "%s", title);
	snprintf(p->x_title, sizeof(p->x_title), "%s", x_title);
	snprintf(p->y_title, sizeof(p->y_title), "%s", y_title);
}

static struct series *series_of(struct plot *p, const char *name)
{
	struct series *s;
	size_t i;

	for (i = 0; i < p->nr_series; i++)
		if (!strcmp(p->series[i].name, name))
			return &p->series[i];
	if (p->nr_series == PLOT_MAX_SERIES)
		return NULL;
	s = &p->series[p->nr_series++];
	snprintf(s->name, sizeof(s->name), "%s", name);
	return s;
}

static void add_point(struct series *s, double x, double y)
{
	if (!s || s->nr == PLOT_MAX_POINTS || isnan(y))
		return;
	s->x[s->nr] = x;
	s->y[s->nr] = y;
	s->nr++;
}

/* A label for each group of the table @prefix, with its key parts joined by blanks. */
static void add_labels(struct plot *p, const struct result *r, const char *prefix,
		       const char **groups)
{
	size_t len = strlen(prefix), i, k;

	for (i = 0; i < r->nr_runs && p->nr_labels < PLOT_MAX_LABELS; i++) {
		const char *group = r->runs[i].group;
		char *label = p->labels[p->nr_labels];

		if (strncmp(group, prefix, len) || group[len] != '|')
			continue;
		for (k = 0; k < p->nr_labels; k++)
			if (!strcmp(groups[k], group))
				break;
		if (k < p->nr_labels)
			continue;
		snprintf(label, sizeof(p->labels[0]), "%.39s", group + len + 1);
		while ((label = strchr(label, '|')))
			*label = ' ';
		groups[p->nr_labels++] = group;
	}
}

/* Throughput over the rows of one table: a line for each variant. */
static void per_row(struct plot *p, const struct result *r, const char *prefix, double *v)
{
	const char *groups[PLOT_MAX_LABELS];
	size_t i, k;

	add_labels(p, r, prefix, groups);
	for (i = 0; i < p->nr_labels; i++) {
		for (k = 0; k < r->nr_runs; k++) {
			const struct run *run = &r->runs[k];
			size_t n;

			/* The first run of each variant stands for all its rounds. */
			if (strcmp(run->group, groups[i]) || run->round > 1)
				continue;
			n = table_collect(r, run->group, run->variant, "throughput_mib_s", v);
			add_point(series_of(p, run->variant), (double)i, stats_mean(v, n));
		}
	}
}

/* The group in which some run has most samples. */
static const char *longest_group(const struct result *r)
{
	const char *group = NULL;
	size_t most = 1, i;

	for (i = 0; i < r->nr_runs; i++) {
		if (r->runs[i].nr_samples > most) {
			most = r->runs[i].nr_samples;
			group = r->runs[i].group;
		}
	}
	return group;
}

static bool over_time(struct plot *p, const struct result *r, const char *group, int field)
{
	size_t i, k;
	bool any = false;

	for (i = 0; i < r->nr_runs; i++) {
		const struct run *run = &r->runs[i];
		struct series *s;

		if (strcmp(run->group, group) || run->round != 1)
			continue;
		s = series_of(p, run->variant);
		/* The last sample is at the end of the loop, not at that of an interval. */
		for (k = 0; k + 1 < run->nr_samples; k++) {
			add_point(s, run->samples[k].v[SAMPLE_TIME_S], run->samples[k].v[field]);
			any = any || !isnan(run->samples[k].v[field]);
		}
	}
	return any;
}

static int emit_over_time(struct plot *p, const struct result *r,
			  int (*emit)(const struct plot *p, void *arg), void *arg)
{
	static const struct {
		int field;
		const char *name, *what, *unit;
	} times[] = {
		{ SAMPLE_MB_S, "throughput-over-time", "throughput", "MB/s" },
		{ SAMPLE_CACHED_MIB, "cached-over-time", "Cached", "MiB" },
		{ SAMPLE_CGROUP_FILE_MIB, "cgroup-file-over-time", "file pages of the cgroup",
		  "MiB" },
	};
	const char *group = longest_group(r);
	char title[160], *bar;
	size_t i;
	int err = 0;

	for (i = 0; group && i < sizeof(times) / sizeof(times[0]) && !err; i++) {
		snprintf(title, sizeof(title), "%s: %s over time, %.100s", r->preset,
			 times[i].what, group);
		while ((bar = strchr(title, '|')))
			*bar = ' ';
		begin(p, times[i].name, title, "seconds since the start of the loop",
		      times[i].unit);
		if (over_time(p, r, group, times[i].field))
			err = emit(p, arg);
	}
	return err;
}

int plots_make(const struct result *r, int (*emit)(const struct plot *p, void *arg), void *arg)
{
	struct plot *p = malloc(sizeof(*p));
	double *v = calloc(r->nr_runs + 1, sizeof(*v));
	char prefix[64], name[80], title[160];
	int err = p && v ? 0 : -ENOMEM;
	size_t i, k;

	for (i = 0; i < r->nr_runs && !err; i++) {
		size_t len = strcspn(r->runs[i].group, "|");

		for (k = 0; k < i; k++)
			if (!strncmp(r->runs[k].group, r->runs[i].group, len + 1))
				break;
		if (k < i)
			continue;
		snprintf(prefix, sizeof(prefix), "%.*s", (int)len, r->runs[i].group);
		snprintf(name, sizeof(name), "%s-throughput", prefix);
		snprintf(title, sizeof(title), "%s: throughput, %s (mean of the rounds)",
			 r->preset, prefix);
		begin(p, name, title, "", "MiB/s");
		per_row(p, r, prefix, v);
		if (p->nr_labels > 1)
			err = emit(p, arg);
	}
	if (!err)
		err = emit_over_time(p, r, emit, arg);
	free(p);
	free(v);
	return err;
}
