// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "err.h"
#include "views.h"

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
		       const char *name, const char *title, const struct pair *p, size_t n)
{
	struct table *t = tables_add(l, name, title);
	int err;

	if (!t)
		return -ENOMEM;
	err = table_add_groups(t, r, prefix, 1, io_size_key, io_size_title);
	return err ? err : add_pairs(t, r, p, n, "normal", "dontcache");
}

/* Each round and the mean of one variant; "NAME_r1_mib_s" and @mean_name. */
static int add_rounds(struct table *t, const struct result *r, const char *variant,
		      const char *metric, const char *mean_name)
{
	unsigned int round, rounds = result_rounds(r);
	char name[64], title[64];
	int c;

	/* More rounds than fit a screen are in the JSON. */
	for (round = 1; round <= rounds && round <= 5 && rounds > 1; round++) {
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
			    const char *normal_mean, const char *dontcache_mean, double noise)
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
	err = table_add_change(t, r, "normal", "dontcache", metric, noise);
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

	err = pairs_table(l, r, prefix, "kswapd-cached",
			  "kswapd CPU and Cached (means of the samples within the loop)",
			  kswapd_cached, NR(kswapd_cached));
	err = err ? err : pairs_table(l, r, prefix, "memory",
				      "MemAvailable, Dirty and Writeback (means of the samples)",
				      memory, NR(memory));
	err = err ? err : pairs_table(l, r, prefix, "lru",
				      "Active(file) and Inactive(file) (means of the samples)",
				      lru, NR(lru));
	return err ? err : pairs_table(l, r, prefix, "reclaim",
				       "Page reclaim and allocation stalls within the loop "
				       "(whole machine)", reclaim, NR(reclaim));
}

static int view_write(const struct result *r, double noise, struct table_list *l)
{
	int err;

	err = throughput_table(l, r, "write", "write-throughput",
			       "Write throughput, MiB/s, without the final fsync",
			       "throughput_mib_s", "normal_mean_mib_s", "dontcache_mean_mib_s",
			       noise);
	err = err ? err : throughput_table(l, r, "write", "write-throughput-fsync",
					   "Write throughput, MiB/s, with the final fsync",
					   "throughput_fsync_mib_s", "normal_fsync_mean_mib_s",
					   "dontcache_fsync_mean_mib_s", noise);
	err = err ? err : memory_tables(l, r, "write");
	return err ? err : pairs_table(l, r, "write", "resident",
				       "Pages of the target file in the page cache after the run",
				       resident, NR(resident));
}

static int view_read(const struct result *r, double noise, struct table_list *l)
{
	int err;

	err = throughput_table(l, r, "read", "throughput", "Read throughput, MiB/s",
			       "throughput_mib_s", "normal_mib_s", "dontcache_mib_s", noise);
	err = err ? err : pairs_table(l, r, "read", "amplification",
				      "Bytes really read from the device over bytes asked for",
				      amplification, NR(amplification));
	err = err ? err : memory_tables(l, r, "read");
	return err ? err : pairs_table(l, r, "read", "resident",
				       "Pages of the source file in the page cache",
				       read_resident, NR(read_resident));
}

static const struct {
	const char *preset;
	int (*build)(const struct result *r, double noise, struct table_list *l);
} views[] = {
	{ "f2fs-dontcache", view_write },
	{ "f2fs-dontcache-read", view_read },
};

int views_build(const struct result *r, double noise_pct, struct table_list *l)
{
	size_t i;
	int err;

	for (i = 0; i < NR(views); i++) {
		if (strcmp(views[i].preset, r->preset))
			continue;
		err = views[i].build(r, noise_pct, l);
		return err ? bench_fail(err, "make the tables of", r->preset) : 0;
	}
	return bench_error("%s: no such preset; see --list", r->preset);
}
