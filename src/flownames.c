// SPDX-License-Identifier: GPL-2.0
#include "flownames.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect.h"
#include "names.h"

/* Slots are small numbers; anything above is not one. */
#define SLOTS_MAX	(1U << 20)

void db_flow_names_init(struct db_flow_names *names, struct db_session *session)
{
	memset(names, 0, sizeof(*names));
	names->session = session;
}

void db_flow_names_free(struct db_flow_names *names)
{
	size_t i;

	for (i = 0; i < names->nflows; i++) {
		if (!names->flows[i])
			continue;
		free(names->flows[i]->flow.file);
		free(names->flows[i]->flow.cgroup);
		free(names->flows[i]);
	}
	free(names->flows);
	free(names->wqs);
	free(names->devices);
	memset(names, 0, sizeof(*names));
}

/* Makes room for element @slot; new elements are zeroed.  False when there is none. */
static bool grow(void **array, size_t *n, size_t size, __u32 slot)
{
	size_t wanted = slot + 64UL;
	void *bigger;

	if (slot < *n)
		return true;
	if (slot >= SLOTS_MAX)
		return false;
	bigger = realloc(*array, wanted * size);
	if (!bigger)
		return false;
	memset((char *)bigger + *n * size, 0, (wanted - *n) * size);
	*array = bigger;
	*n = wanted;
	return true;
}

static int copy_flow(struct db_flow_names *names, const struct db_ledger *ledger,
		     const struct db_flow *from)
{
	struct db_named_flow *flow;
	char room[32];

	if (from->slot >= SLOTS_MAX)
		return 0;
	if (!grow((void **)&names->flows, &names->nflows, sizeof(*names->flows), from->slot))
		return -ENOMEM;
	flow = calloc(1, sizeof(*flow));
	if (!flow)
		return -ENOMEM;
	names->flows[from->slot] = flow;
	flow->known = true;
	flow->flow = *from;
	flow->flow.file = from->file ? strdup(from->file) : NULL;
	flow->flow.cgroup = from->cgroup ? strdup(from->cgroup) : NULL;
	snprintf(flow->device, sizeof(flow->device), "%s",
		 db_ledger_device(ledger, from->bdev ? from->bdev : from->dev, room, sizeof(room)));
	return (from->file && !flow->flow.file) || (from->cgroup && !flow->flow.cgroup) ? -ENOMEM : 0;
}

int db_flow_names_set_wq(struct db_flow_names *names, __u32 slot, const char *name)
{
	if (!slot)
		return 0;
	if (!grow((void **)&names->wqs, &names->nwqs, sizeof(*names->wqs), slot))
		return -ENOMEM;
	snprintf(names->wqs[slot], sizeof(names->wqs[slot]), "%s", name);
	return 0;
}

int db_flow_names_from_ledger(struct db_flow_names *names, const struct db_ledger *ledger)
{
	size_t i;
	int err = 0;

	db_flow_names_init(names, NULL);
	for (i = 0; i < ledger->nflows && !err; i++)
		err = copy_flow(names, ledger, &ledger->flows[i]);
	for (i = 0; i < ledger->ncontexts && !err; i++)
		err = db_flow_names_set_wq(names, ledger->contexts[i].key.wq,
					   ledger->contexts[i].wq);
	if (err || !ledger->ndevices)
		return err;
	names->devices = malloc(ledger->ndevices * sizeof(*names->devices));
	if (!names->devices)
		return -ENOMEM;
	memcpy(names->devices, ledger->devices, ledger->ndevices * sizeof(*names->devices));
	names->ndevices = ledger->ndevices;
	return 0;
}

const struct db_named_flow *db_flow_name(struct db_flow_names *names, __u32 slot)
{
	static const struct db_named_flow unknown;
	struct db_flow_info info = {};
	struct db_named_flow *flow;

	if (!grow((void **)&names->flows, &names->nflows, sizeof(*names->flows), slot))
		return &unknown;
	if (names->flows[slot])
		return names->flows[slot];
	if (!slot || !names->session || db_collect_flow_info(names->session, slot, &info) || !info.used)
		return &unknown;
	flow = calloc(1, sizeof(*flow));
	if (!flow)
		return &unknown;
	flow->known = true;
	flow->flow.slot = slot;
	flow->flow.dev = info.key.dev;
	flow->flow.ino = info.key.ino;
	flow->flow.gen = info.key.gen;
	flow->flow.cgroup_id = info.key.cgroup_id;
	memcpy(flow->flow.fs, info.fs, sizeof(flow->flow.fs) - 1);
	/* Out of memory leaves names out, no more. */
	db_name_flow(&flow->flow, &info);
	db_device_name(info.bdev ? info.bdev : info.key.dev, flow->device, sizeof(flow->device));
	names->flows[slot] = flow;
	return flow;
}

const char *db_wq_name(struct db_flow_names *names, __u32 slot)
{
	if (!slot || !grow((void **)&names->wqs, &names->nwqs, sizeof(*names->wqs), slot))
		return "";
	if (!names->wqs[slot][0] && names->session)
		db_collect_wq_name(names->session, slot, names->wqs[slot]);
	return names->wqs[slot];
}

const char *db_dev_name(struct db_flow_names *names, __u32 dev)
{
	struct db_device *device = NULL;
	size_t i;

	for (i = 0; i < names->ndevices; i++) {
		device = &names->devices[i];
		if (device->dev == dev)
			return device->name;
	}
	device = realloc(names->devices, (names->ndevices + 1) * sizeof(*device));
	if (!device)
		return "?";
	names->devices = device;
	device += names->ndevices++;
	device->dev = dev;
	if (names->session)
		db_device_name(dev, device->name, sizeof(device->name));
	else
		snprintf(device->name, sizeof(device->name), "%u:%u", dev >> 20, dev & 0xfffff);
	return device->name;
}
