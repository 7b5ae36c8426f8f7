// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shadow.h"

int shadow_init(struct shadow *s, size_t max)
{
	*s = (struct shadow){ .bytes = calloc(1, max), .max = max };
	return s->bytes ? 0 : -ENOMEM;
}

void shadow_free(struct shadow *s)
{
	free(s->bytes);
	*s = (struct shadow){ 0 };
}

static void grow_to(struct shadow *s, size_t end)
{
	if (end > s->size)
		s->size = end;
}

void shadow_write(struct shadow *s, size_t off, const void *buf, size_t len)
{
	memcpy(s->bytes + off, buf, len);
	grow_to(s, off + len);
}

void shadow_truncate(struct shadow *s, size_t size)
{
	if (size < s->size)
		memset(s->bytes + size, 0, s->size - size);
	s->size = size;
}

void shadow_zero(struct shadow *s, size_t off, size_t len, int extend)
{
	size_t end = off + len;

	if (off < s->size)
		memset(s->bytes + off, 0, (end < s->size ? end : s->size) - off);
	if (extend)
		grow_to(s, end);
}

void shadow_copy(struct shadow *s, size_t from, size_t to, size_t len)
{
	memmove(s->bytes + to, s->bytes + from, len);
	grow_to(s, to + len);
}

void shadow_collapse(struct shadow *s, size_t off, size_t len)
{
	memmove(s->bytes + off, s->bytes + off + len, s->size - off - len);
	shadow_truncate(s, s->size - len);
}

void shadow_insert(struct shadow *s, size_t off, size_t len)
{
	memmove(s->bytes + off + len, s->bytes + off, s->size - off);
	memset(s->bytes + off, 0, len);
	s->size += len;
}
