/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OPCHECK_SHADOW_H
#define OPCHECK_SHADOW_H

#include <stddef.h>
#include <stdint.h>

/*
 * What the file must contain: a plain array of at most @max bytes. Bytes at
 * and after @size are always zero in it.
 */
struct shadow {
	unsigned char *bytes;
	size_t max;
	size_t size;
};

int shadow_init(struct shadow *s, size_t max);	/* 0 or -ENOMEM */
void shadow_free(struct shadow *s);

/* Each does to the array what the system call does to the file. */
void shadow_write(struct shadow *s, size_t off, const void *buf, size_t len);
void shadow_truncate(struct shadow *s, size_t size);
void shadow_zero(struct shadow *s, size_t off, size_t len, int extend);
void shadow_copy(struct shadow *s, size_t from, size_t to, size_t len);
void shadow_collapse(struct shadow *s, size_t off, size_t len);
void shadow_insert(struct shadow *s, size_t off, size_t len);

#endif
