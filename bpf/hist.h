/* SPDX-License-Identifier: GPL-2.0 */
/* Log-linear histograms, filled in the kernel.  Bucket layout: dropbehind/records.h. */
#ifndef DROPBEHIND_BPF_HIST_H
#define DROPBEHIND_BPF_HIST_H

#include "maps.h"

db_inline __u32 db_log2(__u64 v)
{
	__u32 r = 0;

	if (v >> 32) { r += 32; v >>= 32; }
	if (v >> 16) { r += 16; v >>= 16; }
	if (v >> 8) { r += 8; v >>= 8; }
	if (v >> 4) { r += 4; v >>= 4; }
	if (v >> 2) { r += 2; v >>= 2; }
	return r + (v >> 1);
}

db_inline __u32 db_hist_bucket(__u64 value)
{
	__u32 bits, bucket;

	if (value < DB_HIST_SUB)
		return value;
	bits = db_log2(value);
	if (bits >= DB_HIST_MAX_BITS)
		return DB_HIST_BUCKETS - 1;
	bucket = (bits - DB_HIST_SUB_BITS + 1) * DB_HIST_SUB +
		 ((value >> (bits - DB_HIST_SUB_BITS)) & (DB_HIST_SUB - 1));
	return bucket < DB_HIST_BUCKETS ? bucket : DB_HIST_BUCKETS - 1;
}

/*
 * Programs can be preempted or interrupted by others that fill the same
 * histogram of the same CPU, so even these per-CPU additions are atomic.
 */
db_inline void db_hist_add(__u32 which, __u64 value)
{
	struct db_hist_data *h = bpf_map_lookup_elem(&db_hists, &which);
	__u64 old;
	__u32 bucket;
	int i;

	if (!h)
		return;
	bucket = db_hist_bucket(value);
	/* A compiler that sees that this always holds takes it away, and the verifier does not see it. */
	barrier_var(bucket);
	if (bucket >= DB_HIST_BUCKETS)
		return;
	__sync_fetch_and_add(&h->bucket[bucket], 1);
	old = __sync_fetch_and_add(&h->sum, value);
	if (old + value < old)
		__sync_fetch_and_add(&h->sum_high, 1);
	for (i = 0; i < 4; i++) {
		old = h->max;
		if (value <= old || __sync_val_compare_and_swap(&h->max, old, value) == old)
			break;
	}
	for (i = 0; i < 4; i++) {
		old = h->min_inv;
		if (~value <= old || __sync_val_compare_and_swap(&h->min_inv, old, ~value) == old)
			break;
	}
}

#endif
