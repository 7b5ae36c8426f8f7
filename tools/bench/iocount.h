/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_IOCOUNT_H
#define BENCH_IOCOUNT_H

#include <sys/types.h>

/* Bytes moved between memory and storage so far; NAN when unavailable. */
struct iocount {
	double process_read_bytes;	/* this process, /proc/self/io */
	double device_read_bytes;	/* everybody, /sys/dev/block/M:m/stat */
};

/* Read both now. */
void iocount_read(struct iocount *c, dev_t dev);

#endif
