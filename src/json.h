/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ledger as JSON and back.  The keys are documented in src/JSON.md and do
 * not change their meaning; new ones may come.
 */
#ifndef DROPBEHIND_JSON_H
#define DROPBEHIND_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "jsonput.h"
#include "ledger.h"

#define DB_JSON_VERSION	1

/* A new object, or NULL when out of memory. */
json_t *db_json_from_ledger(const struct db_ledger *ledger);

/*
 * Fills an initialised ledger.  0; -EPROTO: @json is not a ledger of this
 * version; -ENOMEM.  On error the ledger is left empty.
 */
int db_json_to_ledger(const json_t *json, struct db_ledger *ledger);

/* Adds a count to @object. */
void db_json_put_count(struct db_put *put, json_t *object, const char *key,
		       const struct db_count *count);

/* Adds "completeness" to @object. */
void db_json_put_completeness(struct db_put *put, json_t *object, const struct db_ledger *ledger);

/* One line, flushed.  0, or negative errno after a line on stderr; -EPIPE, when nobody reads, quietly. */
int db_json_print(FILE *out, json_t *json);

#endif
