// SPDX-License-Identifier: GPL-2.0
#include "coverage.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "jsonput.h"
#include "output.h"
#include "text.h"

/* Since the start of tracing. */
static double seconds_at(const struct db_replay *r, __u64 ns)
{
	return (__s64)(ns - r->ledger.start_ns) / 1e9;
}

/* "2026-01-31 12:00:00.123 UTC"; @size >= 32. */
static void wall_text(__u64 ns, char *text, size_t size)
{
	time_t seconds = ns / 1000000000ULL;
	struct tm tm;
	size_t n;

	if (!gmtime_r(&seconds, &tm))
		memset(&tm, 0, sizeof(tm));
	n = strftime(text, size, "%Y-%m-%d %H:%M:%S", &tm);
	snprintf(text + n, size - n, ".%03u UTC", (unsigned int)(ns % 1000000000ULL / 1000000));
}

/* Why it is incomplete; NULL if it is not. */
static const char *why_incomplete(const struct db_replay *r)
{
	const struct db_replay_part *last = &r->parts[r->nparts - 1];
	size_t i;

	if (db_replay_complete(r))
		return NULL;
	if (last->end == DB_END_MAX_SIZE)
		return "it ends at its --max-size, the run went on";
	if (last->end == DB_END_FAILED)
		return "a write failed there, the run went on";
	if (last->end == DB_END_ROTATED)
		return "it goes on in a part that was not given";
	if (last->torn)
		return "the rest of the last file is not readable";
	if (last->end == DB_END_NONE)
		return "no end was written: the recorder was killed, the disk was full or it still runs";
	if (r->parts_missing)
		return "parts between were not given";
	for (i = 0; i < r->nparts; i++)
		if (r->parts[i].torn)
			return "the end of a part is not readable";
	return "the final counts were not written";
}

static void write_span(FILE *out, const struct db_replay *r)
{
	const struct db_ledger *l = &r->ledger;
	__u64 length_ns = l->stop_ns - l->start_ns;
	char from[48], to[48], length[32];

	wall_text(l->start_wall_ns, from, sizeof(from));
	wall_text(l->start_wall_ns + length_ns, to, sizeof(to));
	db_text_time(length_ns, length, sizeof(length));
	fprintf(out, "  counts cover %s to %s: %s from the start of tracing\n", from, to, length);
	if (r->first_ns > l->start_ns)
		fprintf(out, "  intervals and events before %.3f s are not in these files; the counts include them\n",
			seconds_at(r, r->first_ns));
	fprintf(out, "  %llu times written, in %zu file%s", (unsigned long long)r->ledgers, r->nparts,
		r->nparts > 1 ? "s" : "");
	if (r->parts_missing)
		fprintf(out, "; %u between not given: their events are missing, the counts include them",
			r->parts_missing);
	fputc('\n', out);
}

static void write_notes(FILE *out, const struct db_replay *r)
{
	unsigned int i;

	for (i = 0; i < r->late.n && i < DB_REPLAY_NOTES; i++)
		fprintf(out, "  nothing written for %.3f s from %.3f s on (planned: every %.3f s): counting went on, events may be lost\n",
			r->late.note[i].length_ns / 1e9, seconds_at(r, r->late.note[i].at_ns),
			r->parts[0].interval_ns / 1e9);
	if (i < r->late.n)
		fprintf(out, "  and %u more such times\n", r->late.n - i);
	for (i = 0; i < r->steps.n && i < DB_REPLAY_NOTES; i++)
		fprintf(out, "  wall clock stepped by %+.3f s against the monotonic clock before %.3f s (set, or the machine slept)\n",
			r->steps.note[i].step_ns / 1e9, seconds_at(r, r->steps.note[i].at_ns));
	if (i < r->steps.n)
		fprintf(out, "  and %u more such steps\n", r->steps.n - i);
}

