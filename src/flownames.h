/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names for ring records: files, cgroups, workqueues and devices, each asked
 * for once.
 */
#ifndef DROPBEHIND_FLOWNAMES_H
#define DROPBEHIND_FLOWNAMES_H

#include "ledger.h"

struct db_session;

struct db_named_flow {
	struct db_flow flow;	/* counts are not filled */
	char device[32];
	bool known;
};

struct db_flow_names {
	struct db_session *session;	/* asked for what is not known; NULL: nobody is */
	struct db_named_flow **flows;	/* by slot, NULL: not asked for; owned */
	size_t nflows;
	char (*wqs)[DB_NAME_LEN];	/* by slot, empty: not asked for; owned */
	size_t nwqs;
	struct db_device *devices;	/* owned */
	size_t ndevices;
};

void db_flow_names_init(struct db_flow_names *names, struct db_session *session);
/* All names a ledger has and no others.  0 or -ENOMEM, to be freed then as well. */
int db_flow_names_from_ledger(struct db_flow_names *names, const struct db_ledger *ledger);

/* Makes a workqueue's name known.  0 or -ENOMEM. */
int db_flow_names_set_wq(struct db_flow_names *names, __u32 slot, const char *name);

void db_flow_names_free(struct db_flow_names *names);

/*
 * Never NULL; one that is not (or not yet) known has known false.  Valid until
 * the next call.
 */
const struct db_named_flow *db_flow_name(struct db_flow_names *names, __u32 slot);

/* "xfs-conv/sda1"; empty for slot 0 and unknown ones.  Valid until the next call. */
const char *db_wq_name(struct db_flow_names *names, __u32 slot);

/* "sda1".  Valid until the next call. */
const char *db_dev_name(struct db_flow_names *names, __u32 dev);

#endif
