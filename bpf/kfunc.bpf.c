// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel functions that programs call: libbpf 1.1 links no two objects that
 * name the same one.  What they are for is said in the headers.
 */
#include "compat.h"

char LICENSE[] SEC("license") = "GPL";

extern void *bpf_rdonly_cast(const void *address, __u32 type) __ksym;

__hidden void *db_rdonly(__u64 address, __u32 type)
{
	return bpf_rdonly_cast((void *)address, type);
}

extern void bpf_local_irq_save(unsigned long *flags) __ksym __weak;
extern void bpf_local_irq_restore(unsigned long *flags) __ksym __weak;

__hidden __u64 db_irq_flags(void)
{
	unsigned long slot, flags = 0;

	if (!bpf_local_irq_save || !bpf_local_irq_restore)
		return DB_NO_IRQ_FLAGS;
	bpf_local_irq_save(&slot);
	bpf_probe_read_kernel(&flags, sizeof(flags), &slot);
	bpf_local_irq_restore(&slot);
	return flags;
}

extern void bpf_preempt_disable(void) __ksym __weak;
extern void bpf_preempt_enable(void) __ksym __weak;

__hidden __u32 db_preempt_off(void)
{
	if (!bpf_preempt_disable || !bpf_preempt_enable)
		return 0;
	bpf_preempt_disable();
	return 1;
}

__hidden void db_preempt_on(void)
{
	unsigned long slot;

	if (!bpf_preempt_disable || !bpf_preempt_enable)
		return;
	if (!bpf_local_irq_save || !bpf_local_irq_restore) {
		bpf_preempt_enable();
		return;
	}
	bpf_local_irq_save(&slot);
	bpf_preempt_enable();
	bpf_local_irq_restore(&slot);
}
