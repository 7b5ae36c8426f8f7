// SPDX-License-Identifier: GPL-2.0
#include "ledger.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"

void db_ledger_init(struct db_ledger *ledger)
{
	memset(ledger, 0, sizeof(*ledger));
}

void db_ledger_free(struct db_ledger *ledger)
{
	size_t i;

	for (i = 0; i < ledger->nflows; i++) {
		free(ledger->flows[i].file);
		free(ledger->flows[i].cgroup);
	}
	for (i = 0; i < ledger->ncontexts; i++)
		free(ledger->contexts[i].cgroup);
	free(ledger->flows);
	free(ledger->contexts);
	free(ledger->points);
	free(ledger->devices);
	db_ledger_init(ledger);
}

/* Room for one more element; the array grows by doubling. */
static void *grow(void *array, size_t n, size_t size, void **item)
{
	void *bigger = array;

	*item = NULL;
	if (!(n & (n - 1))) {
		bigger = realloc(array, (n ? 2 * n : 1) * size);
		if (!bigger)
			return array;
	}
	*item = (char *)bigger + n * size;
	memset(*item, 0, size);
	return bigger;
}

struct db_flow *db_ledger_add_flow(struct db_ledger *ledger)
{
	void *item;

	ledger->flows = grow(ledger->flows, ledger->nflows, sizeof(*ledger->flows), &item);
	if (item)
		ledger->nflows++;
	return item;
}

struct db_context_row *db_ledger_add_context(struct db_ledger *ledger)
{
	void *item;

	ledger->contexts = grow(ledger->contexts, ledger->ncontexts,
				sizeof(*ledger->contexts), &item);
	if (item)
		ledger->ncontexts++;
	return item;
}

struct db_point_row *db_ledger_add_point(struct db_ledger *ledger)
{
	void *item;

	ledger->points = grow(ledger->points, ledger->npoints, sizeof(*ledger->points), &item);
	if (item)
		ledger->npoints++;
	return item;
}

struct db_device *db_ledger_add_device(struct db_ledger *ledger)
{
	void *item;

	ledger->devices = grow(ledger->devices, ledger->ndevices, sizeof(*ledger->devices), &item);
	if (item)
		ledger->ndevices++;
	return item;
}

const char *db_ledger_device(const struct db_ledger *ledger, __u32 dev, char *room, size_t size)
{
	size_t i;

	for (i = 0; i < ledger->ndevices; i++)
		if (ledger->devices[i].dev == dev)
			return ledger->devices[i].name;
	snprintf(room, size, "%u:%u", dev >> 20, dev & 0xfffff);
	return room;
}

