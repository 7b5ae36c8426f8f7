/* SPDX-License-Identifier: GPL-2.0 */
/* Which part of the time a recording covers, in words. */
#ifndef DROPBEHIND_COVERAGE_H
#define DROPBEHIND_COVERAGE_H

#include <jansson.h>
#include <stdio.h>

#include "replay.h"

/*
 * After db_replay_run().  The last line says whether the recording is
 * complete.  0 or as db_output_finish().
 */
int db_coverage_text(FILE *out, const struct db_replay *replay);

/* A new object, or NULL when out of memory. */
json_t *db_coverage_json(const struct db_replay *replay);

#endif
