/* SPDX-License-Identifier: GPL-2.0 */
/* What stands between tracing and the kernel, beside capabilities. */
#ifndef DROPBEHIND_SECURITY_H
#define DROPBEHIND_SECURITY_H

#include <stddef.h>

/* Each text is a value, or empty with the reason in the member behind it. */
struct db_security {
	char lockdown[32];	/* "none", "integrity", "confidentiality" */
	char lockdown_why[96];
	char lsm[128];		/* active security modules, comma-separated */
	char lsm_why[96];
	int bpf_stats;		/* 1: the kernel times BPF programs, 0: not, -1: unknown */
	int perf_paranoid;	/* kernel.perf_event_paranoid, -1: unknown */
	int seccomp;		/* of this process: 1 or 2: it has a filter, 0: none, -1: unknown */
};

/*
 * Above this Debian's kernels (and those of some phones) let nobody open perf
 * events, and kprobes are perf events, but CAP_SYS_ADMIN; CAP_PERFMON is not
 * enough.
 */
#define DB_PERF_PARANOID_MAX	2

void db_security_read(struct db_security *security);

/*
 * Why a program or its attachment was refused, in words, from the errno of it
 * (negative).  @size >= 128.
 */
void db_security_explain(const struct db_security *security, int err, char *why, size_t size);

#endif
