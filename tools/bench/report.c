// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "beside.h"
#include "compare.h"
#include "csv.h"
#include "err.h"
#include "model_json.h"
#include "outfile.h"
#include "plot.h"
#include "report.h"
#include "table.h"
#include "views.h"

static const char *const headline[] = {
	"kernel", "filesystem", "mount_options", "device", "memory_mib", "cpu", "cpus",
	"page_bytes", "date",
};

static int write_terminal(const struct result *r, const struct table_list *l)
{
	size_t i;

	printf("dontcache-bench %s%s%s\n", r->preset, *r->label ? ", " : "", r->label);
	for (i = 0; i < sizeof(headline) / sizeof(headline[0]); i++)
		printf("%s%s: %s", i ? "; " : "  ", headline[i], result_env_text(r, headline[i]));
	printf("\n  ");
	for (i = 0; i < r->nr_settings; i++)
		printf("%s%s: %s", i ? "; " : "", r->settings[i].name, r->settings[i].text);
	printf("\n");
	for (i = 0; i < r->nr_notes; i++)
		printf("  note: %s\n", r->notes[i]);
	for (i = 0; i < l->nr; i++) {
		printf("\n");
		table_write_text(&l->tables[i], stdout);
	}
	return outfile_close(stdout, "standard output", 0);
}

static void write_facts(FILE *f, const char *title, const struct fact *facts, size_t nr)
{
	size_t i;

	fprintf(f, "%s\n\n", title);
	for (i = 0; i < nr; i++)
		fprintf(f, "- %s: `%s`\n", facts[i].name, facts[i].text);
	fprintf(f, "\n");
}

static int write_markdown(const struct result *r, const struct table_list *l,
			  const char *path, bool force)
{
	int err = 0;
	FILE *f = outfile_open(path, force, &err);
	size_t i;

	if (!f)
		return err;
	fprintf(f, "## %s%s%s\n\n", r->preset, *r->label ? ", " : "", r->label);
	for (i = 0; i < r->nr_notes; i++)
		fprintf(f, "Note: %s\n\n", r->notes[i]);
	for (i = 0; i < l->nr; i++)
		table_write_markdown(&l->tables[i], f);
	write_facts(f, "Settings:", r->settings, r->nr_settings);
	write_facts(f, "Environment:", r->env, r->nr_env);
	return outfile_close(f, path, 0);
}

static int write_csv(const struct result *r, const struct table_list *l,
		     const struct options *opt)
{
	char path[PATH_MAX];
	size_t i;
	int err = 0;

	for (i = 0; i < l->nr && !err; i++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s-%s.csv", opt->csv_dir, r->preset,
			 l->tables[i].name);
		f = outfile_open(path, options_forced(opt, path), &err);
		if (f) {
			table_write_csv(&l->tables[i], f);
			err = outfile_close(f, path, 0);
		}
	}
	return err;
}

static int write_samples(const struct result *r, const char *path, bool force)
{
	int err = 0;
	FILE *f = outfile_open(path, force, &err);

	if (!f)
		return err;
	csv_write_samples(r, f);
	return outfile_close(f, path, 0);
}

/* What the plot writer needs to know. */
struct svg_to {
	const struct result *r;
	const struct options *opt;
};

static int emit_svg(const struct plot *p, void *arg)
{
	const struct svg_to *to = arg;
	char path[PATH_MAX];
	int err = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s-%s.svg", to->opt->svg_dir, to->r->preset, p->name);
	f = outfile_open(path, options_forced(to->opt, path), &err);
	if (!f)
		return err;
	svg_write(p, f);
	return outfile_close(f, path, 0);
}

/* How much is noise, from the result of a control; NAN when none was given. */
static int find_noise(const struct options *opt, double *noise_pct)
{
	struct result control;
	int err;

	*noise_pct = NAN;
	if (!opt->noise)
		return 0;
	err = result_load_json(&control, opt->noise);
	if (err)
		return err;
	*noise_pct = compare_noise_pct(&control);
	result_free(&control);
	if (isnan(*noise_pct))
		return bench_error("%s: no runs named before and after; give a result of the control preset",
				   opt->noise);
	return 0;
}

/* The data first: a table that cannot be made must not cost the measurement. */
int report_write(const struct result *r, const struct options *opt)
{
	const struct svg_to svg = { r, opt };
	struct table_list l = { 0 };
	double noise_pct;
	size_t i;
	int err = 0;

	if (opt->json)
		err = result_save_json(r, opt->json, options_forced(opt, opt->json));
	if (!err && opt->samples)
		err = write_samples(r, opt->samples, options_forced(opt, opt->samples));
	if (!err)
		err = find_noise(opt, &noise_pct);
	if (!err)
		err = views_build(r, noise_pct, &l);
	for (i = 0; i < opt->nr_beside && !err; i++)
		err = beside_join(&l, r->preset, opt->beside[i]);
	if (!err && !opt->quiet)
		err = write_terminal(r, &l);
	if (!err && opt->markdown)
		err = write_markdown(r, &l, opt->markdown, options_forced(opt, opt->markdown));
	if (!err && opt->csv_dir)
		err = write_csv(r, &l, opt);
	if (!err && opt->svg_dir)
		err = plots_make(r, emit_svg, (void *)&svg);
	tables_free(&l);
	return err;
}
