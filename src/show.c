// SPDX-License-Identifier: GPL-2.0
#include "show.h"

#include <errno.h>
#include <stdio.h>

#include "complain.h"
#include "json.h"
#include "text.h"

int db_show_report(const struct db_ledger *ledger, bool json, bool apart)
{
	json_t *object;
	int err;

	if (!json) {
		if (apart)
			fputc('\n', stdout);
		return db_text_report(stdout, ledger);
	}
	object = db_json_from_ledger(ledger);
	err = db_json_print(stdout, object);
	json_decref(object);
	return err;
}

int db_show_interval(const struct db_ledger *before, const struct db_ledger *after, bool json,
		     unsigned long line)
{
	struct db_ledger delta;
	json_t *object;
	int err;

	if (db_ledger_delta(&delta, before, after))
		return db_complain(-ENOMEM, "out of memory");
	if (json) {
		object = db_json_from_ledger(&delta);
		if (object && json_object_set_new(object, "interval", json_true())) {
			json_decref(object);
			object = NULL;
		}
		err = db_json_print(stdout, object);
		json_decref(object);
	} else {
		err = db_text_interval(stdout, &delta, line);
	}
	db_ledger_free(&delta);
	return err;
}