struct db_flow *db_ledger_flow(const struct db_ledger *ledger, __u32 slot)
{
	size_t low = 0, high = ledger->nflows, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (ledger->flows[middle].slot == slot)
			return &ledger->flows[middle];
		if (ledger->flows[middle].slot < slot)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

struct db_context_row *db_ledger_context(const struct db_ledger *ledger,
					 const struct db_context_row *row)
{
	size_t i;

	for (i = 0; i < ledger->ncontexts; i++)
		if (!memcmp(&ledger->contexts[i].key, &row->key, sizeof(row->key)))
			return &ledger->contexts[i];
	return NULL;
}

struct db_point_row *db_ledger_point(const struct db_ledger *ledger,
				     const struct db_point_row *row)
{
	size_t i;

	for (i = 0; i < ledger->npoints; i++)
		if (ledger->points[i].point == row->point && ledger->points[i].exits == row->exits &&
		    !strcmp(ledger->points[i].target, row->target))
			return &ledger->points[i];
	return NULL;
}

static int copy_string(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return from && !*to ? -ENOMEM : 0;
}

int db_ledger_copy_flow(struct db_ledger *to, const struct db_flow *from)
{
	struct db_flow *flow = db_ledger_add_flow(to);

	if (!flow)
		return -ENOMEM;
	*flow = *from;
	flow->file = NULL;
	flow->cgroup = NULL;
	if (copy_string(&flow->file, from->file) || copy_string(&flow->cgroup, from->cgroup))
		return -ENOMEM;
	return 0;
}

int db_ledger_copy_context(struct db_ledger *to, const struct db_context_row *from)
{
	struct db_context_row *row = db_ledger_add_context(to);

	if (!row)
		return -ENOMEM;
	*row = *from;
	return copy_string(&row->cgroup, from->cgroup);
}

int db_ledger_copy(struct db_ledger *to, const struct db_ledger *from)
{
	size_t i;

	*to = *from;
	to->flows = NULL;
	to->contexts = NULL;
	to->points = NULL;
	to->devices = NULL;
	to->nflows = 0;
	to->ncontexts = 0;
	to->npoints = 0;
	to->ndevices = 0;
	for (i = 0; i < from->nflows; i++)
		if (db_ledger_copy_flow(to, &from->flows[i]))
			goto fail;
	for (i = 0; i < from->ncontexts; i++)
		if (db_ledger_copy_context(to, &from->contexts[i]))
			goto fail;
	for (i = 0; i < from->npoints; i++) {
		struct db_point_row *row = db_ledger_add_point(to);

		if (!row)
			goto fail;
		*row = from->points[i];
	}
	for (i = 0; i < from->ndevices; i++) {
		struct db_device *device = db_ledger_add_device(to);

		if (!device)
			goto fail;
		*device = from->devices[i];
	}
	return 0;
fail:
	db_ledger_free(to);
	return -ENOMEM;
}

/* Every member of these structures is a 64-bit count. */
static void subtract(void *from, const void *what, size_t size)
{
	const __u64 *w = what;
	__u64 *f = from;
	size_t i;

	for (i = 0; i < size / sizeof(__u64); i++)
		f[i] -= w[i];
}

int db_ledger_delta(struct db_ledger *out, const struct db_ledger *before,
		    const struct db_ledger *after)
{
	const struct db_context_row *old_context;
	const struct db_point_row *old_point;
	const struct db_flow *old_flow;
	size_t i;

	if (db_ledger_copy(out, after))
		return -ENOMEM;
	out->start_ns = before->stop_ns;
	out->start_wall_ns += before->stop_ns - before->start_ns;
	for (i = 0; i < out->nflows; i++) {
		old_flow = db_ledger_flow(before, out->flows[i].slot);
		if (old_flow)
			subtract(&out->flows[i].counts, &old_flow->counts,
				 sizeof(old_flow->counts));
	}
	for (i = 0; i < out->ncontexts; i++) {
		old_context = db_ledger_context(before, &out->contexts[i]);
		if (!old_context)
			continue;
		out->contexts[i].events -= old_context->events;
		out->contexts[i].pages -= old_context->pages;
	}
	for (i = 0; i < out->npoints; i++) {
		old_point = db_ledger_point(before, &out->points[i]);
		if (!old_point)
			continue;
		out->points[i].missed -= old_point->missed;
		out->points[i].runs -= old_point->runs;
		out->points[i].run_ns -= old_point->run_ns;
	}
	for (i = 0; i < DB_HIST_NR; i++)
		db_histogram_delta(&out->hists[i], &before->hists[i], &after->hists[i]);
	subtract(&out->total, &before->total, sizeof(out->total));
	subtract(&out->orders, &before->orders, sizeof(out->orders));
	subtract(&out->truth, &before->truth, sizeof(out->truth));
	subtract(out->losses, before->losses, sizeof(out->losses));
	return 0;
}

void db_ledger_sum(struct db_ledger *ledger)
{
	__u64 *total = (__u64 *)&ledger->total;
	size_t i, j;

	memset(&ledger->total, 0, sizeof(ledger->total));
	for (i = 0; i < ledger->nflows; i++) {
		const __u64 *counts = (const __u64 *)&ledger->flows[i].counts;

		for (j = 0; j < sizeof(ledger->total) / sizeof(__u64); j++)
			total[j] += counts[j];
	}
}

bool db_ledger_has(const struct db_ledger *ledger, enum db_point point)
{
	return ledger->points_attached & (1ULL << point);
}

bool db_ledger_follows(const struct db_ledger *ledger, unsigned int reason)
{
	return reason != DB_OUT_LEFT_MIGRATED || db_ledger_has(ledger, DB_POINT_MIGRATE);
}

bool db_ledger_tells(const struct db_ledger *ledger, unsigned int outcome)
{
	switch (outcome) {
	case DB_OUT_LEFT_NOT_TASK:
	case DB_OUT_LEFT_LOCK_BUSY:
	case DB_OUT_LEFT_NO_WB:
		return db_ledger_has(ledger, DB_POINT_DROP_ATTEMPT);
	case DB_OUT_LEFT_MAPPED:
	case DB_OUT_LEFT_REFUSED:
		return db_ledger_has(ledger, DB_POINT_DROP);
	default:
		return true;
	}
}

static void add(struct db_count *sum, const struct db_count *count)
{
	sum->folios += count->folios;
	sum->pages += count->pages;
}

struct db_count db_born(const struct db_flow_counts *counts)
{
	struct db_count sum = {};
	int op;

