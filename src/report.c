// SPDX-License-Identifier: GPL-2.0
/* dropbehind report: what a recording holds. */
#include "report.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "complain.h"
#include "coverage.h"
#include "eventline.h"
#include "json.h"
#include "output.h"
#include "replay.h"
#include "show.h"

#define INCOMPLETE	2

struct report {
	const struct db_options *options;
	struct db_replay replay;
	struct db_flow_names names;	/* those that the last ledger knows */
	struct db_ledger last;		/* at the end of the last interval printed */
	unsigned long intervals;	/* lines printed */
	unsigned long events;
};

static int event(void *arg, const struct db_event *event)
{
	struct report *report = arg;

	if (!(event->type & report->options->session.events))
		return 0;
	report->events++;
	if (report->options->json) {
		if (db_event_json(stdout, event, &report->names))
			return db_complain(-ENOMEM, "out of memory");
	} else {
		if (report->events == 1) {
			if (report->intervals)
				fputc('\n', stdout);
			db_event_heading(stdout);
		}
		db_event_text(stdout, event, &report->names, report->replay.ledger.start_ns);
	}
	return ferror(stdout) ? db_output_finish(stdout) : 0;
}

/* One line for as many recorded intervals as it takes to fill --interval. */
static int interval(void *arg, const struct db_ledger *ledger)
{
	struct report *report = arg;
	__u64 wanted_ns = report->options->interval_s * 1e9;
	int err;

	if (!report->last.start_ns) {
		report->last.start_ns = ledger->start_ns;
		report->last.stop_ns = ledger->start_ns;
		report->last.start_wall_ns = ledger->start_wall_ns;
	}
	/* A twentieth less: intervals of the recording are a little off. */
	if (ledger->stop_ns - report->last.stop_ns < wanted_ns - wanted_ns / 20)
		return 0;
	err = db_show_interval(&report->last, ledger, report->options->json, report->intervals++);
	db_ledger_free(&report->last);
	if (!err && db_ledger_copy(&report->last, ledger))
		err = db_complain(-ENOMEM, "out of memory");
	return err;
}

static int print_json(const struct report *report)
{
	json_t *json = db_json_from_ledger(&report->replay.ledger);
	int err;

	if (json && json_object_set_new(json, "recording", db_coverage_json(&report->replay))) {
		json_decref(json);
		json = NULL;
	}
	err = db_json_print(stdout, json);
	json_decref(json);
	return err;
}

static int print_text(const struct report *report)
{
	int err = db_show_report(&report->replay.ledger, false, report->intervals || report->events);

	return err ? err : db_coverage_text(stdout, &report->replay);
}

static int name_flows(struct report *report)
{
	int err = db_flow_names_from_ledger(&report->names, &report->replay.ledger), slot;

	for (slot = 1; slot < 256 && !err; slot++)
		if (report->replay.workqueues[slot][0])
			err = db_flow_names_set_wq(&report->names, slot,
						   report->replay.workqueues[slot]);
	return err;
}

static int again(struct report *report, const struct db_replay_calls *calls)
{
	int err = db_replay_run(&report->replay, calls);

	if (err && report->replay.why[0])
		db_complain(err, "%s", report->replay.why);
	return err;
}

/* Everything is read once before anything is printed: damage must not be found halfway. */
static int print_all(struct report *report)
{
	struct db_replay_calls none = {}, intervals = { .ledger = interval, .arg = report },
			       events = { .event = event, .arg = report };
	int err = again(report, &none);

	if (!err && report->options->interval_s) {
		err = again(report, &intervals);
		if (!err && report->last.stop_ns < report->replay.ledger.stop_ns)
			err = db_show_interval(&report->last, &report->replay.ledger,
					       report->options->json, report->intervals++);
	}
	if (!err && report->options->session.events) {
		err = name_flows(report);
		if (err)
			db_complain(err, "out of memory");
		else
			err = again(report, &events);
	}
	if (err)
		return err;
	return report->options->json ? print_json(report) : print_text(report);
}

int db_verb_report(struct db_options *o)
{
	struct report report = { .options = o };
	bool complete;
	int err;

	if (!o->noperands) {
		db_complain(-EINVAL, "report: which recording? see 'dropbehind report --help'");
		return EX_USAGE;
	}
	signal(SIGPIPE, SIG_IGN);
	db_flow_names_init(&report.names, NULL);
	db_ledger_init(&report.last);
	err = db_replay_open(&report.replay, o->operands, o->noperands);
	if (err)
		db_complain(err, "%s", report.replay.why);
	else
		err = print_all(&report);
	complete = !err && db_replay_complete(&report.replay);
	db_replay_close(&report.replay);
	db_flow_names_free(&report.names);
	db_ledger_free(&report.last);
	if (err)
		return err == -EPIPE ? 0 : 1;
	return complete ? 0 : INCOMPLETE;
}
