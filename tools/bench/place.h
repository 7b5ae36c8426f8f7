/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_PLACE_H
#define BENCH_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "options.h"

/* Where the load goes: a directory for our files, or a block device. */
struct place {
	bool is_dev;
	char path[PATH_MAX];
	const struct options *opt;
	int hold_fd;		/* exclusive hold on the device, else -1 */
	uint64_t dev_bytes;	/* size of the device, 0 for a directory */
	dev_t dev;		/* the device that carries the data */
};

/* A file of ours, or a part of the device. */
struct bfile {
	char path[PATH_MAX];	/* "" when there is none */
	int fd;			/* -1 while closed */
	bool is_dev;
	uint64_t start;		/* first byte that is ours (0 for a file) */
};

/*
 * Check --dir or --dev. A device must be named with --force and not be in
 * use. 0 or a negative errno (told).
 */
int place_open(struct place *p, const struct options *opt);
void place_close(struct place *p);

/* Is there room for @bytes (and a margin)? 0 or a negative errno (told). */
int place_check_space(const struct place *p, uint64_t bytes);

/* Does RWF_DONTCACHE work here? Says nothing. */
bool place_has_dontcache(struct place *p);

/* -EOPNOTSUPP (told) when RWF_DONTCACHE does not work here, 0 when it does. */
int place_check_dontcache(struct place *p);

/*
 * Make file number @index anew, open for reading and writing. On a device it
 * is the part that begins at @index * @part_bytes. 0 or a negative errno (told).
 */
int bfile_make(struct bfile *f, struct place *p, unsigned int index, uint64_t part_bytes);

/* Close and open again with @flags. 0 or a negative errno (told). */
int bfile_reopen(struct bfile *f, int flags);

/* Close and remove (files only). */
void bfile_remove(struct bfile *f);

#endif
