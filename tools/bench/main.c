// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compare.h"
#include "env.h"
#include "err.h"
#include "guard.h"
#include "model_json.h"
#include "outfile.h"
#include "report.h"
#include "residency.h"
#include "session.h"
#include "stop.h"
#include "trace.h"

#define BENCH_VERSION "1"

static void list_presets(void)
{
	size_t i;

	for (i = 0; presets[i]; i++)
		printf("%-20s  %s\n", presets[i]->name, presets[i]->summary);
}

/* Everything between opening the place and closing it. */
static int measure(struct session *s, const struct preset *p)
{
	int err;

	snprintf(s->res.preset, sizeof(s->res.preset), "%s", p->name);
	err = env_record(&s->res, &s->place);
	if (err)
		return bench_fail(err, "record", "the environment");
	if (s->earlier.nr_runs) {
		err = compare_check_env(&s->earlier, &s->res, &s->opt);
		if (err)
			return err;
	}
	/* Probe points cost time: a traced run is no match for one without. */
	if (s->opt.trace && result_setting(&s->res, "trace", "yes"))
		return bench_fail(-ENOMEM, "record", "the settings");
	if (p->dontcache && !getenv(TRACE_RESULT_ENV)) {
		err = place_check_dontcache(&s->place);
		if (err)
			return err;
	}
	err = p->run(s);
	progress_end(&s->prog);
	return err;
}

/* control --append: what is there already, to which this side is added. */
static int load_earlier(struct session *s)
{
	struct result *earlier = &s->earlier;
	size_t i;
	int err;

	if (!s->opt.append || access(s->opt.append, F_OK))
		return 0;
	err = result_load_json(earlier, s->opt.append);
	if (err)
		return err;
	for (i = 0; i < earlier->nr_runs; i++)
		if (s->opt.label && !strcmp(earlier->runs[i].variant, s->opt.label) &&
		    earlier->runs[i].round >= s->first_round)
			s->first_round = earlier->runs[i].round + 1;
	return 0;
}

/* What was measured is not lost because it cannot be joined. */
static void keep_side(struct session *s)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.4000s.%s", s->opt.append, s->opt.label);
	if (!result_save_json(&s->res, path, false))
		bench_error("this side's runs were kept in %s; look at them with report", path);
}

static int join_earlier(struct session *s)
{
	int err = compare_check(&s->earlier, &s->res, &s->opt);

	err = err ? err : compare_append(&s->earlier, &s->res);
	if (err) {
		keep_side(s);
		return err;
	}
	result_free(&s->res);
	s->res = s->earlier;
	memset(&s->earlier, 0, sizeof(s->earlier));
	return 0;
}

/* Join this side to the earlier runs and put the file in place in one step. */
static int save_appended(struct session *s)
{
	char temp[PATH_MAX];
	int err = s->earlier.nr_runs ? join_earlier(s) : 0;

	if (err)
		return err;
	snprintf(temp, sizeof(temp), "%.4000s.%d", s->opt.append, (int)getpid());
	err = result_save_json(&s->res, temp, false);
	if (err)
		return err;
	if (rename(temp, s->opt.append)) {
		err = bench_fail(-errno, "put in place", s->opt.append);
		unlink(temp);
	}
	return err;
}

/*
 * Are the options such as the verb takes: its number of files, the preset's own load
 * options? 0 or -EINVAL (told).
 */
static int check_usage(const struct options *opt)
{
	static const struct {
		const char *verb;
		size_t least, most;
		const char *files;
	} verbs[] = {
		{ "report", 1, 1, "one file that --json wrote" },
		{ "compare", 2, 2, "two files that --json wrote, before and after" },
		{ "resident", 1, OPT_MAX_LIST, "the files to look at" },
	};
	const struct preset *p;
	size_t i;

	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(opt->verb, verbs[i].verb))
			continue;
		if (opt->nr_inputs < verbs[i].least || opt->nr_inputs > verbs[i].most)
			return bench_error("%s: give %s", opt->verb, verbs[i].files);
		return options_check_load(opt, 0);
	}
	p = preset_find(opt->verb);
	if (!p)
		return bench_error("%s: no such preset; see --list", opt->verb);
	return options_check_load(opt, p->takes);
}

