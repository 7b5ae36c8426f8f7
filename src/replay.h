/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading a recording back.  Reads one file or several parts of a row in
 * their order, ends with the ledger as it was at the last whole block, and
 * knows which part of the time is covered.
 */
#ifndef DROPBEHIND_REPLAY_H
#define DROPBEHIND_REPLAY_H

#include "block.h"
#include "ledger.h"

/* Places in time that are listed; more are only counted. */
#define DB_REPLAY_NOTES	8

/* Something about the time between two ledgers. */
struct db_replay_note {
	__u64 at_ns;		/* CLOCK_MONOTONIC */
	__u64 length_ns;	/* of the interval */
	__s64 step_ns;		/* wall clock against monotonic, for steps */
};

struct db_replay_notes {
	struct db_replay_note note[DB_REPLAY_NOTES];
	unsigned int n;		/* may be larger than what is listed */
};

/* One file. */
struct db_replay_part {
	const char *path;
	struct db_source source;
	__u32 version;
	char id[33];
	__u32 part;
	__u64 interval_ns;
	__u32 samples;		/* dropped folios kept per second at most; 0: none */
	enum db_recording_end end;
	const char *torn;	/* words, if it ends in less than a whole block; else NULL */
	__u64 torn_at;		/* offset in bytes */
};

struct db_replay {
	struct db_replay_part *parts;	/* owned; in the order of their numbers */
	size_t nparts;
	struct db_ledger ledger;	/* at the last whole block */
	bool any_ledger;
	__u64 ledgers;			/* blocks of it */
	__u64 events;			/* recorded */
	__u64 events_not_kept;		/* counted, not recorded */
	__u64 first_ns;			/* CLOCK_MONOTONIC: intervals and events are known from here on */
	__u32 parts_missing;		/* numbers not given between the first and the last */
	struct db_replay_notes late;	/* the reader was late: intervals longer than planned */
	struct db_replay_notes steps;	/* the wall clock was set, or the machine slept */
	__u64 last_mono_ns, last_wall_ns;	/* of the block before */
	__u32 last_part;		/* that had a ledger */
	char workqueues[256][DB_NAME_LEN];	/* names that events mention, by slot */
	char why[256];			/* what failed, in words, after an error */
};

/* What the caller wants to see as it comes; any may be NULL.  Non-zero ends the reading. */
struct db_replay_calls {
	int (*ledger)(void *arg, const struct db_ledger *ledger);	/* whole, at each block */
	int (*event)(void *arg, const struct db_event *event);
	void *arg;
};

/*
 * Opens the files.  0, or negative errno with words in why: unreadable, no
 * recording, another version, of different recordings, the same part twice.
 * db_replay_close() is to be called in any case.
 */
int db_replay_open(struct db_replay *replay, char *const *paths, int npaths);

/* The same for one recording in memory that stays the caller's. */
int db_replay_open_memory(struct db_replay *replay, const void *bytes, size_t size);

/*
 * Reads through.  0; what a call returned; or negative errno with words in
 * why.  A torn end is no error, damage before it is (-EBADMSG).  May be called
 * again.
 */
int db_replay_run(struct db_replay *replay, const struct db_replay_calls *calls);

/* Was the end of the run recorded, and nothing between missing? */
bool db_replay_complete(const struct db_replay *replay);

void db_replay_close(struct db_replay *replay);

#endif
