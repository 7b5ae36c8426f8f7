// SPDX-License-Identifier: GPL-2.0
#include "words.h"

#include <string.h>

#define NELEMS(a)	(sizeof(a) / sizeof((a)[0]))

#define WORDS(function, table)						\
	const char *function(unsigned int n)				\
	{								\
		return n < NELEMS(table) && table[n] ? table[n] : "?";	\
	}

static const char *const ops[DB_OP_NR] = {
	[DB_OP_WRITE] = "write",
	[DB_OP_READ] = "read",
	[DB_OP_READAHEAD] = "readahead",
};
WORDS(db_op_word, ops)

static const char *const outcomes[DB_OUT_NR] = {
	[DB_OUT_NONE] = "pending",
	[DB_OUT_DROPPED_WRITE] = "dropped after write",
	[DB_OUT_DROPPED_READ] = "dropped after read",
	[DB_OUT_CLAIMED] = "claimed",
	[DB_OUT_LEFT_NOT_TASK] = "left behind: not in task",
	[DB_OUT_LEFT_LOCK_BUSY] = "left behind: lock busy",
	[DB_OUT_LEFT_MAPPED] = "left behind: mapped",
	[DB_OUT_LEFT_REFUSED] = "left behind: refused by invalidate",
	[DB_OUT_LEFT_NO_WB] = "left behind: cleaned without writeback",
	[DB_OUT_LEFT_NEVER_READ] = "left behind: never read",
	[DB_OUT_LEFT_MIGRATED] = "left behind: migrated",
	[DB_OUT_LEFT_UNKNOWN] = "left behind: reason unavailable",
	[DB_OUT_TRUNCATED] = "truncated first",
	[DB_OUT_RECLAIMED] = "reclaimed first",
};
WORDS(db_outcome_word, outcomes)

const char *db_reason_word(unsigned int outcome)
{
	const char *word = db_outcome_word(outcome), *colon = strstr(word, ": ");

	return colon ? colon + 2 : word;
}

static const char *const outcome_keys[DB_OUT_NR] = {
	[DB_OUT_NONE] = "pending",
	[DB_OUT_DROPPED_WRITE] = "dropped_after_write",
	[DB_OUT_DROPPED_READ] = "dropped_after_read",
	[DB_OUT_CLAIMED] = "claimed",
	[DB_OUT_LEFT_NOT_TASK] = "left_not_in_task",
	[DB_OUT_LEFT_LOCK_BUSY] = "left_lock_busy",
	[DB_OUT_LEFT_MAPPED] = "left_mapped",
	[DB_OUT_LEFT_REFUSED] = "left_refused",
	[DB_OUT_LEFT_NO_WB] = "left_cleaned_without_writeback",
	[DB_OUT_LEFT_NEVER_READ] = "left_never_read",
	[DB_OUT_LEFT_MIGRATED] = "left_migrated",
	[DB_OUT_LEFT_UNKNOWN] = "left_reason_unavailable",
	[DB_OUT_TRUNCATED] = "truncated",
	[DB_OUT_RECLAIMED] = "reclaimed",
};
WORDS(db_outcome_key, outcome_keys)

static const char *const fates[DB_FATE_NR] = {
	[DB_FATE_DROPPED_WRITE] = "dropped by a later writeback",
	[DB_FATE_DROPPED_READ] = "dropped by a later read",
	[DB_FATE_TRUNCATED] = "truncated",
	[DB_FATE_RECLAIMED] = "reclaimed",
};
WORDS(db_fate_word, fates)

static const char *const fate_keys[DB_FATE_NR] = {
	[DB_FATE_DROPPED_WRITE] = "dropped_by_writeback",
	[DB_FATE_DROPPED_READ] = "dropped_by_read",
	[DB_FATE_TRUNCATED] = "truncated",
	[DB_FATE_RECLAIMED] = "reclaimed",
};
WORDS(db_fate_key, fate_keys)

static const char *const pendings[DB_PEND_NR] = {
	[DB_PEND_DIRTY] = "dirty",
	[DB_PEND_WRITEBACK] = "in writeback",
	[DB_PEND_UNREAD] = "not yet read",
	[DB_PEND_SETTLING] = "settling",
};
WORDS(db_pending_word, pendings)

