// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"
#include "view_runs.h"
#include "views_rows.h"

static const char *const io_kinds[] = { "normal", "dontcache" };

/* Is this a sample at the end of an interval, not at the early end of the loop? */
static bool full_interval(const struct run *run, size_t i, double interval)
{
	double begin = i ? run->samples[i - 1].v[SAMPLE_TIME_S] : 0;

	return run->samples[i].v[SAMPLE_TIME_S] - begin > interval * 0.5;
}

/* Mean over the rounds (one, or 0: all) of sample @i's throughput; NAN when none is that long. */
static double second_mean(const struct result *r, const char *variant, unsigned int round,
			  size_t i, double interval)
{
	double sum = 0;
	size_t n = 0, k;

	for (k = 0; k < r->nr_runs; k++) {
		const struct run *run = &r->runs[k];

		if (strcmp(run->variant, variant) || (round && run->round != round) ||
		    i >= run->nr_samples || !full_interval(run, i, interval))
			continue;
		sum += run->samples[i].v[SAMPLE_MB_S];
		n++;
	}
	return n ? sum / (double)n : NAN;
}

static size_t most_samples(const struct result *r)
{
	size_t most = 0, i;

	for (i = 0; i < r->nr_runs; i++)
		if (r->runs[i].nr_samples > most)
			most = r->runs[i].nr_samples;
	return most;
}

static int seconds_table(const struct result *r, struct table_list *l)
{
	double interval = strtod(result_setting_text(r, "interval_s"), NULL);
	struct table *t = tables_add(l, "seconds", "Throughput of each second, MB/s (10^6 bytes)");
	char name[64], title[64];
	size_t n = most_samples(r), i, v;
	int row, c;

	if (!t)
		return -ENOMEM;
	c = table_add_column(t, "second", "Second", 0);
	if (c < 0)
		return c;
	t->cols[c].is_text = true;
	t->nr_keys = 1;
	for (v = 0; v < 2; v++) {
		snprintf(name, sizeof(name), "%s_mb_s", io_kinds[v]);
		snprintf(title, sizeof(title), "%s MB/s", io_kinds[v]);
		c = table_add_column(t, name, title, 1);
		if (c < 0)
			return c;
	}
	for (i = 0; i < n; i++) {
		double a = second_mean(r, io_kinds[0], 0, i, interval);
		double b = second_mean(r, io_kinds[1], 0, i, interval);

		if (isnan(a) && isnan(b))
			continue;
		row = table_add_row(t, "");
		if (row < 0)
			return row;
		snprintf(t->rows[row].cells[0].text, sizeof(t->rows[row].cells[0].text), "%g",
			 (double)(i + 1) * interval);
		t->rows[row].cells[1].value = a;
		t->rows[row].cells[2].value = b;
		t->rows[row].cells[1].blank = isnan(a);
		t->rows[row].cells[2].blank = isnan(b);
	}
	return 0;
}

/* Rows: the @variants that ran; columns: means of the @metrics over the rounds. */
static int variants_table(struct table_list *l, const struct result *r, const char *name,
			  const char *title, const char *const *variants, size_t nr_variants,
			  const struct metric_column *m, size_t nr_metrics)
{
	double *v = calloc(r->nr_runs + 1, sizeof(*v));
	struct table *t = v ? tables_add(l, name, title) : NULL;
	int err = t ? table_add_column(t, "stream", "Stream", 0) : -ENOMEM;
	size_t i, k;

	if (err < 0)
		goto out;
	t->cols[0].is_text = true;
	t->nr_keys = 1;
	for (k = 0; k < nr_metrics && err >= 0; k++)
		err = table_add_column(t, m[k].metric, m[k].title, m[k].decimals);
	for (i = 0; i < nr_variants && err >= 0; i++) {
		if (!result_has_variant(r, variants[i]))
			continue;
		err = table_add_row(t, r->runs[0].group);
		if (err < 0)
			break;
		snprintf(t->rows[err].cells[0].text, sizeof(t->rows[err].cells[0].text), "%s",
			 variants[i]);
		for (k = 0; k < nr_metrics; k++) {
			struct cell *cell = &t->rows[err].cells[k + 1];

			cell->value = stats_mean(v, table_collect(r, r->runs[0].group,
								  variants[i], m[k].metric, v));
			cell->blank = !metric_applies(variants[i], m[k].metric);
		}
	}
out:
	free(v);
	return err < 0 ? err : 0;
}

/* Least, greatest and so on of the seconds of one run, as a row. */
static int steadiness_row(struct table *t, const struct result *r, const char *variant,
			  unsigned int round, double interval, double *v)
{
	size_t n = 0, most = most_samples(r), k;
	int row = table_add_row(t, "");
	struct cell *cells;

	if (row < 0)
		return row;
	cells = t->rows[row].cells;
	if (result_rounds(r) > 1)
		snprintf(cells[0].text, sizeof(cells[0].text), "%s r%u", variant, round);
	else
		snprintf(cells[0].text, sizeof(cells[0].text), "%s", variant);
	for (k = 0; k < most; k++) {
		double x = second_mean(r, variant, round, k, interval);

		if (!isnan(x))
			v[n++] = x;
	}
	cells[1].value = stats_mean(v, n);
	for (k = 0; k < n; k++) {
		cells[2].value = k ? fmin(cells[2].value, v[k]) : v[0];
		cells[3].value = k ? fmax(cells[3].value, v[k]) : v[0];
	}
	cells[4].value = stats_stddev(v, n);
	return 0;
}

/*
 * How steady each run was: the argument of the per-second tables in one line. Of
 * each run, because a mean over rounds is steadier than any of them.
 */
