/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ledger: the one model of what was measured.  A live session fills it
 * from the maps (collect.c), a replay from a recording (recording.c); every
 * view reads it and nothing else.
 *
 * All counts are since the start of tracing unless the ledger is the
 * difference of two (db_ledger_delta()).
 */
#ifndef DROPBEHIND_LEDGER_H
#define DROPBEHIND_LEDGER_H

#include <stdbool.h>
#include <stddef.h>

#include "dropbehind/records.h"

/* A merged histogram.  count == 0: no value seen, the rest has no meaning. */
struct db_histogram {
	__u64 count;
	unsigned __int128 sum;	/* ns; a plain number for depths */
	__u64 min;
	__u64 max;
	__u64 bucket[DB_HIST_BUCKETS];
};

/* How the path of a file or cgroup was found. */
enum db_found {
	DB_FOUND_NOT,		/* not known */
	DB_FOUND_DENTRY,	/* kernel's directory entry when the flow was first seen */
	DB_FOUND_DENTRY_PART,	/* the same, but only the innermost names */
	DB_FOUND_KERNFS,	/* kernel's name of the cgroup when first seen */
	DB_FOUND_DEVICE,	/* a block device's own page cache: the device's name */
	DB_FOUND_LUMPED,	/* flow table was full: all other files of that device and cgroup */
	DB_FOUND_NR,
};

/* What pages are attributed to: one inode charged to one memory cgroup. */
struct db_flow {
	__u32 slot;		/* in the kernel's flow table */
	__u32 dev;		/* dev_t as the kernel packs it: major << 20 | minor */
	__u64 ino;
	__u32 gen;
	__u32 bdev;		/* block device, for its own page cache; else 0 */
	__u64 cgroup_id;	/* 0: none */
	char fs[DB_FS_LEN];
	char *file;		/* owned; path, NULL if not known */
	char *cgroup;		/* owned; path below the cgroup mount, "/" for the root, NULL if not known */
	enum db_found file_found;
	enum db_found cgroup_found;
	struct db_flow_counts counts;
};

/* A row of the completion contexts. */
struct db_context_row {
	struct db_context_key key;
	char wq[DB_NAME_LEN];	/* workqueue, empty if none */
	char *cgroup;		/* owned; of the bio, NULL if not known */
	__u64 events;		/* bios, or drop attempts of folios */
	__u64 pages;		/* of the folios; 0 for bios */
};

/* One probe point, as planned and as attached. */
struct db_point_row {
	enum db_point point;
	enum db_attach how;	/* DB_ATTACH_NONE: not attached */
	bool wanted;		/* false: not needed for what was asked, or replaced by another */
	bool exits;		/* attached to the return */
	char target[64];	/* function or tracepoint */
	char why[128];		/* why it is not attached, empty if it is */
	__u64 missed;		/* calls the kernel skipped because the program was already running */
	__u64 runs;		/* of the program; valid when run_stats */
	__u64 run_ns;		/* time spent in it; valid when run_stats */
};

/* What a block device was called while it was traced. */
struct db_device {
	__u32 dev;		/* dev_t as the kernel packs it */
	char name[32];		/* "sda1", or "MAJOR:MINOR" when it had no name */
};

struct db_ledger {
	/* what was observed */
	char release[128];	/* uname -r */
	char machine[65];
	__u32 page_size;	/* bytes */
	__u32 cpus;
	__u64 start_ns;		/* CLOCK_MONOTONIC: counting on */
	__u64 stop_ns;		/* this ledger's end */
	__u64 start_wall_ns;	/* CLOCK_REALTIME at start_ns */
	bool final;		/* counting was off and the last sweep done when this was taken */
	bool swept;		/* sweep below is valid */
	bool run_stats;		/* run times were counted (kernel.bpf_stats_enabled or BPF_ENABLE_STATS) */
	char filter[256];	/* the filters in words; empty: none */

	/* what was found */
	struct db_flow *flows;	/* owned array, by rising slot */
	size_t nflows;
	struct db_flow_counts total;		/* sum over the flows */
	struct db_order_counts orders;
	struct db_histogram hists[DB_HIST_NR];
	__u64 hists_unknown;	/* bit per histogram that is empty because no probe point fills it */
	struct db_context_row *contexts;	/* owned array */
	size_t ncontexts;
	struct db_truth truth;
	struct db_sweep sweep;

	struct db_device *devices;		/* owned array; every device in flows and contexts */
	size_t ndevices;

