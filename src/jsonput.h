/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing JSON without a check at every step: running out of memory is
 * remembered, and everything after it does nothing.  Objects and arrays
 * belong to their parents; NULL as a parent is allowed after a failure.
 */
#ifndef DROPBEHIND_JSONPUT_H
#define DROPBEHIND_JSONPUT_H

#include <jansson.h>
#include <stdbool.h>

#include <linux/types.h>

struct db_put {
	bool failed;
};

/* The outermost object. */
json_t *db_put_start(struct db_put *put);

/* @all, or NULL and @all freed if anything failed. */
json_t *db_put_end(struct db_put *put, json_t *all);

/* Below: @key NULL if @parent is an array.  @value's reference is taken. */
void db_put(struct db_put *put, json_t *parent, const char *key, json_t *value);

/* A new object or array in @parent; owned by it. */
json_t *db_put_object(struct db_put *put, json_t *parent, const char *key);
json_t *db_put_array(struct db_put *put, json_t *parent, const char *key);

/*
 * JSON integers are signed 64-bit numbers here, so a larger value is written
 * as a string of its decimal digits.
 */
void db_put_u64(struct db_put *put, json_t *parent, const char *key, __u64 value);
void db_put_u128(struct db_put *put, json_t *parent, const char *key, unsigned __int128 value);

/* The same, but 0 stands for unknown and becomes null. */
void db_put_known(struct db_put *put, json_t *parent, const char *key, __u64 value);

/*
 * NULL becomes null.  Text that is not UTF-8 is written with '?' for every
 * byte outside ASCII, and beside it, in an object, KEY_hex has its bytes.
 */
void db_put_text(struct db_put *put, json_t *parent, const char *key, const char *text);

#endif
