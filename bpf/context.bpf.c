// SPDX-License-Identifier: GPL-2.0
/* Judges completion contexts, names who runs them, counts them. */
#include "context.h"
#include "names.h"

char LICENSE[] SEC("license") = "GPL";

/* Address of this CPU's preempt_count; found once. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} db_preempt_at SEC(".maps");

db_inline bool db_preempt_count(const struct db_config *cfg, __u32 *count)
{
	__u32 zero = 0;
	__u64 *at, rq;

	if (!cfg->preempt_count_delta)
		return db_task_preempt_count(count);
	at = bpf_map_lookup_elem(&db_preempt_at, &zero);
	if (!at)
		return false;
	if (!*at) {
		rq = db_this_rq();
		if (!rq)
			return false;
		*at = rq + cfg->preempt_count_delta;
	}
	*count = db_load32(*at) & 0x7fffffff;
	return true;
}

db_inline __u32 db_softirq_count(struct task_struct *task, __u32 preempt)
{
	struct task_struct___rt *rt = (void *)task;

	if (bpf_core_field_exists(rt->softirq_disable_cnt))
		return rt->softirq_disable_cnt;
	return preempt;
}

db_inline __s32 db_rcu_nesting(struct task_struct *task)
{
	struct task_struct___rcu *rcu = (void *)task;

	return bpf_core_field_exists(rcu->rcu_read_lock_nesting) ? rcu->rcu_read_lock_nesting : 0;
}

/* DB_IRQS_*; DB_IRQS_ASK back: cannot be told. */
db_inline __u32 db_irqs(__u32 irqs)
{
	__u64 flags;

	if (irqs != DB_IRQS_ASK)
		return irqs;
	flags = db_irq_flags();
	if (flags == DB_NO_IRQ_FLAGS)
		return irqs;
	return db_flags_irqs_off(flags) ? DB_IRQS_OFF : DB_IRQS_ON;
}

__hidden __u64 db_context_raw(__u32 irqs)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct db_config *cfg = db_cfg();
	__u32 preempt = 0;
	__u64 raw = 0;

	if (cfg && db_preempt_count(cfg, &preempt))
		raw |= DB_RAW_KNOWN;
	if (db_softirq_count(task, preempt) & DB_SOFTIRQ_SERVING)
		raw |= DB_RAW_SOFTIRQ;
	raw |= ((__u64)db_rcu_nesting(task) & 0xffff) << 32;
	irqs = db_irqs(irqs);
	if (irqs != DB_IRQS_ASK)
		raw |= DB_RAW_IRQS_KNOWN;
	if (irqs == DB_IRQS_OFF)
		raw |= DB_RAW_IRQS_OFF;
	return raw | preempt;
}

__hidden __u32 db_context_judge(__u32 how, __u32 irqs, __u32 held)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct db_config *cfg = db_cfg();
	__u32 preempt = 0, count;

	if (!cfg || !cfg->context_known || how >= DB_ATTACH_NR || !db_preempt_count(cfg, &preempt))
		return DB_CTX_UNKNOWN;
	count = preempt - cfg->base_preempt[how] - held;
	if (count & (cfg->mask_hardirq | cfg->mask_nmi))
		return DB_CTX_HARDIRQ;
	if (db_softirq_count(task, preempt) & DB_SOFTIRQ_SERVING)
		return DB_CTX_SOFTIRQ;
	irqs = db_irqs(irqs);
	if (irqs == DB_IRQS_OFF || count & cfg->mask_irqs_off)
		return DB_CTX_IRQS_OFF;
	if (count || !cfg->config_preempt_count)
		return DB_CTX_PREEMPT_OFF;
	if (cfg->config_preemption && db_rcu_nesting(task) - cfg->base_rcu[how] > 0)
		return DB_CTX_RCU_READER;
	return irqs == DB_IRQS_ON ? DB_CTX_TASK : DB_CTX_UNKNOWN;
}