static const char *const pending_keys[DB_PEND_NR] = {
	[DB_PEND_DIRTY] = "dirty",
	[DB_PEND_WRITEBACK] = "writeback",
	[DB_PEND_UNREAD] = "unread",
	[DB_PEND_SETTLING] = "settling",
};
WORDS(db_pending_key, pending_keys)

static const char *const contexts[DB_CTX_NR] = {
	[DB_CTX_HARDIRQ] = "hard IRQ",
	[DB_CTX_SOFTIRQ] = "soft IRQ",
	[DB_CTX_IRQS_OFF] = "IRQs off",
	[DB_CTX_PREEMPT_OFF] = "preemption off",
	[DB_CTX_RCU_READER] = "RCU reader",
	[DB_CTX_TASK] = "task (safe)",
	[DB_CTX_UNKNOWN] = "unavailable",
};
WORDS(db_context_word, contexts)

static const char *const context_keys[DB_CTX_NR] = {
	[DB_CTX_HARDIRQ] = "hard_irq",
	[DB_CTX_SOFTIRQ] = "soft_irq",
	[DB_CTX_IRQS_OFF] = "irqs_off",
	[DB_CTX_PREEMPT_OFF] = "preemption_off",
	[DB_CTX_RCU_READER] = "rcu_reader",
	[DB_CTX_TASK] = "task",
	[DB_CTX_UNKNOWN] = "unavailable",
};
WORDS(db_context_key, context_keys)

static const char *const runners[DB_RUN_NR] = {
	[DB_RUN_FLUSHER] = "flusher",
	[DB_RUN_KWORKER] = "kworker",
	[DB_RUN_TASK] = "user task",
	[DB_RUN_KSOFTIRQD] = "ksoftirqd",
	[DB_RUN_IDLE] = "idle",
	[DB_RUN_KTHREAD] = "kernel thread",
	[DB_RUN_INTERRUPTED] = "interrupt",
};
WORDS(db_runner_word, runners)

static const char *const runner_keys[DB_RUN_NR] = {
	[DB_RUN_FLUSHER] = "flusher",
	[DB_RUN_KWORKER] = "kworker",
	[DB_RUN_TASK] = "user_task",
	[DB_RUN_KSOFTIRQD] = "ksoftirqd",
	[DB_RUN_IDLE] = "idle",
	[DB_RUN_KTHREAD] = "kernel_thread",
	[DB_RUN_INTERRUPTED] = "interrupt",
};
WORDS(db_runner_key, runner_keys)

static const char *const places[DB_PLACE_NR] = {
	[DB_PLACE_BIO] = "bio, dropbehind",
	[DB_PLACE_BIO_PLAIN] = "bio, other",
	[DB_PLACE_DROP_ATTEMPT] = "drop attempt",
};
WORDS(db_place_word, places)

static const char *const place_keys[DB_PLACE_NR] = {
	[DB_PLACE_BIO] = "bio",
	[DB_PLACE_BIO_PLAIN] = "bio_plain",
	[DB_PLACE_DROP_ATTEMPT] = "drop_attempt",
};
WORDS(db_place_key, place_keys)

static const char *const mechanisms[DB_MECH_NR] = {
	[DB_MECH_BIO_COMPLETE] = "block layer's bio_complete",
	[DB_MECH_XFS_IOEND] = "XFS ioend work",
	[DB_MECH_EXT4_CONV] = "ext4 conversion work",
	[DB_MECH_F2FS_WQ] = "F2FS workqueue",
};
WORDS(db_mechanism_word, mechanisms)

static const char *const mechanism_keys[DB_MECH_NR] = {
	[DB_MECH_BIO_COMPLETE] = "bio_complete",
	[DB_MECH_XFS_IOEND] = "xfs_ioend",
	[DB_MECH_EXT4_CONV] = "ext4_conversion",
	[DB_MECH_F2FS_WQ] = "f2fs_workqueue",
};
WORDS(db_mechanism_key, mechanism_keys)

