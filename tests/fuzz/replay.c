// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzes all that reads a recording, down to the printed report.  The first
 * byte of an input says what the rest is: a file as it is; a file whose
 * checksums are set right first, so that what is behind them is reached; or
 * the JSON of a ledger or of events, put into a file around it.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "block.h"
#include "collect.h"
#include "coverage.h"
#include "eventline.h"
#include "json.h"
#include "replay.h"
#include "text.h"

/* Names of a live run; a replay has none. */
int db_collect_flow_info(struct db_session *session, __u32 slot, struct db_flow_info *info)
{
	(void)session, (void)slot, (void)info;
	abort();
}

void db_collect_wq_name(struct db_session *session, __u32 slot, char *name)
{
	(void)session, (void)slot, (void)name;
	abort();
}

struct printing {
	FILE *out;
	struct db_flow_names names;
	__u64 start_ns;
};

static int print_event(void *arg, const struct db_event *event)
{
	struct printing *p = arg;

	db_event_text(p->out, event, &p->names, p->start_ns);
	return db_event_json(p->out, event, &p->names);
}

static void replay(const uint8_t *data, size_t size)
{
	struct db_replay_calls none = {}, events = { .event = print_event };
	static struct printing p;
	struct db_replay r;
	json_t *json;

	if (!p.out)
		p.out = fopen("/dev/null", "w");
	if (!p.out)
		abort();
	if (!db_replay_open_memory(&r, data, size) && !db_replay_run(&r, &none)) {
		db_text_report(p.out, &r.ledger);
		db_coverage_text(p.out, &r);
		json = db_coverage_json(&r);
		db_json_print(p.out, json);
		json_decref(json);
		p.start_ns = r.ledger.start_ns;
		if (!db_flow_names_from_ledger(&p.names, &r.ledger)) {
			events.arg = &p;
			db_replay_run(&r, &events);
		}
		db_flow_names_free(&p.names);
	} else if (!r.why[0]) {
		abort();	/* an error without words */
	}
	db_replay_close(&r);
}

static uint32_t get32(const uint8_t *from)
{
	return from[0] | from[1] << 8 | from[2] << 16 | (uint32_t)from[3] << 24;
}

static void put32(uint8_t *to, uint32_t n)
{
	to[0] = n;
	to[1] = n >> 8;
	to[2] = n >> 16;
	to[3] = n >> 24;
}

/* Goes from block to block by their own lengths, and sets the checksums right. */
static void fix(uint8_t *file, size_t size)
{
	size_t at = DB_FILE_HEADER_BYTES;
	uint32_t stored;

	if (size < at)
		return;
	put32(file + 12, crc32(0, file, 12));
	while (size - at >= DB_BLOCK_HEADER_BYTES) {
		stored = get32(file + at + 8);
		if (stored > size - at - DB_BLOCK_HEADER_BYTES)
			stored = size - at - DB_BLOCK_HEADER_BYTES;
		put32(file + at + 8, stored);
		put32(file + at + 40, crc32(0, file + at + DB_BLOCK_HEADER_BYTES, stored));
		put32(file + at + 44, crc32(0, file + at, 44));
		at += DB_BLOCK_HEADER_BYTES + stored;
	}
}

static uint8_t *append(uint8_t *file, size_t *size, enum db_block_type type, uint64_t sequence,
		       json_t *json)
{
	struct db_block block = { .type = type, .sequence = sequence, .json = json };
	unsigned char *bytes;
	size_t more;

	if (db_block_pack(&block, &bytes, &more))
		abort();
	file = realloc(file, *size + more);
	if (!file)
		abort();
	memcpy(file + *size, bytes, more);
	*size += more;
	free(bytes);
	json_decref(json);
	return file;
}

/* Head, ledger and, as changes or events, what came; a ledger also as the only one. */
static void replay_json(json_t *json, enum db_block_type type)
{
	uint8_t *file = malloc(DB_FILE_HEADER_BYTES);
	size_t size = DB_FILE_HEADER_BYTES;
	struct db_ledger empty;

	if (!file)
		abort();
	db_file_header(file);
	file = append(file, &size, DB_BLOCK_HEAD, 0,
		      json_pack("{s:s, s:i, s:i, s:i, s:i}", "recording", "0", "part", 0,
				"interval_ns", 1000, "samples_per_second", 0, "rotate", 0));
	db_ledger_init(&empty);
	if (type != DB_BLOCK_LEDGER)
		file = append(file, &size, DB_BLOCK_LEDGER, 1, db_json_from_ledger(&empty));
	file = append(file, &size, type, type == DB_BLOCK_LEDGER ? 1 : 2, json);
	replay(file, size);
	free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy;
	json_t *json;

	if (size < 2)
		return 0;
	switch (data[0] % 5) {
	case 0:
		replay(data + 1, size - 1);
		break;
	case 1:
		copy = malloc(size - 1);
		if (!copy)
			abort();
		memcpy(copy, data + 1, size - 1);
		fix(copy, size - 1);
		replay(copy, size - 1);
		free(copy);
		break;
	default:
		json = json_loadb((const char *)data + 1, size - 1, 0, NULL);
		if (json_is_object(json))
			replay_json(json, data[0] % 5 == 2 ? DB_BLOCK_LEDGER :
					  data[0] % 5 == 3 ? DB_BLOCK_CHANGES : DB_BLOCK_EVENTS);
		else
			json_decref(json);
	}
	return 0;
}