	for (op = 0; op < DB_OP_NR; op++)
		add(&sum, &counts->born[op]);
	return sum;
}

struct db_count db_out(const struct db_flow_counts *counts, enum db_outcome outcome)
{
	struct db_count sum = {};
	int op;

	for (op = 0; op < DB_OP_NR; op++)
		add(&sum, &counts->out[op][outcome]);
	return sum;
}

struct db_count db_left(const struct db_flow_counts *counts)
{
	struct db_count sum = {}, one;
	int reason;

	for (reason = DB_OUT_LEFT_FIRST; reason <= DB_OUT_LEFT_LAST; reason++) {
		one = db_out(counts, reason);
		add(&sum, &one);
	}
	return sum;
}

struct db_count db_left_now(const struct db_flow_counts *counts, enum db_outcome reason)
{
	struct db_count now = db_out(counts, reason);
	int fate;

	for (fate = 0; fate < DB_FATE_NR; fate++) {
		now.folios -= counts->fate[reason - DB_OUT_LEFT_FIRST][fate].folios;
		now.pages -= counts->fate[reason - DB_OUT_LEFT_FIRST][fate].pages;
	}
	return now;
}

struct db_count db_left_cached(const struct db_ledger *ledger, const struct db_flow_counts *counts)
{
	struct db_count sum = {}, one;
	int reason;

	for (reason = DB_OUT_LEFT_FIRST; reason <= DB_OUT_LEFT_LAST; reason++) {
		if (!db_ledger_follows(ledger, reason))
			continue;
		one = db_left_now(counts, reason);
		add(&sum, &one);
	}
	return sum;
}

/* Does a skipped call at this point make counts of folios wrong, not only latencies? */
static bool counts_folios(enum db_point point)
{
	switch (point) {
	case DB_POINT_BIRTH:
	case DB_POINT_DEATH:
	case DB_POINT_WB_END:
	case DB_POINT_DROP_ATTEMPT:
	case DB_POINT_DROP_ATTEMPT_RET:
	case DB_POINT_DROP:
	case DB_POINT_DROP_RET:
	case DB_POINT_MIGRATE:
		return true;
	default:
		return false;
	}
}

__u64 db_ledger_count_losses(const struct db_ledger *ledger)
{
	__u64 losses = ledger->losses[DB_LOSS_TABLE_FULL] + ledger->losses[DB_LOSS_UNBORN] +
		       ledger->losses[DB_LOSS_GONE];
	size_t i;

	for (i = 0; i < ledger->npoints; i++)
		if (counts_folios(ledger->points[i].point))
			losses += ledger->points[i].missed;
	return losses;
}

void db_ledger_balance(const struct db_ledger *ledger, struct db_balance *balance)
{
	int outcome, pending;

	memset(balance, 0, sizeof(*balance));
	balance->births_pages = db_born(&ledger->total).pages;
	for (outcome = DB_OUT_NONE + 1; outcome < DB_OUT_NR; outcome++)
		balance->outcomes_pages += db_out(&ledger->total, outcome).pages;
	balance->verdict = DB_INCONCLUSIVE;
	if (!ledger->swept)
		return;
	for (pending = 0; pending < DB_PEND_NR; pending++)
		balance->pending_pages += ledger->sweep.pending[pending].pages;
	balance->difference_pages = (__s64)(balance->births_pages - balance->outcomes_pages -
					    balance->pending_pages);
	if (db_ledger_count_losses(ledger))
		return;
	balance->verdict = balance->difference_pages ? DB_FAIL : DB_PASS;
}
