// SPDX-License-Identifier: GPL-2.0
#include "jsonput.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *db_put_start(struct db_put *put)
{
	json_t *all = json_object();

	put->failed = !all;
	return all;
}

json_t *db_put_end(struct db_put *put, json_t *all)
{
	if (!put->failed)
		return all;
	json_decref(all);
	return NULL;
}

void db_put(struct db_put *put, json_t *parent, const char *key, json_t *value)
{
	int err;

	if (put->failed || !value) {
		put->failed = true;
		json_decref(value);
		return;
	}
	err = key ? json_object_set_new(parent, key, value) : json_array_append_new(parent, value);
	if (err)
		put->failed = true;
}

static json_t *put_inner(struct db_put *put, json_t *parent, const char *key, json_t *inner)
{
	db_put(put, parent, key, inner);
	return put->failed ? NULL : inner;
}

json_t *db_put_object(struct db_put *put, json_t *parent, const char *key)
{
	return put_inner(put, parent, key, json_object());
}

json_t *db_put_array(struct db_put *put, json_t *parent, const char *key)
{
	return put_inner(put, parent, key, json_array());
}

void db_put_u128(struct db_put *put, json_t *parent, const char *key, unsigned __int128 value)
{
	char digits[40], *first = digits + sizeof(digits) - 1;

	if (value <= INT64_MAX) {
		db_put(put, parent, key, json_integer(value));
		return;
	}
	for (*first = 0; value; value /= 10)
		*--first = '0' + value % 10;
	db_put(put, parent, key, json_string(first));
}

void db_put_u64(struct db_put *put, json_t *parent, const char *key, __u64 value)
{
	db_put_u128(put, parent, key, value);
}

void db_put_known(struct db_put *put, json_t *parent, const char *key, __u64 value)
{
	if (value)
		db_put_u64(put, parent, key, value);
	else
		db_put(put, parent, key, json_null());
}

static void put_bytes(struct db_put *put, json_t *parent, const char *key, const char *text)
{
	size_t n = strlen(text), i;
	char *ascii = malloc(n + 1), *hex = malloc(2 * n + 1), *hex_key = NULL;
	size_t key_size = key ? strlen(key) + sizeof("_hex") : 0;

	if (key)
		hex_key = malloc(key_size);
	if (!ascii || !hex || (key && !hex_key)) {
		put->failed = true;
		goto cleanup;
	}
	for (i = 0; i < n; i++) {
		ascii[i] = text[i] & 0x80 ? '?' : text[i];
		snprintf(hex + 2 * i, 3, "%02x", (unsigned char)text[i]);
	}
	ascii[n] = 0;
	hex[2 * n] = 0;
	db_put(put, parent, key, json_string(ascii));
	if (key) {
		snprintf(hex_key, key_size, "%s_hex", key);
		db_put(put, parent, hex_key, json_string(hex));
	}
cleanup:
	free(ascii);
	free(hex);
	free(hex_key);
}

void db_put_text(struct db_put *put, json_t *parent, const char *key, const char *text)
{
	json_t *value;

	if (!text) {
		db_put(put, parent, key, json_null());
		return;
	}
	value = json_string(text);
	if (value)
		db_put(put, parent, key, value);
	else
		put_bytes(put, parent, key, text);
}
