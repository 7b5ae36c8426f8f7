/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_UNITS_H
#define BENCH_UNITS_H

#include <stddef.h>
#include <stdint.h>

#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)
#define GIB (KIB * MIB)
#define NSEC_PER_SEC UINT64_C(1000000000)

/* Parse "4096", "64K", "16M", "1GiB" (powers of 1024) into bytes. 0 or -EINVAL. */
int parse_bytes(const char *text, uint64_t *bytes);

/* Parse a non-negative number such as "0.5". 0 or -EINVAL. */
int parse_number(const char *text, double *value);

/*
 * Parse a comma separated list of sizes into @list (at most @max entries).
 * Returns the number of entries, or -EINVAL.
 */
int parse_bytes_list(const char *text, uint64_t *list, size_t max);

/* Write the short form used as a table key ("4K", "1M", "1500") into @buf. */
void format_bytes(uint64_t bytes, char *buf, size_t size);

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t now_ns(void);

#endif
