// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "err.h"

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

/* Text of the fact, NULL when it is not there. */
static const char *find_fact(const struct fact *facts, size_t nr, const char *name)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strcmp(facts[i].name, name))
			return facts[i].text;
	return NULL;
}

/* Two kernels leave a little more or less of the same memory to us. */
static bool same_memory(const char *name, const char *a, const char *b)
{
	/* Of several states the first. */
	const double mib_a = strtod(a, NULL), mib_b = strtod(b, NULL);

	return !strcmp(name, "memory_mib") && fabs(mib_a - mib_b) <= 0.02 * mib_a;
}

static void difference(const char *name, const char *a, const char *b,
		       const struct options *opt, char *list, size_t size)
{
	size_t used = strlen(list);

	if ((a && b && !strcmp(a, b)) || allowed(opt, name))
		return;
	if (a && b && same_memory(name, a, b))
		return;
	snprintf(list + used, size - used, "%s%s (%s, %s)", used ? "; " : "", name,
		 a ? a : "absent", b ? b : "absent");
}

/* Append the facts that @a and @b do not tell alike to @list: of either, not of one only. */
static void differences(const struct fact *a, size_t nr_a, const struct fact *b, size_t nr_b,
			const struct options *opt, char *list, size_t size)
{
	size_t i;

	for (i = 0; i < nr_a; i++)
		difference(a[i].name, a[i].text, find_fact(b, nr_b, a[i].name), opt, list, size);
	for (i = 0; i < nr_b; i++)
		if (!find_fact(a, nr_a, b[i].name))
			difference(b[i].name, NULL, b[i].text, opt, list, size);
}

static int check(const struct result *a, const struct result *b, const struct options *opt,
		 bool settings)
{
	char list[700] = "";

	if (strcmp(a->preset, b->preset))
		return bench_error("unlike runs: presets %s and %s; compare results of one preset",
				   a->preset, b->preset);
	differences(a->env, a->nr_env, b->env, b->nr_env, opt, list, sizeof(list));
	if (settings)
		differences(a->settings, a->nr_settings, b->settings, b->nr_settings, opt, list,
			    sizeof(list));
	if (*list)
		return bench_error("unlike runs: %s; measure alike, or name each that may differ with --allow",
				   list);
	return 0;
}

int compare_check(const struct result *a, const struct result *b, const struct options *opt)
{
	return check(a, b, opt, true);
}

int compare_check_env(const struct result *a, const struct result *b, const struct options *opt)
{
	return check(a, b, opt, false);
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

/* The facts of both through @add; where they differ, "BEFORE | AFTER". */
static int join_facts(struct result *out, const struct fact *a, size_t nr_a,
		      const struct fact *b, size_t nr_b,
		      int (*add)(struct result *r, const char *name, const char *text))
{
	char text[512];
	size_t i;
	int err = 0;

	for (i = 0; i < nr_a && !err; i++) {
		const char *other = find_fact(b, nr_b, a[i].name);

		if (other && !strcmp(a[i].text, other))
			snprintf(text, sizeof(text), "%s", other);
		else
			snprintf(text, sizeof(text), "%.200s | %.200s", a[i].text,
				 other ? other : "absent");
		err = add(out, a[i].name, text);
	}
	for (i = 0; i < nr_b && !err; i++) {
		if (find_fact(a, nr_a, b[i].name))
			continue;
		snprintf(text, sizeof(text), "absent | %.200s", b[i].text);
		err = add(out, b[i].name, text);
	}
	return err;
}

static int copy_facts(struct result *out, const struct result *a, const struct result *b)
{
	size_t i;
	int err;

	err = join_facts(out, a->env, a->nr_env, b->env, b->nr_env, result_env);
	err = err ? err : join_facts(out, a->settings, a->nr_settings, b->settings,
				     b->nr_settings, result_setting);
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

/* The fact of that name, to be changed; NULL when it is not there. */
static struct fact *own_fact(struct fact *facts, size_t nr, const char *name)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strcmp(facts[i].name, name))
			return &facts[i];
	return NULL;
}

/* "OLD", then "OLD | NEW": every state that runs of the result were measured under, once. */
static void add_state(struct fact *fact, const char *text)
{
	const char *p = fact->text;
	size_t len = strlen(text), used = strlen(fact->text);

	while ((p = strstr(p, text))) {
		bool begins = p == fact->text ||
			      (p - fact->text >= 3 && !strncmp(p - 3, " | ", 3));

		if (begins && (!p[len] || !strncmp(p + len, " | ", 3)))
			return;
		p++;
	}
	snprintf(fact->text + used, sizeof(fact->text) - used, " | %s", text);
}

static int add_states(struct result *to, const struct result *more)
{
	size_t i;
	int err = 0;

	for (i = 0; i < more->nr_env && !err; i++) {
		struct fact *fact = own_fact(to->env, to->nr_env, more->env[i].name);

		if (fact)
			add_state(fact, more->env[i].text);
		else
			err = result_env(to, more->env[i].name, more->env[i].text);
	}
	for (i = 0; i < more->nr_settings && !err; i++) {
		struct fact *fact = own_fact(to->settings, to->nr_settings,
					     more->settings[i].name);

		if (fact)
			add_state(fact, more->settings[i].text);
		else
			err = result_setting(to, more->settings[i].name, more->settings[i].text);
	}
	return err;
}

int compare_append(struct result *to, const struct result *more)
{
	size_t i;
	int err = add_states(to, more);

	for (i = 0; i < more->nr_runs && !err; i++)
		err = copy_run(to, &more->runs[i], more->runs[i].group, more->runs[i].variant,
			       more->runs[i].round);
	for (i = 0; i < more->nr_notes && !err; i++)
		err = result_note(to, "%s", more->notes[i]);
	return err ? bench_fail(err, "append to", to->preset) : 0;
}
