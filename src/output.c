// SPDX-License-Identifier: GPL-2.0
#include "output.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "complain.h"

bool db_output_gone(FILE *out)
{
	struct pollfd fd = { .fd = fileno(out) };

	return fd.fd >= 0 && poll(&fd, 1, 0) == 1 && fd.revents & (POLLERR | POLLHUP);
}

int db_output_flush(FILE *out)
{
	errno = 0;
	if (fflush(out))
		return errno ? -errno : -EIO;
	if (!ferror(out))
		return 0;
	/* An earlier write failed and its errno is gone. */
	return db_output_gone(out) ? -EPIPE : -EIO;
}

int db_output_finish(FILE *out)
{
	int err = db_output_flush(out);

	if (err && err != -EPIPE)
		db_complain(err, "cannot write the output: %s", strerror(-err));
	return err;
}

int db_output_status(FILE *out)
{
	int err = db_output_finish(out);

	return err && err != -EPIPE;
}

void db_output_escaped(FILE *out, const char *text)
{
	const unsigned char *c;

	for (c = (const unsigned char *)text; *c; c++) {
		if (*c == '\\')
			fputs("\\\\", out);
		else if (*c == '\n')
			fputs("\\n", out);
		else if (*c == '\t')
			fputs("\\t", out);
		else if (*c < 32 || *c == 127)
			fprintf(out, "\\%03o", *c);
		else
			fputc(*c, out);
	}
}
