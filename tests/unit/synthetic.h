/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Made-up ledgers for tests: every member filled, sums right, growing with
 * @step, and always the same for the same seed.
 */
#ifndef DROPBEHIND_TESTS_SYNTHETIC_H
#define DROPBEHIND_TESTS_SYNTHETIC_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "ledger.h"

struct synthetic {
	__u64 seed;
	__u64 start_ns;
	__u64 start_wall_ns;
	struct db_ledger ledger;	/* grown so far; owned */
};

static __u64 synthetic_random(struct synthetic *s)
{
	s->seed ^= s->seed << 13;
	s->seed ^= s->seed >> 7;
	s->seed ^= s->seed << 17;
	return s->seed;
}

static char *synthetic_text(const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		abort();
	return copy;
}

static void synthetic_count(struct synthetic *s, struct db_count *count)
{
	__u64 folios = synthetic_random(s) % 100;

	count->folios += folios;
	count->pages += folios * 4;
}

static void synthetic_flow_counts(struct synthetic *s, struct db_flow_counts *c)
{
	int op, i;

	for (op = 0; op < DB_OP_NR; op++) {
		for (i = DB_OUT_NONE + 1; i < DB_OUT_NR; i++) {
			struct db_count more = {};

			if (synthetic_random(s) % 4)
				continue;
			synthetic_count(s, &more);
			c->out[op][i].folios += more.folios;
			c->out[op][i].pages += more.pages;
			c->born[op].folios += more.folios;
			c->born[op].pages += more.pages;
		}
	}
	for (i = 0; i < DB_LEFT_NR; i++) {
		c->fate[i][i % DB_FATE_NR].folios = c->out[0][DB_OUT_LEFT_FIRST + i].folios / 2;
		c->fate[i][i % DB_FATE_NR].pages = c->out[0][DB_OUT_LEFT_FIRST + i].pages / 2;
	}
}

static void synthetic_histogram(struct synthetic *s, struct db_histogram *h, unsigned int values)
{
	__u64 value;

	while (values--) {
		value = synthetic_random(s) >> (synthetic_random(s) % 44 + 16);
		if (!h->count || value < h->min)
			h->min = value;
		if (value > h->max)
			h->max = value;
		h->count++;
		h->sum += value;
		h->bucket[db_bucket_of(value)]++;
	}
}

static void synthetic_add_flow(struct synthetic *s, __u32 slot)
{
	struct db_flow *flow = db_ledger_add_flow(&s->ledger);
	char name[64];

	if (!flow)
		abort();
	flow->slot = slot;
	flow->file_found = slot ? slot % DB_FOUND_NR : DB_FOUND_LUMPED;
	if (!slot)
		return;
	flow->dev = 8 << 20 | slot % 3;
	flow->ino = slot % 4 == 3 ? 0xfffffffffffffff0ULL - slot : 1000 + slot;
	flow->gen = 0xf0000000U + slot;
	flow->bdev = slot % 5 ? 0 : 8 << 20 | 1;
	flow->cgroup_id = slot % 4 ? 77 + slot : 0;
	flow->cgroup_found = slot % 4 ? DB_FOUND_KERNFS : DB_FOUND_NOT;
	snprintf(flow->fs, sizeof(flow->fs), "%s", slot % 2 ? "xfs" : "ext4");
	snprintf(name, sizeof(name), slot % 4 == 3 ? "/data/not utf-8 \xff\xfe %u" : "/data/file \"%u\"",
		 slot);
	flow->file = slot % 6 ? synthetic_text(name) : NULL;
	flow->cgroup = slot % 4 ? synthetic_text("/backup/n\xc3\xa4""chtlich") : NULL;
}

static void synthetic_start(struct synthetic *s, __u64 seed)
{
	static const struct {
		enum db_point point;
		enum db_attach how;
		const char *target, *why;
	} points[] = {
		{ DB_POINT_BIRTH, DB_ATTACH_RAW_TP, "mm_filemap_add_to_page_cache", "" },
		{ DB_POINT_DEATH, DB_ATTACH_RAW_TP, "mm_filemap_delete_from_page_cache", "" },
		{ DB_POINT_BIO_DEFER, DB_ATTACH_FENTRY, "__bio_complete_in_task", "" },
		{ DB_POINT_END_IO, DB_ATTACH_NONE, "f2fs_write_end_io", "module f2fs is not loaded" },
	};
	struct db_ledger *l = &s->ledger;
	struct db_point_row *row;
	size_t i;

	memset(s, 0, sizeof(*s));
	s->seed = seed * 2654435761U + 1;
	s->start_ns = 1000000000000ULL;
	s->start_wall_ns = 1767225600000000000ULL;	/* 2026-01-01 */
	db_ledger_init(l);
	strcpy(l->release, "7.3.0-synthetic");
	strcpy(l->machine, "x86_64");
	strcpy(l->filter, "fs xfs");
	l->page_size = 4096;
	l->cpus = 8;
	l->start_ns = s->start_ns;
	l->stop_ns = s->start_ns;
	l->start_wall_ns = s->start_wall_ns;
	l->table_slots = 65536;
	l->table_bytes = 65536 * 56;
	l->context_known = true;
	l->run_stats = true;
	for (i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
		row = db_ledger_add_point(l);
		if (!row)
			abort();
		row->point = points[i].point;
		row->how = points[i].how;
		row->wanted = true;
		row->exits = i == 1;
		strcpy(row->target, points[i].target);
		strcpy(row->why, points[i].why);
		if (row->how != DB_ATTACH_NONE)
			l->points_attached |= 1ULL << row->point;
	}
}

