// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "err.h"
#include "stats.h"
#include "table.h"

/* What a change under test brings along, or what differs by nature. */
static const char *const may_differ[] = {
	"kernel", "kernel_version", "filesystem_module", "date", "command", "module_before",
	"module_after",
};

static bool allowed(const struct options *opt, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(may_differ) / sizeof(may_differ[0]); i++)
		if (!strcmp(may_differ[i], name))
			return true;
	for (i = 0; i < opt->nr_allow; i++)
		if (!strcmp(opt->allow[i], name))
			return true;
	return false;
}

/* Append the facts of @a that @b tells otherwise to @list. */
static void differences(const struct fact *a, size_t nr, const struct result *b,
			const char *(*text)(const struct result *r, const char *name),
			const struct options *opt, char *list, size_t size)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		const char *other = text(b, a[i].name);
		size_t used = strlen(list);

		if (!strcmp(a[i].text, other) || allowed(opt, a[i].name))
			continue;
		snprintf(list + used, size - used, "%s%s (%s, %s)", used ? "; " : "", a[i].name,
			 a[i].text, other);
	}
}

int compare_check(const struct result *a, const struct result *b, const struct options *opt)
{
	char list[700] = "";

	if (strcmp(a->preset, b->preset))
		return bench_error("unlike runs: presets %s and %s; compare results of one preset",
				   a->preset, b->preset);
	differences(a->env, a->nr_env, b, result_env_text, opt, list, sizeof(list));
	differences(a->settings, a->nr_settings, b, result_setting_text, opt, list,
		    sizeof(list));
	if (*list)
		return bench_error("unlike runs: %s; measure alike, or name each that may differ with --allow",
				   list);
	return 0;
}

static int copy_run(struct result *out, const struct run *from, const char *group,
		    const char *variant, unsigned int round)
{
	struct run *run = result_run(out, group, variant, round);
	size_t i;
	int err = run ? 0 : -ENOMEM;

	for (i = 0; i < from->nr_metrics && !err; i++)
		err = run_metric(run, from->metrics[i].name, from->metrics[i].value);
	for (i = 0; i < from->nr_samples && !err; i++)
		err = run_sample(run, &from->samples[i]);
	return err;
}

static int copy_facts(struct result *out, const struct result *a, const struct result *b)
{
	char text[512];
	size_t i;
	int err = 0;

	for (i = 0; i < a->nr_env && !err; i++) {
		const char *other = result_env_text(b, a->env[i].name);

		if (!strcmp(a->env[i].text, other))
			snprintf(text, sizeof(text), "%s", other);
		else
			snprintf(text, sizeof(text), "%.200s | %.200s", a->env[i].text, other);
		err = result_env(out, a->env[i].name, text);
	}
	for (i = 0; i < a->nr_settings && !err; i++)
		err = result_setting(out, a->settings[i].name, a->settings[i].text);
	for (i = 0; i < a->nr_notes && !err; i++)
		err = result_note(out, "%s", a->notes[i]);
	for (i = 0; i < b->nr_notes && !err; i++)
		err = result_note(out, "%s", b->notes[i]);
	return err;
}

static int side(struct result *out, const struct result *from, const char *name)
{
	char group[160];
	size_t i;
	int err = 0;

	for (i = 0; i < from->nr_runs && !err; i++) {
		snprintf(group, sizeof(group), "compare|%.64s %.31s", from->runs[i].group,
			 from->runs[i].variant);
		err = copy_run(out, &from->runs[i], group, name, from->runs[i].round);
	}
	return err;
}

int compare_merge(struct result *out, const struct result *a, const struct result *b)
{
	int err;

	memset(out, 0, sizeof(*out));
	snprintf(out->preset, sizeof(out->preset), "compare");
	snprintf(out->label, sizeof(out->label), "%.31s", a->preset);
	err = copy_facts(out, a, b);
	err = err ? err : side(out, a, "before");
	err = err ? err : side(out, b, "after");
	return err ? bench_fail(err, "compare", a->preset) : 0;
}

int compare_append(struct result *to, const struct result *more)
{
	size_t i;
	int err = 0;

	for (i = 0; i < more->nr_runs && !err; i++)
		err = copy_run(to, &more->runs[i], more->runs[i].group, more->runs[i].variant,
			       more->runs[i].round);
	for (i = 0; i < more->nr_notes && !err; i++)
		err = result_note(to, "%s", more->notes[i]);
	return err ? bench_fail(err, "append to", to->preset) : 0;
}

double compare_noise_pct(const struct result *control)
{
	double *v = calloc(control->nr_runs + 1, sizeof(*v)), worst = NAN;
	size_t i;

	for (i = 0; v && i < control->nr_runs; i++) {
		const char *group = control->runs[i].group;
		double a, b;

		a = stats_mean(v, table_collect(control, group, "before", "throughput_mib_s", v));
		b = stats_mean(v, table_collect(control, group, "after", "throughput_mib_s", v));
		worst = fmax(worst, fabs(stats_change_pct(a, b)));
	}
	free(v);
	return worst;
}
