// SPDX-License-Identifier: GPL-2.0
/*
 * soft-offline FILE PAGES: makes the kernel move the first pages of a file that
 * are in its cache to other memory, one at a time, by taking that memory out of
 * use (MADV_SOFT_OFFLINE, CONFIG_MEMORY_FAILURE).  Clean pages are removed, not
 * moved.  For guests: what is taken out of use stays so until the next boot.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_SOFT_OFFLINE
#define MADV_SOFT_OFFLINE	101	/* <asm-generic/mman-common.h>; glibc leaves it out */
#endif

#define PATIENCE	100	/* times 10 ms: a page that is being written or looked at is busy */

static int take_out(int fd, long i, long page_size)
{
	volatile char *page = mmap(NULL, page_size, PROT_READ, MAP_SHARED, fd, i * page_size);
	int tries, err = 0;

	if (page == MAP_FAILED)
		return -errno;
	(void)*page;
	for (tries = 0; tries < PATIENCE; tries++) {
		err = madvise((void *)page, page_size, MADV_SOFT_OFFLINE) ? -errno : 0;
		if (err != -EBUSY)
			break;
		usleep(10000);
	}
	munmap((void *)page, page_size);
	return err;
}

int main(int argc, char **argv)
{
	long page_size = sysconf(_SC_PAGESIZE), i, pages;
	int fd, err;

	if (argc != 3) {
		fprintf(stderr, "Usage: soft-offline FILE PAGES\n");
		return 64;
	}
	pages = strtol(argv[2], NULL, 10);
	fd = open(argv[1], O_RDONLY);
	if (fd < 0) {
		fprintf(stderr, "soft-offline: %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	for (i = 0; i < pages; i++) {
		err = take_out(fd, i, page_size);
		if (err) {
			fprintf(stderr, "soft-offline: page %ld of %s: %s\n", i, argv[1], strerror(-err));
			return 1;
		}
	}
	close(fd);
	return 0;
}
