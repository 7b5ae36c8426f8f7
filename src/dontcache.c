// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "dontcache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "dropbehind/uapi.h"

#define TRIAL_BYTES	4096

static void untried(struct db_trial *trial, int err)
{
	switch (err) {
	case EROFS:
		snprintf(trial->why, sizeof(trial->why), "read-only");
		break;
	case ENOSPC:
	case EDQUOT:
		snprintf(trial->why, sizeof(trial->why), "no space for a temporary file");
		break;
	case EACCES:
	case EPERM:
		snprintf(trial->why, sizeof(trial->why), "no permission to make a temporary file");
		break;
	case ENOTDIR:
		snprintf(trial->why, sizeof(trial->why), "not a directory");
		break;
	default:
		snprintf(trial->why, sizeof(trial->why), "cannot make a temporary file: %s",
			 strerror(err));
	}
}

/* A file in @dir that has no name any more.  Its descriptor or negative errno. */
static int nameless_file(const char *dir)
{
	char *path;
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), err;

	if (fd >= 0)
		return fd;
	/* Filesystems without O_TMPFILE say EOPNOTSUPP, kernels without it EISDIR. */
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EINVAL)
		return -errno;
	if (asprintf(&path, "%s/.dropbehind-XXXXXX", dir) < 0)
		return -ENOMEM;
	fd = mkostemp(path, O_CLOEXEC);
	err = errno;
	if (fd >= 0 && unlink(path)) {
		err = errno;
		close(fd);
		fd = -1;
	}
	free(path);
	return fd >= 0 ? fd : -err;
}

static enum db_trial_result judge(struct db_trial *trial, const char *what, ssize_t done)
{
	if (done >= 0)
		return DB_TRIAL_WORKS;
	if (errno == EOPNOTSUPP) {
		snprintf(trial->why, sizeof(trial->why), "Operation not supported");
		return DB_TRIAL_REFUSED;
	}
	if (errno == ENOSPC || errno == EDQUOT) {
		untried(trial, errno);
		return DB_TRIAL_UNTRIED;
	}
	snprintf(trial->why, sizeof(trial->why), "%s failed: %s", what, strerror(errno));
	return DB_TRIAL_FAILED;
}

void db_try_directory(struct db_trial *trial, const char *dir)
{
	static char page[TRIAL_BYTES];
	struct iovec vec = { page, sizeof(page) };
	int fd;

	memset(trial, 0, sizeof(*trial));
	fd = nameless_file(dir);
	if (fd < 0) {
		untried(trial, -fd);
		return;
	}
	trial->write = judge(trial, "writing", pwritev2(fd, &vec, 1, 0, RWF_DONTCACHE));
	/* The flag is refused before it matters whether there is anything to read. */
	trial->read = judge(trial, "reading", preadv2(fd, &vec, 1, 0, RWF_DONTCACHE));
	close(fd);
}

void db_try_reading(struct db_trial *trial, const char *path)
{
	static char page[TRIAL_BYTES];
	struct iovec vec = { page, sizeof(page) };
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	memset(trial, 0, sizeof(*trial));
	if (fd < 0) {
		snprintf(trial->why, sizeof(trial->why), "cannot open it: %s", strerror(errno));
		return;
	}
	trial->read = judge(trial, "reading", preadv2(fd, &vec, 1, 0, RWF_DONTCACHE));
	if (trial->read == DB_TRIAL_WORKS)
		snprintf(trial->why, sizeof(trial->why), "writing would overwrite it");
	close(fd);
}
