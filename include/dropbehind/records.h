/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Layouts of map values and ring records.  Shared by BPF programs and user
 * space: fixed-width members, explicit padding, always zeroed before use.
 */
#ifndef DROPBEHIND_RECORDS_H
#define DROPBEHIND_RECORDS_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif
#include "terms.h"

#define DB_NAME_LEN		24	/* workqueue names */
#define DB_FS_LEN		16	/* filesystem type names */
#define DB_PATH_LEN		512	/* joined names, each ended by a NUL byte */
#define DB_ORDERS		16	/* folio orders; the last also takes larger ones */
#define DB_MAX_CPUS		1024

/*
 * Latency histograms are log-linear: each power of two is cut into
 * DB_HIST_SUB equal buckets, so a value reported as the middle of its bucket
 * is off by at most 1 / (2 * DB_HIST_SUB) = 3.2 %.  Values below DB_HIST_SUB
 * are exact.
 */
#define DB_HIST_SUB_BITS	4
#define DB_HIST_SUB		(1 << DB_HIST_SUB_BITS)
#define DB_HIST_MAX_BITS	44	/* 2^44 ns = 4.9 hours; larger values go into the last bucket */
#define DB_HIST_BUCKETS		((DB_HIST_MAX_BITS - DB_HIST_SUB_BITS + 1) * DB_HIST_SUB)

/* One histogram of one CPU.  The count is the sum of the buckets. */
struct db_hist_data {
	__u64 sum;		/* of the values, ns (or a plain number for depths); low half */
	__u64 sum_high;		/* a million folios a second, resident for a second each, fill the low one in 5 h */
	__u64 min_inv;		/* ~minimum, so that zeroed memory means "no value yet" */
	__u64 max;
	__u64 bucket[DB_HIST_BUCKETS];
};

struct db_count {
	__u64 folios;
	__u64 pages;
};

/*
 * One tracked dropbehind folio; a slot of the folio table.  The table is a
 * plain array indexed by the position of the folio's struct page in memory: no
 * lock, no allocation, one cache line.
 */
struct db_folio {
	__u64 tag;		/* address of the folio; 0: free */
	__u64 birth_ns;		/* CLOCK_MONOTONIC */
	__u64 wb_start_ns;	/* of the last writeback; 0: not seen */
	__u64 wb_end_ns;	/* 0: not seen */
	__u64 left_ns;		/* when it was left behind; 0: was not */
	__u32 flow;		/* index into the flow tables */
	__u32 pages_left;	/* pages not yet gone; less than born after a split */
	__u32 outcome;		/* enum db_outcome; leaves DB_OUT_NONE once, by compare and swap */
	__u8 op;		/* enum db_op */
	__u8 order;
	__u8 state;		/* DB_FOLIO_* */
	__u8 looked;		/* what the last sweep made of it, DB_LOOK_* */
	__u32 displaced;	/* folios whose home this slot is and that live elsewhere */
	__u32 ender;		/* DB_ENDER(pid) of the task that tries to drop it after writeback, or 0 */
};

/*
 * The task that ends writeback and a reader may both try to drop a folio at
 * once; only one of them gets its lock.  What the holder of the lock notes
 * (state) and what the other one does (ender) must not share a byte.
 */
#define DB_FOLIO_TRIED		0x01	/* invalidation was called for it; set under the folio lock */
#define DB_ENDER(pid)		((pid) | 0x80000000U)	/* pids are smaller than 2^22 */

/* A state that passes quickly counts only when two sweeps in a row see it. */
#define DB_LOOK_OTHER		0
#define DB_LOOK_CLAIMED		1
#define DB_LOOK_CLEAN		2

/*
 * A flow is what folios are attributed to: one inode charged to one memory
 * cgroup.  ino 0: the flow table was filling up and this flow stands for all
 * remaining files of that device and cgroup.
 */
