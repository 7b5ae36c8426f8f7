// SPDX-License-Identifier: GPL-2.0
#include "eventline.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "jsonput.h"
#include "text.h"
#include "words.h"

const char *db_event_word(__u32 type)
{
	switch (type) {
	case DB_EV_LEFT:
		return "left";
	case DB_EV_DROP:
		return "drop";
	case DB_EV_DEFER:
		return "defer";
	default:
		return "?";
	}
}

void db_event_heading(FILE *out)
{
	fprintf(out, "%12s %-5s %-9s %6s %9s %10s %10s %-26s %-14s %-24s %s\n", "seconds", "event",
		"op", "pages", "index", "residency", "latency", "outcome", "context", "run by",
		"file  [cgroup], device");
}

static void time_or_dash(__u64 ns, char *text, size_t size)
{
	if (ns)
		db_text_time(ns, text, size);
	else
		snprintf(text, size, "-");
}

/* Who ran the completion: "kworker xfs-conv/sda1", "user task dd". */
static void write_runner(FILE *out, const struct db_event *e, struct db_flow_names *names)
{
	const char *more = "";
	char text[64];

	if (e->wq)
		more = db_wq_name(names, e->wq);
	else if (e->runner == DB_RUN_TASK || e->runner == DB_RUN_KTHREAD)
		more = e->comm;
	snprintf(text, sizeof(text), "%s%s%.*s", db_runner_word(e->runner), *more ? " " : "",
		 DB_NAME_LEN, more);
	fprintf(out, "%-24s ", text);
}

static void write_file(FILE *out, const struct db_named_flow *f)
{
	if (!f->known)
		fputs("(unknown file)", out);
	else
		db_text_file(out, &f->flow);
	fputs("  [", out);
	db_text_cgroup(out, &f->flow);
	fprintf(out, "], %s\n", f->known ? f->device : "?");
}

static long pages_of(__u32 bytes)
{
	long size = sysconf(_SC_PAGESIZE);

	return (bytes + size - 1) / size;
}

void db_event_text(FILE *out, const struct db_event *e, struct db_flow_names *names, __u64 start_ns)
{
	char residency[32], latency[32], pages[16] = "-", index[24] = "-";
	const char *outcome;
	bool bio = e->type == DB_EV_DEFER;

	time_or_dash(bio ? 0 : e->residency_ns, residency, sizeof(residency));
	time_or_dash(e->latency_ns, latency, sizeof(latency));
	if (bio && e->bytes)
		snprintf(pages, sizeof(pages), "%ld", pages_of(e->bytes));
	if (!bio) {
		snprintf(pages, sizeof(pages), "%u", e->pages);
		snprintf(index, sizeof(index), "%llu", (unsigned long long)e->index);
	}
	outcome = bio ? db_mechanism_key(e->mechanism) :
		  e->type == DB_EV_LEFT ? db_reason_word(e->outcome) : db_outcome_word(e->outcome);
	fprintf(out, "%12.6f %-5s %-9s %6s %9s %10s %10s %-26s %-14s ",
		((__s64)(e->time_ns - start_ns)) / 1e9, db_event_word(e->type),
		bio ? "write" : db_op_word(e->op), pages, index, residency, latency, outcome,
		db_context_word(e->context));
	write_runner(out, e, names);
	if (bio && !e->flow)
		fprintf(out, "(unknown file), %s\n", db_dev_name(names, e->dev));
	else
		write_file(out, db_flow_name(names, e->flow));
}

static void put_flow(struct db_put *put, json_t *o, const struct db_named_flow *f)
{
	db_put_text(put, o, "file", f->flow.file);
	db_put_text(put, o, "file_found", db_found_word(f->flow.file_found));
	db_put_known(put, o, "inode", f->known ? f->flow.ino : 0);
	db_put_text(put, o, "fs", f->known ? f->flow.fs : NULL);
	db_put_text(put, o, "cgroup", f->flow.cgroup);
	db_put_text(put, o, "cgroup_found", db_found_word(f->flow.cgroup_found));
	db_put_known(put, o, "cgroup_id", f->flow.cgroup_id);
}

static void put_folio(struct db_put *put, json_t *o, const struct db_event *e,
		      const struct db_named_flow *f)
{
	db_put_text(put, o, "op", db_op_word(e->op));
	db_put_text(put, o, "outcome", db_outcome_key(e->outcome));
	db_put_u64(put, o, "pages", e->pages);
	db_put_u64(put, o, "index", e->index);
	db_put_u64(put, o, "order", e->order);
	db_put_u64(put, o, "residency_ns", e->residency_ns);
	db_put_known(put, o, "latency_ns", e->latency_ns);
	db_put_u64(put, o, "flow", e->flow);
	put_flow(put, o, f);
	db_put(put, o, "dev", f->known ? json_integer(f->flow.dev) : json_null());
	db_put_text(put, o, "device", f->known ? f->device : NULL);
}

static void put_bio(struct db_put *put, json_t *o, const struct db_event *e,
		    struct db_flow_names *names)
{
	static const struct db_named_flow unknown;

	db_put_text(put, o, "op", "write");
	db_put_text(put, o, "mechanism", db_mechanism_key(e->mechanism));
	db_put_u64(put, o, "latency_ns", e->latency_ns);
	db_put_known(put, o, "bytes", e->bytes);
	db_put_known(put, o, "flow", e->flow);
	put_flow(put, o, e->flow ? db_flow_name(names, e->flow) : &unknown);
	db_put_u64(put, o, "dev", e->dev);
	db_put_text(put, o, "device", db_dev_name(names, e->dev));
}

int db_event_json(FILE *out, const struct db_event *e, struct db_flow_names *names)
{
	struct db_put put;
	json_t *o = db_put_start(&put);
	const char *wq;
	char comm[17] = {};

	memcpy(comm, e->comm, sizeof(e->comm));
	db_put_text(&put, o, "type", db_event_word(e->type));
	db_put_u64(&put, o, "time_ns", e->time_ns);
	db_put_u64(&put, o, "cpu", e->cpu);
	if (e->type == DB_EV_DEFER)
		put_bio(&put, o, e, names);
	else
		put_folio(&put, o, e, db_flow_name(names, e->flow));
	wq = db_wq_name(names, e->wq);
	db_put_text(&put, o, "context", db_context_key(e->context));
	db_put_text(&put, o, "runner", db_runner_key(e->runner));
	db_put_text(&put, o, "workqueue", *wq ? wq : NULL);
	db_put_text(&put, o, "comm", comm);
	o = db_put_end(&put, o);
	if (!o)
		return -ENOMEM;
	json_dumpf(o, out, JSON_COMPACT);
	fputc('\n', out);
	json_decref(o);
	return 0;
}
