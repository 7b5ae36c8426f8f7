/* SPDX-License-Identifier: GPL-2.0 */
/* From the names the kernel side took to paths a person knows. */
#ifndef DROPBEHIND_NAMES_H
#define DROPBEHIND_NAMES_H

#include "ledger.h"

/*
 * Sets file, cgroup and how they were found from what the kernel side kept of
 * a new flow.  0 or -ENOMEM.
 */
int db_name_flow(struct db_flow *flow, const struct db_flow_info *info);

/*
 * Path of a cgroup in its hierarchy, to be freed; "..." before what is known
 * of it when that is not all.  NULL when out of memory.
 */
char *db_name_cgroup(const char *names, bool whole);

/*
 * Adds to the ledger the names of all devices in its flows and contexts.  0 or
 * -ENOMEM.
 */
int db_name_devices(struct db_ledger *ledger);

/* Name of a block device ("sda1"); "MAJOR:MINOR" when it is not known.  @size >= 32. */
void db_device_name(__u32 dev, char *name, size_t size);

#endif