/* Last answers on this CPU; the check guards against programs that write at once. */
struct db_wq_memo {
	__u64 wq;
	__u32 slot;
	__u32 check;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct db_wq_memo);
} db_wq_memos SEC(".maps");

/* Learns the name of a workqueue; returns its slot. */
static __noinline __u32 db_wq_learn(__u64 wq)
{
	__u32 zero = 0, slot;
	__u32 *known = bpf_map_lookup_elem(&db_wq_index, &wq);
	struct db_next *next;
	struct db_wq_name *name;

	if (known)
		return *known;
	next = bpf_map_lookup_elem(&db_next, &zero);
	if (!next || next->wq >= DB_MAX_WQ - 1)
		return DB_MAX_WQ - 1;
	slot = __sync_fetch_and_add(&next->wq, 1) + 1;
	if (slot >= DB_MAX_WQ - 1)
		return DB_MAX_WQ - 1;
	name = bpf_map_lookup_elem(&db_wq_names, &slot);
	if (!name)
		return 0;
	BPF_CORE_READ_STR_INTO(&name->name, (struct workqueue_struct *)wq, name);
	bpf_map_update_elem(&db_wq_index, &wq, &slot, BPF_ANY);
	return slot;
}

/*
 * Slot of the name of the workqueue that current works for; 0: unknown.  A
 * kthread's data is its worker, as in workqueue.c's current_wq_worker().
 */
db_inline __u32 db_current_wq(struct task_struct *task)
{
	struct kthread *kthread = db_typed(struct kthread, task->worker_private);
	struct worker *worker = db_typed(struct worker, kthread->data);
	struct db_wq_memo *memo, copy;
	__u32 zero = 0;
	__u64 wq = 0;

	memo = bpf_map_lookup_elem(&db_wq_memos, &zero);
	if (!memo)
		return 0;
	/* as a number, to compute with */
	bpf_core_read(&wq, sizeof(wq), &worker->current_pwq->wq);
	copy = *memo;
	if (copy.wq == wq && copy.check == (__u32)wq + copy.slot)
		return copy.slot;
	copy.wq = wq;
	copy.slot = wq ? db_wq_learn(wq) : 0;
	copy.check = (__u32)wq + copy.slot;
	*memo = copy;
	return copy.slot;
}

/* The flushers' workqueue is called "writeback". */
db_inline bool db_is_flusher(__u32 slot)
{
	struct db_wq_name *name = bpf_map_lookup_elem(&db_wq_names, &slot);

	return name && *(__u64 *)name->name == DB_WRITEBACK_WORD && name->name[8] == 'k' &&
	       !name->name[9];
}

db_inline bool db_is_ksoftirqd(struct task_struct *task)
{
	return task->comm[0] == 'k' && task->comm[1] == 's' && task->comm[2] == 'o' &&
	       task->comm[3] == 'f' && task->comm[4] == 't' && task->comm[5] == 'i';
}

__hidden __u32 db_runner(__u32 context, __u8 *wq)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 flags, slot;

	*wq = 0;
	if (context == DB_CTX_HARDIRQ)
		return DB_RUN_INTERRUPTED;
	flags = task->flags;
	if ((flags & (DB_PF_KTHREAD | DB_PF_WQ_WORKER)) == DB_PF_KTHREAD && db_is_ksoftirqd(task))
		return DB_RUN_KSOFTIRQD;
	if (context == DB_CTX_SOFTIRQ)
		return DB_RUN_INTERRUPTED;
	if (!task->pid)
		return DB_RUN_IDLE;
	if (flags & DB_PF_WQ_WORKER) {
		slot = db_current_wq(task);
		*wq = slot;
		return db_is_flusher(slot) ? DB_RUN_FLUSHER : DB_RUN_KWORKER;
	}
	return flags & DB_PF_KTHREAD ? DB_RUN_KTHREAD : DB_RUN_TASK;
}

