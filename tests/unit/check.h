/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cases for C tests. A test's main() calls check functions and returns check_finish().
 * The lines printed are those of the shell tests: ok, not ok, skip.
 */
#ifndef DROPBEHIND_TESTS_CHECK_H
#define DROPBEHIND_TESTS_CHECK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static unsigned int check_cases;
static unsigned int check_failures;

/* One case that holds if @cond is true; @why (printf format) is told when it does not. */
__attribute__((format(printf, 3, 4), unused))
static bool check(bool cond, const char *name, const char *why, ...)
{
	va_list ap;

	check_cases++;
	if (cond) {
		printf("ok - %s\n", name);
	} else {
		check_failures++;
		printf("not ok - %s: ", name);
		va_start(ap, why);
		vprintf(why, ap);
		va_end(ap);
		putchar('\n');
	}
	fflush(stdout);
	return cond;
}

/* One case that cannot be run here, and why. */
__attribute__((unused))
static void check_skip(const char *name, const char *reason)
{
	check_cases++;
	printf("skip - %s: %s\n", name, reason);
	fflush(stdout);
}

/* @got equals @want, both signed integers. */
__attribute__((unused))
static bool check_int(const char *name, long long got, long long want)
{
	return check(got == want, name, "got %lld, want %lld", got, want);
}

/* @got equals @want, both unsigned integers. */
__attribute__((unused))
static bool check_uint(const char *name, unsigned long long got, unsigned long long want)
{
	return check(got == want, name, "got %llu, want %llu", got, want);
}

/* @got and @want are equal strings; NULL equals nothing. */
__attribute__((unused))
static bool check_str(const char *name, const char *got, const char *want)
{
	return check(got && want && !strcmp(got, want), name, "got '%s', want '%s'",
		     got ? got : "(null)", want ? want : "(null)");
}

/* What main() returns: 0 if cases were run and all hold. */
__attribute__((unused))
static int check_finish(void)
{
	return check_cases && !check_failures ? 0 : 1;
}

#endif
