// SPDX-License-Identifier: GPL-2.0
/* From JSON to the ledger; the other way is json.c. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "json.h"
#include "jsontake.h"
#include "words.h"

/* More rows than the kernel side can hold mean a damaged or hostile file. */
#define ROWS_MAX	65536

/* Calls @row for each member, whose key is one of the words from @first on. */
static void each_word(struct db_take *t, const json_t *object, const char *(*word)(unsigned int),
		      unsigned int first, unsigned int n,
		      void (*row)(struct db_take *t, const json_t *value, void *to), void *to,
		      size_t size)
{
	json_t *value;
	const char *key;
	int number;

	json_object_foreach((json_t *)object, key, value) {
		number = db_word_number(word, n, key);
		if (number < (int)first)
			db_take_fail(t, -EPROTO, NULL);
		if (t->err)
			return;
		row(t, value, (char *)to + (number - first) * size);
	}
}

static void take_count(struct db_take *t, const json_t *value, void *to)
{
	struct db_count *count = to;

	count->pages = db_take_u64(t, value, "pages", ULLONG_MAX);
	count->folios = db_take_u64(t, value, "folios", ULLONG_MAX);
}

static void take_outcomes(struct db_take *t, const json_t *value, void *to)
{
	struct db_count *outcomes = to;

	if (!json_is_object(value))
		db_take_fail(t, -EPROTO, "outcomes");
	each_word(t, value, db_outcome_key, DB_OUT_NONE + 1, DB_OUT_NR, take_count,
		  &outcomes[DB_OUT_NONE + 1], sizeof(*outcomes));
}

static void take_fates(struct db_take *t, const json_t *value, void *to)
{
	if (!json_is_object(value))
		db_take_fail(t, -EPROTO, "fates");
	each_word(t, value, db_fate_key, 0, DB_FATE_NR, take_count, to, sizeof(struct db_count));
}

static const char *left_key(unsigned int i)
{
	return db_outcome_key(i + DB_OUT_LEFT_FIRST);
}

static void take_counts(struct db_take *t, const json_t *object, const char *key,
			struct db_flow_counts *counts)
{
	const json_t *all = db_take_object(t, object, key);

	each_word(t, db_take_object(t, all, "births"), db_op_word, 0, DB_OP_NR, take_count,
		  counts->born, sizeof(counts->born[0]));
	each_word(t, db_take_object(t, all, "outcomes"), db_op_word, 0, DB_OP_NR, take_outcomes,
		  counts->out, sizeof(counts->out[0]));
	each_word(t, db_take_object(t, all, "fates"), left_key, 0, DB_LEFT_NR, take_fates,
		  counts->fate, sizeof(counts->fate[0]));
}

static __u32 take_device(struct db_take *t, const json_t *object, struct db_ledger *l)
{
	struct db_device *device, read;
	size_t i;

	memset(&read, 0, sizeof(read));
	read.dev = db_take_u64(t, object, "dev", UINT_MAX);
	db_take_text(t, object, "device", read.name, sizeof(read.name));
	if (t->err)
		return 0;
	for (i = 0; i < l->ndevices; i++)
		if (l->devices[i].dev == read.dev)
			return read.dev;
	if (l->ndevices >= ROWS_MAX) {
		db_take_fail(t, -EPROTO, "device");
		return 0;
	}
	device = db_ledger_add_device(l);
	if (device)
		*device = read;
	else
		db_take_fail(t, -ENOMEM, "device");
	return read.dev;
}

