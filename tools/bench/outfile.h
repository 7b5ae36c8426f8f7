/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_OUTFILE_H
#define BENCH_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Open a file for a report. "-" is stdout. A file that exists is left alone
 * unless @force. NULL on error, which is told and put into @err.
 */
FILE *outfile_open(const char *path, bool force, int *err);

/*
 * Flush and close. Returns @err if that is set already, else 0 or a negative
 * errno (told) when not everything could be written.
 */
int outfile_close(FILE *f, const char *path, int err);

#endif
