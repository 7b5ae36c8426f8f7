/* SPDX-License-Identifier: GPL-2.0 */
/* How outcomes and fates of tracked folios are counted, once each. */
#ifndef DROPBEHIND_BPF_ACCOUNT_H
#define DROPBEHIND_BPF_ACCOUNT_H

#include "context.h"
#include "flow.h"
#include "hist.h"
#include "table.h"

db_inline __u32 db_order_slot(__u32 order)
{
	return order < DB_ORDERS ? order : DB_ORDERS - 1;
}

db_inline void db_tally(struct db_tally *tally, __u64 folios, __u64 pages)
{
	if (folios)
		__sync_fetch_and_add(&tally->folios, folios);
	if (pages != folios)
		__sync_fetch_and_add(&tally->more_pages, pages - folios);
}

db_inline struct db_order_counts *db_order_counts(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&db_orders, &zero);
}

db_inline void db_count_birth(const struct db_folio *f)
{
	__u32 flow = f->flow, op = f->op;
	struct db_flow_tallies *c = bpf_map_lookup_elem(&db_flow_tallies, &flow);
	struct db_order_counts *o;

	if (!c || op >= DB_OP_NR)
		return;
	db_tally(&c->born[op], 1, f->pages_left);
	if (!f->order)
		return;
	o = db_order_counts();
	if (o)
		__sync_fetch_and_add(&o->born[op][db_order_slot(f->order)], 1);
}

/* Counts an outcome of @pages of a folio; @folios is 0 for a part of a split folio. */
db_inline void db_count_outcome(const struct db_folio *f, __u32 outcome, __u64 folios, __u64 pages)
{
	__u32 flow = f->flow, op = f->op;
	struct db_flow_tallies *c = bpf_map_lookup_elem(&db_flow_tallies, &flow);
	struct db_order_counts *o;

	if (!c || op >= DB_OP_NR || outcome >= DB_OUT_NR)
		return;
	db_tally(&c->out[op][outcome], folios, pages);
	if (!folios || !f->order)
		return;
	o = db_order_counts();
	if (o)
		__sync_fetch_and_add(&o->out[op][outcome][db_order_slot(f->order)], 1);
}

/* What became of a folio whose outcome was @outcome, one of those left behind. */
db_inline void db_count_fate(const struct db_folio *f, __u32 outcome, __u32 fate, __u64 folios,
			     __u64 pages)
{
	__u32 flow = f->flow, reason = outcome - DB_OUT_LEFT_FIRST;
	struct db_flow_tallies *c = bpf_map_lookup_elem(&db_flow_tallies, &flow);

	if (!c || reason >= DB_LEFT_NR || fate >= DB_FATE_NR)
		return;
	db_tally(&c->fate[reason][fate], folios, pages);
}

db_inline bool db_is_left(__u32 outcome)
{
	return outcome >= DB_OUT_LEFT_FIRST && outcome <= DB_OUT_LEFT_LAST;
}

db_inline void db_emit_folio(const struct db_config *cfg, __u32 type, const struct db_folio *f,
			     const struct folio *folio, __u32 outcome, __u32 context, __u64 now)
{
	__u64 residency = now - f->birth_ns;
	struct db_event *e;

	if (!(cfg->events & type) || residency < cfg->min_latency_ns)
		return;
	e = bpf_ringbuf_reserve(&db_ring, sizeof(*e), 0);
	if (!e) {
		db_lose(DB_LOSS_RING, 1);
		return;
	}
	__builtin_memset(e, 0, sizeof(*e));
	e->type = type;
	e->cpu = bpf_get_smp_processor_id();
	e->time_ns = now;
	e->folio = f->tag;
	e->index = folio->index;
	e->flow = f->flow;
	e->pages = f->pages_left;
	e->residency_ns = residency;
	e->latency_ns = f->wb_end_ns ? now - f->wb_end_ns : 0;
	e->op = f->op;
	e->order = f->order;
	e->outcome = outcome;
	e->context = context;
	e->runner = db_runner(context, &e->wq);
	bpf_get_current_comm(e->comm, sizeof(e->comm));
	bpf_ringbuf_submit(e, 0);
}

/*
 * Gives a live folio its outcome if it has none yet.  True if this call
 * decided it, and then it is counted.
 */
db_inline bool db_decide(const struct db_config *cfg, struct db_folio *f, const struct folio *folio,
			 __u32 outcome, __u32 context, __u64 now)
{
	/* once decided, its death may free the slot at any time */
	struct db_folio was = {
		.flow = f->flow,
		.op = f->op,
		.order = f->order,
		.pages_left = f->pages_left,
	};

	if (__sync_val_compare_and_swap(&f->outcome, DB_OUT_NONE, outcome) != DB_OUT_NONE)
		return false;
	db_count_outcome(&was, outcome, 1, was.pages_left);
	if (db_is_left(outcome)) {
		f->left_ns = now;
		db_emit_folio(cfg, DB_EV_LEFT, f, folio, outcome, context, now);
	}
	return true;
}

db_inline void db_hist_residency(const struct db_folio *f, __u64 now)
{
	db_hist_add(f->op == DB_OP_WRITE ? DB_HIST_RESIDENCY_WRITE : DB_HIST_RESIDENCY_READ,
		    now - f->birth_ns);
	if (f->wb_start_ns)
		db_hist_add(DB_HIST_DIRTY_WAIT, f->wb_start_ns - f->birth_ns);
	if (f->wb_start_ns && f->wb_end_ns > f->wb_start_ns)
		db_hist_add(DB_HIST_WRITEBACK, f->wb_end_ns - f->wb_start_ns);
	if (f->wb_end_ns)
		db_hist_add(DB_HIST_DROP_DELAY, now - f->wb_end_ns);
}

/* A folio that left the page cache without a delete event: it migrated, or a call was skipped. */
db_inline void db_gone(const struct db_config *cfg, struct db_folio *f, __u64 tag)
{
	db_lose(DB_LOSS_GONE, f->pages_left);
	if (__sync_val_compare_and_swap(&f->outcome, DB_OUT_NONE, DB_OUT_LEFT_MIGRATED) ==
	    DB_OUT_NONE)
		db_count_outcome(f, DB_OUT_LEFT_MIGRATED, 1, f->pages_left);
	db_table_free(cfg, f, tag);
}

#endif
