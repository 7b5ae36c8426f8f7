// SPDX-License-Identifier: GPL-2.0
/*
 * f2fs-atomic: one F2FS atomic write done with RWF_DONTCACHE, looked at
 * before and after its end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "pattern.h"
#include "sys.h"

#define F2FS_IOC_START_ATOMIC_WRITE _IO(0xf5, 1)
#define F2FS_IOC_COMMIT_ATOMIC_WRITE _IO(0xf5, 2)
#define F2FS_IOC_ABORT_ATOMIC_WRITE _IO(0xf5, 5)

#define ATOMIC_BYTES (64U << 10)

static const char usage_text[] =
	"usage: f2fs-atomic commit|abort FILE\n"
	"FILE starts with 64 KiB of test data of seed 1. Writes seed 2 over it in an atomic write, with\n"
	"RWF_DONTCACHE, has it written back, reads it before the commit or abort and after, and compares.\n"
	"Exit status: 0; 1 something is wrong; 2 wrong usage.\n";

static int fail(const char *path, const char *what, int err)
{
	fprintf(stderr, "f2fs-atomic: %s: %s%s%s\n", path, what, err ? ": " : "",
		err ? strerror(err) : "");
	return 1;
}

/* 0 if the first bytes of @fd are test data of @seed. */
static int check_seed(int fd, char *buf, uint64_t seed, int rwf, const char *path, const char *when)
{
	int err = sys_read_all(fd, buf, ATOMIC_BYTES, 0, rwf);

	if (err)
		return fail(path, when, -err);
	if (pattern_check(buf, ATOMIC_BYTES, 0, seed, 0) != ATOMIC_BYTES) {
		fprintf(stderr, "f2fs-atomic: %s: %s: not the data of seed %llu\n", path, when,
			(unsigned long long)seed);
		return 1;
	}
	return 0;
}

static int atomic_write(const char *path, bool commit)
{
	char *buf = malloc(ATOMIC_BYTES);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	int ret = 1, err;

	if (fd < 0 || !buf) {
		fail(path, "open", fd < 0 ? errno : ENOMEM);
		goto cleanup;
	}
	if (check_seed(fd, buf, 1, 0, path, "before the atomic write"))
		goto cleanup;
	if (ioctl(fd, F2FS_IOC_START_ATOMIC_WRITE)) {
		fail(path, "start atomic write", errno);
		goto cleanup;
	}
	pattern_fill(buf, ATOMIC_BYTES, 0, 2, 0);
	err = sys_write_all(fd, buf, ATOMIC_BYTES, 0, RWF_DONTCACHE);
	if (err) {
		fail(path, "atomic write with RWF_DONTCACHE", -err);
		goto cleanup;
	}
	/* Plain writeback, no fsync: that would be part of the commit. */
	if (sync_file_range(fd, 0, ATOMIC_BYTES,
			    SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
				    SYNC_FILE_RANGE_WAIT_AFTER)) {
		fail(path, "sync_file_range", errno);
		goto cleanup;
	}
	usleep(200000);
	if (check_seed(fd, buf, 2, RWF_DONTCACHE, path, "dontcache read before commit or abort") ||
	    check_seed(fd, buf, 2, 0, path, "read before commit or abort"))
		goto cleanup;
	if (ioctl(fd, commit ? F2FS_IOC_COMMIT_ATOMIC_WRITE : F2FS_IOC_ABORT_ATOMIC_WRITE)) {
		fail(path, commit ? "commit" : "abort", errno);
		goto cleanup;
	}
	ret = check_seed(fd, buf, commit ? 2 : 1, 0, path, commit ? "after commit" : "after abort");
cleanup:
	if (fd >= 0)
		close(fd);
	free(buf);
	return ret;
}

int main(int argc, char **argv)
{
	if (argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))) {
		fputs(usage_text, stdout);
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "commit"))
		return atomic_write(argv[2], true);
	if (argc == 3 && !strcmp(argv[1], "abort"))
		return atomic_write(argv[2], false);
	fputs("f2fs-atomic: wrong arguments, see --help\n", stderr);
	return 2;
}