__hidden bool db_on_events_wq(void)
{
	__u32 slot = db_current_wq(bpf_get_current_task_btf());
	struct db_wq_name *name = bpf_map_lookup_elem(&db_wq_names, &slot);

	return name && name->name[0] == 'e' && name->name[1] == 'v' && name->name[2] == 'e' &&
	       name->name[3] == 'n' && name->name[4] == 't' && name->name[5] == 's';
}

struct db_context_memo {
	struct db_context_key key;
	__u32 slot;
	__u32 check;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct db_context_memo);
} db_context_memos SEC(".maps");

db_inline __u32 db_context_check(const struct db_context_memo *memo)
{
	const __u64 *words = (const __u64 *)&memo->key;

	return words[0] * 3 + words[1] * 5 + (words[0] >> 32) * 7 + memo->slot * 11 + 1;
}

/* Nothing, to begin a value with that is too large for the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct db_cgroup_names);
} db_no_names SEC(".maps");

/* The cgroup may be gone when the report is made. Without room for it its number is all there is. */
db_inline void db_cgroup_learn(__u64 id, __u64 cgroup)
{
	struct db_cgroup_names *names;
	__u32 zero = 0;

	names = bpf_map_lookup_elem(&db_no_names, &zero);
	if (!id || !names || bpf_map_update_elem(&db_bio_cgroups, &id, names, BPF_NOEXIST))
		return;
	names = bpf_map_lookup_elem(&db_bio_cgroups, &id);
	if (names)
		names->names = db_name_cgroup(names->cgroup, (struct cgroup *)cgroup);
}

/* Slot for a key; DB_MAX_CONTEXTS when there is no room for another. */
static __noinline __u32 db_context_slot(struct db_context_key *key, __u64 cgroup)
{
	__u32 zero = 0, slot, *known;
	struct db_next *next;

	if (!key)
		return DB_MAX_CONTEXTS;
	known = bpf_map_lookup_elem(&db_context_index, key);
	if (known)
		return *known;
	next = bpf_map_lookup_elem(&db_next, &zero);
	if (!next || next->context >= DB_MAX_CONTEXTS)
		return DB_MAX_CONTEXTS;
	slot = __sync_fetch_and_add(&next->context, 1);
	if (slot >= DB_MAX_CONTEXTS)
		return DB_MAX_CONTEXTS;
	if (!bpf_map_update_elem(&db_context_index, key, &slot, BPF_NOEXIST)) {
		db_cgroup_learn(key->cgroup_id, cgroup);
		return slot;
	}
	known = bpf_map_lookup_elem(&db_context_index, key);
	return known ? *known : DB_MAX_CONTEXTS;
}

__hidden void db_context_count(struct db_context_key *key, __u64 pages, __u64 cgroup)
{
	struct db_context_memo *memo, copy;
	struct db_count *count;
	__u32 zero = 0, slot;

	key->runner = db_runner(key->context, &key->wq);
	memo = bpf_map_lookup_elem(&db_context_memos, &zero);
	if (!memo)
		return;
	copy = *memo;
	if (copy.key.dev == key->dev && copy.key.cgroup_id == key->cgroup_id &&
	    copy.key.place == key->place && copy.key.context == key->context &&
	    copy.key.runner == key->runner && copy.key.wq == key->wq &&
	    copy.check == db_context_check(&copy)) {
		slot = copy.slot;
	} else {
		slot = db_context_slot(key, cgroup);
		copy.key = *key;
		copy.slot = slot;
		copy.check = db_context_check(&copy);
		*memo = copy;
	}
	count = bpf_map_lookup_elem(&db_context_counts, &slot);
	if (!count) {
		db_lose(DB_LOSS_CONTEXT_FULL, 1);
		return;
	}
	__sync_fetch_and_add(&count->folios, 1);
	if (pages)
		__sync_fetch_and_add(&count->pages, pages);
}
