// SPDX-License-Identifier: GPL-2.0
#include "json.h"

#include <errno.h>

#include "complain.h"
#include "histogram.h"
#include "jsonput.h"
#include "output.h"
#include "words.h"

void db_json_put_count(struct db_put *p, json_t *object, const char *key,
		       const struct db_count *count)
{
	json_t *inner = db_put_object(p, object, key);

	db_put_u64(p, inner, "pages", count->pages);
	db_put_u64(p, inner, "folios", count->folios);
}

/* The same, left out when it says nothing. */
static void put_if_any(struct db_put *p, json_t *object, const char *key, const struct db_count *count)
{
	if (count->pages || count->folios)
		db_json_put_count(p, object, key, count);
}

static void put_counts(struct db_put *p, json_t *object, const char *key,
		       const struct db_flow_counts *counts)
{
	json_t *all = db_put_object(p, object, key), *inner, *one;
	int op, i, j;

	inner = db_put_object(p, all, "births");
	for (op = 0; op < DB_OP_NR; op++)
		put_if_any(p, inner, db_op_word(op), &counts->born[op]);
	inner = db_put_object(p, all, "outcomes");
	for (op = 0; op < DB_OP_NR; op++) {
		one = db_put_object(p, inner, db_op_word(op));
		for (i = DB_OUT_NONE + 1; i < DB_OUT_NR; i++)
			put_if_any(p, one, db_outcome_key(i), &counts->out[op][i]);
	}
	inner = db_put_object(p, all, "fates");
	for (i = 0; i < DB_LEFT_NR; i++) {
		one = db_put_object(p, inner, db_outcome_key(DB_OUT_LEFT_FIRST + i));
		for (j = 0; j < DB_FATE_NR; j++)
			put_if_any(p, one, db_fate_key(j), &counts->fate[i][j]);
	}
}

static void put_device(struct db_put *p, json_t *object, const struct db_ledger *l, __u32 dev)
{
	char room[24];

	db_put_u64(p, object, "dev", dev);
	db_put_text(p, object, "device", db_ledger_device(l, dev, room, sizeof(room)));
}

static void put_flow(struct db_put *p, json_t *array, const struct db_ledger *l,
		     const struct db_flow *flow)
{
	json_t *object = db_put_object(p, array, NULL);

	db_put_u64(p, object, "slot", flow->slot);
	put_device(p, object, l, flow->dev);
	db_put_u64(p, object, "inode", flow->ino);
	db_put_u64(p, object, "generation", flow->gen);
	db_put_u64(p, object, "block_dev", flow->bdev);
	db_put_u64(p, object, "cgroup_id", flow->cgroup_id);
	db_put_text(p, object, "fs", flow->fs);
	db_put_text(p, object, "file", flow->file);
	db_put_text(p, object, "file_found", db_found_word(flow->file_found));
	db_put_text(p, object, "cgroup", flow->cgroup);
	db_put_text(p, object, "cgroup_found", db_found_word(flow->cgroup_found));
	put_counts(p, object, "counts", &flow->counts);
}

static void put_histogram(struct db_put *p, json_t *object, const char *key,
			  const struct db_histogram *h, bool unknown)
{
	json_t *all, *buckets, *pair;
	int i;

	if (unknown && !h->count) {
		db_put(p, object, key, json_null());
		return;
	}
	all = db_put_object(p, object, key);
	db_put_u64(p, all, "count", h->count);
	if (!h->count)
		return;
	db_put_u128(p, all, "sum", h->sum);
	db_put_u64(p, all, "min", h->min);
	db_put(p, all, "mean", json_real(db_histogram_mean(h)));
	db_put_u64(p, all, "p50", db_histogram_quantile(h, 500));
	db_put_u64(p, all, "p90", db_histogram_quantile(h, 900));
	db_put_u64(p, all, "p99", db_histogram_quantile(h, 990));
	db_put_u64(p, all, "p999", db_histogram_quantile(h, 999));
	db_put_u64(p, all, "max", h->max);
	buckets = db_put_array(p, all, "buckets");
	for (i = 0; i < DB_HIST_BUCKETS; i++) {
		if (!h->bucket[i])
			continue;
		pair = db_put_array(p, buckets, NULL);
		db_put_u64(p, pair, NULL, db_bucket_low(i));
		db_put_u64(p, pair, NULL, h->bucket[i]);
	}
}

