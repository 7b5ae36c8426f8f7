// SPDX-License-Identifier: GPL-2.0
/* The ledger: balance, copies, differences, updates. */
#include <errno.h>

#include "check.h"
#include "json.h"
#include "synthetic.h"
#include "update.h"

/* Compares what a reader would see. */
static bool same(const struct db_ledger *a, const struct db_ledger *b)
{
	json_t *x = db_json_from_ledger(a), *y = db_json_from_ledger(b);
	bool equal = x && y && json_equal(x, y);

	json_decref(x);
	json_decref(y);
	return equal;
}

static enum db_verdict verdict(struct db_ledger *l)
{
	struct db_balance balance;

	db_ledger_balance(l, &balance);
	return balance.verdict;
}

static void test_balance(void)
{
	struct db_ledger l;
	struct db_flow *flow;

	db_ledger_init(&l);
	flow = db_ledger_add_flow(&l);
	flow->counts.born[DB_OP_WRITE].pages = 10;
	flow->counts.out[DB_OP_WRITE][DB_OUT_DROPPED_WRITE].pages = 7;
	db_ledger_sum(&l);
	check_int("balance without a sweep is inconclusive", verdict(&l), DB_INCONCLUSIVE);
	l.swept = true;
	check_int("births beyond outcomes and pending: fail", verdict(&l), DB_FAIL);
	l.sweep.pending[DB_PEND_DIRTY].pages = 3;
	check_int("both sides equal: pass", verdict(&l), DB_PASS);
	l.losses[DB_LOSS_RING] = 5;
	check_int("lost ring records do not touch the balance", verdict(&l), DB_PASS);
	l.losses[DB_LOSS_TABLE_FULL] = 1;
	check_int("folios not tracked: inconclusive", verdict(&l), DB_INCONCLUSIVE);
	db_ledger_free(&l);
}

static void test_copy_and_delta(void)
{
	struct db_ledger before, copy, delta;
	struct synthetic s;
	__u64 born;

	synthetic_start(&s, 1);
	synthetic_step(&s, 1000000000, 9);
	s.ledger.points[1].missed += 3;
	check_int("copy", db_ledger_copy(&before, &s.ledger), 0);
	check(same(&before, &s.ledger), "a copy is equal", "differs");
	synthetic_step(&s, 2000000000, 14);
	check(!same(&before, &s.ledger), "the copy does not change with its original", "it does");
	s.ledger.points[1].how = DB_ATTACH_NONE;
	check_int("delta", db_ledger_delta(&delta, &before, &s.ledger), 0);
	born = db_born(&s.ledger.total).pages - db_born(&before.total).pages;
	check_uint("delta: births", db_born(&delta.total).pages, born);
	check(db_update_adds_up(&delta), "delta: the flows add up to the total", "they do not");
	check_uint("delta: time", delta.stop_ns - delta.start_ns, 2000000000);
	check_uint("delta: losses", delta.losses[DB_LOSS_RING], 2);
	check_uint("delta: calls missed at a point that was detached meanwhile", delta.points[1].missed,
		   s.ledger.points[1].missed - before.points[1].missed);
	db_ledger_free(&delta);
	check_int("delta of equals", db_ledger_delta(&delta, &before, &before), 0);
	check_uint("delta of equals: births", db_born(&delta.total).pages, 0);
	db_ledger_free(&delta);
	check_int("copy of a copy", db_ledger_copy(&copy, &before), 0);
	check(same(&copy, &before), "and is equal", "differs");
	db_ledger_free(&copy);
	db_ledger_free(&before);
	synthetic_free(&s);
}

/* Updates laid over each other give the same as the ledgers they were made from. */
static void test_updates(void)
{
	struct db_ledger mine, last, update;
	unsigned int round, bad = 0, small = 0;
	struct synthetic s;

	synthetic_start(&s, 2);
	db_ledger_copy(&mine, &s.ledger);
	db_ledger_copy(&last, &s.ledger);
	for (round = 1; round <= 40; round++) {
		synthetic_step(&s, 1000000, round * 3);
		if (round == 20)
			s.ledger.points[3].how = DB_ATTACH_KPROBE;
		if (round == 20)
			s.ledger.points_attached |= 1ULL << DB_POINT_END_IO;
		if (round == 40)
			synthetic_end(&s);
		if (db_update_make(&update, &last, &s.ledger))
			bad++;
		small += update.nflows < s.ledger.nflows;
		if (db_update_apply(&mine, &update) || !same(&mine, &s.ledger))
			bad++;
		db_ledger_free(&update);
		db_ledger_free(&last);
		db_ledger_copy(&last, &s.ledger);
	}
	check_uint("forty updates give the ledgers they were made from", bad, 0);
	check(small > 20, "updates hold only what changed", "%u of 40 were smaller", small);
	check_uint("a probe point attached meanwhile is known", mine.points_attached,
		   s.ledger.points_attached);

	db_update_make(&update, &last, &s.ledger);
	check_uint("nothing changed: no flows in the update", update.nflows, 0);
	check_int("and it can be applied", db_update_apply(&mine, &update), 0);
	check(same(&mine, &s.ledger), "without any effect", "differs");
	update.start_ns++;
	check_int("an update of another run is refused", db_update_apply(&mine, &update), -EPROTO);
	update.start_ns--;
	update.stop_ns = mine.stop_ns - 1;
	check_int("an update from before is refused", db_update_apply(&mine, &update), -EPROTO);
	update.stop_ns = mine.stop_ns;
	update.total.born[0].pages++;
	check_int("an update that does not add up is refused", db_update_apply(&mine, &update),
		  -EPROTO);
	db_ledger_free(&update);
	db_ledger_free(&mine);
	db_ledger_free(&last);
	synthetic_free(&s);
}

int main(void)
{
	test_balance();
	test_copy_and_delta();
	test_updates();
	return check_finish();
}
