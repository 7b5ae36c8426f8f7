// SPDX-License-Identifier: GPL-2.0
/* dropbehind stat: counts in the kernel, a report at the end. */
#include "stat.h"

#include <string.h>

#include "complain.h"
#include "run.h"
#include "show.h"

struct stat_run {
	struct db_ledger last;	/* at the end of the last interval */
	unsigned long line;
};

static int print_interval(struct db_run *run)
{
	struct stat_run *stat = run->arg;
	struct db_ledger now;
	int err;

	db_ledger_init(&now);
	err = db_session_collect(&run->session, &now);
	if (err)
		return db_complain(err, "cannot read the counts: %s", strerror(-err));
	if (!stat->last.start_ns) {
		stat->last.start_ns = now.start_ns;
		stat->last.stop_ns = now.start_ns;
	}
	err = db_show_interval(&stat->last, &now, run->options->json, stat->line++);
	db_ledger_free(&stat->last);
	stat->last = now;
	return err;
}

static int print_report(struct db_run *run)
{
	struct stat_run *stat = run->arg;
	struct db_ledger ledger;
	int err;

	db_ledger_init(&ledger);
	err = db_session_sweep(&run->session);
	if (!err)
		err = db_session_collect(&run->session, &ledger);
	if (err)
		return db_complain(err, "cannot read the counts: %s", strerror(-err));
	err = db_show_report(&ledger, run->options->json, stat->line);
	db_ledger_free(&ledger);
	return err;
}

int db_verb_stat(struct db_options *options)
{
	struct stat_run stat = {};
	struct db_run run = {
		.options = options,
		.arg = &stat,
		.attached = db_run_header,
		.interval = print_interval,
	};
	int err;

	db_ledger_init(&stat.last);
	err = db_run_begin(&run);
	if (!err)
		err = db_run_wait(&run);
	if (!err && !run.gone)
		err = print_report(&run);
	db_ledger_free(&stat.last);
	return db_run_end(&run, err);
}
