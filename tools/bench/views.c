// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "err.h"
#include "view_ledger.h"
#include "view_runs.h"
#include "views.h"
#include "views_rows.h"

/* A number that each of two variants gets a column for. */
struct pair {
	const char *metric;
	const char *name;	/* with %s for the variant */
	const char *title;	/* with %s for the variant */
	int decimals;
};

static const char *const io_size_key[] = { "io_size" };
static const char *const io_size_title[] = { "I/O size" };

static int add_pairs(struct table *t, const struct result *r, const struct pair *p, size_t n,
		     const char *a, const char *b)
{
	const char *variants[] = { a, b };
	char name[64], title[64];
	size_t i, v;
	int c;

	for (i = 0; i < n; i++) {
		for (v = 0; v < 2; v++) {
			/* The formats are the constants in this file. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			snprintf(name, sizeof(name), p[i].name, variants[v]);
			snprintf(title, sizeof(title), p[i].title, variants[v]);
#pragma GCC diagnostic pop
			c = table_add_mean(t, r, variants[v], p[i].metric, name, title,
					   p[i].decimals);
			if (c < 0)
				return c;
		}
	}
	return 0;
}

static int pairs_table(struct table_list *l, const struct result *r, const char *prefix,
		       const char *const *key, const char *const *key_title,
		       const char *name, const char *title, const struct pair *p, size_t n)
{
	struct table *t = tables_add(l, name, title);
	int err;

	if (!t)
		return -ENOMEM;
	err = table_add_groups(t, r, prefix, 1, key, key_title);
	return err ? err : add_pairs(t, r, p, n, "normal", "dontcache");
}

/* Each round and the mean of one variant; "NAME_r1_mib_s" and @mean_name. */
static int add_rounds(struct table *t, const struct result *r, const char *variant,
		      const char *metric, const char *mean_name)
{
	unsigned int round, rounds = result_rounds(r);
	char name[64], title[64];
	int c;

	for (round = 1; round <= rounds && round <= VIEW_MAX_ROUNDS && rounds > 1; round++) {
		snprintf(name, sizeof(name), "%s_r%u_mib_s", variant, round);
		snprintf(title, sizeof(title), "%s r%u", variant, round);
		c = table_add_round(t, r, variant, metric, round, name, title, 2);
		if (c < 0)
			return c;
	}
	snprintf(title, sizeof(title), "%s mean", variant);
	c = table_add_mean(t, r, variant, metric, mean_name, title, 2);
	return c < 0 ? c : 0;
}

static int throughput_table(struct table_list *l, const struct result *r, const char *prefix,
			    const char *name, const char *title, const char *metric,
			    const char *normal_mean, const char *dontcache_mean,
			    const struct result *control)
{
	struct table *t = tables_add(l, name, title);
	int err;

	if (!t)
		return -ENOMEM;
	err = table_add_groups(t, r, prefix, 1, io_size_key, io_size_title);
	err = err ? err : add_rounds(t, r, "normal", metric, normal_mean);
	err = err ? err : add_rounds(t, r, "dontcache", metric, dontcache_mean);
	if (err)
		return err;
	err = table_add_change(t, r, "normal", "dontcache", metric, control);
	return err < 0 ? err : 0;
}

static const struct pair kswapd_cached[] = {
	{ "kswapd_cpu_pct", "kswapd_cpu_%s_pct", "kswapd CPU %% %s", 2 },
	{ "cached_mib", "cached_%s_mib", "Cached MiB %s", 2 },
};

static const struct pair memory[] = {
	{ "memavailable_mib", "memavailable_%s_mib", "MemAvailable MiB %s", 2 },
	{ "dirty_mib", "dirty_%s_mib", "Dirty MiB %s", 2 },
	{ "writeback_mib", "writeback_%s_mib", "Writeback MiB %s", 2 },
};

static const struct pair lru[] = {
	{ "active_file_mib", "active_file_%s_mib", "Active(file) MiB %s", 2 },
	{ "inactive_file_mib", "inactive_file_%s_mib", "Inactive(file) MiB %s", 2 },
};

static const struct pair resident[] = {
	{ "resident_pages", "resident_%s_pages", "resident pages %s", 0 },
	{ "resident_end_pages", "resident_end_%s_pages", "before fsync %s", 0 },
};

static const struct pair reclaim[] = {
	{ "kswapd_scan_pages", "kswapd_scan_%s_pages", "kswapd scan %s", 0 },
	{ "kswapd_steal_pages", "kswapd_steal_%s_pages", "kswapd steal %s", 0 },
	{ "direct_scan_pages", "direct_scan_%s_pages", "direct scan %s", 0 },
	{ "direct_steal_pages", "direct_steal_%s_pages", "direct steal %s", 0 },
	{ "alloc_stalls", "alloc_stalls_%s", "stalls %s", 0 },
};

static const struct pair read_resident[] = {
	{ "start_resident_pages", "start_resident_%s_pages", "resident at start %s", 0 },
	{ "resident_pages", "resident_%s_pages", "resident at end %s", 0 },
};

static const struct pair amplification[] = {
	{ "read_amplification", "read_amplification_%s", "device/asked %s", 3 },
	{ "process_read_bytes", "process_read_%s_bytes", "bytes read %s", 0 },
	{ "device_read_bytes", "device_read_%s_bytes", "device bytes %s", 0 },
};

#define NR(a) (sizeof(a) / sizeof((a)[0]))

static int memory_tables(struct table_list *l, const struct result *r, const char *prefix)
{
	int err;

	err = pairs_table(l, r, prefix, io_size_key, io_size_title, "kswapd-cached",
			  "kswapd CPU and Cached (means of the samples within the loop)",
			  kswapd_cached, NR(kswapd_cached));
	err = err ? err : pairs_table(l, r, prefix, io_size_key, io_size_title, "memory",
				      "MemAvailable, Dirty and Writeback (means of the samples)",
				      memory, NR(memory));
	err = err ? err : pairs_table(l, r, prefix, io_size_key, io_size_title, "lru",
				      "Active(file) and Inactive(file) (means of the samples)",
				      lru, NR(lru));
	return err ? err : pairs_table(l, r, prefix, io_size_key, io_size_title, "reclaim",
				       "Page reclaim and allocation stalls within the loop "
				       "(whole machine)", reclaim, NR(reclaim));
}

static int view_write(const struct result *r, const struct result *control,
		      struct table_list *l)
{
	int err;

	err = throughput_table(l, r, "write", "write-throughput",
			       "Write throughput, MiB/s, without the final fsync",
			       "throughput_mib_s", "normal_mean_mib_s", "dontcache_mean_mib_s",
			       control);
	err = err ? err : throughput_table(l, r, "write", "write-throughput-fsync",
					   "Write throughput, MiB/s, with the final fsync",
					   "throughput_fsync_mib_s", "normal_fsync_mean_mib_s",
					   "dontcache_fsync_mean_mib_s", control);
	err = err ? err : memory_tables(l, r, "write");
	return err ? err : pairs_table(l, r, "write", io_size_key, io_size_title, "resident",
				       "Pages of the target file in the page cache after the run",
				       resident, NR(resident));
}

static int view_read(const struct result *r, const struct result *control,
		     struct table_list *l)
{
	int err;

	err = throughput_table(l, r, "read", "throughput", "Read throughput, MiB/s",
			       "throughput_mib_s", "normal_mib_s", "dontcache_mib_s", control);
	err = err ? err : pairs_table(l, r, "read", io_size_key, io_size_title, "amplification",
				      "Bytes really read from the device over bytes asked for",
				      amplification, NR(amplification));
	err = err ? err : memory_tables(l, r, "read");
	return err ? err : pairs_table(l, r, "read", io_size_key, io_size_title, "resident",
				       "Pages of the source file in the page cache",
				       read_resident, NR(read_resident));
}

static const struct pair paced_rate[] = {
	{ "achieved_mib_s", "achieved_%s_mib_s", "achieved MiB/s %s", 2 },
	{ "late_pct", "late_%s_pct", "late writes %% %s", 2 },
	{ "max_lag_ms", "max_lag_%s_ms", "greatest lag ms %s", 2 },
	{ "overrun_ms", "overrun_%s_ms", "overrun ms %s", 2 },
	{ "unissued_ops", "unissued_%s_ops", "unissued %s", 0 },
};

static const struct pair paced_latency[] = {
	{ "latency_p50_ms", "latency_p50_%s_ms", "p50 ms %s", 3 },
	{ "latency_p99_ms", "latency_p99_%s_ms", "p99 ms %s", 3 },
	{ "latency_max_ms", "latency_max_%s_ms", "max ms %s", 3 },
};

static const struct metric_column paced_metrics[] = {
	{ "achieved_mib_s", "achieved MiB/s", 2 },
	{ "late_pct", "late writes %", 2 },
	{ "max_lag_ms", "greatest lag ms", 2 },
	{ "overrun_ms", "overrun ms", 2 },
	{ "unissued_ops", "unissued", 0 },
	{ "latency_p50_ms", "p50 ms", 3 },
	{ "latency_p99_ms", "p99 ms", 3 },
	{ "latency_max_ms", "max ms", 3 },
	{ "throughput_fsync_mib_s", "MiB/s with fsync", 2 },
};

static int view_paced(const struct result *r, const struct result *control,
		      struct table_list *l)
{
	static const char *const key[] = { "rate_mib_s" }, *const title[] = { "Rate MiB/s" };
	static const char *const variants[] = { "normal", "dontcache" };
	const struct runs_table runs = {
		.name = "runs",
		.title = "Paced writes: each run, mean and change",
		.prefix = "paced",
		.key = key[0],
		.key_title = title[0],
		.variants = variants,
		.nr_variants = NR(variants),
		.metrics = paced_metrics,
		.nr_metrics = NR(paced_metrics),
	};
	int err;

	err = pairs_table(l, r, "paced", key, title, "rate",
			  "Paced writes: is the rate held (late: begun more than one period "
			  "behind schedule)", paced_rate, NR(paced_rate));
	err = err ? err : pairs_table(l, r, "paced", key, title, "latency",
				      "Paced writes: from the time a write was due to its end "
				      "(percentiles at most 1.6 % high)",
				      paced_latency, NR(paced_latency));
	err = err ? err : view_runs(l, r, &runs, control);
	return err ? err : pairs_table(l, r, "paced", key, title, "resident",
				       "Pages of the target file in the page cache after the run",
				       resident, NR(resident));
}

static int control_table(const struct result *r, const struct result *control,
			 struct table_list *l, const char *name, const char *title, const char *prefix,
			 size_t nr_keys, const char *metric, const char *const *means)
{
	static const char *const keys[] = { "operation", "io_size" };
	static const char *const titles[] = { "Operation", "I/O size" };
	struct table *t = tables_add(l, name, title);
	int err;

	if (!t)
		return -ENOMEM;
	err = table_add_groups(t, r, prefix, nr_keys, keys + 2 - nr_keys, titles + 2 - nr_keys);
	err = err ? err : add_rounds(t, r, "before", metric, means[0]);
	err = err ? err : add_rounds(t, r, "after", metric, means[1]);
	return err ? err : table_add_change(t, r, "before", "after", metric, control);
}

static int view_control(const struct result *r, const struct result *control,
			struct table_list *l)
{
	static const char *const means[] = { "before_mib_s", "after_mib_s" };
	static const char *const fsync_means[] = { "before_fsync_mib_s", "after_fsync_mib_s" };
	int err;

	err = control_table(r, control, l, "throughput",
			    "Normal I/O before and after the change, MiB/s, without the final "
			    "fsync", "control", 2, "throughput_mib_s", means);
	return err ? err : control_table(r, control, l, "write-throughput-fsync",
					 "Normal writes before and after the change, MiB/s, with "
					 "the final fsync", "control|write", 1,
					 "throughput_fsync_mib_s", fsync_means);
}

static const char *const folio_keys[] = { "overwrite_sync_writeback", "block_size" };
static const char *const folio_titles[] = { "Overwrite/sync/writeback", "Block size" };
static const char *const folio_kinds[] = { "normal", "dontcache", "immutable" };

/* The tables of one operation. */
struct folio_view {
	const char *name, *title;
	const char *prefix;	/* of the groups */
	size_t nr_keys;
	size_t nr_kinds;	/* the first of folio_kinds */
	bool with_fsync;
};

static const struct folio_view folio_views[] = {
	{ "hole-read", "Reads of a hole, MiB/s", "hole-read", 1, 3, false },
	{ "data-read", "Reads of data, MiB/s", "data-read", 1, 3, false },
	{ "write", "Writes, MiB/s, without the final fsync (overwrite / O_SYNC / background "
	  "writeback)", "write", 2, 2, false },
	{ "write-fsync", "Writes, MiB/s, with the final fsync (overwrite / O_SYNC / background "
	  "writeback)", "write", 2, 2, true },
};

static const char *folio_metric(const struct folio_view *v)
{
	return v->with_fsync ? "throughput_fsync_mib_s" : "throughput_mib_s";
}

static int folio_table(struct table_list *l, const struct result *r,
		       const struct folio_view *v, const struct result *control)
{
	struct table *t = tables_add(l, v->name, v->title);
	char column[64];
	size_t i;
	int err;

	if (!t)
		return -ENOMEM;
	err = table_add_groups(t, r, v->prefix, v->nr_keys, folio_keys + 2 - v->nr_keys,
			       folio_titles + 2 - v->nr_keys);
	for (i = 0; i < v->nr_kinds && err >= 0; i++) {
		if (!result_has_variant(r, folio_kinds[i]))
			continue;
		snprintf(column, sizeof(column), "%s%s_mib_s", folio_kinds[i],
			 v->with_fsync ? "_fsync" : "");
		err = table_add_mean(t, r, folio_kinds[i], folio_metric(v), column,
				     folio_kinds[i], 1);
	}
	if (err < 0 || !result_has_variant(r, "dontcache"))
		return err < 0 ? err : 0;
	return table_add_change(t, r, "normal", "dontcache", folio_metric(v), control);
}

/* Each run's value: what the means of the tables above hide. */
static int folio_runs(struct table_list *l, const struct result *r,
		      const struct folio_view *v, const char *kind)
{
	char name[48], title[160], mean[64];
	struct table *t;
	int err;

	snprintf(name, sizeof(name), "%s-runs-%s", v->name, kind);
	snprintf(title, sizeof(title), "Each run of %s, %s, MiB/s%s", v->prefix, kind,
		 v->with_fsync ? ", with the final fsync" : "");
	snprintf(mean, sizeof(mean), "%s_mean%s_mib_s", kind, v->with_fsync ? "_fsync" : "");
	t = tables_add(l, name, title);
	if (!t)
		return -ENOMEM;
	err = table_add_groups(t, r, v->prefix, v->nr_keys, folio_keys + 2 - v->nr_keys,
			       folio_titles + 2 - v->nr_keys);
	return err ? err : add_rounds(t, r, kind, folio_metric(v), mean);
}

static int view_large_folio(const struct result *r, const struct result *control,
			    struct table_list *l)
{
	size_t i, k;
	int err = 0;

	for (i = 0; i < NR(folio_views) && !err; i++)
		err = folio_table(l, r, &folio_views[i], control);
	for (i = 0; i < NR(folio_views) && result_rounds(r) > 1; i++)
		for (k = 0; k < folio_views[i].nr_kinds && !err; k++)
			if (result_has_variant(r, folio_kinds[k]))
				err = folio_runs(l, r, &folio_views[i], folio_kinds[k]);
	return err;
}

static bool any_metric(const struct result *r, const char *metric)
{
	size_t i;

	for (i = 0; i < r->nr_runs; i++)
		if (!isnan(run_value(&r->runs[i], metric)))
			return true;
	return false;
}

/* Two results side by side: one table for each metric that they have. */
static int view_compare(const struct result *r, const struct result *control,
			struct table_list *l)
{
	static const char *const key[] = { "run" }, *const key_title[] = { "Run" };
	static const struct {
		const char *metric, *title;
		int decimals;
	} m[] = {
		{ "throughput_mib_s", "Throughput, MiB/s", 2 },
		{ "throughput_fsync_mib_s", "Throughput with the final fsync, MiB/s", 2 },
		{ "achieved_mib_s", "Achieved rate, MiB/s", 2 },
		{ "late_pct", "Late writes, %", 2 },
		{ "latency_p99_ms", "p99 latency of paced writes, ms", 3 },
		{ "latency_p99_us", "p99 latency of the victim, us", 1 },
		{ "hit_pct", "Hit ratio of the victim, %", 2 },
		{ "refaults", "Refaults of the victim", 0 },
		{ "stream_mib_s", "Throughput of the stream, MiB/s", 1 },
		{ "fsync_p99_us", "fsync p99, us", 1 },
		{ "read_amplification", "Bytes read from the device over bytes asked for", 3 },
		{ "resident_pages", "Pages in the page cache after the run", 0 },
	};
	struct table *t;
	char *bar;
	size_t i, k;
	int err = 0;

	for (i = 0; i < NR(m) && err >= 0; i++) {
		if (!any_metric(r, m[i].metric))
			continue;
		t = tables_add(l, m[i].metric, m[i].title);
		if (!t)
			return -ENOMEM;
		err = table_add_groups(t, r, "compare", 1, key, key_title);
		for (k = 0; k < t->nr_rows; k++)
			while ((bar = strchr(t->rows[k].cells[0].text, '|')))
				*bar = ' ';
		if (err >= 0)
			err = table_add_mean(t, r, "before", m[i].metric, "before", "before",
					     m[i].decimals);
		if (err >= 0)
			err = table_add_mean(t, r, "after", m[i].metric, "after", "after",
					     m[i].decimals);
		if (err >= 0)
			err = table_add_change(t, r, "before", "after", m[i].metric, control);
	}
	return err < 0 ? err : 0;
}

static const struct {
	const char *preset;
	int (*build)(const struct result *r, const struct result *control,
		     struct table_list *l);
} views[] = {
	{ "f2fs-dontcache", view_write },
	{ "f2fs-dontcache-read", view_read },
	{ "paced", view_paced },
	{ "control", view_control },
	{ "per-second", view_per_second },
	{ "f2fs-large-folio", view_large_folio },
	{ "neighbour", view_neighbour },
	{ "fsync-neighbour", view_fsync_neighbour },
	{ "compare", view_compare },
};

int views_build(const struct result *r, const struct result *control,
		struct table_list *l)
{
	size_t i;
	int err;

	for (i = 0; i < NR(views); i++) {
		if (strcmp(views[i].preset, r->preset))
			continue;
		err = views[i].build(r, control, l);
		err = err ? err : view_interruptions(l, r);
		err = err ? err : view_ledger(r, l);
		return err ? bench_fail(err, "make the tables of", r->preset) : 0;
	}
	return bench_error("%s: no such preset; see --list", r->preset);
}
