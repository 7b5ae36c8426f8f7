// SPDX-License-Identifier: GPL-2.0
#include "json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "names.h"
#include "words.h"

static json_t *count_json(const struct db_count *count)
{
	return json_pack("{s:I, s:I}", "pages", (json_int_t)count->pages, "folios",
			 (json_int_t)count->folios);
}

/* Adds @value under @key if it says something; false when out of memory. */
static bool add_count(json_t *object, const char *key, const struct db_count *count)
{
	if (!count->pages && !count->folios)
		return true;
	return !json_object_set_new(object, key, count_json(count));
}

static json_t *counts_json(const struct db_flow_counts *counts)
{
	json_t *all = json_object(), *born = json_object(), *out = json_object(),
	       *fate = json_object(), *inner;
	bool ok = all && born && out && fate;
	int op, i, j;

	for (op = 0; op < DB_OP_NR && ok; op++) {
		ok = add_count(born, db_op_word(op), &counts->born[op]);
		inner = json_object();
		for (i = DB_OUT_NONE + 1; i < DB_OUT_NR && ok; i++)
			ok = add_count(inner, db_outcome_key(i), &counts->out[op][i]);
		ok = ok && !json_object_set_new(out, db_op_word(op), inner);
	}
	for (i = 0; i < DB_LEFT_NR && ok; i++) {
		inner = json_object();
		for (j = 0; j < DB_FATE_NR && ok; j++)
			ok = add_count(inner, db_fate_key(j), &counts->fate[i][j]);
		ok = ok && !json_object_set_new(fate, db_outcome_key(DB_OUT_LEFT_FIRST + i), inner);
	}
	ok = ok && !json_object_set(all, "births", born) && !json_object_set(all, "outcomes", out) &&
	     !json_object_set(all, "fates", fate);
	json_decref(born);
	json_decref(out);
	json_decref(fate);
	if (ok)
		return all;
	json_decref(all);
	return NULL;
}

static json_t *flow_json(const struct db_flow *flow)
{
	char device[64];

	db_device_name(flow->dev, device, sizeof(device));
	return json_pack("{s:i, s:I, s:s, s:I, s:I, s:I, s:I, s:s, s:s?, s:s, s:s?, s:s, s:o}",
			 "slot", flow->slot, "dev", (json_int_t)flow->dev, "device", device,
			 "inode", (json_int_t)flow->ino, "generation", (json_int_t)flow->gen,
			 "block_dev", (json_int_t)flow->bdev, "cgroup_id",
			 (json_int_t)flow->cgroup_id, "fs", flow->fs, "file", flow->file,
			 "file_found", db_found_word(flow->file_found), "cgroup", flow->cgroup,
			 "cgroup_found", db_found_word(flow->cgroup_found), "counts",
			 counts_json(&flow->counts));
}

static json_t *histogram_json(const struct db_histogram *h)
{
	json_t *buckets, *all;
	int i;

	if (!h->count)
		return json_pack("{s:i}", "count", 0);
	buckets = json_array();
	for (i = 0; i < DB_HIST_BUCKETS; i++)
		if (h->bucket[i])
			json_array_append_new(buckets, json_pack("[I, I]",
						       (json_int_t)db_bucket_low(i),
						       (json_int_t)h->bucket[i]));
	all = json_pack("{s:I, s:I, s:I, s:f, s:I, s:I, s:I, s:I, s:I, s:o}",
			"count", (json_int_t)h->count, "sum", (json_int_t)h->sum,
			"min", (json_int_t)h->min, "mean", db_histogram_mean(h),
			"p50", (json_int_t)db_histogram_quantile(h, 500),
			"p90", (json_int_t)db_histogram_quantile(h, 900),
			"p99", (json_int_t)db_histogram_quantile(h, 990),
			"p999", (json_int_t)db_histogram_quantile(h, 999),
			"max", (json_int_t)h->max, "buckets", buckets);
	return all;
}

static json_t *context_json(const struct db_context_row *row)
{
	return json_pack("{s:s, s:I, s:s, s:s, s:s?, s:I, s:I, s:I}",
			 "place", db_place_key(row->key.place), "dev", (json_int_t)row->key.dev,
			 "context", db_context_key_word(row->key.context),
			 "runner", db_runner_key(row->key.runner), "workqueue",
			 row->wq[0] ? row->wq : NULL, "cgroup_id", (json_int_t)row->key.cgroup_id,
			 "events", (json_int_t)row->events, "pages", (json_int_t)row->pages);
}

static json_t *point_json(const struct db_point_row *row)
{
	return json_pack("{s:s, s:s, s:s, s:b, s:b, s:s?, s:I, s:I, s:I}",
			 "point", db_point_word(row->point), "target", row->target,
			 "attached", db_attach_word(row->how), "wanted", row->wanted,
			 "at_return", row->exits, "why_not", row->why[0] ? row->why : NULL,
			 "missed", (json_int_t)row->missed, "runs", (json_int_t)row->runs,
			 "run_ns", (json_int_t)row->run_ns);
}

static json_t *orders_json(const struct db_order_counts *orders)
{
	json_t *all = json_object(), *rows;
	int op, i;

	for (op = 0; op < DB_OP_NR; op++) {
		rows = json_array();
		for (i = 0; i < DB_ORDERS; i++)
			json_array_append_new(rows, json_integer(orders->born[op][i]));
		json_object_set_new(all, db_op_word(op), rows);
	}
	return all;
}

