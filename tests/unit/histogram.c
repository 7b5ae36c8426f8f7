// SPDX-License-Identifier: GPL-2.0
/* Log-linear histograms: buckets, quantiles against the values themselves, merging, differences. */
#include <stdlib.h>

#include "check.h"
#include "histogram.h"

#define VALUES	5000

static __u64 random_state = 88172645463325252ULL;

static __u64 next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static void test_buckets(void)
{
	unsigned int i, bad = 0, gaps = 0, wide = 0;
	__u64 low, high;

	for (i = 0; i < DB_HIST_BUCKETS - 1; i++) {
		low = db_bucket_low(i);
		high = db_bucket_high(i);
		bad += db_bucket_of(low) != i || db_bucket_of(high - 1) != i;
		gaps += db_bucket_low(i + 1) != high;
		/* Middle against either end, relative to the value. */
		wide += low && (double)(high - 1 - low) / 2 / low > 1.0 / 32;
	}
	check_uint("first and last value of each bucket belong to it", bad, 0);
	check_uint("buckets follow each other without a gap", gaps, 0);
	check_uint("a bucket's middle is off by 1/32 at most", wide, 0);
	check_uint("values from 2^44 on go into the last bucket", db_bucket_of(1ULL << 44),
		   DB_HIST_BUCKETS - 1);
	check_uint("the largest value too", db_bucket_of(~0ULL), DB_HIST_BUCKETS - 1);
	check_uint("the last bucket has no upper end", db_bucket_high(DB_HIST_BUCKETS - 1), ~0ULL);
	check_uint("small values are exact", db_bucket_low(db_bucket_of(13)), 13);
}

static void add(struct db_hist_data *data, __u64 value)
{
	data->sum += value;
	data->sum_high += data->sum < value;
	if (~value > data->min_inv)
		data->min_inv = ~value;
	if (value > data->max)
		data->max = value;
	data->bucket[db_bucket_of(value)]++;
}

static int by_value(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return x < y ? -1 : x > y;
}

static void test_quantiles(void)
{
	static const unsigned int permilles[] = { 1, 10, 250, 500, 900, 990, 999, 1000 };
	static struct db_hist_data cpus[2];
	static struct db_histogram h;
	static __u64 values[VALUES];
	__u64 sum = 0, got, want;
	double worst = 0, off;
	size_t i;

	for (i = 0; i < VALUES; i++) {
		values[i] = next_random() >> (next_random() % 40 + 21);
		sum += values[i];
		add(&cpus[i % 2], values[i]);
	}
	db_histogram_merge(&h, &cpus[0]);
	db_histogram_merge(&h, &cpus[1]);
	qsort(values, VALUES, sizeof(values[0]), by_value);
	check_uint("count of two CPUs", h.count, VALUES);
	check_uint("sum", h.sum, sum);
	check_uint("minimum", h.min, values[0]);
	check_uint("maximum", h.max, values[VALUES - 1]);
	for (i = 0; i < sizeof(permilles) / sizeof(permilles[0]); i++) {
		want = values[(VALUES * permilles[i] + 999) / 1000 - 1];
		got = db_histogram_quantile(&h, permilles[i]);
		off = want ? ((double)got - want) / want : got;
		if (off < 0)
			off = -off;
		if (off > worst)
			worst = off;
	}
	check(worst <= DB_HIST_ERROR_PERCENT / 100, "quantiles within the error stated",
	      "off by %.3f %%", worst * 100);
}

static void test_edges(void)
{
	static struct db_hist_data one, none, wide;
	static struct db_histogram h, before, delta, single;
	int i;

	db_histogram_merge(&h, &none);
	check_uint("nothing merged: no count", h.count, 0);
	check_uint("quantile of nothing", db_histogram_quantile(&h, 500), 0);
	check(db_histogram_mean(&h) == 0, "mean of nothing", "not 0");
	add(&one, 0);
	db_histogram_merge(&h, &one);
	check_uint("a zero is a value", h.count, 1);
	check_uint("and its minimum", h.min, 0);
	before = h;
	add(&none, 1000003);
	db_histogram_merge(&h, &none);
	db_histogram_merge(&single, &none);
	check_uint("quantiles of one value are that value", db_histogram_quantile(&single, 500), 1000003);
	db_histogram_delta(&delta, &before, &h);
	check_uint("difference: count", delta.count, 1);
	check_uint("difference: sum", delta.sum, 1000003);
	check(delta.min <= 1000003 && delta.min > 960000, "difference: minimum is the bucket's",
	      "%llu", (unsigned long long)delta.min);
	check_uint("difference: maximum not above the whole's", delta.max, 1000003);
	memset(&wide, 0, sizeof(wide));
	memset(&single, 0, sizeof(single));
	for (i = 0; i < 4; i++)
		add(&wide, ~0ULL - 3);
	db_histogram_merge(&single, &wide);
	check(db_histogram_mean(&single) > 1.8e19, "a sum of more than 64 bits keeps its mean", "%g",
	      db_histogram_mean(&single));
	db_histogram_delta(&delta, &h, &h);
	check_uint("difference of equals is empty", delta.count, 0);
}

int main(void)
{
	test_buckets();
	test_quantiles();
	test_edges();
	return check_finish();
}
