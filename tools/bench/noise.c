// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "noise.h"
#include "stats.h"
#include "table.h"

/* Groups of runs that are one stream at full speed, by how their names begin. */
static const struct {
	const char *prefix;
	const char *like;	/* the control's groups */
} streams[] = {
	{ "write|", "control|write|" },
	{ "read|", "control|read|" },
	{ "data-read|", "control|read|" },
	{ "per-second|write", "control|write|" },
	{ "per-second|read", "control|read|" },
	{ "control|write|", "control|write|" },
	{ "control|read|", "control|read|" },
};

/* How the control's groups of the same operation begin, or NULL. */
static const char *like(const char *group)
{
	static const char compared[] = "compare|";
	size_t i;

	if (!strncmp(group, compared, strlen(compared)))
		group += strlen(compared);
	for (i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
		if (!strncmp(group, streams[i].prefix, strlen(streams[i].prefix)))
			return streams[i].like;
	return NULL;
}

static double change_pct(const struct result *control, const char *group, const char *metric,
			 double *room)
{
	double a = stats_mean(room, table_collect(control, group, "before", metric, room));
	double b = stats_mean(room, table_collect(control, group, "after", metric, room));

	return fabs(stats_change_pct(a, b));
}

double noise_pct(const struct result *control, const char *group, const char *metric)
{
	const char *prefix = control ? like(group) : NULL;
	double *room, worst = NAN;
	size_t i;

	if (!prefix || strncmp(metric, "throughput", strlen("throughput")))
		return NAN;
	room = calloc(control->nr_runs + 1, sizeof(*room));
	for (i = 0; room && i < control->nr_runs; i++)
		if (!strncmp(control->runs[i].group, prefix, strlen(prefix)))
			worst = fmax(worst, change_pct(control, control->runs[i].group, metric,
						       room));
	free(room);
	return worst;
}

bool noise_is_control(const struct result *r)
{
	return result_has_variant(r, "before") && result_has_variant(r, "after");
}
