/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading JSON that may be hostile.  The first thing that is missing, of the
 * wrong type or out of range is remembered as -EPROTO (or -ENOMEM), with its
 * key; everything after it gives zeros.
 */
#ifndef DROPBEHIND_JSONTAKE_H
#define DROPBEHIND_JSONTAKE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

struct db_take {
	int err;		/* 0, -EPROTO or -ENOMEM */
	const char *key;	/* where; a literal or one of the words, NULL: unknown */
};

/* Remembers the first failure. */
void db_take_fail(struct db_take *take, int err, const char *key);

/* An inner object or array; NULL after a failure. */
const json_t *db_take_object(struct db_take *take, const json_t *object, const char *key);
const json_t *db_take_array(struct db_take *take, const json_t *object, const char *key);

/* The same, but null is allowed and gives NULL. */
const json_t *db_take_object_or_null(struct db_take *take, const json_t *object, const char *key);

/* A number from 0 to @max, as db_put_u64() writes it. */
__u64 db_take_u64(struct db_take *take, const json_t *object, const char *key, __u64 max);

/* The same of a number that may take 128 bits, as db_put_u128() writes it. */
unsigned __int128 db_take_u128(struct db_take *take, const json_t *object, const char *key);

/* db_take_u64() of a value that is no member of an object; @key only names it. */
__u64 db_take_value(struct db_take *take, const json_t *value, const char *key, __u64 max);

bool db_take_bool(struct db_take *take, const json_t *object, const char *key);

/* Text into @to of @size bytes; too long is a failure.  null gives "". */
void db_take_text(struct db_take *take, const json_t *object, const char *key, char *to,
		  size_t size);

/* Text into new memory; NULL for null. */
char *db_take_new_text(struct db_take *take, const json_t *object, const char *key);

/* Number of one of the words. */
unsigned int db_take_word(struct db_take *take, const json_t *object, const char *key,
			  const char *(*word)(unsigned int), unsigned int n);

#endif