static void put_context(struct db_put *p, json_t *array, const struct db_ledger *l,
			const struct db_context_row *row)
{
	json_t *object = db_put_object(p, array, NULL);

	db_put_text(p, object, "place", db_place_key(row->key.place));
	put_device(p, object, l, row->key.dev);
	db_put_text(p, object, "context", db_context_key(row->key.context));
	db_put_text(p, object, "runner", db_runner_key(row->key.runner));
	db_put_u64(p, object, "workqueue_slot", row->key.wq);
	db_put_text(p, object, "workqueue", row->wq[0] ? row->wq : NULL);
	db_put_u64(p, object, "cgroup_id", row->key.cgroup_id);
	db_put_text(p, object, "cgroup", row->cgroup);
	db_put_u64(p, object, "events", row->events);
	db_put_u64(p, object, "pages", row->pages);
}

static void put_point(struct db_put *p, json_t *array, const struct db_point_row *row, bool stats)
{
	json_t *object = db_put_object(p, array, NULL);

	db_put_text(p, object, "point", db_point_word(row->point));
	db_put_text(p, object, "target", row->target);
	db_put_text(p, object, "attached", db_attach_word(row->how));
	db_put(p, object, "wanted", json_boolean(row->wanted));
	db_put(p, object, "at_return", json_boolean(row->exits));
	db_put_text(p, object, "why_not", row->why[0] ? row->why : NULL);
	db_put_u64(p, object, "missed", row->missed);
	if (stats) {
		db_put_u64(p, object, "runs", row->runs);
		db_put_u64(p, object, "run_ns", row->run_ns);
	} else {
		db_put(p, object, "runs", json_null());
		db_put(p, object, "run_ns", json_null());
	}
}

static void put_orders(struct db_put *p, json_t *object, const struct db_order_counts *orders)
{
	json_t *births = db_put_object(p, object, "births_by_order_folios");
	json_t *outcomes = db_put_object(p, object, "outcomes_by_order_folios"), *one, *row;
	int op, i, j;

	for (op = 0; op < DB_OP_NR; op++) {
		row = db_put_array(p, births, db_op_word(op));
		for (j = 0; j < DB_ORDERS; j++)
			db_put_u64(p, row, NULL, orders->born[op][j]);
		one = db_put_object(p, outcomes, db_op_word(op));
		for (i = DB_OUT_NONE + 1; i < DB_OUT_NR; i++) {
			for (j = 0; j < DB_ORDERS && !orders->out[op][i][j]; j++)
				;
			if (j == DB_ORDERS)
				continue;
			row = db_put_array(p, one, db_outcome_key(i));
			for (j = 0; j < DB_ORDERS; j++)
				db_put_u64(p, row, NULL, orders->out[op][i][j]);
		}
	}
}

static void put_sweep(struct db_put *p, json_t *object, const struct db_ledger *l)
{
	json_t *all, *inner;
	int i;

	if (!l->swept) {
		db_put(p, object, "live", json_null());
		return;
	}
	all = db_put_object(p, object, "live");
	inner = db_put_object(p, all, "pending");
	for (i = 0; i < DB_PEND_NR; i++)
		db_json_put_count(p, inner, db_pending_key(i), &l->sweep.pending[i]);
	db_json_put_count(p, all, "claimed", &l->sweep.claimed);
	inner = db_put_object(p, all, "left_behind");
	for (i = 0; i < DB_LEFT_NR; i++) {
		if (l->sweep.left[i].pages || db_ledger_tells(l, DB_OUT_LEFT_FIRST + i))
			db_json_put_count(p, inner, db_outcome_key(DB_OUT_LEFT_FIRST + i),
					  &l->sweep.left[i]);
		else
			db_put(p, inner, db_outcome_key(DB_OUT_LEFT_FIRST + i), json_null());
	}
	db_put_u64(p, all, "slots_swept", l->sweep.slots);
}