static void write_events(FILE *out, const struct db_replay *r)
{
	fprintf(out, "  %llu events recorded, %llu beyond the limit of an interval not, %llu lost in the ring buffer\n",
		(unsigned long long)r->events, (unsigned long long)r->events_not_kept,
		(unsigned long long)r->ledger.losses[DB_LOSS_RING]);
	if (r->parts[0].samples)
		fprintf(out, "  of dropped folios at most %u a second: a sample, the counts have all\n",
			r->parts[0].samples);
}

int db_coverage_text(FILE *out, const struct db_replay *r)
{
	const char *why = why_incomplete(r);
	size_t i;

	fprintf(out, "\nRecording\n");
	write_span(out, r);
	write_events(out, r);
	write_notes(out, r);
	for (i = 0; i < r->nparts; i++)
		if (r->parts[i].torn)
			fprintf(out, "  %s: not readable from byte %llu on: %s\n", r->parts[i].path,
				(unsigned long long)r->parts[i].torn_at, r->parts[i].torn);
	if (why)
		fprintf(out, "recording: incomplete after %.3f s, %s; verdict inconclusive\n",
			seconds_at(r, r->ledger.stop_ns), why);
	else
		fprintf(out, "recording: complete\n");
	return db_output_finish(out);
}

static void put_notes(struct db_put *p, json_t *all, const char *key,
		      const struct db_replay_notes *notes, bool steps)
{
	json_t *object = db_put_object(p, all, key), *array, *one;
	unsigned int i;

	db_put_u64(p, object, "count", notes->n);
	array = db_put_array(p, object, "first");
	for (i = 0; i < notes->n && i < DB_REPLAY_NOTES; i++) {
		one = db_put_object(p, array, NULL);
		db_put_u64(p, one, "at_ns", notes->note[i].at_ns);
		if (steps)
			db_put(p, one, "step_ns", json_integer(notes->note[i].step_ns));
		else
			db_put_u64(p, one, "length_ns", notes->note[i].length_ns);
	}
}

static void put_part(struct db_put *p, json_t *array, const struct db_replay_part *part)
{
	json_t *object = db_put_object(p, array, NULL);

	db_put_text(p, object, "file", part->path);
	db_put_u64(p, object, "part", part->part);
	db_put_text(p, object, "end", db_end_key(part->end));
	db_put_text(p, object, "torn", part->torn);
	if (part->torn)
		db_put_u64(p, object, "torn_at_byte", part->torn_at);
	else
		db_put(p, object, "torn_at_byte", json_null());
}

json_t *db_coverage_json(const struct db_replay *r)
{
	struct db_put p = {};
	json_t *all = db_put_start(&p), *inner;
	bool complete = db_replay_complete(r);
	size_t i;

	db_put(&p, all, "complete", json_boolean(complete));
	db_put_text(&p, all, "why_incomplete", why_incomplete(r));
	db_put_text(&p, all, "verdict", complete ? "pass" : "inconclusive");
	db_put_u64(&p, all, "counts_from_ns", r->ledger.start_ns);
	db_put_u64(&p, all, "counts_to_ns", r->ledger.stop_ns);
	db_put_u64(&p, all, "detail_from_ns", r->first_ns);
	db_put_u64(&p, all, "interval_ns", r->parts[0].interval_ns);
	db_put_u64(&p, all, "samples_per_second", r->parts[0].samples);
	db_put_u64(&p, all, "ledgers", r->ledgers);
	db_put_u64(&p, all, "events", r->events);
	db_put_u64(&p, all, "events_not_kept", r->events_not_kept);
	db_put_u64(&p, all, "parts_missing", r->parts_missing);
	put_notes(&p, all, "late", &r->late, false);
	put_notes(&p, all, "clock_steps", &r->steps, true);
	inner = db_put_array(&p, all, "parts");
	for (i = 0; i < r->nparts; i++)
		put_part(&p, inner, &r->parts[i]);
	return db_put_end(&p, all);
}
