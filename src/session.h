/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tracing session: programs loaded and attached, counting switched on and
 * off, maps read.  Nothing is pinned; everything is gone when the process is.
 */
#ifndef DROPBEHIND_SESSION_H
#define DROPBEHIND_SESSION_H

#include "calibrate.h"
#include "kernel.h"
#include "ledger.h"
#include "plan.h"

struct dropbehind_bpf;
struct ring_buffer;
struct bpf_link;

struct db_session_options {
	unsigned int allow;	/* mechanisms, bit per enum db_attach; 0: all */
	__u32 table_slots;	/* of the folio table; 0: from the size of memory */
	__u32 flow_max;		/* files told apart; 0: default */
	__u32 ring_bytes;	/* power of two, at least a page; 0: default */
	__u32 events;		/* DB_EV_* bits wanted on the ring */
	__u32 grace_ms;		/* a folio read in counts as never read after this; 0: default */
	__u64 min_latency_ns;	/* of ring records */
	/* filters; zero or empty: none */
	__u32 pid;
	char comm[16];
	__u32 dev;		/* kernel's dev_t */
	__u64 ino;
	__u64 cgroup_id;
	__u32 cgroup_level;
	char fs[DB_FS_LEN];
	char filter[256];	/* the same in words */
};

#define DB_FLOWS_DEFAULT	6144
#define DB_RING_DEFAULT		(1024 * 1024)
#define DB_GRACE_DEFAULT_MS	1000

struct db_session {
	struct db_session_options options;
	struct db_kernel kernel;
	struct db_mechanisms mechanisms;
	struct db_plan plan;
	struct dropbehind_bpf *skel;
	struct db_config *config;	/* mapped; what the programs read */
	size_t config_bytes;
	struct ring_buffer *ring;
	struct bpf_link *links[DB_PLAN_MAX];	/* beside plan.rows; owned */
	__u64 modules[DB_PLAN_MAX];	/* beside plan.rows: which loading of its module a probe is in */
	int programs[DB_PLAN_MAX];	/* beside plan.rows: fd of what is attached; not owned, 0: none */
	__u64 start_ns, stop_ns, start_wall_ns;
	__u64 missed_before[DB_PLAN_MAX];	/* calls skipped before counting began; beside plan.rows */
	bool swept;
	char why[256];		/* what failed, in words, after an error */
};

/*
 * Loads and attaches; counting stays off.  @options is copied.  Negative errno
 * on failure, with the words in session->why; db_session_close() is then
 * still to be called.
 */
int db_session_open(struct db_session *session, const struct db_session_options *options);

/*
 * Capabilities (DB_CAP_BIT()) an open session still needs: to see addresses of
 * functions in modules that come, and to put kprobes on them where that is
 * done (perf_event_paranoid may ask for CAP_SYS_ADMIN).  Maps, the sweep and the ring need none.
 */
__u64 db_session_capabilities(struct db_session *session);

void db_session_start(struct db_session *session);

/*
 * Counting off, between the two looks of a last sweep, so that what is found
 * pending is what was pending when counting ended.  0 or the sweep's negative
 * errno.
 */
int db_session_stop(struct db_session *session);

/* Probe points in modules that have come since; number newly attached. */
int db_session_refresh(struct db_session *session);

/*
 * Looks at all live folios once, while they are counted: a state that this
 * and the look before it found becomes their outcome, and an event.  0 or
 * negative errno.
 */
int db_session_look(struct db_session *session);

/*
 * Looks at all live folios twice, so that states in passing settle; after
 * db_session_stop() there is nothing more to do.  0 or negative errno.
 */
int db_session_sweep(struct db_session *session);

/* Fills an initialised ledger with what was counted so far.  0 or negative errno. */
int db_session_collect(struct db_session *session, struct db_ledger *ledger);

/*
 * Hands ring records to @event until none is left or @timeout_ms passed.
 * Number of records or negative errno (-EINTR: a signal came).
 */
int db_session_poll(struct db_session *session, int timeout_ms);

/* Who gets the records; before the first poll.  0 or negative errno. */
int db_session_on_event(struct db_session *session,
			int (*event)(void *arg, void *record, size_t size), void *arg);

void db_session_close(struct db_session *session);

/*
 * Would contexts be judged with this plan?  The kernel must count preemption,
 * and the mechanism of every point that judges must have passed calibration.
 */
bool db_contexts_known(const struct db_kernel *kernel, const struct db_plan *plan,
		       const struct db_mechanisms *mechanisms);

/* CLOCK_MONOTONIC, the clock of all time stamps. */
__u64 db_now_ns(void);

#endif
