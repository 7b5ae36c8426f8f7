// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "err.h"

static const char *advice(int err)
{
	switch (-err) {
	case ENOSPC:
	case EDQUOT:
		return "; give a smaller --size or free some space";
	case EIO:
		return "; the device failed, see the kernel log";
	case EOPNOTSUPP:
		return "; this filesystem or kernel cannot do it, choose another --dir";
	case EROFS:
		return "; mount it writable or choose another --dir";
	case EACCES:
	case EPERM:
		return "; run as root or choose a place you may write to";
	case EBUSY:
		return "; it is mounted or in use, release it first";
	case EEXIST:
		return "; it is not ours: remove it, or name it with --force";
	case ENOENT:
		return "; check the name";
	case ENOMEM:
		return "; give smaller sizes or fewer files";
	default:
		return "";
	}
}

int bench_error(const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(stderr, "dontcache-bench: %s\n", text);
	return -EINVAL;
}

int bench_fail(int err, const char *what, const char *name)
{
	bench_error("%s %s: %s%s", what, name, strerror(-err), advice(err));
	return err;
}
