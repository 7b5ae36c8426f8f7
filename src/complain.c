// SPDX-License-Identifier: GPL-2.0
#include "complain.h"

#include <stdarg.h>
#include <stdio.h>

int db_complain(int err, const char *format, ...)
{
	va_list args;

	fputs("dropbehind: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return err;
}