/* Check the place, so that the tracer is not started in vain. */
static int check_only(struct session *s, const struct preset *p)
{
	return p->dontcache ? place_check_dontcache(&s->place) : 0;
}

/* Do @what with everything that must be undone at the end, whatever happens. */
static int guarded(struct session *s, const struct preset *p,
		   int (*what)(struct session *s, const struct preset *p))
{
	int err = guard_start();

	if (err)
		return err;
	err = place_open(&s->place, &s->opt);
	if (!err) {
		if (p->needs_dir && s->place.is_dev)
			err = bench_error("%s works on files; give --dir", p->name);
		else
			err = what(s, p);
		place_close(&s->place);
	}
	guard_stop();
	if (err == -EINTR)
		bench_error("stopped by a signal; nothing was reported, our files are removed");
	return err;
}

/* Under the tracer: no probe write, which it would count, and no report of our own. */
static int run_traced(struct session *s, const struct preset *p, const char *result)
{
	int err = guarded(s, p, measure);

	return err ? err : result_save_json(&s->res, result, false);
}

static int run_preset(struct session *s)
{
	const char *traced = getenv(TRACE_RESULT_ENV);
	const struct preset *p = preset_find(s->opt.verb);
	int err;

	s->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	err = stop_install();
	if (err)
		return bench_fail(err, "catch", "signals");
	err = load_earlier(s);
	if (err)
		return err;
	if (traced)
		return run_traced(s, p, traced);
	err = report_check(&s->opt);
	if (err)
		return err;
	err = guarded(s, p, s->opt.trace ? check_only : measure);
	if (!err && s->opt.trace)
		err = trace_run(&s->res, &s->opt);
	if (!err && s->opt.append)
		err = save_appended(s);
	return err ? err : report_write(&s->res, &s->opt);
}

static int run_report(const struct options *opt)
{
	struct result r;
	int err;

	err = result_load_json(&r, opt->inputs[0]);
	if (!err)
		err = report_write(&r, opt);
	result_free(&r);
	return err;
}

/* How much of each file is in the page cache now. */
static int run_resident(const struct options *opt)
{
	struct residency res;
	struct stat st;
	size_t i;
	int fd, err;

	for (i = 0; i < opt->nr_inputs; i++) {
		fd = open(opt->inputs[i], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0)
			return bench_fail(-errno, "open", opt->inputs[i]);
		err = fstat(fd, &st) ? -errno : 0;
		if (!err)
			err = residency_count(fd, 0, (uint64_t)st.st_size, &res);
		close(fd);
		if (err)
			return bench_fail(err, "count resident pages of", opt->inputs[i]);
		printf("%llu %s\n", (unsigned long long)res.resident_pages, opt->inputs[i]);
	}
	return outfile_close(stdout, "standard output", 0);
}

static int run_compare(const struct options *opt)
{
	struct result a = { 0 }, b = { 0 }, both = { 0 };
	int err;

	err = result_load_json(&a, opt->inputs[0]);
	err = err ? err : result_load_json(&b, opt->inputs[1]);
	err = err ? err : compare_check(&a, &b, opt);
	err = err ? err : compare_merge(&both, &a, &b);
	err = err ? err : report_write(&both, opt);
	result_free(&a);
	result_free(&b);
	result_free(&both);
	return err;
}

int main(int argc, char **argv)
{
	static struct session s;
	int err = command_keep(argc, argv);

	if (!err)
		err = options_parse(&s.opt, argc, argv);
	if (!err && s.opt.verb)
		err = check_usage(&s.opt);
	if (err)
		return 2;
	if (s.opt.help)
		options_help();
	else if (s.opt.version)
		puts("dontcache-bench " BENCH_VERSION);
	else if (s.opt.list)
		list_presets();
	else if (!strcmp(s.opt.verb, "report"))
		err = run_report(&s.opt);
	else if (!strcmp(s.opt.verb, "compare"))
		err = run_compare(&s.opt);
	else if (!strcmp(s.opt.verb, "resident"))
		err = run_resident(&s.opt);
	else
		err = run_preset(&s);
	result_free(&s.res);
	result_free(&s.earlier);
	if (err == -EINTR)
		return 130;
	return err ? 1 : 0;
}
