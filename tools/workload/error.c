// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "workload.h"

int wl_fail(struct wl_run *run, int err, const char *fmt, ...)
{
	struct wl_error *error = &run->error;
	int expected = 0;
	va_list ap;
	int n;

	if (err > 0)
		err = -err;
	if (!atomic_compare_exchange_strong(&error->set, &expected, 1))
		return err ? err : -EIO;

	va_start(ap, fmt);
	n = vsnprintf(error->text, sizeof(error->text), fmt, ap);
	va_end(ap);
	if (err && n >= 0 && (size_t)n < sizeof(error->text))
		snprintf(error->text + n, sizeof(error->text) - n, ": %s", strerror(-err));
	error->status = err == -EOPNOTSUPP ? WL_EXIT_UNSUPPORTED : WL_EXIT_ERROR;
	return err ? err : -EIO;
}

bool wl_failed(const struct wl_run *run)
{
	return atomic_load(&run->error.set);
}

/* The type of the filesystem that @fd is on, "block device" for one, by its magic number. */
const char *wl_fs_name(int fd)
{
	static const struct {
		unsigned long magic;
		const char *name;
	} types[] = {
		{ 0x58465342, "xfs" }, { 0xef53, "ext4" }, { 0x9123683e, "btrfs" },
		{ 0xf2f52010, "f2fs" }, { 0x01021994, "tmpfs" }, { 0x6969, "nfs" },
		{ 0x794c7630, "overlay" }, { 0x65735546, "fuse" }, { 0x01021997, "9p" },
	};
	struct statfs fs;
	struct stat st;
	size_t i;

	if (!fstat(fd, &st) && S_ISBLK(st.st_mode))
		return "block device";
	if (fstatfs(fd, &fs))
		return "unknown";
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].magic == (unsigned long)fs.f_type)
			return types[i].name;
	return "unknown";
}
