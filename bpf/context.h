/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Completion context as the kernel would have judged it at this place without
 * our probe, and who runs it.  The code is in context.bpf.c.
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
 * 32 bits, RCU nesting in the next 16, DB_RAW_* above.
 */
__u64 db_context_raw(__u32 irqs);

#define DB_RAW_KNOWN		(1ULL << 48)	/* preempt_count could be read */
#define DB_RAW_IRQS_KNOWN	(1ULL << 49)
#define DB_RAW_IRQS_OFF		(1ULL << 50)
#define DB_RAW_SOFTIRQ		(1ULL << 51)	/* serving a soft interrupt */

/*
 * The kernel's rule, bio_in_atomic() of 7.3: with CONFIG_PREEMPTION any RCU
 * nesting is unsafe; then everything but preemptible() is.  @how: mechanism of
 * the probe, whose own contributions were measured at start; @held: how often
 * the program itself has disabled preemption.  Returns an enum db_context.
 */
__u32 db_context_judge(__u32 how, __u32 irqs, __u32 held);

/* in_task() of the kernel, by the same judgement. */
db_inline bool db_context_in_task(__u32 context)
{
	return context != DB_CTX_HARDIRQ && context != DB_CTX_SOFTIRQ;
}

/* Who runs in @context; @wq: slot of the workqueue's name. */
__u32 db_runner(__u32 context, __u8 *wq);

/* Does current, a workqueue's worker, work for one of the general purpose workqueues ("events...")? */
bool db_on_events_wq(void);

/*
 * Counts one completion of @key's kind; wq and runner are filled in here.
 * @cgroup: address of the group that key->cgroup_id is of, 0: none.
 */
void db_context_count(struct db_context_key *key, __u64 pages, __u64 cgroup);

#endif
