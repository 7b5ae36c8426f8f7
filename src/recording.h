/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing a recording: blocks (block.h) appended to a file, or to a row of
 * files.  A failed write cuts the file back to its last whole block and ends
 * the recording, not the run.
 */
#ifndef DROPBEHIND_RECORDING_H
#define DROPBEHIND_RECORDING_H

#include <stdbool.h>

#include "ledger.h"

struct db_recording_options {
	const char *path;
	__u64 max_bytes;	/* per file; at least DB_RECORDING_MIN_BYTES */
	unsigned int rotate;	/* files kept; 0: the recording ends at max_bytes */
	__u64 interval_ns;	/* planned between two blocks of the ledger */
	unsigned int samples;	/* dropped folios kept per second */
};

#define DB_RECORDING_MIN_BYTES		65536ULL
#define DB_RECORDING_DEFAULT_BYTES	(1ULL << 30)

/* Events kept per interval; those beyond are counted. */
#define DB_RECORDING_EVENTS		4096

struct db_recording;

/*
 * Makes the file; nothing is written yet.  NULL after one line on stderr:
 * it exists and is not empty, cannot be made ...
 */
struct db_recording *db_recording_create(const struct db_recording_options *options);

/*
 * Appends what changed since the last call; the first call writes everything.
 * After a failure was told on stderr, once, this and the next do nothing.
 */
void db_recording_ledger(struct db_recording *recording, const struct db_ledger *ledger);

/*
 * Keeps an event for the next block, or counts it as not kept.  @workqueue:
 * the name that belongs to its slot, empty if none.
 */
void db_recording_event(struct db_recording *recording, const struct db_event *event,
			const char *workqueue);

/* Writes the events kept so far. */
void db_recording_flush(struct db_recording *recording);

/* Writes the end block and syncs the file.  False if the recording failed. */
bool db_recording_finish(struct db_recording *recording);

/* Closes and frees; NULL is allowed. */
void db_recording_close(struct db_recording *recording);

#endif
