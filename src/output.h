/* SPDX-License-Identifier: GPL-2.0 */
/* What becomes of what we print. */
#ifndef DROPBEHIND_OUTPUT_H
#define DROPBEHIND_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Flushes.  0; -EPIPE: nobody reads any more, which is no error to report;
 * other negative errno: some output was lost (-EIO when the reason is not
 * known any more).
 */
int db_output_flush(FILE *out);

/* Has the reader of this pipe or socket gone?  False for anything else. */
bool db_output_gone(FILE *out);

/* Flushes, as db_output_flush(), and says what went wrong unless it is -EPIPE. */
int db_output_finish(FILE *out);

/*
 * Flushes and turns the result into an exit status: 0 also when the reader is
 * gone, 1 after one line on stderr.
 */
int db_output_status(FILE *out);

/*
 * Text for one column of one line: control characters and backslashes of
 * @text are written as in C ("\n", "\033").  Bytes above 127 stay.
 */
void db_output_escaped(FILE *out, const char *text);

#endif
