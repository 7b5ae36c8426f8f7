/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPT_MAX_LIST 32

/* How page cache left by earlier runs is thrown out before each run. */
enum reset_mode {
	RESET_DEFAULT,	/* drop; with --quick: file */
	RESET_DROP,	/* sync and /proc/sys/vm/drop_caches: the whole machine */
	RESET_FILE,	/* fsync and POSIX_FADV_DONTNEED on our file only */
	RESET_NONE,
};

/* Options of the load that only some presets take, as bits. */
enum load_option {
	TAKES_SIZE = 1 << 0,
	TAKES_IO_SIZE = 1 << 1,		/* --io-sizes with one size */
	TAKES_IO_SIZES = 1 << 2,	/* with any number of them */
	TAKES_RATES = 1 << 3,
	TAKES_ROUNDS = 1 << 4,
	TAKES_FILES = 1 << 5,
	TAKES_DURATION = 1 << 6,
	TAKES_RUN_LIMIT = 1 << 7,
	TAKES_OP = 1 << 8,
	TAKES_MEMORY_LIMIT = 1 << 9,
	TAKES_HOT_SIZE = 1 << 10,
	TAKES_NO_CGROUP = 1 << 11,
	TAKES_SIDES = 1 << 12,		/* --before, --after, --label, --append */
};

/*
 * What the command line says. Texts point into argv. A zero or negative value
 * of a number means "not given": the preset's own default holds.
 */
struct options {
	const char *verb;		/* preset name, "report", "compare" or "resident" */
	const char *inputs[OPT_MAX_LIST];
	size_t nr_inputs;

	const char *dir, *dev, *file;
	uint64_t size_bytes;
	bool quick;
	uint64_t io_sizes[OPT_MAX_LIST];
	size_t nr_io_sizes;
	uint64_t rates[OPT_MAX_LIST];	/* bytes/s */
	size_t nr_rates;
	unsigned int rounds, files;
	double cooldown_s;		/* < 0: not given */
	double interval_s, duration_s, run_limit_s;
	enum reset_mode reset;
	bool op_given, op_read;
	uint64_t memory_limit_bytes, hot_bytes;
	bool no_cgroup;
	const char *before, *after, *label, *append;

	const char *json, *csv_dir, *markdown, *svg_dir, *samples;
	const char *beside[OPT_MAX_LIST];
	size_t nr_beside;
	const char *noise;
	const char *allow[OPT_MAX_LIST];
	size_t nr_allow;
	const char *force[OPT_MAX_LIST];
	size_t nr_force;
	bool quiet;
	int progress;			/* 1 always, -1 never, 0 on a terminal */
	bool trace;
	const char *tracer;
	bool list, help, version;
};

/* Parse argv. 0 or -EINVAL (told). */
int options_parse(struct options *opt, int argc, char **argv);

/*
 * Was an option of the load given that is not among @takes (enum load_option)? It would
 * mean nothing. 0 or -EINVAL (told).
 */
int options_check_load(const struct options *opt, unsigned int takes);

/* Was @name named with --force? */
bool options_forced(const struct options *opt, const char *name);

/* Print the help text to stdout. */
void options_help(void);

#endif