	/* how complete it is */
	struct db_point_row *points;		/* owned array */
	size_t npoints;
	__u64 points_attached;			/* bit per enum db_point */
	__u64 losses[DB_LOSS_NR];
	__u64 table_slots;			/* of the folio table */
	__u64 table_bytes;
	bool context_known;
};

/* Verdicts have three values; the exit status of a check follows from them. */
enum db_verdict {
	DB_PASS,
	DB_FAIL,
	DB_INCONCLUSIVE,
};

/* Both sides of the law: births = outcomes + pending. */
struct db_balance {
	__u64 births_pages;
	__u64 outcomes_pages;	/* all that were decided */
	__u64 pending_pages;	/* found pending by the sweep; not valid without one */
	__s64 difference_pages;	/* births - outcomes - pending */
	enum db_verdict verdict;	/* inconclusive: no sweep, or losses that explain a difference */
};

/* Takes an empty ledger; nothing to free before the first fill. */
void db_ledger_init(struct db_ledger *ledger);

/* Frees what the ledger owns and leaves it empty. */
void db_ledger_free(struct db_ledger *ledger);

/* Deep copy; 0 or -ENOMEM, then @to is empty. */
int db_ledger_copy(struct db_ledger *to, const struct db_ledger *from);

/*
 * What happened between two ledgers of one session: counts are differences,
 * gauges (sweep, names, points) are @after's.  0 or -ENOMEM.
 */
int db_ledger_delta(struct db_ledger *out, const struct db_ledger *before,
		    const struct db_ledger *after);

/* A new zeroed flow at the end, or NULL when out of memory.  Its slot must be the largest. */
struct db_flow *db_ledger_add_flow(struct db_ledger *ledger);

/* A new zeroed row at the end, or NULL when out of memory. */
struct db_context_row *db_ledger_add_context(struct db_ledger *ledger);
struct db_point_row *db_ledger_add_point(struct db_ledger *ledger);
struct db_device *db_ledger_add_device(struct db_ledger *ledger);

/* Deep copies of a row, added at the end.  0 or -ENOMEM. */
int db_ledger_copy_flow(struct db_ledger *to, const struct db_flow *from);
int db_ledger_copy_context(struct db_ledger *to, const struct db_context_row *from);

/* The flow in the kernel's slot @slot, or NULL. */
struct db_flow *db_ledger_flow(const struct db_ledger *ledger, __u32 slot);

/* The row that counts the same as @row, maybe one of another ledger, or NULL. */
struct db_context_row *db_ledger_context(const struct db_ledger *ledger,
					 const struct db_context_row *row);
struct db_point_row *db_ledger_point(const struct db_ledger *ledger,
				     const struct db_point_row *row);

/*
 * Name of a device.  When the ledger does not know it, "MAJOR:MINOR" is
 * written to @room (@size >= 24) and returned.
 */
const char *db_ledger_device(const struct db_ledger *ledger, __u32 dev, char *room, size_t size);

/* Makes total the sum over the flows. */
void db_ledger_sum(struct db_ledger *ledger);

void db_ledger_balance(const struct db_ledger *ledger, struct db_balance *balance);

/* True if the probe point was attached. */
bool db_ledger_has(const struct db_ledger *ledger, enum db_point point);

/* True if folios left behind for @reason (enum db_outcome) are followed to their later fate. */
bool db_ledger_follows(const struct db_ledger *ledger, unsigned int reason);

/* True if the probe points that tell this outcome (enum db_outcome) from the others were attached. */
bool db_ledger_tells(const struct db_ledger *ledger, unsigned int outcome);

/* Sum over the operations. */
struct db_count db_born(const struct db_flow_counts *counts);
struct db_count db_out(const struct db_flow_counts *counts, enum db_outcome outcome);

/* Sum over the reasons of left behind. */
struct db_count db_left(const struct db_flow_counts *counts);

/* Left behind and not gone since; pages of split folios may make folios lag. */
struct db_count db_left_now(const struct db_flow_counts *counts, enum db_outcome reason);

/* The same for all reasons together, without those whose folios are not followed. */
struct db_count db_left_cached(const struct db_ledger *ledger, const struct db_flow_counts *counts);

/*
 * Losses that make counts of folios a lower bound.  Losses that touch only
 * latencies (bios not timed) or only attribution are not among them.
 */
__u64 db_ledger_count_losses(const struct db_ledger *ledger);

#endif