static const char *const hists[DB_HIST_NR] = {
	[DB_HIST_RESIDENCY_WRITE] = "residency, written",
	[DB_HIST_RESIDENCY_READ] = "residency, read",
	[DB_HIST_DIRTY_WAIT] = "  dirty wait",
	[DB_HIST_WRITEBACK] = "  writeback",
	[DB_HIST_DROP_DELAY] = "  drop delay",
	[DB_HIST_STAYED] = "left behind, stayed",
	[DB_HIST_DEFERRAL + DB_MECH_BIO_COMPLETE] = "deferral, bio_complete",
	[DB_HIST_DEFERRAL + DB_MECH_XFS_IOEND] = "deferral, XFS ioend",
	[DB_HIST_DEFERRAL + DB_MECH_EXT4_CONV] = "deferral, ext4 conversion",
	[DB_HIST_DEFERRAL + DB_MECH_F2FS_WQ] = "deferral, F2FS workqueue",
	[DB_HIST_WORK + DB_MECH_BIO_COMPLETE] = "work item, bio_complete",
	[DB_HIST_WORK + DB_MECH_XFS_IOEND] = "work item, XFS ioend",
	[DB_HIST_WORK + DB_MECH_EXT4_CONV] = "work item, ext4 conversion",
	[DB_HIST_WORK + DB_MECH_F2FS_WQ] = "work item, F2FS workqueue",
	[DB_HIST_DEPTH + DB_MECH_BIO_COMPLETE] = "queue depth, bio_complete",
	[DB_HIST_DEPTH + DB_MECH_XFS_IOEND] = "queue depth, XFS ioend",
	[DB_HIST_DEPTH + DB_MECH_EXT4_CONV] = "queue depth, ext4 conversion",
	[DB_HIST_DEPTH + DB_MECH_F2FS_WQ] = "queue depth, F2FS workqueue",
};
WORDS(db_hist_word, hists)

static const char *const hist_keys[DB_HIST_NR] = {
	[DB_HIST_RESIDENCY_WRITE] = "residency_write_ns",
	[DB_HIST_RESIDENCY_READ] = "residency_read_ns",
	[DB_HIST_DIRTY_WAIT] = "dirty_wait_ns",
	[DB_HIST_WRITEBACK] = "writeback_ns",
	[DB_HIST_DROP_DELAY] = "drop_delay_ns",
	[DB_HIST_STAYED] = "stayed_ns",
	[DB_HIST_DEFERRAL + DB_MECH_BIO_COMPLETE] = "deferral_bio_complete_ns",
	[DB_HIST_DEFERRAL + DB_MECH_XFS_IOEND] = "deferral_xfs_ioend_ns",
	[DB_HIST_DEFERRAL + DB_MECH_EXT4_CONV] = "deferral_ext4_conversion_ns",
	[DB_HIST_DEFERRAL + DB_MECH_F2FS_WQ] = "deferral_f2fs_workqueue_ns",
	[DB_HIST_WORK + DB_MECH_BIO_COMPLETE] = "work_bio_complete_ns",
	[DB_HIST_WORK + DB_MECH_XFS_IOEND] = "work_xfs_ioend_ns",
	[DB_HIST_WORK + DB_MECH_EXT4_CONV] = "work_ext4_conversion_ns",
	[DB_HIST_WORK + DB_MECH_F2FS_WQ] = "work_f2fs_workqueue_ns",
	[DB_HIST_DEPTH + DB_MECH_BIO_COMPLETE] = "depth_bio_complete",
	[DB_HIST_DEPTH + DB_MECH_XFS_IOEND] = "depth_xfs_ioend",
	[DB_HIST_DEPTH + DB_MECH_EXT4_CONV] = "depth_ext4_conversion",
	[DB_HIST_DEPTH + DB_MECH_F2FS_WQ] = "depth_f2fs_workqueue",
};
WORDS(db_hist_key, hist_keys)

static const char *const attaches[DB_ATTACH_NR] = {
	[DB_ATTACH_NONE] = "none",
	[DB_ATTACH_FENTRY] = "fentry",
	[DB_ATTACH_KPROBE] = "kprobe",
	[DB_ATTACH_RAW_TP] = "raw_tp",
};
WORDS(db_attach_word, attaches)