static void synthetic_name_devices(struct db_ledger *l)
{
	static const char *const names[] = { "sda", "sda1", "sda2" };
	struct db_device *device;
	int i;

	for (i = 0; i < 3 && l->ndevices < 3; i++) {
		device = db_ledger_add_device(l);
		if (!device)
			abort();
		device->dev = 8 << 20 | i;
		strcpy(device->name, names[i]);
	}
}

/* Goes on by @ns, with @flows flows known at the end; some change, some do not. */
static void synthetic_step(struct synthetic *s, __u64 ns, unsigned int flows)
{
	struct db_ledger *l = &s->ledger;
	struct db_context_row *row;
	unsigned int i, j;

	l->stop_ns += ns;
	synthetic_name_devices(l);
	while (l->nflows < flows)
		synthetic_add_flow(s, l->nflows ? l->flows[l->nflows - 1].slot + 1 +
						  synthetic_random(s) % 2 : 0);
	for (i = 0; i < l->nflows; i++)
		if (synthetic_random(s) % 3)
			synthetic_flow_counts(s, &l->flows[i].counts);
	db_ledger_sum(l);
	for (i = 0; i < DB_OP_NR; i++) {
		for (j = 0; j < DB_ORDERS; j++)
			l->orders.born[i][j] += synthetic_random(s) % 10;
		l->orders.out[i][DB_OUT_CLAIMED][i] += 3;
	}
	for (i = 0; i < DB_HIST_NR; i++)
		if (synthetic_random(s) % 2)
			synthetic_histogram(s, &l->hists[i], 4);
	if (l->ncontexts < 2 * DB_CTX_NR) {
		row = db_ledger_add_context(l);
		if (!row)
			abort();
		row->key.place = l->ncontexts % DB_PLACE_NR;
		row->key.context = l->ncontexts % DB_CTX_NR;
		row->key.runner = l->ncontexts % DB_RUN_NR;
		row->key.dev = 8 << 20 | l->ncontexts % 3;
		row->key.wq = l->ncontexts;
		row->key.cgroup_id = l->ncontexts;
		row->cgroup = l->ncontexts % 2 ? synthetic_text("/io") : NULL;
		strcpy(row->wq, "xfs-conv/sda1");
	}
	for (i = 0; i < l->ncontexts; i++) {
		l->contexts[i].events += synthetic_random(s) % 5;
		l->contexts[i].pages += synthetic_random(s) % 5;
	}
	l->truth.agree_deferred += 5;
	l->truth.agree_direct += 6;
	l->truth.judged_safe_but_deferred += 1;
	l->truth.judged_unsafe_but_direct += 2;
	l->points[0].runs += 1000;
	l->points[0].run_ns += 70000;
	l->points[1].missed += synthetic_random(s) % 2;
	l->losses[DB_LOSS_RING] += 2;
}

/* The end of the run: counting off, the sweep done. */
static void synthetic_end(struct synthetic *s)
{
	struct db_ledger *l = &s->ledger;
	int i;

	l->final = true;
	l->swept = true;
	for (i = 0; i < DB_PEND_NR; i++) {
		l->sweep.pending[i].folios = i;
		l->sweep.pending[i].pages = 2 * i;
	}
	l->sweep.claimed.folios = 9;
	l->sweep.claimed.pages = 10;
	for (i = 0; i < DB_LEFT_NR; i++) {
		l->sweep.left[i].folios = 20 + i;
		l->sweep.left[i].pages = 40 + i;
	}
	l->sweep.slots = 65536;
}

static inline void synthetic_event(struct synthetic *s, struct db_event *e)
{
	memset(e, 0, sizeof(*e));
	e->type = 1U << synthetic_random(s) % 3;
	e->cpu = synthetic_random(s) % 8;
	e->time_ns = s->ledger.stop_ns + synthetic_random(s) % 1000000;
	e->context = synthetic_random(s) % DB_CTX_NR;
	e->runner = synthetic_random(s) % DB_RUN_NR;
	e->wq = synthetic_random(s) % 3;
	e->latency_ns = synthetic_random(s) % 2 ? synthetic_random(s) % 100000000 : 0;
	strcpy(e->comm, "fifteen letters");
	if (e->type == DB_EV_DEFER) {
		e->mechanism = synthetic_random(s) % DB_MECH_NR;
		e->dev = 8 << 20 | 1;
		return;
	}
	e->op = synthetic_random(s) % DB_OP_NR;
	e->outcome = e->type == DB_EV_LEFT ? DB_OUT_LEFT_FIRST + synthetic_random(s) % DB_LEFT_NR :
					     DB_OUT_DROPPED_WRITE;
	e->flow = synthetic_random(s) % 8;
	e->index = synthetic_random(s) >> 40;
	e->pages = 1 << synthetic_random(s) % 5;
	e->order = synthetic_random(s) % 5;
	e->residency_ns = synthetic_random(s) % 1000000000;
}

static void synthetic_free(struct synthetic *s)
{
	db_ledger_free(&s->ledger);
}

#endif