static void take_flow(struct db_take *t, const json_t *object, struct db_ledger *l)
{
	struct db_flow *flow;
	__u32 slot = db_take_u64(t, object, "slot", UINT_MAX), dev = take_device(t, object, l);

	if (l->nflows && slot <= l->flows[l->nflows - 1].slot)
		db_take_fail(t, -EPROTO, "slot");
	if (t->err)
		return;
	flow = db_ledger_add_flow(l);
	if (!flow) {
		db_take_fail(t, -ENOMEM, "flows");
		return;
	}
	flow->slot = slot;
	flow->dev = dev;
	flow->ino = db_take_u64(t, object, "inode", ULLONG_MAX);
	flow->gen = db_take_u64(t, object, "generation", UINT_MAX);
	flow->bdev = db_take_u64(t, object, "block_dev", UINT_MAX);
	flow->cgroup_id = db_take_u64(t, object, "cgroup_id", ULLONG_MAX);
	db_take_text(t, object, "fs", flow->fs, sizeof(flow->fs));
	flow->file = db_take_new_text(t, object, "file");
	flow->file_found = db_take_word(t, object, "file_found", db_found_word, DB_FOUND_NR);
	flow->cgroup = db_take_new_text(t, object, "cgroup");
	flow->cgroup_found = db_take_word(t, object, "cgroup_found", db_found_word, DB_FOUND_NR);
	take_counts(t, object, "counts", &flow->counts);
}

static void take_buckets(struct db_take *t, const json_t *buckets, struct db_histogram *h)
{
	__u64 low, count, sum = 0;
	unsigned int bucket;
	const json_t *pair;
	size_t i;
	int last = -1;

	if (json_array_size(buckets) > DB_HIST_BUCKETS)
		db_take_fail(t, -EPROTO, "buckets");
	for (i = 0; i < json_array_size(buckets) && !t->err; i++) {
		pair = json_array_get(buckets, i);
		low = db_take_value(t, json_array_get(pair, 0), "buckets", ULLONG_MAX);
		count = db_take_value(t, json_array_get(pair, 1), "buckets", ULLONG_MAX);
		bucket = db_bucket_of(low);
		if (json_array_size(pair) != 2 || db_bucket_low(bucket) != low ||
		    (int)bucket <= last || !count || __builtin_add_overflow(sum, count, &sum)) {
			db_take_fail(t, -EPROTO, "buckets");
			return;
		}
		last = bucket;
		h->bucket[bucket] = count;
	}
	if (sum != h->count)
		db_take_fail(t, -EPROTO, "buckets");
}

/* False: it is null. */
static bool take_histogram(struct db_take *t, const json_t *object, const char *key,
			   struct db_histogram *h)
{
	const json_t *all = db_take_object_or_null(t, object, key);

	if (!all)
		return false;
	h->count = db_take_u64(t, all, "count", ULLONG_MAX);
	if (!h->count)
		return true;
	h->sum = db_take_u128(t, all, "sum");
	h->min = db_take_u64(t, all, "min", ULLONG_MAX);
	h->max = db_take_u64(t, all, "max", ULLONG_MAX);
	if (h->min > h->max)
		db_take_fail(t, -EPROTO, "min");
	take_buckets(t, db_take_array(t, all, "buckets"), h);
	return true;
}

static void take_context(struct db_take *t, const json_t *object, struct db_ledger *l)
{
	struct db_context_row *row;

	if (t->err)
		return;
	row = db_ledger_add_context(l);
	if (!row) {
		db_take_fail(t, -ENOMEM, "contexts");
		return;
	}
	row->key.place = db_take_word(t, object, "place", db_place_key, DB_PLACE_NR);
	row->key.dev = take_device(t, object, l);
	row->key.context = db_take_word(t, object, "context", db_context_key, DB_CTX_NR);
	row->key.runner = db_take_word(t, object, "runner", db_runner_key, DB_RUN_NR);
	row->key.wq = db_take_u64(t, object, "workqueue_slot", UCHAR_MAX);
	db_take_text(t, object, "workqueue", row->wq, sizeof(row->wq));
	row->key.cgroup_id = db_take_u64(t, object, "cgroup_id", ULLONG_MAX);
	row->cgroup = db_take_new_text(t, object, "cgroup");
	row->events = db_take_u64(t, object, "events", ULLONG_MAX);
	row->pages = db_take_u64(t, object, "pages", ULLONG_MAX);
}

