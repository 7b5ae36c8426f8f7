// SPDX-License-Identifier: GPL-2.0
/* dropbehind trace: a line per event, as it happens. */
#include "trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect.h"
#include "complain.h"
#include "eventline.h"
#include "json.h"
#include "jsonput.h"
#include "output.h"
#include "run.h"
#include "text.h"
#include "words.h"

/* Records handled before signals and the output are looked at again. */
#define BATCH		4096

/* After so many in one go the next ones are waiting already. */
#define BUSY		256

/* Losses are looked at this often at least. */
#define LOSS_NS		200000000ULL

/* What no probe point tells about folios is found by looking at them, this often. */
#define LOOK_NS		500000000ULL

/* Bytes that are collected before a write, lines permitting. */
#define OUTPUT_BYTES	(256 * 1024)

struct trace {
	struct db_run *run;
	struct db_flow_names names;
	__u64 events[3];	/* printed, by bit number of DB_EV_* */
	__u64 lost;		/* records, told so far */
	__u64 next_loss_ns, next_look_ns;
	unsigned int batch;	/* records since the last look at signals */
};

static int on_event(void *arg, void *record, size_t size)
{
	struct trace *t = arg;
	const struct db_event *e = record;
	int err = 0;

	if (size < sizeof(*e))
		return 0;
	if (t->run->options->json)
		err = db_event_json(stdout, e, &t->names);
	else
		db_event_text(stdout, e, &t->names, t->run->session.start_ns);
	if (err)
		return db_complain(err, "out of memory");
	t->events[__builtin_ctz(e->type) % 3]++;
	/* A negative value stops here and loses nothing. */
	return ++t->batch >= BATCH ? -EAGAIN : 0;
}

