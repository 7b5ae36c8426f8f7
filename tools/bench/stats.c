// SPDX-License-Identifier: GPL-2.0
#include <math.h>

#include "stats.h"

/* Two-sided 95 % quantile of Student's t distribution. */
static double t95(size_t df)
{
	static const double table[] = {
		12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
		2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
		2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
	};
	const size_t n = sizeof(table) / sizeof(table[0]);

	/* Between the last entry and infinity the smaller df errs on the wide side. */
	return df <= n ? table[df - 1] : table[n - 1];
}

double stats_mean(const double *v, size_t n)
{
	double sum = 0;
	size_t i;

	if (!n)
		return NAN;
	for (i = 0; i < n; i++)
		sum += v[i];
	return sum / (double)n;
}

double stats_stddev(const double *v, size_t n)
{
	double mean = stats_mean(v, n), sum = 0;
	size_t i;

	if (n < 2)
		return NAN;
	for (i = 0; i < n; i++)
		sum += (v[i] - mean) * (v[i] - mean);
	return sqrt(sum / (double)(n - 1));
}

double stats_change_pct(double base, double value)
{
	if (isnan(base) || isnan(value) || base == 0)
		return NAN;
	return (value - base) / base * 100;
}

double stats_change_ci95(const double *base, const double *value, size_t n)
{
	double sum = 0, sq = 0, sd;
	size_t i;

	if (n < 3)
		return NAN;
	for (i = 0; i < n; i++)
		sum += value[i] - base[i];
	for (i = 0; i < n; i++) {
		double d = value[i] - base[i] - sum / (double)n;

		sq += d * d;
	}
	sd = sqrt(sq / (double)(n - 1));
	return t95(n - 1) * sd / sqrt((double)n);
}

double stats_spread(const double *v, size_t n)
{
	double lo, hi;
	size_t i;

	if (n < 2)
		return NAN;
	lo = hi = v[0];
	for (i = 1; i < n; i++) {
		lo = fmin(lo, v[i]);
		hi = fmax(hi, v[i]);
	}
	return hi - lo;
}