static void take_point(struct db_take *t, const json_t *object, struct db_ledger *l)
{
	struct db_point_row *row;

	if (t->err)
		return;
	row = db_ledger_add_point(l);
	if (!row) {
		db_take_fail(t, -ENOMEM, "points");
		return;
	}
	row->point = db_take_word(t, object, "point", db_point_word, DB_POINT_NR);
	db_take_text(t, object, "target", row->target, sizeof(row->target));
	row->how = db_take_word(t, object, "attached", db_attach_word, DB_ATTACH_NR);
	row->wanted = db_take_bool(t, object, "wanted");
	row->exits = db_take_bool(t, object, "at_return");
	db_take_text(t, object, "why_not", row->why, sizeof(row->why));
	row->missed = db_take_u64(t, object, "missed", ULLONG_MAX);
	if (l->run_stats) {
		row->runs = db_take_u64(t, object, "runs", ULLONG_MAX);
		row->run_ns = db_take_u64(t, object, "run_ns", ULLONG_MAX);
	}
	if (!t->err && row->how != DB_ATTACH_NONE)
		l->points_attached |= 1ULL << row->point;
}

static void take_rows(struct db_take *t, const json_t *array, const char *key, struct db_ledger *l,
		      void (*row)(struct db_take *t, const json_t *object, struct db_ledger *l))
{
	size_t i, n = json_array_size(array);

	if (n > ROWS_MAX)
		db_take_fail(t, -EPROTO, key);
	for (i = 0; i < n && !t->err; i++)
		row(t, json_array_get(array, i), l);
}

static void take_order_row(struct db_take *t, const json_t *value, void *to)
{
	__u64 *orders = to;
	size_t i;

	if (!json_is_array(value) || json_array_size(value) != DB_ORDERS)
		db_take_fail(t, -EPROTO, "by_order_folios");
	for (i = 0; i < DB_ORDERS && !t->err; i++)
		orders[i] = db_take_value(t, json_array_get(value, i), "by_order_folios",
					  ULLONG_MAX);
}

static void take_order_outcomes(struct db_take *t, const json_t *value, void *to)
{
	__u64 (*outcomes)[DB_ORDERS] = to;

	if (!json_is_object(value))
		db_take_fail(t, -EPROTO, "outcomes_by_order_folios");
	each_word(t, value, db_outcome_key, DB_OUT_NONE + 1, DB_OUT_NR, take_order_row,
		  outcomes[DB_OUT_NONE + 1], sizeof(*outcomes));
}

static void take_orders(struct db_take *t, const json_t *all, struct db_order_counts *orders)
{
	each_word(t, db_take_object(t, all, "births_by_order_folios"), db_op_word, 0, DB_OP_NR,
		  take_order_row, orders->born, sizeof(orders->born[0]));
	each_word(t, db_take_object(t, all, "outcomes_by_order_folios"), db_op_word, 0, DB_OP_NR,
		  take_order_outcomes, orders->out, sizeof(orders->out[0]));
}

static void take_sweep(struct db_take *t, const json_t *all, struct db_ledger *l)
{
	const json_t *live = db_take_object_or_null(t, all, "live"), *inner, *one;
	int i;

	if (!live)
		return;
	l->swept = true;
	inner = db_take_object(t, live, "pending");
	for (i = 0; i < DB_PEND_NR; i++)
		take_count(t, db_take_object(t, inner, db_pending_key(i)), &l->sweep.pending[i]);
	take_count(t, db_take_object(t, live, "claimed"), &l->sweep.claimed);
	inner = db_take_object(t, live, "left_behind");
	for (i = 0; i < DB_LEFT_NR; i++) {
		one = db_take_object_or_null(t, inner, left_key(i));
		if (one)
			take_count(t, one, &l->sweep.left[i]);
	}
	l->sweep.slots = db_take_u64(t, live, "slots_swept", ULLONG_MAX);
}

