// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

const char *const sample_names[SAMPLE_FIELDS] = {
	[SAMPLE_TIME_S] = "time_s",
	[SAMPLE_MB_S] = "throughput_mb_s",
	[SAMPLE_KSWAPD_CPU_PCT] = "kswapd_cpu_pct",
	[SAMPLE_MEMAVAILABLE_MIB] = "memavailable_mib",
	[SAMPLE_CACHED_MIB] = "cached_mib",
	[SAMPLE_DIRTY_MIB] = "dirty_mib",
	[SAMPLE_WRITEBACK_MIB] = "writeback_mib",
	[SAMPLE_ACTIVE_FILE_MIB] = "active_file_mib",
	[SAMPLE_INACTIVE_FILE_MIB] = "inactive_file_mib",
	[SAMPLE_CGROUP_FILE_MIB] = "cgroup_file_mib",
	[SAMPLE_CGROUP_DIRTY_MIB] = "cgroup_dirty_mib",
	[SAMPLE_CGROUP_WRITEBACK_MIB] = "cgroup_writeback_mib",
};

const char *const bystander_variants[NR_BYSTANDER_VARIANTS] = {
	"alone", "normal", "dontcache",
};

/* Room for one more element: doubles at powers of two. NULL: out of memory. */
static void *grow(void *array, size_t nr, size_t size)
{
	if (nr & (nr - 1))
		return array;
	return reallocarray(array, nr ? nr * 2 : 1, size);
}

static void copy_text(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from);
}

static void run_free(struct run *run)
{
	free(run->metrics);
	free(run->samples);
}

void result_free(struct result *r)
{
	size_t i;

	for (i = 0; i < r->nr_runs; i++)
		run_free(&r->runs[i]);
	for (i = 0; i < r->nr_notes; i++)
		free(r->notes[i]);
	free(r->runs);
	free(r->notes);
	free(r->env);
	free(r->settings);
	free(r->ledger);
	memset(r, 0, sizeof(*r));
}

static int add_fact(struct fact **facts, size_t *nr, const char *name, const char *text)
{
	struct fact *f = grow(*facts, *nr, sizeof(*f));

	if (!f)
		return -ENOMEM;
	*facts = f;
	f += (*nr)++;
	copy_text(f->name, sizeof(f->name), name);
	copy_text(f->text, sizeof(f->text), text);
	return 0;
}

int result_env(struct result *r, const char *name, const char *text)
{
	return add_fact(&r->env, &r->nr_env, name, text);
}

int result_setting(struct result *r, const char *name, const char *text)
{
	return add_fact(&r->settings, &r->nr_settings, name, text);
}

int result_note(struct result *r, const char *fmt, ...)
{
	char **notes, *text;
	va_list ap;
	size_t i;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return -ENOMEM;
	for (i = 0; i < r->nr_notes; i++) {
		if (!strcmp(r->notes[i], text)) {
			free(text);
			return 0;
		}
	}
	notes = grow(r->notes, r->nr_notes, sizeof(*notes));
	if (!notes) {
		free(text);
		return -ENOMEM;
	}
	r->notes = notes;
	r->notes[r->nr_notes++] = text;
	return 0;
}

struct run *result_run(struct result *r, const char *group, const char *variant,
		       unsigned int round)
{
	struct run *run = grow(r->runs, r->nr_runs, sizeof(*run));

	if (!run)
		return NULL;
	r->runs = run;
	run += r->nr_runs++;
	memset(run, 0, sizeof(*run));
	copy_text(run->group, sizeof(run->group), group);
	copy_text(run->variant, sizeof(run->variant), variant);
	run->round = round;
	return run;
}

void result_drop_last_run(struct result *r)
{
	if (r->nr_runs)
		run_free(&r->runs[--r->nr_runs]);
}

int run_metric(struct run *run, const char *name, double value)
{
	struct metric *m;
	size_t i;

	if (!isfinite(value))
		return 0;
	for (i = 0; i < run->nr_metrics; i++) {
		if (!strcmp(run->metrics[i].name, name)) {
			run->metrics[i].value = value;
			return 0;
		}
	}
	m = grow(run->metrics, run->nr_metrics, sizeof(*m));
	if (!m)
		return -ENOMEM;
	run->metrics = m;
	m += run->nr_metrics++;
	copy_text(m->name, sizeof(m->name), name);
	m->value = value;
	return 0;
}

double run_value(const struct run *run, const char *name)
{
	size_t i;

	for (i = 0; i < run->nr_metrics; i++)
		if (!strcmp(run->metrics[i].name, name))
			return run->metrics[i].value;
	return NAN;
}

int run_sample(struct run *run, const struct sample *s)
{
	struct sample *samples = grow(run->samples, run->nr_samples, sizeof(*s));

	if (!samples)
		return -ENOMEM;
	run->samples = samples;
	run->samples[run->nr_samples++] = *s;
	return 0;
}

static const char *fact_text(const struct fact *facts, size_t nr, const char *name)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strcmp(facts[i].name, name))
			return facts[i].text;
	return "";
}

const char *result_env_text(const struct result *r, const char *name)
{
	return fact_text(r->env, r->nr_env, name);
}

const char *result_setting_text(const struct result *r, const char *name)
{
	return fact_text(r->settings, r->nr_settings, name);
}

unsigned int result_rounds(const struct result *r)
{
	unsigned int rounds = 0;
	size_t i;

	for (i = 0; i < r->nr_runs; i++)
		if (r->runs[i].round > rounds)
			rounds = r->runs[i].round;
	return rounds;
}

bool result_has_variant(const struct result *r, const char *variant)
{
	size_t i;

	for (i = 0; i < r->nr_runs; i++)
		if (!strcmp(r->runs[i].variant, variant))
			return true;
	return false;
}
