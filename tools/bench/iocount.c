// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdio.h>
#include <sys/sysmacros.h>

#include "iocount.h"
#include "kvfile.h"

/* The block layer counts in 512-byte sectors whatever the device's own size is. */
#define SECTOR_BYTES 512.0

void iocount_read(struct iocount *c, dev_t dev)
{
	char path[64], line[512];
	unsigned long long sectors;
	struct kvfile kv;

	c->process_read_bytes = c->device_read_bytes = NAN;
	if (!kvfile_open(&kv, "/proc/self/io")) {
		if (!kvfile_read(&kv))
			c->process_read_bytes = kvfile_value(&kv, "read_bytes");
		kvfile_close(&kv);
	}
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", major(dev), minor(dev));
	if (!read_first_line(path, line, sizeof(line)) &&
	    sscanf(line, "%*u %*u %llu", &sectors) == 1)
		c->device_read_bytes = (double)sectors * SECTOR_BYTES;
}
