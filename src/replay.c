// SPDX-License-Identifier: GPL-2.0
#include "replay.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event.h"
#include "json.h"
#include "jsontake.h"
#include "update.h"

/* An interval counts as late beyond its plan by half and by this much. */
#define LATE_NS		500000000ULL

/* Clocks drift apart without being set: by this much, and one part in DRIFT. */
#define STEP_NS		100000000ULL
#define DRIFT		1000

static int fail(struct db_replay *r, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(r->why, sizeof(r->why), format, args);
	va_end(args);
	return err;
}

static int fail_at(struct db_replay *r, const struct db_replay_part *part, __u64 offset,
		   const char *why)
{
	return fail(r, -EBADMSG, "%s: damaged at byte %llu: %s", part->path,
		    (unsigned long long)offset, why);
}

static int check_file(struct db_replay *r, struct db_replay_part *part)
{
	int err = db_source_check(&part->source, &part->version);

	switch (err) {
	case 0:
		return 0;
	case -EBADMSG:
		return fail(r, err, "%s: not a recording of this tool, or its first 16 bytes are damaged",
			    part->path);
	case -EPROTONOSUPPORT:
		return fail(r, err, "%s: a recording of format %u; this tool reads format %u",
			    part->path, part->version, DB_RECORDING_VERSION);
	default:
		return fail(r, err, "%s: %s", part->path, strerror(-err));
	}
}

/* The first block says which recording and which part; a file that is torn within it has nothing. */
static int read_head(struct db_replay *r, struct db_replay_part *part)
{
	__u64 offset = DB_FILE_HEADER_BYTES;
	struct db_take t = {};
	struct db_block block;
	const char *why = "";
	int err = db_block_read(&part->source, &offset, &block, &why);

	if (err == -EBADMSG)
		return fail_at(r, part, offset, why);
	if (err == 0 || err == -ENODATA)
		return fail(r, -ENODATA, "%s: no whole block was written: nothing to report", part->path);
	if (err < 0)
		return fail(r, err, "%s: %s", part->path, strerror(-err));
	if (block.type != DB_BLOCK_HEAD)
		db_take_fail(&t, -EPROTO, "type");
	db_take_text(&t, block.json, "recording", part->id, sizeof(part->id));
	part->part = db_take_u64(&t, block.json, "part", INT_MAX);
	part->interval_ns = db_take_u64(&t, block.json, "interval_ns", ULLONG_MAX);
	part->samples = db_take_u64(&t, block.json, "samples_per_second", UINT_MAX);
	db_take_u64(&t, block.json, "rotate", UINT_MAX);
	json_decref(block.json);
	if (!t.err)
		return 0;
	if (t.err == -ENOMEM)
		return fail(r, -ENOMEM, "out of memory");
	return fail_at(r, part, DB_FILE_HEADER_BYTES, "its first block does not say what it is");
}

