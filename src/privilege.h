/* SPDX-License-Identifier: GPL-2.0 */
/* Capabilities: what tracing needs, and giving up what it does not need any more. */
#ifndef DROPBEHIND_PRIVILEGE_H
#define DROPBEHIND_PRIVILEGE_H

#include <stddef.h>

/*
 * Are the capabilities for loading tracing programs there: CAP_BPF and
 * CAP_PERFMON, or CAP_SYS_ADMIN?  0, or -EPERM with the words in @why.
 */
int db_privilege_check(char *why, size_t size);

#endif