static int steadiness_table(const struct result *r, struct table_list *l)
{
	static const char *const titles[] = { "mean", "least", "greatest", "std. deviation" };
	static const char *const names[] = { "mean_mb_s", "min_mb_s", "max_mb_s", "stddev_mb_s" };
	double interval = strtod(result_setting_text(r, "interval_s"), NULL);
	double *v = calloc(most_samples(r) + 1, sizeof(*v));
	struct table *t = v ? tables_add(l, "steadiness", "Throughput of the seconds, MB/s") : NULL;
	int c = t ? table_add_column(t, "io", "I/O", 0) : -ENOMEM;
	unsigned int round;
	size_t i;

	if (c < 0)
		goto out;
	t->cols[0].is_text = true;
	t->nr_keys = 1;
	for (i = 0; i < 4 && c >= 0; i++)
		c = table_add_column(t, names[i], titles[i], 1);
	for (i = 0; i < 2; i++)
		for (round = 1; round <= result_rounds(r) && c >= 0; round++)
			c = steadiness_row(t, r, io_kinds[i], round, interval, v);
out:
	free(v);
	return c < 0 ? c : 0;
}

/* The same metrics as rows: each run, mean and change. */
static int runs_of(struct table_list *l, const struct result *r, const char *title,
		   const char *const *variants, size_t nr_variants,
		   const struct metric_column *m, size_t nr_metrics,
		   const struct result *control)
{
	char prefix[sizeof(r->runs->group)] = "";
	const struct runs_table what = {
		.name = "runs",
		.title = title,
		.prefix = prefix,
		.variants = variants,
		.nr_variants = nr_variants,
		.metrics = m,
		.nr_metrics = nr_metrics,
	};

	if (r->nr_runs)
		snprintf(prefix, sizeof(prefix), "%.*s", (int)strcspn(r->runs[0].group, "|"),
			 r->runs[0].group);
	return view_runs(l, r, &what, control);
}

#define NR(a) (sizeof(a) / sizeof((a)[0]))

int view_per_second(const struct result *r, const struct result *control,
		    struct table_list *l)
{
	static const struct metric_column whole[] = {
		{ "throughput_mib_s", "MiB/s", 1 },
		{ "throughput_fsync_mib_s", "MiB/s with fsync", 1 },
		{ "cached_mib", "Cached MiB", 1 },
		{ "cgroup_file_mib", "cgroup file MiB", 1 },
		{ "kswapd_cpu_pct", "kswapd CPU %", 2 },
		{ "direct_scan_pages", "direct scan", 0 },
		{ "cgroup_direct_scan_pages", "cgroup direct scan", 0 },
		{ "resident_pages", "resident pages", 0 },
		{ "wraps", "wraps", 0 },
	};
	int err = seconds_table(r, l);

	err = err ? err : steadiness_table(r, l);
	err = err ? err : variants_table(l, r, "whole", "The whole run", io_kinds, 2, whole,
					 NR(whole));
	return err ? err : runs_of(l, r, "The whole run: each run, mean and change", io_kinds, 2,
				   whole, NR(whole), control);
}

int view_neighbour(const struct result *r, const struct result *control,
		   struct table_list *l)
{
	static const struct metric_column victim[] = {
		{ "hit_pct", "hit %", 2 },
		{ "misses", "misses", 0 },
		{ "refaults", "refaults", 0 },
		{ "latency_p50_us", "p50 us", 1 },
		{ "latency_p99_us", "p99 us", 1 },
		{ "latency_p999_us", "p99.9 us", 1 },
		{ "latency_max_us", "max us", 1 },
		{ "reads", "reads", 0 },
		{ "unissued_reads", "unissued", 0 },
		{ "stream_mib_s", "stream MiB/s", 1 },
		{ "stream_fsync_mib_s", "with fsync", 1 },
		{ "cgroup_file_mib", "cgroup file MiB", 1 },
	};
	int err;

	err = variants_table(l, r, "victim", "What the stream costs its neighbour (a hot set "
			     "read at random at a fixed rate; latency from the due time)",
			     bystander_variants, NR_BYSTANDER_VARIANTS, victim, NR(victim));
	return err ? err : runs_of(l, r, "The neighbour: each run, mean and change (normal to "
				   "dontcache)", bystander_variants, NR_BYSTANDER_VARIANTS,
				   victim, NR(victim), control);
}

int view_fsync_neighbour(const struct result *r, const struct result *control,
			 struct table_list *l)
{
	static const struct metric_column writer[] = {
		{ "fsync_p50_us", "p50 us", 1 },
		{ "fsync_p90_us", "p90 us", 1 },
		{ "fsync_p99_us", "p99 us", 1 },
		{ "fsync_p999_us", "p99.9 us", 1 },
		{ "fsync_max_us", "max us", 1 },
		{ "write_p99_us", "write p99 us", 1 },
		{ "records_per_s", "records/s", 1 },
		{ "records", "records", 0 },
		{ "throughput_mib_s", "stream MiB/s", 1 },
		{ "throughput_fsync_mib_s", "with fsync", 1 },
	};
	int err;

	err = variants_table(l, r, "fsync", "fsync of a 4 KiB record beside a stream "
			     "(percentiles at most 1.6 % high)", bystander_variants,
			     NR_BYSTANDER_VARIANTS, writer, NR(writer));
	return err ? err : runs_of(l, r, "fsync: each run, mean and change (normal to dontcache)",
				   bystander_variants, NR_BYSTANDER_VARIANTS, writer,
				   NR(writer), control);
}