static int print_lost(struct trace *t, __u64 now, __u64 more)
{
	struct db_put put;
	json_t *o;

	if (!t->run->options->json) {
		printf("%12.6f lost  %llu records: the ring buffer was full (--ring-size)\n",
		       (now - t->run->session.start_ns) / 1e9, (unsigned long long)more);
		return 0;
	}
	o = db_put_start(&put);
	db_put_text(&put, o, "type", "lost");
	db_put_u64(&put, o, "time_ns", now);
	db_put_u64(&put, o, "ring_records", more);
	db_put_u64(&put, o, "ring_records_total", t->lost + more);
	o = db_put_end(&put, o);
	if (!o)
		return db_complain(-ENOMEM, "out of memory");
	json_dumpf(o, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(o);
	return 0;
}

static int check_losses(struct trace *t)
{
	__u64 lost, now = db_now_ns();
	int err = db_collect_loss(&t->run->session, DB_LOSS_RING, &lost);

	if (err)
		return db_complain(err, "cannot read the count of losses: %s", strerror(-err));
	if (lost > t->lost)
		err = print_lost(t, now, lost - t->lost);
	t->lost = lost;
	t->next_loss_ns = now + LOSS_NS;
	return err;
}

/* Prints what the ring holds, a batch at most.  Number of records, or negative errno. */
static int drain(struct trace *t)
{
	int err;

	t->batch = 0;
	err = db_session_poll(&t->run->session, 0);
	if (err < 0 && err != -EAGAIN && err != -EINTR)
		return err == -ENOMEM ? err : db_complain(err, "cannot read the ring buffer: %s",
							  strerror(-err));
	return t->batch;
}

static int turn(struct db_run *run)
{
	struct trace *t = run->arg;
	__u64 now = db_now_ns();
	int n, err = 0;

	if (run->options->session.events & DB_EV_LEFT && now >= t->next_look_ns) {
		err = db_session_look(&run->session);
		if (err)
			return db_complain(err, "cannot look at the folios: %s", strerror(-err));
		t->next_look_ns = now + LOOK_NS;
	}
	n = drain(t);
	if (n < 0)
		return n;
	if (now >= t->next_loss_ns)
		err = check_losses(t);
	if (!err && n)
		err = db_output_finish(stdout);
	return err ? err : n > BUSY;
}

static int attached(struct db_run *run)
{
	struct db_put put;
	json_t *o, *list;
	__u32 bit;
	int err;

	if (!run->options->json) {
		err = db_run_header(run);
		db_event_heading(stdout);
		return err ? err : db_output_finish(stdout);
	}
	o = db_put_start(&put);
	db_put_text(&put, o, "type", "start");
	db_put_u64(&put, o, "version", DB_TRACE_JSON_VERSION);
	db_put_text(&put, o, "release", run->session.kernel.release);
	db_put_text(&put, o, "machine", run->session.kernel.machine);
	db_put_u64(&put, o, "page_size_bytes", sysconf(_SC_PAGESIZE));
	db_put_u64(&put, o, "start_ns", run->session.start_ns);
	db_put_u64(&put, o, "start_wall_ns", run->session.start_wall_ns);
	db_put_text(&put, o, "filter",
		    run->options->session.filter[0] ? run->options->session.filter : NULL);
	list = db_put_array(&put, o, "events");
	for (bit = DB_EV_LEFT; bit <= DB_EV_DEFER; bit <<= 1)
		if (run->options->session.events & bit)
			db_put_text(&put, list, NULL, db_event_word(bit));
	o = db_put_end(&put, o);
	err = db_json_print(stdout, o);
	json_decref(o);
	return err;
}

/* Is every event there was in the lines above? */
static enum db_verdict verdict(const struct trace *t, const struct db_ledger *ledger)
{
	return t->lost || db_ledger_count_losses(ledger) ? DB_INCONCLUSIVE : DB_PASS;
}

static int print_end_json(struct trace *t, const struct db_ledger *ledger)
{
	struct db_put put;
	json_t *o = db_put_start(&put), *events;
	int i, err;

	db_put_text(&put, o, "type", "end");
	db_put_u64(&put, o, "time_ns", ledger->stop_ns);
	events = db_put_object(&put, o, "events");
	for (i = 0; i < 3; i++)
		db_put_u64(&put, events, db_event_word(1U << i), t->events[i]);
	db_put_u64(&put, o, "lost_records", t->lost);
	db_put_text(&put, o, "verdict", db_verdict_word(verdict(t, ledger)));
	db_json_put_completeness(&put, o, ledger);
	o = db_put_end(&put, o);
	err = db_json_print(stdout, o);
	json_decref(o);
	return err;
}

static int print_end(struct trace *t)
{
	struct db_ledger ledger;
	int i, err;

	db_ledger_init(&ledger);
	err = db_session_collect(&t->run->session, &ledger);
	if (err)
		return db_complain(err, "cannot read the counts: %s", strerror(-err));
	if (t->run->options->json) {
		err = print_end_json(t, &ledger);
	} else {
		printf("\nevents:");
		for (i = 0; i < 3; i++)
			if (t->run->options->session.events & 1U << i)
				printf(" %llu %s,", (unsigned long long)t->events[i],
				       db_event_word(1U << i));
		printf(" %llu lost\nverdict: %s%s\n", (unsigned long long)t->lost,
		       db_verdict_word(verdict(t, &ledger)),
		       t->lost ? ", the lines above are not all there were" : "");
		db_text_completeness(stdout, &ledger);
		err = db_output_finish(stdout);
	}
	db_ledger_free(&ledger);
	return err;
}

/* Counting is off: what the last look at the folios finds, then the ring's rest. */
static int finish(struct trace *t)
{
	int err = db_session_sweep(&t->run->session), n;

	if (err)
		return db_complain(err, "cannot look at the folios: %s", strerror(-err));
	do {
		n = drain(t);
		err = n < 0 ? n : db_output_finish(stdout);
	} while (n > 0 && !err);
	if (!err)
		err = check_losses(t);
	return err ? err : print_end(t);
}

int db_verb_trace(struct db_options *options)
{
	struct trace t = {};
	struct db_run run = {
		.options = options,
		.arg = &t,
		.attached = attached,
		.turn = turn,
	};
	char *buffer = malloc(OUTPUT_BYTES);
	int err;

	if (buffer)
		setvbuf(stdout, buffer, _IOFBF, OUTPUT_BYTES);
	t.run = &run;
	if (!options->session.events)
		options->session.events = DB_EV_LEFT | DB_EV_DEFER;
	db_flow_names_init(&t.names, &run.session);
	run.event = on_event;
	err = db_run_begin(&run);
	if (!err)
		err = db_run_wait(&run);
	if (!err && !run.gone)
		err = finish(&t);
	err = db_run_end(&run, err);
	db_flow_names_free(&t.names);
	if (buffer) {
		fflush(stdout);
		setvbuf(stdout, NULL, _IONBF, 0);
		free(buffer);
	}
	return err;
}
