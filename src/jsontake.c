// SPDX-License-Identifier: GPL-2.0
#include "jsontake.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

void db_take_fail(struct db_take *take, int err, const char *key)
{
	if (take->err)
		return;
	take->err = err;
	take->key = key;
}

static const json_t *member(struct db_take *take, const json_t *object, const char *key)
{
	const json_t *value = take->err ? NULL : json_object_get(object, key);

	if (!value)
		db_take_fail(take, -EPROTO, key);
	return value;
}

const json_t *db_take_object(struct db_take *take, const json_t *object, const char *key)
{
	const json_t *value = member(take, object, key);

	if (value && json_is_object(value))
		return value;
	db_take_fail(take, -EPROTO, key);
	return NULL;
}

const json_t *db_take_object_or_null(struct db_take *take, const json_t *object, const char *key)
{
	const json_t *value = member(take, object, key);

	if (!value || json_is_null(value))
		return NULL;
	if (json_is_object(value))
		return value;
	db_take_fail(take, -EPROTO, key);
	return NULL;
}

const json_t *db_take_array(struct db_take *take, const json_t *object, const char *key)
{
	const json_t *value = member(take, object, key);

	if (value && json_is_array(value))
		return value;
	db_take_fail(take, -EPROTO, key);
	return NULL;
}

/* Digits of a number above 2^63 - 1; smaller ones are written as integers. */
static int parse_large(const json_t *value, unsigned __int128 *number)
{
	const char *text = json_string_value(value);
	size_t i, n = json_string_length(value);
	unsigned __int128 sum = 0;

	for (i = 0; i < n; i++)
		if (text[i] < '0' || text[i] > '9' ||
		    __builtin_mul_overflow(sum, (unsigned __int128)10, &sum) ||
		    __builtin_add_overflow(sum, (unsigned __int128)(text[i] - '0'), &sum))
			return -EPROTO;
	*number = sum;
	return sum > INT64_MAX && text[0] != '0' ? 0 : -EPROTO;
}

static unsigned __int128 take_number(struct db_take *take, const json_t *value, const char *key,
				     unsigned __int128 max)
{
	unsigned __int128 number = 0;
	bool good = false;

	if (take->err)
		return 0;
	if (json_is_integer(value)) {
		number = json_integer_value(value);
		good = json_integer_value(value) >= 0;
	} else if (json_is_string(value)) {
		good = !parse_large(value, &number);
	}
	if (good && number <= max)
		return number;
	db_take_fail(take, -EPROTO, key);
	return 0;
}

__u64 db_take_value(struct db_take *take, const json_t *value, const char *key, __u64 max)
{
	return take_number(take, value, key, max);
}

__u64 db_take_u64(struct db_take *take, const json_t *object, const char *key, __u64 max)
{
	return take_number(take, member(take, object, key), key, max);
}

unsigned __int128 db_take_u128(struct db_take *take, const json_t *object, const char *key)
{
	return take_number(take, member(take, object, key), key, ~(unsigned __int128)0);
}

bool db_take_bool(struct db_take *take, const json_t *object, const char *key)
{
	const json_t *value = member(take, object, key);

	if (value && json_is_boolean(value))
		return json_is_true(value);
	db_take_fail(take, -EPROTO, key);
	return false;
}

static int nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* KEY_hex, if the text was not UTF-8; NULL if it was. */
static const json_t *hex_member(const json_t *object, const char *key)
{
	char hex_key[64];

	if (snprintf(hex_key, sizeof(hex_key), "%s_hex", key) >= (int)sizeof(hex_key))
		return NULL;
	return json_object_get(object, hex_key);
}

/* Bytes of hexadecimal text as a string; NULL with the failure remembered. */
static char *from_hex(struct db_take *take, const json_t *value, const char *key)
{
	size_t n = json_string_length(value), i;
	const char *hex = json_string_value(value);
	char *text;
	int high, low;

	if (!json_is_string(value) || n % 2) {
		db_take_fail(take, -EPROTO, key);
		return NULL;
	}
	text = malloc(n / 2 + 1);
	if (!text) {
		db_take_fail(take, -ENOMEM, key);
		return NULL;
	}
	for (i = 0; i < n / 2; i++) {
		high = nibble(hex[2 * i]);
		low = nibble(hex[2 * i + 1]);
		if (high < 0 || low < 0 || !(high || low)) {
			free(text);
			db_take_fail(take, -EPROTO, key);
			return NULL;
		}
		text[i] = high << 4 | low;
	}
	text[n / 2] = 0;
	return text;
}

char *db_take_new_text(struct db_take *take, const json_t *object, const char *key)
{
	const json_t *value = member(take, object, key), *hex;
	char *text;

	if (!value || json_is_null(value))
		return NULL;
	if (!json_is_string(value) || strlen(json_string_value(value)) != json_string_length(value)) {
		db_take_fail(take, -EPROTO, key);
		return NULL;
	}
	hex = hex_member(object, key);
	if (hex)
		return from_hex(take, hex, key);
	text = strdup(json_string_value(value));
	if (!text)
		db_take_fail(take, -ENOMEM, key);
	return text;
}

void db_take_text(struct db_take *take, const json_t *object, const char *key, char *to,
		  size_t size)
{
	char *text = db_take_new_text(take, object, key);
	size_t n;

	memset(to, 0, size);
	if (!text)
		return;
	n = strlen(text);
	if (n < size)
		memcpy(to, text, n);
	else
		db_take_fail(take, -EPROTO, key);
	free(text);
}

unsigned int db_take_word(struct db_take *take, const json_t *object, const char *key,
			  const char *(*word)(unsigned int), unsigned int n)
{
	const json_t *value = member(take, object, key);
	int number = -1;

	if (value && json_is_string(value))
		number = db_word_number(word, n, json_string_value(value));
	if (number >= 0)
		return number;
	db_take_fail(take, -EPROTO, key);
	return 0;
}
