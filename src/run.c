// SPDX-License-Identifier: GPL-2.0
#include "run.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "complain.h"
#include "output.h"
#include "privilege.h"

/* How long a wait may take before signals and the command are looked at again. */
#define NAP_NS	20000000ULL

/* Probe points in modules that were loaded since are picked up this often. */
#define REFRESH_NS	2000000000ULL

int db_run_header(struct db_run *run)
{
	FILE *out = run->options->json ? stderr : stdout;

	/* a command tells by its start, and stderr is its own */
	if (run->options->json && run->options->command)
		return 0;
	fprintf(out, "tracing on %s; %s\n", run->session.kernel.release,
	       run->options->command ? run->options->command[0] :
	       run->options->duration_s ? "for the time given" : "until ^C");
	/* beside JSON it is no more than a courtesy */
	if (out == stdout)
		return db_output_finish(out);
	fflush(out);
	return 0;
}

/* Calls a hook; a closed pipe is remembered and no error. */
static int call(struct db_run *run, int (*hook)(struct db_run *run))
{
	int err = hook ? hook(run) : 0;

	if (err != -EPIPE)
		return err;
	run->gone = true;
	return 0;
}

int db_run_begin(struct db_run *run)
{
	struct db_options *o = run->options;
	__u64 keep;
	int err;

	err = db_session_open(&run->session, &o->session);
	if (err)
		return db_complain(err, "%s", run->session.why);
	if (run->event) {
		err = db_session_on_event(&run->session, run->event, run->arg);
		if (err)
			return db_complain(err, "cannot read the ring buffer: %s", strerror(-err));
	}
	db_catch_signals();
	db_session_start(&run->session);
	err = call(run, run->attached);
	if (err)
		return err;
	if (o->command) {
		err = db_child_start(&run->child, o->command);
		if (err)
			return db_complain(err, "cannot run %s: %s", o->command[0], strerror(-err));
	}
	/* The command has the caller's capabilities; from here on we need few. */
	keep = run->keep | db_session_capabilities(&run->session);
	if (o->command)
		keep |= DB_CAP_BIT(CAP_KILL);
	err = db_privilege_drop(keep);
	if (err)
		return db_complain(err, "cannot give up capabilities: %s", strerror(-err));
	return 0;
}

static void nap(__u64 ns)
{
	struct timespec t = { .tv_sec = ns / 1000000000ULL, .tv_nsec = ns % 1000000000ULL };

	nanosleep(&t, NULL);
}

/* True when it is time to end. */
static bool is_over(struct db_run *run, __u64 now)
{
	__u64 limit = run->options->duration_s * 1e9;

	db_child_check(&run->child);
	if (db_interrupted() || (run->child.pid && run->child.ended))
		return true;
	if (limit && now - run->session.start_ns >= limit)
		return true;
	if (!run->silent && db_output_gone(stdout))
		run->gone = true;
	return run->gone;
}

static int wait_for_end(struct db_run *run)
{
	__u64 interval = run->options->interval_s * 1e9, now = db_now_ns();
	__u64 next_interval = run->session.start_ns + interval, next_refresh = now + REFRESH_NS;
	int n = 0;

	while (!is_over(run, now)) {
		if (interval && now >= next_interval) {
			n = call(run, run->interval);
			/* Intervals that passed while we were stopped are one. */
			next_interval += (now - next_interval) / interval * interval + interval;
		}
		if (now >= next_refresh) {
			db_session_refresh(&run->session);
			next_refresh = now + REFRESH_NS;
		}
		if (n >= 0)
			n = call(run, run->turn);
		if (n < 0)
			return n;
		if (!n)
			nap(NAP_NS);
		now = db_now_ns();
	}
	return 0;
}

int db_run_wait(struct db_run *run)
{
	int err = wait_for_end(run);

	/* A command that outlives --duration goes on without being counted. */
	if (err || run->gone || db_interrupted())
		db_child_wait(&run->child);
	if (!err)
		err = call(run, run->ending);
	db_session_stop(&run->session);
	return err;
}

int db_run_end(struct db_run *run, int err)
{
	if (err == -EPIPE)
		err = 0;
	db_session_close(&run->session);
	db_child_wait(&run->child);
	if (err)
		return 1;
	return run->child.ended ? run->child.status : 0;
}
