/* SPDX-License-Identifier: GPL-2.0 */
/* What a probe sees of its own context when called from plain task context. */
#ifndef DROPBEHIND_CALIBRATE_H
#define DROPBEHIND_CALIBRATE_H

struct db_calibration {
	__u64 hits;		/* how often it ran; 0: the mechanism does not work here */
	__u32 preempt;		/* preempt_count */
	__s32 rcu;		/* RCU nesting depth */
	__u32 known;		/* 1: preempt_count could be read */
	__u32 irqs_known;	/* 1: the interrupt flag could be read */
	__u32 irqs_off;		/* must be 0 here */
	__u32 serving_softirq;	/* must be 0 here */
	__u32 cpu;		/* this CPU's number by the BPF helper */
	__u32 cpu_read;		/* the same read like preempt_count; must be equal */
};

#endif
