// SPDX-License-Identifier: GPL-2.0
/* Reads the state that decides a completion context. */
#include "context.h"

char LICENSE[] SEC("license") = "GPL";

__hidden __u64 db_context_raw(__u32 irqs)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct task_struct___rt *rt = (void *)task;
	struct task_struct___rcu *rcu = (void *)task;
	unsigned long irq_slot, irq_flags = 0;
	struct db_config *cfg = db_cfg();
	__u32 preempt = 0, softirq;
	__u64 raw = 0;

	if (cfg && db_preempt_count(cfg->preempt_count_delta, &preempt))
		raw |= DB_RAW_KNOWN;
	softirq = preempt;
	if (bpf_core_field_exists(rt->softirq_disable_cnt))
		softirq = BPF_CORE_READ(rt, softirq_disable_cnt);
	if (softirq & DB_SOFTIRQ_SERVING)
		raw |= DB_RAW_SOFTIRQ;
	if (bpf_core_field_exists(rcu->rcu_read_lock_nesting))
		raw |= ((__u64)BPF_CORE_READ(rcu, rcu_read_lock_nesting) & 0xffff) << 32;
	if (irqs != DB_IRQS_ASK) {
		raw |= DB_RAW_IRQS_KNOWN;
		if (irqs == DB_IRQS_OFF)
			raw |= DB_RAW_IRQS_OFF;
	} else if (bpf_local_irq_save && bpf_local_irq_restore) {
		bpf_local_irq_save(&irq_slot);
		bpf_probe_read_kernel(&irq_flags, sizeof(irq_flags), &irq_slot);
		bpf_local_irq_restore(&irq_slot);
		raw |= DB_RAW_IRQS_KNOWN;
		if (db_flags_irqs_off(irq_flags))
			raw |= DB_RAW_IRQS_OFF;
	}
	return raw | preempt;
}
