// SPDX-License-Identifier: GPL-2.0
#include "histogram.h"

#include <string.h>

unsigned int db_bucket_of(__u64 value)
{
	unsigned int bits;

	if (value < DB_HIST_SUB)
		return value;
	bits = 63 - __builtin_clzll(value);
	if (bits >= DB_HIST_MAX_BITS)
		return DB_HIST_BUCKETS - 1;
	return (bits - DB_HIST_SUB_BITS + 1) * DB_HIST_SUB +
	       ((value >> (bits - DB_HIST_SUB_BITS)) & (DB_HIST_SUB - 1));
}

__u64 db_bucket_low(unsigned int bucket)
{
	unsigned int row = bucket / DB_HIST_SUB;

	if (!row)
		return bucket;
	return (__u64)(DB_HIST_SUB + bucket % DB_HIST_SUB) << (row - 1);
}

__u64 db_bucket_high(unsigned int bucket)
{
	if (bucket >= DB_HIST_BUCKETS - 1)
		return ~0ULL;
	return db_bucket_low(bucket + 1);
}

void db_histogram_merge(struct db_histogram *h, const struct db_hist_data *data)
{
	__u64 count = 0;
	unsigned int i;

	for (i = 0; i < DB_HIST_BUCKETS; i++) {
		h->bucket[i] += data->bucket[i];
		count += data->bucket[i];
	}
	if (!count)
		return;
	if (!h->count || ~data->min_inv < h->min)
		h->min = ~data->min_inv;
	if (data->max > h->max)
		h->max = data->max;
	h->count += count;
	h->sum += (unsigned __int128)data->sum_high << 64 | data->sum;
}

__u64 db_histogram_quantile(const struct db_histogram *h, unsigned int permille)
{
	__u64 rank, seen = 0, low, value;
	unsigned int i;

	if (!h->count)
		return 0;
	rank = (h->count * permille + 999) / 1000;
	if (!rank)
		rank = 1;
	for (i = 0; i < DB_HIST_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen >= rank)
			break;
	}
	if (i >= DB_HIST_BUCKETS - 1)
		return h->max;
	low = db_bucket_low(i);
	value = low + (db_bucket_high(i) - 1 - low) / 2;
	if (value < h->min)
		value = h->min;
	if (value > h->max)
		value = h->max;
	return value;
}

double db_histogram_mean(const struct db_histogram *h)
{
	return h->count ? (double)h->sum / h->count : 0;
}

void db_histogram_delta(struct db_histogram *out, const struct db_histogram *before,
			const struct db_histogram *after)
{
	int first = -1, last = -1, i;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < DB_HIST_BUCKETS; i++) {
		out->bucket[i] = after->bucket[i] - before->bucket[i];
		if (!out->bucket[i])
			continue;
		out->count += out->bucket[i];
		if (first < 0)
			first = i;
		last = i;
	}
	if (first < 0)
		return;
	out->sum = after->sum - before->sum;
	out->min = db_bucket_low(first);
	out->max = db_bucket_high(last) - 1;
	if (out->min < after->min)
		out->min = after->min;
	if (out->max > after->max)
		out->max = after->max;
}
