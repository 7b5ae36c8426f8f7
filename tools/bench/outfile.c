// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "err.h"
#include "outfile.h"

FILE *outfile_open(const char *path, bool force, int *err)
{
	int fd;
	FILE *f;

	if (!strcmp(path, "-"))
		return stdout;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (force ? O_TRUNC : O_EXCL), 0644);
	if (fd < 0) {
		*err = bench_fail(-errno, "create", path);
		return NULL;
	}
	f = fdopen(fd, "w");
	if (!f) {
		*err = bench_fail(-errno, "create", path);
		close(fd);
	}
	return f;
}

int outfile_close(FILE *f, const char *path, int err)
{
	int failed;

	errno = 0;
	failed = f == stdout ? fflush(f) : fclose(f);
	if (failed && !err)
		err = bench_fail(errno ? -errno : -EIO, "write", path);
	return err;
}
