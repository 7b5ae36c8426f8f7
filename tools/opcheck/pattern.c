// SPDX-License-Identifier: GPL-2.0
#include "pattern.h"

uint64_t pattern_mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ULL;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ULL;
	x ^= x >> 32;
	return x;
}

static unsigned char pattern_byte(uint64_t off, uint64_t seed, int compressible)
{
	uint64_t unit = compressible ? off >> 9 : off >> 3;

	return pattern_mix(unit + pattern_mix(seed + 1)) >> (8 * (off & 7));
}

void pattern_fill(void *buf, size_t len, uint64_t off, uint64_t seed, int compressible)
{
	unsigned char *p = buf;

	for (size_t i = 0; i < len; i++)
		p[i] = pattern_byte(off + i, seed, compressible);
}

size_t pattern_check(const void *buf, size_t len, uint64_t off, uint64_t seed, int compressible)
{
	const unsigned char *p = buf;

	for (size_t i = 0; i < len; i++) {
		if (p[i] != pattern_byte(off + i, seed, compressible))
			return i;
	}
	return len;
}
