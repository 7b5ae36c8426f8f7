// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <sys/sysmacros.h>

#include "workload.h"

/* A number of a block device's queue; a partition has its disk's. 0 if it cannot be read. */
static uint64_t queue_number(dev_t dev, const char *name)
{
	static const char *const forms[] = {
		"/sys/dev/block/%u:%u/queue/%s", "/sys/dev/block/%u:%u/../queue/%s",
	};
	unsigned long long number = 0;
	char path[256];
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		FILE *f;
		int n;

		snprintf(path, sizeof(path), forms[i], major(dev), minor(dev), name);
		f = fopen(path, "re");
		if (!f)
			continue;
		n = fscanf(f, "%llu", &number);
		fclose(f);
		return n == 1 ? number : 0;
	}
	return 0;
}

/*
 * Readahead makes no folio larger than its window, and the window is no larger than the device's
 * read-ahead size or, for a large read, its largest request.
 */
uint64_t wl_read_folio_pages(const struct wl_run *run, const struct wl_file *file)
{
	uint64_t ahead_kb = queue_number(file->dev, "read_ahead_kb");
	uint64_t request_kb = queue_number(file->dev, "max_sectors_kb");

	if (!ahead_kb || !request_kb)
		return 0;
	return (ahead_kb > request_kb ? ahead_kb : request_kb) * 1024 / run->page_size + 1;
}
