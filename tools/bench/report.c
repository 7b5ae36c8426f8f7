// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "beside.h"
#include "csv.h"
#include "err.h"
#include "model_json.h"
#include "noise.h"
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

/* Load the control that tells the noise into @control; *@found is NULL when none was given. */
static int find_control(const struct options *opt, struct result *control,
			const struct result **found)
{
	int err;

	*found = NULL;
	if (!opt->noise)
		return 0;
	err = result_load_json(control, opt->noise);
	if (err)
		return err;
	if (!noise_is_control(control)) {
		result_free(control);
		return bench_error("%s: no runs named before and after; give a result of the control preset",
				   opt->noise);
	}
	*found = control;
	return 0;
}

/* Could a file be written there, now? */
static int check_file(const struct options *opt, const char *path)
{
	char dir[PATH_MAX];
	char *slash;

	if (!path || !strcmp(path, "-"))
		return 0;
	if (!access(path, F_OK)) {
		if (!options_forced(opt, path))
			return bench_fail(-EEXIST, "create", path);
		return access(path, W_OK) ? bench_fail(-errno, "overwrite", path) : 0;
	}
	snprintf(dir, sizeof(dir), "%s", path);
	slash = strrchr(dir, '/');
	if (slash)
		slash[slash == dir] = '\0';
	return access(slash ? dir : ".", W_OK | X_OK) ? bench_fail(-errno, "create", path) : 0;
}

static int check_dir(const char *path)
{
	struct stat st;

	if (!path)
		return 0;
	if (stat(path, &st))
		return bench_fail(-errno, "write files into", path);
	if (!S_ISDIR(st.st_mode))
		return bench_fail(-ENOTDIR, "write files into", path);
	return access(path, W_OK | X_OK) ? bench_fail(-errno, "write files into", path) : 0;
}

int report_check(const struct options *opt)
{
	struct result control = { 0 };
	const struct result *found;
	struct table ref;
	size_t i;
	int err;

	err = check_file(opt, opt->json);
	err = err ? err : check_file(opt, opt->samples);
	err = err ? err : check_file(opt, opt->markdown);
	err = err ? err : check_dir(opt->csv_dir);
	err = err ? err : check_dir(opt->svg_dir);
	err = err ? err : find_control(opt, &control, &found);
	result_free(&control);
	for (i = 0; i < opt->nr_beside && !err; i++) {
		err = csv_read(&ref, opt->beside[i]);
		if (!err)
			free(ref.rows);
	}
	return err;
}

/* The first of two errors. */
static int first(int err, int another)
{
	return err ? err : another;
}

static int write_tables(const struct result *r, const struct options *opt,
			const struct result *control)
{
	struct table_list l = { 0 };
	size_t i;
	int err = views_build(r, control, &l), joined = 0;

	/* A reference that does not fit must not cost the tables. */
	for (i = 0; i < opt->nr_beside && !err; i++)
		joined = first(joined, beside_join(&l, r->preset, opt->beside[i]));
	if (!err && !opt->quiet)
		err = write_terminal(r, &l);
	if (opt->markdown)
		err = first(err, write_markdown(r, &l, opt->markdown,
						options_forced(opt, opt->markdown)));
	if (opt->csv_dir)
		err = first(err, write_csv(r, &l, opt));
	tables_free(&l);
	return first(err, joined);
}

/* Whatever of it fails, the rest is written: a measurement takes long. */
int report_write(const struct result *r, const struct options *opt)
{
	const struct svg_to svg = { r, opt };
	struct result control = { 0 };
	const struct result *found = NULL;
	int err = 0;

	if (opt->json)
		err = result_save_json(r, opt->json, options_forced(opt, opt->json));
	if (opt->samples)
		err = first(err, write_samples(r, opt->samples,
					       options_forced(opt, opt->samples)));
	err = first(err, find_control(opt, &control, &found));
	err = first(err, write_tables(r, opt, found));
	if (opt->svg_dir)
		err = first(err, plots_make(r, emit_svg, (void *)&svg));
	result_free(&control);
	return err;
}
