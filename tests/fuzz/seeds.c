// SPDX-License-Identifier: GPL-2.0
/* seeds DIR: writes inputs to begin fuzzing with, of every kind that replay.c knows. */
#include <stdio.h>
#include <stdlib.h>

#include "block.h"
#include "event.h"
#include "json.h"
#include "synthetic.h"

static const char *dir;

static void write_seed(const char *name, unsigned char kind, const void *bytes, size_t size)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!f || fputc(kind, f) == EOF || fwrite(bytes, 1, size, f) != size || fclose(f)) {
		perror(path);
		exit(1);
	}
}

static void write_json(const char *name, unsigned char kind, json_t *json)
{
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	if (!text)
		exit(1);
	write_seed(name, kind, text, strlen(text));
	free(text);
}

static size_t add(unsigned char *file, size_t at, enum db_block_type type, __u64 sequence,
		  json_t *json)
{
	struct db_block block = { .type = type, .sequence = sequence, .json = json };
	unsigned char *bytes;
	size_t size;

	if (db_block_pack(&block, &bytes, &size))
		exit(1);
	memcpy(file + at, bytes, size);
	free(bytes);
	json_decref(json);
	return at + size;
}

static json_t *events(struct synthetic *s)
{
	struct db_put p = {};
	json_t *all = db_put_start(&p), *list, *one;
	struct db_event event;
	int i;

	db_put_u64(&p, all, "not_kept", 3);
	list = db_put_array(&p, all, "workqueues");
	one = db_put_object(&p, list, NULL);
	db_put_u64(&p, one, "slot", 1);
	db_put_text(&p, one, "name", "xfs-conv/sda1");
	list = db_put_array(&p, all, "events");
	for (i = 0; i < 4; i++) {
		synthetic_event(s, &event);
		db_event_put(&p, list, &event);
	}
	return db_put_end(&p, all);
}

int main(int argc, char **argv)
{
	static unsigned char file[1 << 20];
	size_t n = DB_FILE_HEADER_BYTES;
	struct synthetic s;
	json_t *json;

	if (argc != 2)
		return 2;
	dir = argv[1];
	synthetic_start(&s, 21);
	synthetic_step(&s, 1000, 3);
	json = db_json_from_ledger(&s.ledger);
	write_json("ledger", 2, json);
	json_decref(json);
	db_file_header(file);
	n = add(file, n, DB_BLOCK_HEAD, 0,
		json_pack("{s:s, s:i, s:i, s:i, s:i}", "recording", "12", "part", 0, "interval_ns", 9,
			  "samples_per_second", 0, "rotate", 0));
	n = add(file, n, DB_BLOCK_LEDGER, 1, db_json_from_ledger(&s.ledger));
	json = events(&s);
	write_json("events", 4, json);
	n = add(file, n, DB_BLOCK_EVENTS, 2, json);
	synthetic_step(&s, 1000, 4);
	synthetic_end(&s);
	n = add(file, n, DB_BLOCK_CHANGES, 3, db_json_from_ledger(&s.ledger));
	n = add(file, n, DB_BLOCK_END, 4, json_pack("{s:s}", "reason", "done"));
	write_seed("file", 0, file, n);
	write_seed("file-fixed", 1, file, n);
	synthetic_free(&s);

	memset(&s, 0, sizeof(s));
	json = db_json_from_ledger(&s.ledger);
	write_json("changes", 3, json);
	json_decref(json);
	return 0;
}