static const char *const points[DB_POINT_NR] = {
	[DB_POINT_BIRTH] = "birth",
	[DB_POINT_DEATH] = "death",
	[DB_POINT_WB_START] = "writeback_start",
	[DB_POINT_WB_END] = "writeback_end",
	[DB_POINT_DROP_ATTEMPT] = "drop_attempt",
	[DB_POINT_DROP_ATTEMPT_RET] = "drop_attempt_return",
	[DB_POINT_DROP] = "drop",
	[DB_POINT_DROP_RET] = "drop_return",
	[DB_POINT_MIGRATE] = "migrate",
	[DB_POINT_BIO_ENDIO] = "bio_endio",
	[DB_POINT_BIO_DEFER] = "bio_defer",
	[DB_POINT_END_IO] = "end_io",
	[DB_POINT_XFS_HANDOFF] = "xfs_handoff",
	[DB_POINT_XFS_FINISH] = "xfs_finish",
	[DB_POINT_EXT4_FINISH] = "ext4_finish",
	[DB_POINT_RQ_COMPLETE] = "request_complete",
	[DB_POINT_BIO_COMPLETE] = "bio_complete",
	[DB_POINT_WORK_QUEUE] = "work_queue",
	[DB_POINT_WORK_START] = "work_start",
};
WORDS(db_point_word, points)

static const char *const losses[DB_LOSS_NR] = {
	[DB_LOSS_TABLE_FULL] = "pages not tracked: folio table full (--table-slots)",
	[DB_LOSS_FLOW_FULL] = "births attributed to no file: flow table full",
	[DB_LOSS_BIO_FULL] = "bios or work items not timed: map full",
	[DB_LOSS_CONTEXT_FULL] = "contexts not counted: map full",
	[DB_LOSS_RING] = "records lost: ring buffer full (--ring-size)",
	[DB_LOSS_UNBORN] = "pages met without their birth: older than the trace, or its probe was skipped",
	[DB_LOSS_GONE] = "pages that vanished without a delete event, counted as migrated",
	[DB_LOSS_BIO_UNTIMED] = "deferred bios not timed: end-io function not probed",
	[DB_LOSS_BIO_LONG] = "requests with more bios than are looked at",
	[DB_LOSS_CALL_FULL] = "drop attempts whose end was not judged: map full",
};
WORDS(db_loss_word, losses)

static const char *const loss_keys[DB_LOSS_NR] = {
	[DB_LOSS_TABLE_FULL] = "table_full_pages",
	[DB_LOSS_FLOW_FULL] = "flow_full_births",
	[DB_LOSS_BIO_FULL] = "bio_full",
	[DB_LOSS_CONTEXT_FULL] = "context_full",
	[DB_LOSS_RING] = "ring_records",
	[DB_LOSS_UNBORN] = "unborn_pages",
	[DB_LOSS_GONE] = "gone_pages",
	[DB_LOSS_BIO_UNTIMED] = "bio_untimed",
	[DB_LOSS_BIO_LONG] = "bio_long",
	[DB_LOSS_CALL_FULL] = "call_full",
};
WORDS(db_loss_key, loss_keys)

static const char *const founds[DB_FOUND_NR] = {
	[DB_FOUND_NOT] = "not_found",
	[DB_FOUND_DENTRY] = "dentry_at_birth",
	[DB_FOUND_DENTRY_PART] = "part_of_name_at_birth",
	[DB_FOUND_KERNFS] = "kernfs_at_birth",
	[DB_FOUND_DEVICE] = "device",
	[DB_FOUND_LUMPED] = "lumped",
};
WORDS(db_found_word, founds)

static const char *const verdicts[] = {
	[DB_PASS] = "pass",
	[DB_FAIL] = "fail",
	[DB_INCONCLUSIVE] = "inconclusive",
};
WORDS(db_verdict_word, verdicts)

int db_word_number(const char *(*key)(unsigned int), unsigned int n, const char *word)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!strcmp(key(i), word))
			return i;
	return -1;
}
