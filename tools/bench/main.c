// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "env.h"
#include "err.h"
#include "guard.h"
#include "model_json.h"
#include "report.h"
#include "session.h"
#include "stop.h"

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

	if (p->needs_dir && s->place.is_dev)
		return bench_error("%s works on files; give --dir", p->name);
	snprintf(s->res.preset, sizeof(s->res.preset), "%s", p->name);
	err = env_record(&s->res, &s->place);
	if (err)
		return bench_fail(err, "record", "the environment");
	if (p->dontcache) {
		err = place_check_dontcache(&s->place);
		if (err)
			return err;
	}
	err = p->run(s);
	progress_end(&s->prog);
	return err;
}

static int run_preset(struct session *s)
{
	const struct preset *p = preset_find(s->opt.verb);
	int err;

	if (!p)
		return bench_error("%s: no such preset; see --list", s->opt.verb);
	s->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	err = stop_install();
	if (err)
		return bench_fail(err, "catch", "signals");
	err = guard_start();
	if (err)
		return err;
	err = place_open(&s->place, &s->opt);
	if (!err) {
		err = measure(s, p);
		place_close(&s->place);
	}
	guard_stop();
	if (err == -EINTR)
		bench_error("stopped by a signal; nothing was reported, our files are removed");
	return err ? err : report_write(&s->res, &s->opt);
}

static int run_report(const struct options *opt)
{
	struct result r;
	int err;

	if (opt->nr_inputs != 1)
		return bench_error("report: give one file that --json wrote");
	err = result_load_json(&r, opt->inputs[0]);
	if (!err)
		err = report_write(&r, opt);
	result_free(&r);
	return err;
}

int main(int argc, char **argv)
{
	static struct session s;
	int err = command_keep(argc, argv);

	if (!err)
		err = options_parse(&s.opt, argc, argv);

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
	else
		err = run_preset(&s);
	result_free(&s.res);
	if (err == -EINTR)
		return 130;
	return err ? 1 : 0;
}
