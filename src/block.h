/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Framing of recordings.  A file is 16 bytes that name it and its version,
 * then blocks back to back, only ever appended.  All numbers are fixed-width
 * little-endian:
 *
 *	file	0  8  "DBHNDREC"
 *		8  4  version
 *		12 4  CRC32 of the 12 bytes before
 *	block	0  4  "DBLK"
 *		4  4  type, enum db_block_type
 *		8  4  bytes of the payload as stored
 *		12 4  bytes of the payload, uncompressed
 *		16 8  sequence number, one more than that of the block before
 *		24 8  CLOCK_MONOTONIC when it was written, ns
 *		32 8  CLOCK_REALTIME, ns
 *		40 4  CRC32 of the payload as stored
 *		44 4  CRC32 of the 44 bytes before
 *		48    payload: a JSON object, compressed by zlib
 *
 * The payloads are described in src/RECORDING.md.
 */
#ifndef DROPBEHIND_BLOCK_H
#define DROPBEHIND_BLOCK_H

#include <jansson.h>
#include <stddef.h>

#include <linux/types.h>

#define DB_RECORDING_VERSION	1
#define DB_FILE_HEADER_BYTES	16
#define DB_BLOCK_HEADER_BYTES	48

/*
 * Larger payloads are not written and not read.  A ledger of 6144 files with
 * usual names takes some 5 MiB.
 */
#define DB_BLOCK_RAW_MAX	(32U << 20)

enum db_block_type {
	DB_BLOCK_HEAD = 1,	/* first in each file: which recording, which part */
	DB_BLOCK_LEDGER,	/* the whole ledger */
	DB_BLOCK_CHANGES,	/* rows of the ledger that changed since the block before */
	DB_BLOCK_EVENTS,	/* ring records */
	DB_BLOCK_END,		/* last in each file: why it ends */
	DB_BLOCK_NR,
};

/* What an end block says: why the file ends. */
enum db_recording_end {
	DB_END_NONE,		/* it has no end block */
	DB_END_DONE,		/* the run was over */
	DB_END_ROTATED,		/* it goes on in the next file */
	DB_END_MAX_SIZE,	/* it reached its limit, no rotation */
	DB_END_FAILED,		/* a write failed; such a block is only there if it still fitted */
	DB_END_NR,
};

/* The word in the block. */
const char *db_end_key(unsigned int end);

struct db_block {
	enum db_block_type type;
	__u64 sequence;
	__u64 mono_ns;
	__u64 wall_ns;
	json_t *json;		/* owned by whoever made or read it */
};

/* The 16 bytes. */
void db_file_header(unsigned char header[DB_FILE_HEADER_BYTES]);

/*
 * Makes the bytes of a block; to be freed.  0; -ENOMEM; -EFBIG: more than
 * DB_BLOCK_RAW_MAX.
 */
int db_block_pack(const struct db_block *block, unsigned char **bytes, size_t *size);

/* Where blocks are read from: a file, or memory if @memory is not NULL. */
struct db_source {
	int fd;
	const unsigned char *memory;
	__u64 size;
};

/*
 * 0; -EBADMSG: it is no recording; -EPROTONOSUPPORT: it is one of @version;
 * other negative errno: it cannot be read.
 */
int db_source_check(const struct db_source *source, __u32 *version);

/*
 * Reads the block at @offset and moves @offset behind it.  1: a block, whose
 * JSON is to be given back; 0: end of file; -ENODATA: the file ends within a
 * block, or its last block is torn; -EBADMSG: damage; -ENOMEM; other negative
 * errno: it cannot be read.  @why is set to words for the first two errors.
 */
int db_block_read(const struct db_source *source, __u64 *offset, struct db_block *block,
		  const char **why);

#endif
