// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "attr.h"

int attr_set_immutable(int fd, bool on)
{
	int flags = 0;

	if (ioctl(fd, FS_IOC_GETFLAGS, &flags))
		return errno == ENOTTY ? -EOPNOTSUPP : -errno;
	if (on == !!(flags & FS_IMMUTABLE_FL))
		return 0;
	flags ^= FS_IMMUTABLE_FL;
	if (ioctl(fd, FS_IOC_SETFLAGS, &flags))
		return errno == ENOTTY ? -EOPNOTSUPP : -errno;
	return 0;
}

int attr_set_immutable_path(const char *path, bool on)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int err;

	if (fd < 0)
		return -errno;
	err = attr_set_immutable(fd, on);
	close(fd);
	return err;
}
