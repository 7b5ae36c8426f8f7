// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kvfile.h"

#define KVFILE_BYTES (64 * 1024)

int kvfile_open(struct kvfile *kv, const char *path)
{
	kv->size = KVFILE_BYTES;
	kv->fd = -1;
	kv->buf = calloc(1, kv->size);
	if (!kv->buf)
		return -ENOMEM;
	kv->fd = open(path, O_RDONLY | O_CLOEXEC);
	return 0;
}

void kvfile_close(struct kvfile *kv)
{
	if (kv->fd >= 0)
		close(kv->fd);
	free(kv->buf);
	kv->buf = NULL;
	kv->fd = -1;
}

int kvfile_read(struct kvfile *kv)
{
	size_t used = 0;
	ssize_t n;

	kv->buf[0] = '\0';
	if (kv->fd < 0)
		return -ENOENT;
	for (;;) {
		if (used == kv->size - 1)
			return -EOVERFLOW;
		n = pread(kv->fd, kv->buf + used, kv->size - 1 - used, (off_t)used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		used += (size_t)n;
	}
	kv->buf[used] = '\0';
	return n < 0 ? -errno : 0;
}

/* Walks the lines whose name begins with @name; *value is the number behind it. */
static const char *next_match(const char *line, const char *name, size_t len, double *value,
			      int whole)
{
	while (line && *line) {
		const char *end = strchr(line, '\n');

		if (!strncmp(line, name, len) &&
		    (!whole || line[len] == ' ' || line[len] == ':')) {
			const char *p = line + strcspn(line, " \n");

			*value = strtod(p, NULL);
			return end ? end + 1 : line + strlen(line);
		}
		line = end ? end + 1 : NULL;
	}
	return NULL;
}

double kvfile_value(const struct kvfile *kv, const char *name)
{
	double value;

	return next_match(kv->buf, name, strlen(name), &value, 1) ? value : NAN;
}

double kvfile_sum_prefix(const struct kvfile *kv, const char *prefix)
{
	const char *line = kv->buf;
	double sum = NAN, value;

	while ((line = next_match(line, prefix, strlen(prefix), &value, 0)))
		sum = isnan(sum) ? value : sum + value;
	return sum;
}

int read_first_line(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	buf[0] = '\0';
	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n < 0)
		return -errno;
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return 0;
}

bool has_word(const char *list, const char *word, const char *sep)
{
	size_t len = strlen(word);

	while (*list) {
		size_t n = strcspn(list, sep);

		if (n == len && !strncmp(list, word, len))
			return true;
		list += n + (list[n] ? 1 : 0);
	}
	return false;
}
