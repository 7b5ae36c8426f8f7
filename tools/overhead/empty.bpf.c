// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that do nothing, one for each way to attach: what the hook itself
 * costs.  The loader opens this object once for each probe point and loads one
 * of them.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

SEC("raw_tp")
int empty_raw_tp(void *ctx)
{
	return 0;
}

SEC("fentry")
int empty_fentry(void *ctx)
{
	return 0;
}

SEC("fexit")
int empty_fexit(void *ctx)
{
	return 0;
}

SEC("kprobe")
int empty_kprobe(void *ctx)
{
	return 0;
}

SEC("kretprobe")
int empty_kretprobe(void *ctx)
{
	return 0;
}
