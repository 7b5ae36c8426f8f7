// SPDX-License-Identifier: GPL-2.0
/* dropbehind stat: counts in the kernel, a report at the end. */
#include "stat.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "child.h"
#include "complain.h"
#include "json.h"
#include "session.h"
#include "text.h"

/* How long a wait may take before signals and the command are looked at again. */
#define NAP_NS	20000000ULL

/* Probe points in modules that were loaded since are picked up this often. */
#define REFRESH_NS	2000000000ULL

struct stat_run {
	struct db_options *options;
	struct db_session session;
	struct db_child child;
	struct db_ledger last;	/* at the end of the last interval */
	unsigned long line;
	bool gone;		/* nobody reads our output any more */
};

static int print_interval(struct stat_run *run)
{
	struct db_ledger now, delta;
	json_t *json;
	int err;

	db_ledger_init(&now);
	db_ledger_init(&delta);
	err = db_session_collect(&run->session, &now);
	if (err)
		return err;
	if (!run->last.start_ns) {
		run->last.start_ns = now.start_ns;
		run->last.stop_ns = now.start_ns;
	}
	err = db_ledger_delta(&delta, &run->last, &now);
	if (err)
		goto out;
	if (run->options->json) {
		json = db_json_from_ledger(&delta);
		if (json && json_object_set_new(json, "interval", json_true()))
			err = -ENOMEM;
		if (!err)
			err = db_json_print(stdout, json);
		json_decref(json);
	} else {
		err = db_text_interval(stdout, &delta, run->line);
	}
	run->line++;
out:
	db_ledger_free(&delta);
	db_ledger_free(&run->last);
	run->last = now;
	return err;
}

static int print_report(struct stat_run *run)
{
	struct db_ledger ledger;
	json_t *json;
	int err;

	db_ledger_init(&ledger);
	err = db_session_sweep(&run->session);
	if (!err)
		err = db_session_collect(&run->session, &ledger);
	if (err)
		return db_complain(err, "cannot read the counts: %s", strerror(-err));
	if (run->options->json) {
		json = db_json_from_ledger(&ledger);
		err = db_json_print(stdout, json);
		json_decref(json);
	} else {
		if (run->line)
			fputc('\n', stdout);
		err = db_text_report(stdout, &ledger);
	}
	db_ledger_free(&ledger);
	return err;
}

/* Says that tracing is on; a parent process may wait for this line. */
static int print_header(struct stat_run *run)
{
	if (run->options->json)
		return 0;
	printf("tracing on %s; %s\n", run->session.kernel.release,
	       run->options->command ? run->options->command[0] :
	       run->options->duration_s ? "for the time given" : "until ^C");
	return fflush(stdout) ? -EPIPE : 0;
}

static void nap(__u64 ns)
{
	struct timespec t = { .tv_sec = ns / 1000000000ULL, .tv_nsec = ns % 1000000000ULL };

	nanosleep(&t, NULL);
}

static void wait_for_end(struct stat_run *run)
{
	const struct db_options *o = run->options;
	__u64 start = db_now_ns(), now, next_interval, next_refresh;
	__u64 interval = o->interval_s * 1e9, end = o->duration_s * 1e9;

	next_interval = start + interval;
	next_refresh = start + REFRESH_NS;
	while (!db_interrupted()) {
		db_child_check(&run->child);
		if (run->child.pid && run->child.ended)
			break;
		now = db_now_ns();
		if (end && now - start >= end)
			break;
		if (interval && now >= next_interval) {
			if (print_interval(run)) {
				run->gone = true;
				break;
			}
			next_interval += interval;
		}
		if (now >= next_refresh) {
			db_session_refresh(&run->session);
			next_refresh = now + REFRESH_NS;
		}
		nap(NAP_NS);
	}
}

static int run_session(struct stat_run *run)
{
	struct db_options *o = run->options;
	int err;

	err = db_session_open(&run->session, &o->session);
	if (err)
		return db_complain(err, "%s", run->session.why);
	db_catch_signals();
	db_session_start(&run->session);
	if (print_header(run))
		return 0;
	if (o->command) {
		err = db_child_start(&run->child, o->command);
		if (err)
			return db_complain(err, "cannot run %s: %s", o->command[0], strerror(-err));
	}
	wait_for_end(run);
	db_child_wait(&run->child);
	db_session_stop(&run->session);
	if (run->gone)
		return 0;
	err = print_report(run);
	return err == -EPIPE ? 0 : err;
}

int db_verb_stat(struct db_options *options)
{
	struct stat_run run = { .options = options };
	int err;

	db_ledger_init(&run.last);
	err = run_session(&run);
	db_session_close(&run.session);
	db_ledger_free(&run.last);
	if (err)
		return 1;
	return run.child.ended ? run.child.status : 0;
}
