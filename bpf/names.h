/* SPDX-License-Identifier: GPL-2.0 */
/* Names taken from the kernel, from the innermost outwards. */
#ifndef DROPBEHIND_BPF_NAMES_H
#define DROPBEHIND_BPF_NAMES_H

#include "compat.h"
#include <dropbehind/records.h>

#define DB_NAME_DEPTH		24
#define DB_NAME_MAX		256		/* longest name and its NUL byte */

/* Appends the name at @name; returns the new end, or 0 when it may not have fitted. */
db_inline __u32 db_name_add(char *names, __u32 end, const void *name)
{
	long len;

	if (end > DB_PATH_LEN - DB_NAME_MAX)
		return 0;
	len = bpf_probe_read_kernel_str(names + end, DB_NAME_MAX, name);
	if (len <= 1 || len > DB_NAME_MAX)
		return 0;
	return end + len;
}

/* The names of a cgroup and those above it, to DB_PATH_LEN bytes; DB_NAMED_CGROUP if all fitted. */
db_inline __u32 db_name_cgroup(char *names, struct cgroup *cgrp)
{
	struct kernfs_node *kn = BPF_CORE_READ(cgrp, kn), *parent;
	__u32 end = 0, next;
	int i;

	for (i = 0; kn && i < DB_NAME_DEPTH; i++) {
		parent = db_kernfs_parent(kn);
		if (!parent)
			return DB_NAMED_CGROUP;
		next = db_name_add(names, end, BPF_CORE_READ(kn, name));
		if (!next)
			return 0;
		end = next;
		kn = parent;
	}
	return 0;
}

#endif
