// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <string.h>

#include "hist.h"

#define SUB (1U << HIST_SUB_BITS)

static unsigned int bucket_of(uint64_t ns)
{
	unsigned int top, shift;

	if (ns < SUB)
		return (unsigned int)ns;
	top = 63U - (unsigned int)__builtin_clzll(ns);
	shift = top - HIST_SUB_BITS;
	return ((shift + 1) << HIST_SUB_BITS) + (unsigned int)((ns >> shift) & (SUB - 1));
}

/* Greatest value that falls into bucket @i. */
static uint64_t bucket_limit(unsigned int i)
{
	unsigned int shift = i >> HIST_SUB_BITS;
	uint64_t step = i & (SUB - 1);

	if (!shift)
		return step;
	shift--;
	return ((SUB + step) << shift) + ((1ULL << shift) - 1);
}

void hist_init(struct hist *h)
{
	memset(h, 0, sizeof(*h));
}

void hist_add(struct hist *h, uint64_t ns)
{
	h->bucket[bucket_of(ns)]++;
	h->count++;
	if (ns > h->max_ns)
		h->max_ns = ns;
}

double hist_percentile_ns(const struct hist *h, double percent)
{
	uint64_t want, seen = 0;
	unsigned int i;

	if (!h->count)
		return NAN;
	want = (uint64_t)ceil((double)h->count * percent / 100);
	if (want < 1)
		want = 1;
	for (i = 0; i < HIST_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen >= want)
			return fmin((double)bucket_limit(i), (double)h->max_ns);
	}
	return (double)h->max_ns;
}
