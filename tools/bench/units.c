// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "units.h"

int parse_bytes(const char *text, uint64_t *bytes)
{
	static const char letters[] = "kmgt";
	unsigned int shift = 0;
	const char *letter;
	char *end;
	uint64_t value;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno)
		return -EINVAL;
	if (*end) {
		letter = strchr(letters, tolower((unsigned char)*end));
		if (!letter || !*letter)
			return -EINVAL;
		shift = 10 * (unsigned int)(letter - letters + 1);
		end++;
		if (*end && strcasecmp(end, "ib") && strcasecmp(end, "b"))
			return -EINVAL;
	}
	if (value > (uint64_t)INT64_MAX >> shift)
		return -EINVAL;
	*bytes = value << shift;
	return 0;
}

int parse_number(const char *text, double *value)
{
	char *end;

	if (!isdigit((unsigned char)text[0]) && text[0] != '.')
		return -EINVAL;
	errno = 0;
	*value = strtod(text, &end);
	if (errno || *end || !isfinite(*value))
		return -EINVAL;
	return 0;
}

int parse_bytes_list(const char *text, uint64_t *list, size_t max)
{
	char one[32];
	size_t n = 0;

	for (;;) {
		size_t len = strcspn(text, ",");

		if (!len || len >= sizeof(one) || n == max)
			return -EINVAL;
		memcpy(one, text, len);
		one[len] = '\0';
		if (parse_bytes(one, &list[n]) || !list[n])
			return -EINVAL;
		n++;
		if (!text[len])
			return (int)n;
		text += len + 1;
	}
}

void format_bytes(uint64_t bytes, char *buf, size_t size)
{
	if (bytes && !(bytes % GIB))
		snprintf(buf, size, "%" PRIu64 "G", bytes / GIB);
	else if (bytes && !(bytes % MIB))
		snprintf(buf, size, "%" PRIu64 "M", bytes / MIB);
	else if (bytes && !(bytes % KIB))
		snprintf(buf, size, "%" PRIu64 "K", bytes / KIB);
	else
		snprintf(buf, size, "%" PRIu64, bytes);
}

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}
