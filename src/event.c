// SPDX-License-Identifier: GPL-2.0
#include "event.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "eventline.h"
#include "jsontake.h"
#include "words.h"

static const char *type_word(unsigned int bit)
{
	return db_event_word(1U << bit);
}

#define TYPES	3

void db_event_put(struct db_put *p, json_t *array, const struct db_event *e)
{
	json_t *to = db_put_object(p, array, NULL);
	char comm[sizeof(e->comm) + 1] = "";

	memcpy(comm, e->comm, sizeof(e->comm));
	db_put_text(p, to, "type", db_event_word(e->type));
	db_put_u64(p, to, "time_ns", e->time_ns);
	db_put_u64(p, to, "cpu", e->cpu);
	db_put_text(p, to, "comm", comm);
	db_put_text(p, to, "context", db_context_key(e->context));
	db_put_text(p, to, "runner", db_runner_key(e->runner));
	db_put_u64(p, to, "workqueue_slot", e->wq);
	db_put_known(p, to, "latency_ns", e->latency_ns);
	db_put_u64(p, to, "flow", e->flow);
	if (e->type == DB_EV_DEFER) {
		db_put_text(p, to, "mechanism", db_mechanism_key(e->mechanism));
		db_put_u64(p, to, "dev", e->dev);
		db_put_known(p, to, "bytes", e->bytes);
	} else {
		db_put_text(p, to, "op", db_op_word(e->op));
		db_put_text(p, to, "outcome", db_outcome_key(e->outcome));
		db_put_u64(p, to, "index", e->index);
		db_put_u64(p, to, "pages", e->pages);
		db_put_u64(p, to, "order", e->order);
		db_put_u64(p, to, "residency_ns", e->residency_ns);
	}
}

static __u64 take_known(struct db_take *t, const json_t *json, const char *key, __u64 max)
{
	return json_is_null(json_object_get(json, key)) ? 0 : db_take_u64(t, json, key, max);
}

int db_event_take(const json_t *json, struct db_event *e)
{
	struct db_take t = {};
	char comm[sizeof(e->comm) + 1];

	memset(e, 0, sizeof(*e));
	e->type = 1U << db_take_word(&t, json, "type", type_word, TYPES);
	e->time_ns = db_take_u64(&t, json, "time_ns", ULLONG_MAX);
	e->cpu = db_take_u64(&t, json, "cpu", UINT_MAX);
	db_take_text(&t, json, "comm", comm, sizeof(comm));
	memcpy(e->comm, comm, sizeof(e->comm));
	e->context = db_take_word(&t, json, "context", db_context_key, DB_CTX_NR);
	e->runner = db_take_word(&t, json, "runner", db_runner_key, DB_RUN_NR);
	e->wq = db_take_u64(&t, json, "workqueue_slot", UCHAR_MAX);
	e->latency_ns = take_known(&t, json, "latency_ns", ULLONG_MAX);
	/* the first recordings have none for deferrals */
	if (e->type != DB_EV_DEFER || json_object_get(json, "flow"))
		e->flow = db_take_u64(&t, json, "flow", UINT_MAX);
	if (e->type == DB_EV_DEFER) {
		e->mechanism = db_take_word(&t, json, "mechanism", db_mechanism_key, DB_MECH_NR);
		e->dev = db_take_u64(&t, json, "dev", UINT_MAX);
		e->bytes = take_known(&t, json, "bytes", UINT_MAX);
	} else {
		e->op = db_take_word(&t, json, "op", db_op_word, DB_OP_NR);
		e->outcome = db_take_word(&t, json, "outcome", db_outcome_key, DB_OUT_NR);
		e->index = db_take_u64(&t, json, "index", ULLONG_MAX);
		e->pages = db_take_u64(&t, json, "pages", UINT_MAX);
		e->order = db_take_u64(&t, json, "order", UCHAR_MAX);
		e->residency_ns = db_take_u64(&t, json, "residency_ns", ULLONG_MAX);
	}
	return t.err;
}
