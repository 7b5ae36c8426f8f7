/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_MODEL_JSON_H
#define BENCH_MODEL_JSON_H

#include "model.h"

/* Write @r as JSON to the new file @path ("-" is stdout). 0 or a negative errno (told). */
int result_save_json(const struct result *r, const char *path, bool force);

/* Read a result written by result_save_json(). 0 or a negative errno (told). */
int result_load_json(struct result *r, const char *path);

#endif
