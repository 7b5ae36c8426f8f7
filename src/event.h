/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ring records as a recording keeps them, and back.  Names are not among
 * them, the ledger has those; nor is the folio's address.
 */
#ifndef DROPBEHIND_EVENT_H
#define DROPBEHIND_EVENT_H

#include <jansson.h>

#include "dropbehind/records.h"
#include "jsonput.h"

/* Adds the event to an array. */
void db_event_put(struct db_put *put, json_t *array, const struct db_event *event);

/* 0, -EPROTO or -ENOMEM. */
int db_event_take(const json_t *json, struct db_event *event);

#endif