struct db_flow_key {
	__u64 ino;
	__u64 cgroup_id;	/* kernfs id of the folio's memory cgroup; 0: none */
	__u32 dev;		/* kernel's dev_t of the super block (major << 20 | minor) */
	__u32 gen;		/* inode generation */
};

struct db_flow_info {
	struct db_flow_key key;
	__u32 used;		/* 0: slot not in use */
	__u32 bdev;		/* for block devices' own page cache: the device; else 0 */
	__u64 first_ns;
	__u32 names;		/* DB_NAMED_* */
	__u32 pad;
	char fs[DB_FS_LEN];
	/* Names from the innermost outwards, each ended by a NUL byte, the list by an empty name. */
	char file[DB_PATH_LEN];		/* from the inode's dentry; empty if it has none */
	char cgroup[DB_PATH_LEN];	/* kernfs names of the cgroup */
};

#define DB_NAMED_FILE		0x01	/* file is whole, up to the root of its filesystem */
#define DB_NAMED_CGROUP		0x02	/* cgroup is whole */

/*
 * Folios as handlers count them: one addition does for a small folio.  They
 * have folios + more_pages pages (modulo 2^64: parts of a split folio count
 * their pages, and the last of them the folio).
 */
struct db_tally {
	__u64 folios;
	__u64 more_pages;
};

/*
 * What handlers count for each flow, in the order of struct db_flow_counts.
 * Births are counted on the CPU of a writer, the rest elsewhere: they share no
 * cache line.
 */
struct db_flow_tallies {
	struct db_tally born[DB_OP_NR];
	struct db_tally pad;
	struct db_tally out[DB_OP_NR][DB_OUT_NR];
	struct db_tally fate[DB_LEFT_NR][DB_FATE_NR];
} __attribute__((aligned(64)));

/* The same in folios and pages. */
struct db_flow_counts {
	struct db_count born[DB_OP_NR];
	struct db_count out[DB_OP_NR][DB_OUT_NR];
	struct db_count fate[DB_LEFT_NR][DB_FATE_NR];
};

/* Folios by order; one per CPU, where those of order 0 are not counted: they are the others. */
struct db_order_counts {
	__u64 born[DB_OP_NR][DB_ORDERS];
	__u64 out[DB_OP_NR][DB_OUT_NR][DB_ORDERS];
};

struct db_context_key {
	__u32 dev;		/* bio: device the bio was sent to; drop: device of the super block */
	__u8 place;		/* enum db_place */
	__u8 context;		/* enum db_context */
	__u8 runner;		/* enum db_runner */
	__u8 wq;		/* index into the workqueue names; 0: none */
	__u64 cgroup_id;	/* bio: its cgroup (io); drop: 0 */
};

/* Of a bio's cgroup, taken when one of its bios first completed. */
struct db_cgroup_names {
	__u32 names;			/* DB_NAMED_CGROUP, or 0 */
	__u32 pad;
	char cgroup[DB_PATH_LEN];	/* as in struct db_flow_info */
};

struct db_wq_name {
	char name[DB_NAME_LEN];
};

/* The kernel's choice against ours, for flagged bios. */
struct db_truth {
	__u64 agree_deferred;	/* judged unsafe, deferred by bio_endio */
	__u64 agree_direct;	/* judged safe, not deferred */
	__u64 judged_safe_but_deferred;
	__u64 judged_unsafe_but_direct;
};

/* A sweep walks the folio table and classifies what is still live. */
struct db_sweep {
	struct db_count pending[DB_PEND_NR];
	struct db_count claimed;		/* still cached */
	struct db_count left[DB_LEFT_NR];	/* still cached */
	__u64 slots;				/* looked at */
};

