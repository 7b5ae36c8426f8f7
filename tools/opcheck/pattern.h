/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OPCHECK_PATTERN_H
#define OPCHECK_PATTERN_H

#include <stddef.h>
#include <stdint.h>

/*
 * Test data that is a function of seed and file offset alone, so that any
 * range can be checked without keeping a copy. Every 8 bytes differ from each
 * other; with @compressible only every 512 bytes do.
 */
void pattern_fill(void *buf, size_t len, uint64_t off, uint64_t seed, int compressible);

/* Returns @len if the data is right, else the index of the first wrong byte. */
size_t pattern_check(const void *buf, size_t len, uint64_t off, uint64_t seed, int compressible);

/* A 64-bit mixing function: a bijection without visible structure. */
uint64_t pattern_mix(uint64_t x);

#endif
