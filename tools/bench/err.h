/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_ERR_H
#define BENCH_ERR_H

/*
 * Inside the program an error is a negative errno. These two turn it into the
 * one line the user sees. Only the place that knows the object's name calls
 * them; callers further up pass the number on without printing again.
 */

/* Print "dontcache-bench: MESSAGE" to stderr. Returns -EINVAL. */
int bench_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Print what failed on which object, the reason and what to do about it.
 * @err is a negative errno and is returned unchanged.
 */
int bench_fail(int err, const char *what, const char *name);

#endif
