// SPDX-License-Identifier: GPL-2.0
#include "update.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_flow(const struct db_flow *a, const struct db_flow *b)
{
	return a->file_found == b->file_found && a->cgroup_found == b->cgroup_found &&
	       a->bdev == b->bdev && same_text(a->file, b->file) &&
	       same_text(a->cgroup, b->cgroup) &&
	       !memcmp(&a->counts, &b->counts, sizeof(a->counts));
}

static bool same_context(const struct db_context_row *a, const struct db_context_row *b)
{
	return a->events == b->events && a->pages == b->pages && same_text(a->cgroup, b->cgroup) &&
	       !strcmp(a->wq, b->wq);
}

static bool same_point(const struct db_point_row *a, const struct db_point_row *b)
{
	return a->how == b->how && a->wanted == b->wanted && a->missed == b->missed &&
	       a->runs == b->runs && a->run_ns == b->run_ns && !strcmp(a->why, b->why);
}

/* Everything that is not a list. */
static void copy_rest(struct db_ledger *to, const struct db_ledger *from)
{
	struct db_ledger old = *to;

	*to = *from;
	to->flows = old.flows;
	to->nflows = old.nflows;
	to->contexts = old.contexts;
	to->ncontexts = old.ncontexts;
	to->points = old.points;
	to->npoints = old.npoints;
	to->devices = old.devices;
	to->ndevices = old.ndevices;
	memcpy(to->hists, old.hists, sizeof(to->hists));
}

static int set_device(struct db_ledger *l, const struct db_device *device)
{
	struct db_device *mine = NULL;
	size_t i;

	for (i = 0; i < l->ndevices && !mine; i++)
		if (l->devices[i].dev == device->dev)
			mine = &l->devices[i];
	if (!mine)
		mine = db_ledger_add_device(l);
	if (!mine)
		return -ENOMEM;
	*mine = *device;
	return 0;
}

int db_update_make(struct db_ledger *out, const struct db_ledger *before,
		   const struct db_ledger *after)
{
	const struct db_context_row *context;
	const struct db_point_row *point;
	struct db_point_row *new_point;
	const struct db_flow *flow;
	int err = 0;
	size_t i;

	db_ledger_init(out);
	copy_rest(out, after);
	for (i = 0; i < DB_HIST_NR; i++)
		if (memcmp(&before->hists[i], &after->hists[i], sizeof(after->hists[i])))
			out->hists[i] = after->hists[i];
	for (i = 0; i < after->ndevices && !err; i++)
		err = set_device(out, &after->devices[i]);
	for (i = 0; i < after->nflows && !err; i++) {
		flow = db_ledger_flow(before, after->flows[i].slot);
		if (!flow || !same_flow(flow, &after->flows[i]))
			err = db_ledger_copy_flow(out, &after->flows[i]);
	}
	for (i = 0; i < after->ncontexts && !err; i++) {
		context = db_ledger_context(before, &after->contexts[i]);
		if (!context || !same_context(context, &after->contexts[i]))
			err = db_ledger_copy_context(out, &after->contexts[i]);
	}
	for (i = 0; i < after->npoints && !err; i++) {
		point = db_ledger_point(before, &after->points[i]);
		if (point && same_point(point, &after->points[i]))
			continue;
		new_point = db_ledger_add_point(out);
		if (new_point)
			*new_point = after->points[i];
		else
			err = -ENOMEM;
	}
	if (err)
		db_ledger_free(out);
	return err;
}

static int by_slot(const void *a, const void *b)
{
	const struct db_flow *x = a, *y = b;

	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* Swaps, so that the old strings are freed with the update. */
static int apply_flows(struct db_ledger *l, struct db_ledger *update)
{
	struct db_flow *mine, old;
	size_t known = l->nflows, i;

	for (i = 0; i < update->nflows; i++) {
		mine = db_ledger_flow(l, update->flows[i].slot);
		if (!mine)
			continue;
		old = *mine;
		*mine = update->flows[i];
		update->flows[i] = old;
		update->flows[i].slot = mine->slot;
	}
	/* Those that were not there have no counterpart yet; search only what was. */
	for (i = 0; i < update->nflows; i++) {
		struct db_ledger before = { .flows = l->flows, .nflows = known };

		if (db_ledger_flow(&before, update->flows[i].slot))
			continue;
		mine = db_ledger_add_flow(l);
		if (!mine)
			return -ENOMEM;
		*mine = update->flows[i];
		update->flows[i].file = NULL;
		update->flows[i].cgroup = NULL;
	}
	if (l->nflows > known)
		qsort(l->flows, l->nflows, sizeof(*l->flows), by_slot);
	return 0;
}

static int apply_contexts(struct db_ledger *l, struct db_ledger *update)
{
	struct db_context_row *mine, old;
	size_t i;

	for (i = 0; i < update->ncontexts; i++) {
		mine = db_ledger_context(l, &update->contexts[i]);
		if (!mine)
			mine = db_ledger_add_context(l);
		if (!mine)
			return -ENOMEM;
		old = *mine;
		*mine = update->contexts[i];
		update->contexts[i] = old;
	}
	return 0;
}

static int apply_points(struct db_ledger *l, const struct db_ledger *update)
{
	struct db_point_row *mine;
	size_t i;

	l->points_attached = 0;
	for (i = 0; i < update->npoints; i++) {
		mine = db_ledger_point(l, &update->points[i]);
		if (!mine)
			mine = db_ledger_add_point(l);
		if (!mine)
			return -ENOMEM;
		*mine = update->points[i];
	}
	for (i = 0; i < l->npoints; i++)
		if (l->points[i].how != DB_ATTACH_NONE)
			l->points_attached |= 1ULL << l->points[i].point;
	return 0;
}

bool db_update_adds_up(const struct db_ledger *l)
{
	struct db_ledger sum = { .flows = l->flows, .nflows = l->nflows };

	db_ledger_sum(&sum);
	return !memcmp(&sum.total, &l->total, sizeof(sum.total));
}

int db_update_apply(struct db_ledger *l, struct db_ledger *update)
{
	size_t i;
	int err;

	if (update->start_ns != l->start_ns || update->stop_ns < l->stop_ns)
		return -EPROTO;
	copy_rest(l, update);
	for (i = 0; i < DB_HIST_NR; i++)
		if (update->hists[i].count)
			l->hists[i] = update->hists[i];
	err = apply_flows(l, update);
	if (!err)
		err = apply_contexts(l, update);
	if (!err)
		err = apply_points(l, update);
	for (i = 0; i < update->ndevices && !err; i++)
		err = set_device(l, &update->devices[i]);
	if (!err && !db_update_adds_up(l))
		err = -EPROTO;
	return err;
}