static int open_file(struct db_replay *r, struct db_replay_part *part, const char *path)
{
	struct stat st;

	part->path = path;
	part->source.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (part->source.fd < 0)
		return fail(r, -errno, "cannot read %s: %s", path, strerror(errno));
	if (fstat(part->source.fd, &st))
		return fail(r, -errno, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return fail(r, -EINVAL, "%s: not a regular file", path);
	if (!st.st_size)
		return fail(r, -ENODATA, "%s: empty", path);
	part->source.size = st.st_size;
	return 0;
}

static int by_part(const void *a, const void *b)
{
	const struct db_replay_part *x = a, *y = b;

	return x->part < y->part ? -1 : x->part > y->part;
}

static int order_parts(struct db_replay *r)
{
	size_t i;

	qsort(r->parts, r->nparts, sizeof(*r->parts), by_part);
	for (i = 1; i < r->nparts; i++) {
		if (strcmp(r->parts[i].id, r->parts[0].id))
			return fail(r, -EINVAL, "%s and %s are of different recordings",
				    r->parts[0].path, r->parts[i].path);
		if (r->parts[i].part == r->parts[i - 1].part)
			return fail(r, -EINVAL, "%s and %s are the same part", r->parts[i - 1].path,
				    r->parts[i].path);
		r->parts_missing += r->parts[i].part - r->parts[i - 1].part - 1;
	}
	return 0;
}

static int start(struct db_replay *r, size_t nparts)
{
	size_t i;

	memset(r, 0, sizeof(*r));
	r->parts = calloc(nparts, sizeof(*r->parts));
	if (!r->parts)
		return fail(r, -ENOMEM, "out of memory");
	r->nparts = nparts;
	for (i = 0; i < nparts; i++)
		r->parts[i].source.fd = -1;
	return 0;
}

int db_replay_open(struct db_replay *r, char *const *paths, int npaths)
{
	int err = start(r, npaths), i;

	for (i = 0; i < npaths && !err; i++) {
		err = open_file(r, &r->parts[i], paths[i]);
		if (!err)
			err = check_file(r, &r->parts[i]);
		if (!err)
			err = read_head(r, &r->parts[i]);
	}
	return err ? err : order_parts(r);
}

int db_replay_open_memory(struct db_replay *r, const void *bytes, size_t size)
{
	int err = start(r, 1);

	if (err)
		return err;
	r->parts[0].path = "memory";
	r->parts[0].source.memory = bytes;
	r->parts[0].source.size = size;
	err = check_file(r, &r->parts[0]);
	return err ? err : read_head(r, &r->parts[0]);
}

static void add_note(struct db_replay_notes *notes, struct db_replay_note note)
{
	if (notes->n < DB_REPLAY_NOTES)
		notes->note[notes->n] = note;
	notes->n++;
}

/* Wall clock against monotonic clock from one block to the next. */
static void watch_clocks(struct db_replay *r, const struct db_block *block)
{
	__s64 step;

	if (r->last_mono_ns && block->mono_ns >= r->last_mono_ns) {
		step = (block->wall_ns - r->last_wall_ns) - (block->mono_ns - r->last_mono_ns);
		if ((step < 0 ? -(__u64)step : (__u64)step) >
		    STEP_NS + (block->mono_ns - r->last_mono_ns) / DRIFT)
			add_note(&r->steps, (struct db_replay_note){ .at_ns = block->mono_ns,
								     .step_ns = step });
	}
	r->last_mono_ns = block->mono_ns;
	r->last_wall_ns = block->wall_ns;
}

/* @whole: the block holds the whole ledger, not only changes. */
static int take_ledger(struct db_replay *r, const struct db_replay_part *part,
		       const struct db_block *block, __u64 offset)
{
	bool whole = block->type == DB_BLOCK_LEDGER;
	__u64 before_ns = r->ledger.stop_ns;
	struct db_ledger read;
	int err = db_json_to_ledger(block->json, &read);

	if (err == -EPROTO)
		return fail_at(r, part, offset, "a block holds no ledger of this version");
	if (err)
		return fail(r, err, "out of memory");
	if (!r->any_ledger && !whole) {
		err = -EPROTO;
	} else if (whole) {
		if (!db_update_adds_up(&read) ||
		    (r->any_ledger &&
		     (read.start_ns != r->ledger.start_ns || read.stop_ns < before_ns)))
			err = -EPROTO;
		if (!err) {
			db_ledger_free(&r->ledger);
			r->ledger = read;
			db_ledger_init(&read);
		}
	} else {
		err = db_update_apply(&r->ledger, &read);
	}
	db_ledger_free(&read);
	if (err == -EPROTO)
		return fail_at(r, part, offset, "a block does not fit to the one before");
	if (err)
		return fail(r, err, "out of memory");
	if (!r->any_ledger)
		r->first_ns = part->part ? r->ledger.stop_ns : r->ledger.start_ns;
	else if (part->interval_ns && part->part <= r->last_part + 1 &&
		 r->ledger.stop_ns - before_ns >
			 part->interval_ns + part->interval_ns / 2 + LATE_NS)
		add_note(&r->late,
			 (struct db_replay_note){ .at_ns = before_ns,
						  .length_ns = r->ledger.stop_ns - before_ns });
	r->any_ledger = true;
	r->last_part = part->part;
	r->ledgers++;
	return 0;
}

static void take_workqueues(struct db_replay *r, struct db_take *t, const json_t *json)
{
	const json_t *all = db_take_array(t, json, "workqueues"), *one;
	__u64 slot;
	size_t i;

	for (i = 0; i < json_array_size(all) && !t->err; i++) {
		one = json_array_get(all, i);
		slot = db_take_u64(t, one, "slot", UCHAR_MAX);
		db_take_text(t, one, "name", r->workqueues[slot], sizeof(r->workqueues[slot]));
	}
}

static int take_events(struct db_replay *r, const struct db_replay_part *part,
		       const struct db_block *block, __u64 offset,
		       const struct db_replay_calls *calls)
{
	struct db_take t = {};
	__u64 not_kept = db_take_u64(&t, block->json, "not_kept", ULLONG_MAX);
	const json_t *events = db_take_array(&t, block->json, "events");
	struct db_event event;
	size_t i;
	int err;

	take_workqueues(r, &t, block->json);
	for (i = 0; i < json_array_size(events) && !t.err; i++) {
		db_take_fail(&t, db_event_take(json_array_get(events, i), &event), "events");
		if (t.err || !calls->event)
			continue;
		err = calls->event(calls->arg, &event);
		if (err)
			return err;
	}
	if (t.err == -ENOMEM)
		return fail(r, -ENOMEM, "out of memory");
	if (t.err)
		return fail_at(r, part, offset, "a block holds no events of this version");
	r->events += json_array_size(events);
	r->events_not_kept += not_kept;
	return 0;
}

static int take_block(struct db_replay *r, struct db_replay_part *part,
		      const struct db_block *block, __u64 offset,
		      const struct db_replay_calls *calls)
{
	struct db_take t = {};
	int err;

	watch_clocks(r, block);
	switch (block->type) {
	case DB_BLOCK_LEDGER:
	case DB_BLOCK_CHANGES:
		err = take_ledger(r, part, block, offset);
		if (!err && calls->ledger)
			err = calls->ledger(calls->arg, &r->ledger);
		return err;
	case DB_BLOCK_EVENTS:
		return take_events(r, part, block, offset, calls);
	case DB_BLOCK_END:
		part->end = db_take_word(&t, block->json, "reason", db_end_key, DB_END_NR);
		if (t.err || part->end == DB_END_NONE)
			return fail_at(r, part, offset, "its end block gives no reason");
		return 0;
	default:
		return fail_at(r, part, offset, "a block of unknown type");
	}
}

static int run_part(struct db_replay *r, struct db_replay_part *part,
		    const struct db_replay_calls *calls)
{
	__u64 offset = DB_FILE_HEADER_BYTES, at, sequence = 0;
	struct db_block block;
	const char *why = "";
	int err;

	part->end = DB_END_NONE;
	part->torn = NULL;
	while ((at = offset, err = db_block_read(&part->source, &offset, &block, &why)) > 0) {
		if (part->end != DB_END_NONE)
			err = fail_at(r, part, at, "a block behind the end block");
		else if (at == DB_FILE_HEADER_BYTES)
			err = block.type == DB_BLOCK_HEAD ? 0 : fail_at(r, part, at, "no head block");
		else if (block.sequence != sequence + 1)
			err = fail_at(r, part, at, "a block is missing before it");
		else
			err = take_block(r, part, &block, at, calls);
		sequence = block.sequence;
		json_decref(block.json);
		if (err)
			return err;
	}
	if (err == -ENODATA) {
		part->torn = why;
		part->torn_at = at;
		return 0;
	}
	if (err == -EBADMSG)
		return fail_at(r, part, at, why);
	return err ? fail(r, err, "%s: %s", part->path, strerror(-err)) : 0;
}

int db_replay_run(struct db_replay *r, const struct db_replay_calls *calls)
{
	size_t i;
	int err = 0;

	db_ledger_free(&r->ledger);
	r->any_ledger = false;
	r->ledgers = 0;
	r->events = 0;
	r->events_not_kept = 0;
	r->last_mono_ns = 0;
	memset(&r->late, 0, sizeof(r->late));
	memset(&r->steps, 0, sizeof(r->steps));
	for (i = 0; i < r->nparts && !err; i++)
		err = run_part(r, &r->parts[i], calls);
	if (!err && !r->any_ledger)
		err = fail(r, -ENODATA, "%s: no ledger was written: nothing to report",
			   r->parts[0].path);
	return err;
}

bool db_replay_complete(const struct db_replay *r)
{
	size_t i;

	if (!r->nparts || r->parts_missing || r->parts[r->nparts - 1].end != DB_END_DONE ||
	    !r->ledger.final)
		return false;
	for (i = 0; i < r->nparts; i++)
		if (r->parts[i].torn)
			return false;
	return true;
}

void db_replay_close(struct db_replay *r)
{
	size_t i;

	for (i = 0; i < r->nparts; i++)
		if (r->parts[i].source.fd >= 0)
			close(r->parts[i].source.fd);
	free(r->parts);
	db_ledger_free(&r->ledger);
	memset(r, 0, sizeof(*r));
}