/* What handlers ask before they count; written by user space. */
struct db_config {
	__u32 enabled;		/* 0: handlers return at once */
	__u32 filter_on;	/* any filter of births below is set */
	__u32 filter_pid;
	__u32 filter_dev;
	__u64 filter_ino;
	__u64 filter_cgroup_id;
	__u32 filter_cgroup_level;
	__u32 filter_fs_on;
	char filter_fs[DB_FS_LEN];
	char filter_comm[16];
	__u64 min_latency_ns;	/* ring records: only folios and bios at least this slow */
	__u32 table_mask;	/* number of slots of the folio table - 1 */
	__u32 flow_max;		/* flows in use beyond which files are lumped per device */
	__u32 sweep_grace_ms;	/* a folio unread for longer counts as never read */
	__u32 events;		/* DB_EV_* bits: which records go to the ring */
	__u64 points;		/* bit per enum db_point: attached */
	__u64 addr_bio_chain_endio;
	__u64 work_func[DB_MECH_NR];	/* address of each mechanism's work function; 0: none */
	__s64 preempt_count_delta;	/* bytes from a CPU's run queue to its __preempt_count; 0: none */
	__s32 base_preempt[DB_ATTACH_NR];	/* what preempt_count reads in a handler in plain task context */
	__s32 base_rcu[DB_ATTACH_NR];		/* the same for the RCU nesting depth */
	__u32 context_known;	/* preempt_count can be read and is maintained */
	__u32 config_preemption;	/* CONFIG_PREEMPTION: RCU depth is part of the rule */
	__u32 config_preempt_count;	/* CONFIG_PREEMPT_COUNT: without it every context is unsafe */
	__u32 mask_hardirq;	/* of preempt_count; moved when 7.3 put a counter between, see src/session.c */
	__u32 mask_nmi;
	__u32 mask_irqs_off;	/* interrupts disabled by counting (7.3); 0: no such counter */
	__u32 flag_bio_chain;	/* bits of bi_flags; numbered differently from build to build */
	__u32 flag_bio_complete_in_task;	/* 0: this kernel has no such flag */
	__s32 ext4_io_end_flag;	/* bytes from the start of struct ext4_io_end to its flag; -1: unknown */
};

/* Places in the kernel we attach to. */
enum db_point {
	DB_POINT_BIRTH,
	DB_POINT_DEATH,
	DB_POINT_WB_START,
	DB_POINT_WB_END,
	DB_POINT_DROP_ATTEMPT,
	DB_POINT_DROP_ATTEMPT_RET,
	DB_POINT_DROP,
	DB_POINT_DROP_RET,
	DB_POINT_MIGRATE,
	DB_POINT_BIO_ENDIO,
	DB_POINT_BIO_DEFER,
	DB_POINT_END_IO,
	DB_POINT_XFS_HANDOFF,
	DB_POINT_XFS_FINISH,
	DB_POINT_EXT4_FINISH,
	DB_POINT_RQ_COMPLETE,
	DB_POINT_BIO_COMPLETE,
	DB_POINT_WORK_QUEUE,
	DB_POINT_WORK_START,
	DB_POINT_NR,
};

/* Ring records.  Each begins with a struct db_event. */
#define DB_EV_LEFT		0x01
#define DB_EV_DROP		0x02
#define DB_EV_DEFER		0x04

struct db_event {
	__u32 type;		/* one DB_EV_* bit */
	__u32 cpu;
	__u64 time_ns;		/* CLOCK_MONOTONIC */
	/* folio events */
	__u64 folio;		/* address, an identity only */
	__u64 index;		/* in pages from the start of the file */
	__u32 flow;		/* DEFER: of the bio's first folio; 0: unknown */
	__u32 pages;
	__u64 residency_ns;	/* birth to this event */
	__u64 latency_ns;	/* LEFT/DROP: end of writeback to this event, 0 unknown; DEFER: deferral latency */
	/* bio events */
	__u32 dev;
	__u32 bytes;		/* 0: unknown */
	__u8 op;		/* enum db_op */
	__u8 outcome;		/* enum db_outcome */
	__u8 context;		/* enum db_context */
	__u8 runner;		/* enum db_runner */
	__u8 mechanism;		/* enum db_mechanism */
	__u8 order;
	__u8 wq;
	__u8 pad;
	char comm[16];		/* of current; not the origin of the I/O */
};

#endif
