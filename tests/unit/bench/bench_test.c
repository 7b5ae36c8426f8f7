// SPDX-License-Identifier: GPL-2.0
/* The arithmetic of the bench against values worked out elsewhere. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

#include "csv.h"
#include "hist.h"
#include "kvfile.h"
#include "model.h"
#include "stats.h"
#include "stream.h"
#include "table.h"
#include "units.h"

static void near(const char *name, double got, double want, double by)
{
	check(fabs(got - want) <= by, name, "got %.9g, want %.9g +- %g", got, want, by);
}

static void undefined(const char *name, double got)
{
	check(isnan(got), name, "got %g, want NAN", got);
}

/* Expected figures: the textbook formulas worked out by hand, t from a printed table. */
static void test_stats(void)
{
	const double v[] = { 1, 2, 3, 4, 5 };
	const double a[] = { 100, 110, 90 }, b[] = { 50, 60, 40 };
	const double c[] = { 100, 110, 90 }, d[] = { 52, 58, 44 };
	const double zeros[40] = { 0 }, around[] = { -3, 3 };
	const double ten[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	double forty[40];
	size_t i;

	near("mean of 1..5", stats_mean(v, 5), 3, 1e-12);
	near("standard deviation of 1..5", stats_stddev(v, 5), 1.5811388, 1e-6);
	near("change from 200 to 150", stats_change_pct(200, 150), -25, 1e-12);
	near("spread of 90..110", stats_spread(a, 3), 20, 1e-12);
	near("spread about a mean of 0", stats_spread(around, 2), 6, 1e-12);
	near("equal differences leave no doubt", stats_change_ci95(a, b, 3), 0, 1e-9);
	/* Differences -48, -52, -46: deviation 3.0551, times 4.303 / sqrt(3). */
	near("interval of unequal differences", stats_change_ci95(c, d, 3), 7.5899, 1e-3);
	/* 52, 58, 44: deviation 7.0238. */
	near("interval of three pairs", stats_change_ci95(zeros, d, 3), 17.4494, 1e-3);
	near("interval of five pairs", stats_change_ci95(zeros, v, 5), 1.9632, 1e-3);
	/* 1..10: deviation 3.02765, times 2.262 / sqrt(10). */
	near("interval of ten pairs", stats_change_ci95(zeros, ten, 10), 2.1657, 1e-3);
	/* Half 0, half 1: deviation 0.506370; t of 39 is 2.023, and the table errs on the wide side. */
	for (i = 0; i < 40; i++)
		forty[i] = (double)(i % 2);
	near("interval of forty pairs", stats_change_ci95(zeros, forty, 40), 0.1635, 1e-4);
	undefined("no mean of nothing", stats_mean(v, 0));
	undefined("no deviation of one value", stats_stddev(v, 1));
	undefined("no interval of two pairs", stats_change_ci95(c, d, 2));
	undefined("no change from zero", stats_change_pct(0, 5));
	undefined("no spread of one value", stats_spread(v, 1));
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Percentiles of 20000 values over nine powers of ten, against a sorted copy. */
static void test_hist(void)
{
	static const double points[] = { 0.01, 1, 50, 90, 99, 99.9, 100 };
	const size_t n = 20000;
	uint64_t *sorted = malloc(n * sizeof(*sorted)), x = 88172645463325252ULL;
	struct hist *h = malloc(sizeof(*h));
	char name[64];
	size_t i;

	if (!sorted || !h)
		exit(1);
	hist_init(h);
	undefined("no percentile of an empty histogram", hist_percentile_ns(h, 50));
	for (i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		sorted[i] = (uint64_t)pow(10, (double)(x % 9000) / 1000) + x % 7;
		hist_add(h, sorted[i]);
	}
	qsort(sorted, n, sizeof(*sorted), by_value);
	for (i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
		size_t rank = (size_t)ceil((double)n * points[i] / 100);
		double exact = (double)sorted[rank - 1];
		double got = hist_percentile_ns(h, points[i]);

		snprintf(name, sizeof(name), "percentile %g within its bound", points[i]);
		check(got >= exact && got <= exact * (1 + 1.0 / 64), name, "got %g, exact %g",
		      got, exact);
	}
	check_uint("greatest value is exact", h->max_ns, sorted[n - 1]);
	hist_init(h);
	hist_add(h, UINT64_MAX);
	check(hist_percentile_ns(h, 50) >= 1.8e19, "the greatest number fits", "got %g",
	      hist_percentile_ns(h, 50));
	hist_init(h);
	hist_add(h, 0);
	near("zero fits", hist_percentile_ns(h, 50), 0, 0);
	free(sorted);
	free(h);
}

static void bytes_are(const char *text, uint64_t want)
{
	uint64_t got = 0;
	char name[64];

	snprintf(name, sizeof(name), "size %s", text);
	check(!parse_bytes(text, &got) && got == want, name, "got %llu, want %llu",
	      (unsigned long long)got, (unsigned long long)want);
}

static void bytes_refused(const char *text)
{
	uint64_t got = 0;
	char name[64];

	snprintf(name, sizeof(name), "size '%s' is refused", text);
	check(parse_bytes(text, &got) == -EINVAL, name, "was taken as %llu",
	      (unsigned long long)got);
}

static void test_units(void)
{
	uint64_t list[4];
	char buf[16];

	bytes_are("4096", 4096);
	bytes_are("64K", 65536);
	bytes_are("64kib", 65536);
	bytes_are("3M", 3145728);
	bytes_are("2G", 2147483648ULL);
	bytes_are("1TiB", 1099511627776ULL);
	bytes_refused("");
	bytes_refused("-1");
	bytes_refused("4X");
	bytes_refused("4Kx");
	bytes_refused("99999999999999999999");
	bytes_refused("9999999999G");
	check_int("a list of three", parse_bytes_list("4K,64K,1M", list, 4), 3);
	check_uint("the third of the list", list[2], 1048576);
	check_int("an empty entry is refused", parse_bytes_list("4K,,1M", list, 4), -EINVAL);
	check_int("a trailing comma is refused", parse_bytes_list("4K,", list, 4), -EINVAL);
	check_int("zero is refused", parse_bytes_list("0", list, 4), -EINVAL);
	check_int("too long a list is refused", parse_bytes_list("1,2,3,4,5", list, 4), -EINVAL);
	format_bytes(65536, buf, sizeof(buf));
	check(!strcmp(buf, "64K"), "65536 is 64K", "got %s", buf);
	format_bytes(1500, buf, sizeof(buf));
	check(!strcmp(buf, "1500"), "1500 stays 1500", "got %s", buf);
}

static void test_kvfile(void)
{
	char text[] = "Cached:   12 kB\nCachedMore: 99 kB\nallocstall_dma 3\nallocstall_normal 4\n"
		      "workingset 5\n";
	struct kvfile kv = { .fd = -1, .buf = text, .size = sizeof(text) };

	near("value by its whole name", kvfile_value(&kv, "Cached"), 12, 0);
	near("sum of all with a prefix", kvfile_sum_prefix(&kv, "allocstall"), 7, 0);
	undefined("no value of a name that is not there", kvfile_value(&kv, "Cache"));
	undefined("no sum of a prefix that is not there", kvfile_sum_prefix(&kv, "pgscan"));
}

static void test_model(void)
{
	struct result r = { 0 };
	struct run *run = result_run(&r, "write|4K", "normal", 1);

	if (!run || run_metric(run, "a", 1) || run_metric(run, "a", 2) ||
	    run_metric(run, "b", NAN) || run_metric(run, "c", INFINITY))
		exit(1);
	check_uint("a metric set twice is one", run->nr_metrics, 1);
	near("and has the second value", run_value(run, "a"), 2, 0);
	undefined("NAN is not stored", run_value(run, "b"));
	undefined("infinity is not stored", run_value(run, "c"));
	result_note(&r, "the same");
	result_note(&r, "the same");
	check_uint("the same note twice is one", r.nr_notes, 1);
	result_drop_last_run(&r);
	check_uint("a dropped run is gone", r.nr_runs, 0);
	result_free(&r);
}

static void test_unavailable(void)
{
	struct table_list l = { 0 };
	struct table *t = tables_add(&l, "t", "t");
	struct cell none = { .value = NAN }, value = { .value = -1.005 };
	struct column c = { .decimals = 1 };
	char buf[32];

	if (!t)
		exit(1);
	table_format(&c, &none, buf, sizeof(buf));
	check(!strcmp(buf, "unavailable"), "what was not measured is unavailable", "got %s", buf);
	table_format(&c, &value, buf, sizeof(buf));
	check(!strcmp(buf, "-1.0"), "a number has its decimals", "got %s", buf);
	tables_free(&l);
}

/* The file ends in the third block: that read moves half, and the next call nothing. */
static void test_short_read(void)
{
	struct byte_counter counter = { 0 };
	struct stream s = {
		.io_bytes = 4096,
		.span_bytes = 12288,
		.max_ops = 3,
		.counter = &counter,
	};

	s.fd = memfd_create("bench_test", MFD_CLOEXEC);
	if (s.fd < 0 || ftruncate(s.fd, 10240))
		exit(1);
	check_int("a file that ends within a block is read", stream_run(&s), 0);
	check_uint("all of it", s.done_bytes, 10240);
	check_uint("in three operations", s.ops, 3);
	check_uint("one of which moved less than asked for", s.short_ops, 1);
	close(s.fd);
}

int main(void)
{
	test_stats();
	test_hist();
	test_units();
	test_kvfile();
	test_model();
	test_unavailable();
	test_short_read();
	return check_finish();
}
