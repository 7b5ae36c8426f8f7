/* SPDX-License-Identifier: GPL-2.0 */
/* Reading log-linear histograms. */
#ifndef DROPBEHIND_HISTOGRAM_H
#define DROPBEHIND_HISTOGRAM_H

#include "ledger.h"

/* Largest relative error of a percentile, for the report to state: 1 / 32. */
#define DB_HIST_ERROR_PERCENT	3.2

/* Bucket that a value is counted in. */
unsigned int db_bucket_of(__u64 value);

/* First value of a bucket. */
__u64 db_bucket_low(unsigned int bucket);

/* One past the last value of a bucket; UINT64_MAX for the last one. */
__u64 db_bucket_high(unsigned int bucket);

/* Adds one CPU's data. */
void db_histogram_merge(struct db_histogram *h, const struct db_hist_data *data);

/*
 * Value below or at which @permille thousandths of the values lie: the middle
 * of the bucket, held within min and max.  0 if there is none.
 */
__u64 db_histogram_quantile(const struct db_histogram *h, unsigned int permille);

/* Mean, 0 if empty. */
double db_histogram_mean(const struct db_histogram *h);

/* @out = @after - @before; min and max become the bounds of the outermost filled buckets. */
void db_histogram_delta(struct db_histogram *out, const struct db_histogram *before,
			const struct db_histogram *after);

#endif
