/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_KVFILE_H
#define BENCH_KVFILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Files of "name value" or "name: value kB" lines (/proc/meminfo,
 * /proc/vmstat, memory.stat), kept open and read again for each sample.
 */
struct kvfile {
	int fd;		/* -1: unavailable */
	char *buf;
	size_t size;
};

/* Open; a file that is not there makes every value unavailable. 0 or -ENOMEM. */
int kvfile_open(struct kvfile *kv, const char *path);
void kvfile_close(struct kvfile *kv);

/* Read the whole file anew. 0 or a negative errno. */
int kvfile_read(struct kvfile *kv);

/* Value behind @name in what was last read, NAN when it is not there. */
double kvfile_value(const struct kvfile *kv, const char *name);

/* Sum of all values whose name begins with @prefix, NAN when there is none. */
double kvfile_sum_prefix(const struct kvfile *kv, const char *prefix);

/* First line of a small file without its newline into @buf; 0 or a negative errno. */
int read_first_line(const char *path, char *buf, size_t size);

/* Is @word one of the words in @list, which are separated by @sep? */
bool has_word(const char *list, const char *word, const char *sep);

#endif
