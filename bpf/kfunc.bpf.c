// SPDX-License-Identifier: GPL-2.0
/* Kernel functions that programs of several objects call. */
#include "compat.h"

char LICENSE[] SEC("license") = "GPL";

extern void *bpf_rdonly_cast(const void *address, __u32 type) __ksym;

__hidden void *db_rdonly(__u64 address, __u32 type)
{
	return bpf_rdonly_cast((void *)address, type);
}
