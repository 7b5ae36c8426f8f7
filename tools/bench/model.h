/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_MODEL_H
#define BENCH_MODEL_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The one model of a result. A live run fills it, the JSON reader fills it,
 * and every table, plot and comparison reads it and nothing else.
 */

/* Levels and rates taken once per sampling interval; NAN is "unavailable". */
enum sample_field {
	SAMPLE_TIME_S,		/* since the start of the loop */
	SAMPLE_MB_S,		/* load throughput since the sample before, 10^6 bytes/s */
	SAMPLE_KSWAPD_CPU_PCT,	/* all kswapd threads, since the sample before */
	SAMPLE_MEMAVAILABLE_MIB,
	SAMPLE_CACHED_MIB,
	SAMPLE_DIRTY_MIB,
	SAMPLE_WRITEBACK_MIB,
	SAMPLE_ACTIVE_FILE_MIB,
	SAMPLE_INACTIVE_FILE_MIB,
	SAMPLE_CGROUP_FILE_MIB,
	SAMPLE_CGROUP_DIRTY_MIB,
	SAMPLE_CGROUP_WRITEBACK_MIB,
	SAMPLE_FIELDS
};

/* Names of the fields above, as in CSV and JSON. */
extern const char *const sample_names[SAMPLE_FIELDS];

struct sample {
	double v[SAMPLE_FIELDS];
};

/* A measured number. A metric that could not be measured is not in the list. */
struct metric {
	char name[48];
	double value;
};

/*
 * One run: one load of one variant. @group is "TABLE|KEY" or "TABLE|KEY|KEY2":
 * the table it belongs to and its row there. @variant is the column ("normal",
 * "dontcache", "before", ...). @round counts from 1.
 */
struct run {
	char group[112];
	char variant[32];
	unsigned int round;
	struct metric *metrics;
	size_t nr_metrics;
	struct sample *samples;
	size_t nr_samples;
};

/* Ordered names and texts: environment and settings. */
struct fact {
	char name[40];
	char text[512];
};

struct result {
	char preset[32];
	char label[32];
	struct fact *env;
	size_t nr_env;
	struct fact *settings;
	size_t nr_settings;
	struct run *runs;
	size_t nr_runs;
	char **notes;
	size_t nr_notes;
	char *ledger;		/* JSON text of the tracing tool, or NULL */
};

/* Free everything inside @r and make it empty. */
void result_free(struct result *r);

/* Append; 0 or -ENOMEM. Texts are copied and cut to the size of the field. */
int result_env(struct result *r, const char *name, const char *text);
int result_setting(struct result *r, const char *name, const char *text);

/* Append a note once; the same note again is dropped. 0 or -ENOMEM. */
int result_note(struct result *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Append an empty run. The pointer holds until the next call. NULL: out of memory. */
struct run *result_run(struct result *r, const char *group, const char *variant,
		       unsigned int round);

/* Take back the last run, for one that was broken off. */
void result_drop_last_run(struct result *r);

/* Set a metric; NAN is not stored, so that it reads back as unavailable. 0 or -ENOMEM. */
int run_metric(struct run *run, const char *name, double value);

/* Value of a metric, NAN when it is not there. */
double run_value(const struct run *run, const char *name);

/* Append a sample. 0 or -ENOMEM. */
int run_sample(struct run *run, const struct sample *s);

/* Text of an environment fact or setting, "" when it is not there. */
const char *result_env_text(const struct result *r, const char *name);
const char *result_setting_text(const struct result *r, const char *name);

/* Greatest round number among all runs. */
unsigned int result_rounds(const struct result *r);

/*
 * Variants of the presets that measure somebody beside a stream: no stream, a
 * normal one, a dontcache one.
 */
#define NR_BYSTANDER_VARIANTS 3
extern const char *const bystander_variants[NR_BYSTANDER_VARIANTS];

/* True if any run is of @variant. */
bool result_has_variant(const struct result *r, const char *variant);

#endif
