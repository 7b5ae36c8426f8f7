/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Completion context as the kernel would have judged it at this place without
 * our probe, and who runs it.
 */
#ifndef DROPBEHIND_BPF_CONTEXT_H
#define DROPBEHIND_BPF_CONTEXT_H

#include "maps.h"

/* What a handler knows of the interrupt flag by itself: kprobes have registers, others nothing. */
#define DB_IRQS_ON	0
#define DB_IRQS_OFF	1
#define DB_IRQS_ASK	2

#define db_irqs_of(regs)	(db_regs_irqs_off(regs) ? DB_IRQS_OFF : DB_IRQS_ON)

/*
 * State of this context as a probe sees it, packed: preempt_count in the low
 * 32 bits, RCU nesting in the next 16, DB_RAW_* above.  In an object of its
 * own (context.bpf.c) because libbpf 1.1 links no two objects that both name
 * the same kernel functions.
 */
__u64 db_context_raw(__u32 irqs);

#define DB_RAW_KNOWN		(1ULL << 48)	/* preempt_count could be read */
#define DB_RAW_IRQS_KNOWN	(1ULL << 49)
#define DB_RAW_IRQS_OFF		(1ULL << 50)
#define DB_RAW_SOFTIRQ		(1ULL << 51)	/* serving a soft interrupt */

/*
 * The kernel's rule, bio_in_atomic() of 7.3: with CONFIG_PREEMPTION any RCU
 * nesting is unsafe; then everything but preemptible() is.  @how: mechanism of
 * the probe, whose own contributions were measured at start.
 */
db_inline enum db_context db_context_judge(const struct db_config *cfg, enum db_attach how,
					   __u32 irqs)
{
	__u64 raw;
	__u32 count;
	__s32 rcu;

	if (!cfg->context_known)
		return DB_CTX_UNKNOWN;
	raw = db_context_raw(irqs);
	if (!(raw & DB_RAW_KNOWN))
		return DB_CTX_UNKNOWN;
	count = (__u32)raw - cfg->base_preempt[how];
	rcu = (__s32)((raw >> 32) & 0xffff) - cfg->base_rcu[how];
	if (count & (cfg->mask_hardirq | cfg->mask_nmi))
		return DB_CTX_HARDIRQ;
	if (raw & DB_RAW_SOFTIRQ)
		return DB_CTX_SOFTIRQ;
	if (raw & DB_RAW_IRQS_OFF || count & cfg->mask_irqs_off)
		return DB_CTX_IRQS_OFF;
	if (count || !cfg->config_preempt_count)
		return DB_CTX_PREEMPT_OFF;
	if (rcu > 0 && cfg->config_preemption)
		return DB_CTX_RCU_READER;
	if (!(raw & DB_RAW_IRQS_KNOWN))
		return DB_CTX_UNKNOWN;
	return DB_CTX_TASK;
}

/* in_task() of the kernel, by the same judgement. */
db_inline bool db_context_in_task(enum db_context context)
{
	return context != DB_CTX_HARDIRQ && context != DB_CTX_SOFTIRQ;
}

/*
 * The task's own idea of the worker it is: kthread's data is the worker.
 * workqueue.c: current_wq_worker() does the same.
 */
struct kthread___db {
	void *data;
} __attribute__((preserve_access_index));

db_inline struct worker *db_current_worker(struct task_struct *task)
{
	struct kthread___db *kthread = BPF_CORE_READ(task, worker_private);

	return kthread ? BPF_CORE_READ(kthread, data) : NULL;
}

/* Slot of a workqueue's name; learns it when first seen.  0: unknown. */
db_inline __u32 db_wq_slot(struct workqueue_struct *wq)
{
	__u64 key = (__u64)wq;
	__u32 zero = 0, slot;
	__u32 *known = bpf_map_lookup_elem(&db_wq_index, &key);
	struct db_next *next;
	struct db_wq_name *name;

	if (known)
		return *known;
	next = bpf_map_lookup_elem(&db_next, &zero);
	if (!wq || !next)
		return 0;
	if (next->wq >= DB_MAX_WQ - 1)
		return DB_MAX_WQ - 1;
	slot = __sync_fetch_and_add(&next->wq, 1) + 1;
	if (slot >= DB_MAX_WQ - 1)
		return DB_MAX_WQ - 1;
	name = bpf_map_lookup_elem(&db_wq_names, &slot);
	if (!name)
		return 0;
	BPF_CORE_READ_STR_INTO(&name->name, wq, name);
	bpf_map_update_elem(&db_wq_index, &key, &slot, BPF_ANY);
	return slot;
}

/* Does this task run work of the flushers?  Their workqueue is called "writeback". */
db_inline bool db_is_flusher(__u32 slot)
{
	struct db_wq_name *name = bpf_map_lookup_elem(&db_wq_names, &slot);

	return name && name->name[0] == 'w' && name->name[1] == 'r' && name->name[2] == 'i' &&
	       name->name[3] == 't' && name->name[4] == 'e' && name->name[5] == 'b' &&
	       name->name[6] == 'a' && name->name[7] == 'c' && name->name[8] == 'k' &&
	       name->name[9] == 0;
}

db_inline enum db_runner db_runner(enum db_context context, __u8 *wq)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	unsigned int flags = BPF_CORE_READ(task, flags);
	char comm[12] = {};
	struct worker *worker;
	__u32 slot;

	*wq = 0;
	if (context == DB_CTX_HARDIRQ)
		return DB_RUN_INTERRUPTED;
	if (flags & DB_PF_KTHREAD) {
		BPF_CORE_READ_STR_INTO(&comm, task, comm);
		if (comm[0] == 'k' && comm[1] == 's' && comm[2] == 'o' && comm[3] == 'f' &&
		    comm[4] == 't' && comm[5] == 'i' && comm[6] == 'r' && comm[7] == 'q' &&
		    comm[8] == 'd')
			return DB_RUN_KSOFTIRQD;
	}
	if (context == DB_CTX_SOFTIRQ)
		return DB_RUN_INTERRUPTED;
	if (!BPF_CORE_READ(task, pid))
		return DB_RUN_IDLE;
	if (flags & DB_PF_WQ_WORKER) {
		worker = db_current_worker(task);
		slot = worker ? db_wq_slot(BPF_CORE_READ(worker, current_pwq, wq)) : 0;
		*wq = slot;
		return db_is_flusher(slot) ? DB_RUN_FLUSHER : DB_RUN_KWORKER;
	}
	return flags & DB_PF_KTHREAD ? DB_RUN_KTHREAD : DB_RUN_TASK;
}

db_inline void db_context_count(enum db_place place, __u32 dev, __u64 cgroup_id,
				enum db_context context, __u64 folios, __u64 pages)
{
	struct db_context_key key = {
		.dev = dev,
		.place = place,
		.context = context,
		.cgroup_id = cgroup_id,
	};
	struct db_count zero = {}, *count;

	key.runner = db_runner(context, &key.wq);
	count = bpf_map_lookup_elem(&db_contexts, &key);
	if (!count) {
		bpf_map_update_elem(&db_contexts, &key, &zero, BPF_NOEXIST);
		count = bpf_map_lookup_elem(&db_contexts, &key);
		if (!count) {
			db_lose(DB_LOSS_CONTEXT_FULL, 1);
			return;
		}
	}
	__sync_fetch_and_add(&count->folios, folios);
	__sync_fetch_and_add(&count->pages, pages);
}

#endif
