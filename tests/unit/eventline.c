// SPDX-License-Identifier: GPL-2.0
/* Lines of single events as JSON: every key is there, no number wraps. */
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>

#include "check.h"
#include "eventline.h"

#define INODE		((__u64)LLONG_MAX + 2)
#define CGROUP_ID	(ULLONG_MAX - 1)

static void make_names(struct db_flow_names *names)
{
	struct db_ledger ledger;
	struct db_flow *flow;

	db_ledger_init(&ledger);
	flow = db_ledger_add_flow(&ledger);
	if (!flow)
		abort();
	flow->file_found = DB_FOUND_LUMPED;
	flow = db_ledger_add_flow(&ledger);
	if (!flow)
		abort();
	flow->slot = 1;
	flow->ino = INODE;
	flow->cgroup_id = CGROUP_ID;
	strcpy(flow->fs, "xfs");
	if (db_flow_names_from_ledger(names, &ledger))
		abort();
	db_ledger_free(&ledger);
}

/* The event's line, read back. */
static json_t *line_of(const struct db_event *event, struct db_flow_names *names)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	json_t *json;

	if (!out)
		abort();
	check_int("a line is written", db_event_json(out, event, names), 0);
	fclose(out);
	json = json_loads(text, 0, NULL);
	free(text);
	return json;
}

static void test_large_numbers(struct db_flow_names *names)
{
	const struct db_event event = { .type = DB_EV_DROP, .flow = 1 };
	json_t *line = line_of(&event, names);

	check_str("an inode number above 2^63 - 1 is a string of its digits",
		  json_string_value(json_object_get(line, "inode")), "9223372036854775809");
	check_str("so is the number of a cgroup",
		  json_string_value(json_object_get(line, "cgroup_id")), "18446744073709551614");
	json_decref(line);
}

static void test_unknown_flow(struct db_flow_names *names)
{
	static const char *const nulls[] = { "flow", "file", "inode", "fs", "cgroup", "cgroup_id" };
	static const char *const founds[] = { "file_found", "cgroup_found" };
	const struct db_event event = { .type = DB_EV_DEFER };
	const struct db_event other = { .type = DB_EV_DEFER, .flow = 1 };
	json_t *line = line_of(&event, names), *known = line_of(&other, names);
	unsigned int i, bad = 0;

	for (i = 0; i < sizeof(nulls) / sizeof(nulls[0]); i++)
		bad += !json_is_null(json_object_get(line, nulls[i]));
	check_uint("a bio of an unknown file says null", bad, 0);
	for (i = 0; i < sizeof(founds) / sizeof(founds[0]); i++)
		check_str(founds[i], json_string_value(json_object_get(line, founds[i])),
			  "not_found");
	check_uint("with the keys of a bio of a known one", json_object_size(line),
		   json_object_size(known));
	json_decref(known);
	json_decref(line);
}

int main(void)
{
	struct db_flow_names names;

	make_names(&names);
	test_large_numbers(&names);
	test_unknown_flow(&names);
	db_flow_names_free(&names);
	return check_finish();
}
