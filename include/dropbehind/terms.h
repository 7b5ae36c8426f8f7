/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The words of the project as numbers: one enumeration per axis along which
 * things are counted.  BPF programs, the command-line tool and recordings use
 * these values; the words themselves are in src/words.c.
 */
#ifndef DROPBEHIND_TERMS_H
#define DROPBEHIND_TERMS_H

/* What brought a folio into the page cache. */
enum db_op {
	DB_OP_WRITE,		/* created by a write */
	DB_OP_READ,		/* created by a read without readahead */
	DB_OP_READAHEAD,	/* created by readahead, the synchronous one included */
	DB_OP_NR,
};

/*
 * What became of a dropbehind folio.  Exactly one of these is counted for each
 * page that was born and is not pending any more, so that
 * births = sum of outcomes + pending.
 */
enum db_outcome {
	DB_OUT_NONE,		/* pending: nothing decided yet; never counted */
	DB_OUT_DROPPED_WRITE,	/* removed by the drop after writeback */
	DB_OUT_DROPPED_READ,	/* removed by the drop after a read */
	DB_OUT_CLAIMED,		/* a cached user's lookup cleared the flag */
	DB_OUT_LEFT_NOT_TASK,	/* the drop was skipped: not in task context */
	DB_OUT_LEFT_LOCK_BUSY,	/* the drop was skipped: folio lock taken */
	DB_OUT_LEFT_MAPPED,	/* flag cleared, kept: mapped by a process */
	DB_OUT_LEFT_REFUSED,	/* flag cleared, kept: invalidation refused */
	DB_OUT_LEFT_NO_WB,	/* cleaned without writeback, no drop tried */
	DB_OUT_LEFT_NEVER_READ,	/* read in, nobody read from it */
	DB_OUT_LEFT_MIGRATED,	/* migration did not carry the flag over */
	DB_OUT_LEFT_UNKNOWN,	/* stayed; the probe point for the reason is missing */
	DB_OUT_TRUNCATED,	/* truncated or invalidated first */
	DB_OUT_RECLAIMED,	/* reclaimed first */
	DB_OUT_NR,
};

#define DB_OUT_LEFT_FIRST	DB_OUT_LEFT_NOT_TASK
#define DB_OUT_LEFT_LAST	DB_OUT_LEFT_UNKNOWN
#define DB_LEFT_NR		(DB_OUT_LEFT_LAST - DB_OUT_LEFT_FIRST + 1)

/* What became later of a folio that had been left behind. */
enum db_fate {
	DB_FATE_DROPPED_WRITE,	/* dropped by a later writeback */
	DB_FATE_DROPPED_READ,	/* dropped by a later read */
	DB_FATE_TRUNCATED,	/* truncated or invalidated */
	DB_FATE_RECLAIMED,	/* reclaimed */
	DB_FATE_NR,
};

/* Why a folio that has no outcome yet is still in the page cache. */
enum db_pending {
	DB_PEND_DIRTY,		/* waiting for writeback */
	DB_PEND_WRITEBACK,	/* under writeback */
	DB_PEND_UNREAD,		/* read in, not yet read from */
	DB_PEND_SETTLING,	/* between two of these states when last seen */
	DB_PEND_NR,
};

/*
 * Completion context, by the kernel's own rule for bios (bio_in_atomic() in
 * 7.3): DB_CTX_TASK is safe, everything else is not.  When several hold, the
 * first in this order is counted.
 */
enum db_context {
	DB_CTX_HARDIRQ,		/* hard interrupt or NMI */
	DB_CTX_SOFTIRQ,		/* serving a soft interrupt */
	DB_CTX_IRQS_OFF,	/* task, interrupts disabled */
	DB_CTX_PREEMPT_OFF,	/* task, preemption or bottom halves disabled */
	DB_CTX_RCU_READER,	/* task, inside an RCU read-side section */
	DB_CTX_TASK,		/* preemptible task context: safe */
	DB_CTX_UNKNOWN,		/* this kernel does not let us tell */
	DB_CTX_NR,
};

/* Who ran it. */
enum db_runner {
	DB_RUN_FLUSHER,		/* kworker of the writeback workqueue */
	DB_RUN_KWORKER,		/* kworker of another workqueue, named beside */
	DB_RUN_TASK,		/* a user task */
	DB_RUN_KSOFTIRQD,
	DB_RUN_IDLE,
	DB_RUN_KTHREAD,		/* another kernel thread */
	DB_RUN_INTERRUPTED,	/* an interrupt: current is whoever it hit */
	DB_RUN_NR,
};

/* Where a completion context was judged. */
enum db_place {
	DB_PLACE_BIO,		/* completion of a write bio that carries dropbehind folios */
	DB_PLACE_BIO_PLAIN,	/* completion of a write bio that carries none */
	DB_PLACE_DROP_ATTEMPT,	/* drop attempt of a folio after writeback */
	DB_PLACE_NR,
};

/* Who handed a completion to whom. */
enum db_mechanism {
	DB_MECH_BIO_COMPLETE,	/* block layer: per-CPU list, bio_complete workqueue */
	DB_MECH_XFS_IOEND,	/* XFS: per-inode work on xfs-conv */
	DB_MECH_EXT4_CONV,	/* ext4: unwritten-extent conversion work */
	DB_MECH_F2FS_WQ,	/* F2FS: its own workqueue */
	DB_MECH_NR,
};

/* Latencies kept as histograms; one histogram per value. */
enum db_hist {
	DB_HIST_RESIDENCY_WRITE,	/* birth to drop, born by write */
	DB_HIST_RESIDENCY_READ,		/* birth to drop, born by read or readahead */
	DB_HIST_DIRTY_WAIT,		/* birth to start of writeback */
	DB_HIST_WRITEBACK,		/* start to end of writeback */
	DB_HIST_DROP_DELAY,		/* end of writeback to drop */
	DB_HIST_STAYED,			/* left behind to later fate */
	DB_HIST_DEFERRAL,		/* + enum db_mechanism: hand-off to end-io, per bio */
	DB_HIST_WORK = DB_HIST_DEFERRAL + DB_MECH_NR,
					/* + enum db_mechanism: queueing to start, per work item */
	DB_HIST_DEPTH = DB_HIST_WORK + DB_MECH_NR,
					/* + enum db_mechanism: bios (or items) already waiting at hand-off */
	DB_HIST_NR = DB_HIST_DEPTH + DB_MECH_NR,
};

/* How a program is attached. */
enum db_attach {
	DB_ATTACH_NONE,
	DB_ATTACH_FENTRY,
	DB_ATTACH_KPROBE,
	DB_ATTACH_RAW_TP,
	DB_ATTACH_NR,
};

/* Losses counted in the kernel; each makes some number a bound. */
enum db_loss {
	DB_LOSS_TABLE_FULL,	/* pages born but not tracked: folio table set full */
	DB_LOSS_FLOW_FULL,	/* births attributed to no file: flow table full */
	DB_LOSS_BIO_FULL,	/* bios not timed: bio map full */
	DB_LOSS_CONTEXT_FULL,	/* contexts not counted: context map full */
	DB_LOSS_RING,		/* records the ring buffer had no room for */
	DB_LOSS_UNBORN,		/* pages with the flag met at death or drop without a birth seen */
	DB_LOSS_GONE,		/* pages that vanished without a delete event */
	DB_LOSS_BIO_UNTIMED,	/* deferred bios whose end-io function has no probe */
	DB_LOSS_BIO_LONG,	/* requests with more bios than are looked at */
	DB_LOSS_CALL_FULL,	/* attempts whose end is not judged: map of calls full */
	DB_LOSS_NR,
};

#endif
