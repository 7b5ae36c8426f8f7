/* SPDX-License-Identifier: GPL-2.0 */
/* One line on stderr for what went wrong and what to do. */
#ifndef DROPBEHIND_COMPLAIN_H
#define DROPBEHIND_COMPLAIN_H

/* Prints "dropbehind: ..." and returns @err, so that a caller can hand it on. */
__attribute__((format(printf, 2, 3))) int db_complain(int err, const char *format, ...);

#endif