static void put_balance(struct db_put *p, json_t *object, const struct db_ledger *l)
{
	json_t *all = db_put_object(p, object, "balance");
	struct db_balance b;

	db_ledger_balance(l, &b);
	db_put_u64(p, all, "births_pages", b.births_pages);
	db_put_u64(p, all, "outcomes_pages", b.outcomes_pages);
	if (l->swept) {
		db_put_u64(p, all, "pending_pages", b.pending_pages);
		db_put(p, all, "difference_pages", json_integer(b.difference_pages));
	} else {
		db_put(p, all, "pending_pages", json_null());
		db_put(p, all, "difference_pages", json_null());
	}
	db_put_text(p, all, "verdict", db_verdict_word(b.verdict));
}

static void put_truth(struct db_put *p, json_t *object, const struct db_ledger *l)
{
	json_t *all;

	if (!db_ledger_has(l, DB_POINT_BIO_DEFER)) {
		db_put(p, object, "truth", json_null());
		return;
	}
	all = db_put_object(p, object, "truth");
	db_put_u64(p, all, "agree_deferred", l->truth.agree_deferred);
	db_put_u64(p, all, "agree_direct", l->truth.agree_direct);
	db_put_u64(p, all, "judged_safe_but_deferred", l->truth.judged_safe_but_deferred);
	db_put_u64(p, all, "judged_unsafe_but_direct", l->truth.judged_unsafe_but_direct);
}

void db_json_put_completeness(struct db_put *p, json_t *object, const struct db_ledger *l)
{
	json_t *all = db_put_object(p, object, "completeness"), *inner;
	size_t i;

	inner = db_put_array(p, all, "points");
	for (i = 0; i < l->npoints; i++)
		put_point(p, inner, &l->points[i], l->run_stats);
	inner = db_put_object(p, all, "losses");
	for (i = 0; i < DB_LOSS_NR; i++)
		db_put_u64(p, inner, db_loss_key(i), l->losses[i]);
	db_put_u64(p, all, "count_losses", db_ledger_count_losses(l));
	db_put(p, all, "sampled", json_false());
	db_put(p, all, "run_stats", json_boolean(l->run_stats));
	db_put_u64(p, all, "table_slots", l->table_slots);
	db_put_u64(p, all, "table_bytes", l->table_bytes);
	db_put(p, all, "final", json_boolean(l->final));
}

json_t *db_json_from_ledger(const struct db_ledger *l)
{
	struct db_put p = {};
	json_t *all = db_put_start(&p), *inner;
	size_t i;

	db_put_u64(&p, all, "version", DB_JSON_VERSION);
	db_put_text(&p, all, "release", l->release);
	db_put_text(&p, all, "machine", l->machine);
	db_put_u64(&p, all, "page_size_bytes", l->page_size);
	db_put_u64(&p, all, "cpus", l->cpus);
	db_put_u64(&p, all, "start_ns", l->start_ns);
	db_put_u64(&p, all, "stop_ns", l->stop_ns);
	db_put_u64(&p, all, "start_wall_ns", l->start_wall_ns);
	db_put_text(&p, all, "filter", l->filter[0] ? l->filter : NULL);
	db_put(&p, all, "context_known", json_boolean(l->context_known));
	put_counts(&p, all, "total", &l->total);
	inner = db_put_array(&p, all, "unavailable_outcomes");
	for (i = DB_OUT_NONE + 1; i < DB_OUT_NR; i++)
		if (!db_ledger_tells(l, i) && !db_out(&l->total, i).pages)
			db_put_text(&p, inner, NULL, db_outcome_key(i));
	put_balance(&p, all, l);
	put_sweep(&p, all, l);
	put_orders(&p, all, &l->orders);
	inner = db_put_object(&p, all, "latencies");
	for (i = 0; i < DB_HIST_NR; i++)
		put_histogram(&p, inner, db_hist_key(i), &l->hists[i],
			      l->hists_unknown >> i & 1);
	inner = db_put_array(&p, all, "contexts");
	for (i = 0; i < l->ncontexts; i++)
		put_context(&p, inner, l, &l->contexts[i]);
	put_truth(&p, all, l);
	inner = db_put_array(&p, all, "flows");
	for (i = 0; i < l->nflows; i++)
		put_flow(&p, inner, l, &l->flows[i]);
	db_json_put_completeness(&p, all, l);
	return db_put_end(&p, all);
}

int db_json_print(FILE *out, json_t *json)
{
	if (!json)
		return db_complain(-ENOMEM, "out of memory");
	json_dumpf(json, out, JSON_COMPACT);
	fputc('\n', out);
	return db_output_finish(out);
}