static void take_truth(struct db_take *t, const json_t *all, struct db_truth *truth)
{
	const json_t *inner = db_take_object_or_null(t, all, "truth");

	if (!inner)
		return;
	truth->agree_deferred = db_take_u64(t, inner, "agree_deferred", ULLONG_MAX);
	truth->agree_direct = db_take_u64(t, inner, "agree_direct", ULLONG_MAX);
	truth->judged_safe_but_deferred =
		db_take_u64(t, inner, "judged_safe_but_deferred", ULLONG_MAX);
	truth->judged_unsafe_but_direct =
		db_take_u64(t, inner, "judged_unsafe_but_direct", ULLONG_MAX);
}

static void take_completeness(struct db_take *t, const json_t *all, struct db_ledger *l)
{
	const json_t *inner = db_take_object(t, all, "completeness"), *losses;
	int i;

	l->run_stats = db_take_bool(t, inner, "run_stats");
	take_rows(t, db_take_array(t, inner, "points"), "points", l, take_point);
	losses = db_take_object(t, inner, "losses");
	for (i = 0; i < DB_LOSS_NR; i++)
		/* the first recordings did not know of the last of them */
		if (i < DB_LOSS_CALL_FULL || json_object_get(losses, db_loss_key(i)))
			l->losses[i] = db_take_u64(t, losses, db_loss_key(i), ULLONG_MAX);
	l->table_slots = db_take_u64(t, inner, "table_slots", ULLONG_MAX);
	l->table_bytes = db_take_u64(t, inner, "table_bytes", ULLONG_MAX);
	l->final = db_take_bool(t, inner, "final");
}

static void take_facts(struct db_take *t, const json_t *all, struct db_ledger *l)
{
	if (db_take_u64(t, all, "version", ULLONG_MAX) != DB_JSON_VERSION)
		db_take_fail(t, -EPROTO, "version");
	db_take_text(t, all, "release", l->release, sizeof(l->release));
	db_take_text(t, all, "machine", l->machine, sizeof(l->machine));
	l->page_size = db_take_u64(t, all, "page_size_bytes", UINT_MAX);
	l->cpus = db_take_u64(t, all, "cpus", UINT_MAX);
	l->start_ns = db_take_u64(t, all, "start_ns", ULLONG_MAX);
	l->stop_ns = db_take_u64(t, all, "stop_ns", ULLONG_MAX);
	l->start_wall_ns = db_take_u64(t, all, "start_wall_ns", ULLONG_MAX);
	if (l->stop_ns < l->start_ns)
		db_take_fail(t, -EPROTO, "stop_ns");
	db_take_text(t, all, "filter", l->filter, sizeof(l->filter));
	l->context_known = db_take_bool(t, all, "context_known");
}

int db_json_to_ledger(const json_t *json, struct db_ledger *l)
{
	struct db_take t = {};
	const json_t *inner;
	int i;

	db_ledger_init(l);
	if (!json_is_object(json))
		return -EPROTO;
	take_facts(&t, json, l);
	take_counts(&t, json, "total", &l->total);
	take_sweep(&t, json, l);
	take_orders(&t, json, &l->orders);
	inner = db_take_object(&t, json, "latencies");
	for (i = 0; i < DB_HIST_NR; i++)
		if (!take_histogram(&t, inner, db_hist_key(i), &l->hists[i]))
			l->hists_unknown |= 1ULL << i;
	take_rows(&t, db_take_array(&t, json, "contexts"), "contexts", l, take_context);
	take_truth(&t, json, &l->truth);
	take_rows(&t, db_take_array(&t, json, "flows"), "flows", l, take_flow);
	take_completeness(&t, json, l);
	if (t.err)
		db_ledger_free(l);
	return t.err;
}