static json_t *order_outcomes_json(const struct db_order_counts *orders)
{
	json_t *all = json_object(), *outs, *rows;
	bool any;
	int op, i, j;

	for (op = 0; op < DB_OP_NR; op++) {
		outs = json_object();
		for (i = DB_OUT_NONE + 1; i < DB_OUT_NR; i++) {
			rows = json_array();
			any = false;
			for (j = 0; j < DB_ORDERS; j++) {
				json_array_append_new(rows, json_integer(orders->out[op][i][j]));
				any |= orders->out[op][i][j] != 0;
			}
			if (any)
				json_object_set(outs, db_outcome_key(i), rows);
			json_decref(rows);
		}
		json_object_set_new(all, db_op_word(op), outs);
	}
	return all;
}

static json_t *sweep_json(const struct db_ledger *l)
{
	json_t *all, *pending, *left;
	int i;

	if (!l->swept)
		return json_null();
	pending = json_object();
	left = json_object();
	for (i = 0; i < DB_PEND_NR; i++)
		json_object_set_new(pending, db_pending_key(i), count_json(&l->sweep.pending[i]));
	for (i = 0; i < DB_LEFT_NR; i++)
		json_object_set_new(left, db_outcome_key(DB_OUT_LEFT_FIRST + i),
				    count_json(&l->sweep.left[i]));
	all = json_pack("{s:o, s:o, s:o}", "pending", pending, "claimed",
			count_json(&l->sweep.claimed), "left_behind", left);
	return all;
}

static json_t *balance_json(const struct db_ledger *l)
{
	struct db_balance b;

	db_ledger_balance(l, &b);
	return json_pack("{s:I, s:I, s:o, s:o, s:s}", "births_pages", (json_int_t)b.births_pages,
			 "outcomes_pages", (json_int_t)b.outcomes_pages, "pending_pages",
			 l->swept ? json_integer(b.pending_pages) : json_null(), "difference_pages",
			 l->swept ? json_integer(b.difference_pages) : json_null(), "verdict",
			 db_verdict_word(b.verdict));
}

static json_t *losses_json(const struct db_ledger *l)
{
	json_t *all = json_object();
	int i;

	for (i = 0; i < DB_LOSS_NR; i++)
		json_object_set_new(all, db_loss_key(i), json_integer(l->losses[i]));
	return all;
}

static json_t *truth_json(const struct db_ledger *l)
{
	if (!db_ledger_has(l, DB_POINT_BIO_DEFER))
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:I}", "agree_deferred",
			 (json_int_t)l->truth.agree_deferred, "agree_direct",
			 (json_int_t)l->truth.agree_direct, "judged_safe_but_deferred",
			 (json_int_t)l->truth.judged_safe_but_deferred, "judged_unsafe_but_direct",
			 (json_int_t)l->truth.judged_unsafe_but_direct);
}

json_t *db_json_from_ledger(const struct db_ledger *l)
{
	json_t *flows = json_array(), *contexts = json_array(), *points = json_array(),
	       *hists = json_object(), *completeness;
	size_t i;

	for (i = 0; i < l->nflows; i++)
		json_array_append_new(flows, flow_json(&l->flows[i]));
	for (i = 0; i < l->ncontexts; i++)
		json_array_append_new(contexts, context_json(&l->contexts[i]));
	for (i = 0; i < l->npoints; i++)
		json_array_append_new(points, point_json(&l->points[i]));
	for (i = 0; i < DB_HIST_NR; i++)
		json_object_set_new(hists, db_hist_key(i), histogram_json(&l->hists[i]));
	completeness = json_pack("{s:o, s:o, s:I, s:b, s:I, s:I, s:b}", "points", points, "losses",
				 losses_json(l), "count_losses",
				 (json_int_t)db_ledger_count_losses(l), "sampled", 0,
				 "table_slots", (json_int_t)l->table_slots, "table_bytes",
				 (json_int_t)l->table_bytes, "final", l->final);
	return json_pack("{s:i, s:s, s:s, s:i, s:i, s:I, s:I, s:I, s:s?, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "version", DB_JSON_VERSION, "release", l->release, "machine", l->machine,
			 "page_size_bytes", l->page_size, "cpus", l->cpus, "start_ns",
			 (json_int_t)l->start_ns, "stop_ns", (json_int_t)l->stop_ns, "start_wall_ns",
			 (json_int_t)l->start_wall_ns, "filter", l->filter[0] ? l->filter : NULL,
			 "context_known", l->context_known, "total", counts_json(&l->total),
			 "balance", balance_json(l), "live", sweep_json(l), "births_by_order_folios",
			 orders_json(&l->orders), "outcomes_by_order_folios",
			 order_outcomes_json(&l->orders), "latencies", hists, "contexts", contexts,
			 "truth", truth_json(l), "flows", flows, "completeness", completeness);
}

int db_json_print(FILE *out, json_t *json)
{
	if (!json)
		return -ENOMEM;
	if (json_dumpf(json, out, JSON_COMPACT) || fputc('\n', out) == EOF || fflush(out))
		return -EPIPE;
	return 0;
}
