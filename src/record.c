// SPDX-License-Identifier: GPL-2.0
/* dropbehind record: stat, and the way there in a file. */
#include "record.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "complain.h"
#include "flownames.h"
#include "privilege.h"
#include "recording.h"
#include "run.h"
#include "show.h"

#define INTERVAL_DEFAULT_S	10

/* Events waiting to be written go out at least this often. */
#define SECOND_NS	1000000000ULL

/* Records taken from the ring in one go; more may be there, but the end of the run must be seen. */
#define TAKE_MAX	65536

struct record_run {
	struct db_recording *recording;
	struct db_config *config;
	struct db_flow_names names;	/* of workqueues */
	unsigned int samples;		/* per second, as asked */
	unsigned int sampled;		/* of this second */
	unsigned int taken;		/* in this go */
	__u64 second_ns;		/* when this second began */
};

/* Once enough folios were sampled the kernel stops sending any, for the rest of the second. */
static void sample(struct record_run *record, const struct db_event *event)
{
	if (record->sampled >= record->samples)
		return;
	db_recording_event(record->recording, event, db_wq_name(&record->names, event->wq));
	if (++record->sampled == record->samples)
		__atomic_and_fetch(&record->config->events, ~DB_EV_DROP, __ATOMIC_RELAXED);
}

static int take(void *arg, void *data, size_t size)
{
	struct record_run *record = arg;
	const struct db_event *event = data;

	if (size < sizeof(*event))
		return 0;
	if (event->type == DB_EV_DROP)
		sample(record, event);
	else
		db_recording_event(record->recording, event, db_wq_name(&record->names, event->wq));
	return ++record->taken < TAKE_MAX ? 0 : -EAGAIN;
}

/* Number of records taken, or negative errno after a line on stderr. */
static int drain(struct db_run *run, struct record_run *record)
{
	int err;

	record->taken = 0;
	err = db_session_poll(&run->session, 0);
	if (err < 0 && err != -EAGAIN && err != -EINTR)
		return db_complain(err, "cannot read the ring buffer: %s", strerror(-err));
	return record->taken;
}

static int record_counts(struct db_run *run, struct record_run *record)
{
	struct db_ledger ledger;
	int err;

	db_ledger_init(&ledger);
	err = db_session_collect(&run->session, &ledger);
	if (err)
		return db_complain(err, "cannot read the counts: %s", strerror(-err));
	db_recording_ledger(record->recording, &ledger);
	db_ledger_free(&ledger);
	return 0;
}

static int attached(struct db_run *run)
{
	struct record_run *record = run->arg;
	int err;

	record->config = run->session.config;
	record->second_ns = db_now_ns();
	err = record_counts(run, record);
	if (err)
		return err;
	err = db_run_header(run);
	/* The file is what counts. */
	return err == -EPIPE ? 0 : err;
}

static int turn(struct db_run *run)
{
	struct record_run *record = run->arg;
	__u64 now = db_now_ns();
	int n = drain(run, record);

	if (now - record->second_ns >= SECOND_NS) {
		record->second_ns = now;
		record->sampled = 0;
		if (record->samples)
			__atomic_or_fetch(&record->config->events, DB_EV_DROP, __ATOMIC_RELAXED);
		db_recording_flush(record->recording);
	}
	if (n < 0)
		return n;
	return n >= TAKE_MAX;
}

static int interval(struct db_run *run)
{
	/* What no probe point tells about folios is found by looking at them. */
	int err = db_session_look(&run->session);

	if (err)
		return db_complain(err, "cannot look at the folios: %s", strerror(-err));
	return record_counts(run, run->arg);
}

/* Counting is off: the last look at the folios, the ring's rest, the counts. */
static int finish(struct db_run *run)
{
	struct record_run *record = run->arg;
	struct db_ledger ledger;
	int err = db_session_sweep(&run->session), n;

	db_ledger_init(&ledger);
	if (!err)
		err = db_session_collect(&run->session, &ledger);
	if (err)
		return db_complain(err, "cannot read the counts: %s", strerror(-err));
	do {
		n = drain(run, record);
	} while (n > 0);
	db_recording_ledger(record->recording, &ledger);
	err = db_show_report(&ledger, run->options->json, false);
	db_ledger_free(&ledger);
	return n < 0 ? n : err;
}

static int check_options(const struct db_options *o)
{
	if (!o->output)
		return db_complain(-EINVAL, "record: -o FILE is missing; see 'dropbehind record --help'");
	if (o->max_bytes && o->max_bytes < DB_RECORDING_MIN_BYTES)
		return db_complain(-EINVAL, "record: --max-size %llu: at least %lluk",
				   (unsigned long long)o->max_bytes, DB_RECORDING_MIN_BYTES >> 10);
	return 0;
}

int db_verb_record(struct db_options *o)
{
	struct record_run record = { .samples = o->samples };
	struct db_run run = {
		.options = o,
		.keep = DB_CAP_BIT(CAP_DAC_OVERRIDE),	/* parts in a directory of someone else */
		.silent = true,
		.arg = &record,
		.event = take,
		.attached = attached,
		.interval = interval,
		.turn = turn,
	};
	struct db_recording_options wanted = {
		.path = o->output,
		.max_bytes = o->max_bytes ? o->max_bytes : DB_RECORDING_DEFAULT_BYTES,
		.rotate = o->rotate,
		.samples = o->samples,
	};
	int err, status;

	if (check_options(o))
		return EX_USAGE;
	if (!o->interval_s)
		o->interval_s = INTERVAL_DEFAULT_S;
	wanted.interval_ns = o->interval_s * 1e9;
	o->session.events = DB_EV_LEFT | DB_EV_DEFER | (o->samples ? DB_EV_DROP : 0);
	record.recording = db_recording_create(&wanted);
	if (!record.recording)
		return 1;
	db_flow_names_init(&record.names, &run.session);
	err = db_run_begin(&run);
	if (!err)
		err = db_run_wait(&run);
	if (!err)
		err = finish(&run);
	/* An end is only written by a run that came to its end. */
	if ((!err || err == -EPIPE) && !db_recording_finish(record.recording))
		err = -EIO;
	status = db_run_end(&run, err);
	if (err == -EIO && run.child.ended && run.child.status)
		status = run.child.status;
	db_flow_names_free(&record.names);
	db_recording_close(record.recording);
	return status;
}
