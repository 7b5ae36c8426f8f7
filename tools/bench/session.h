/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_SESSION_H
#define BENCH_SESSION_H

#include "model.h"
#include "options.h"
#include "place.h"
#include "progress.h"
#include "stream.h"

/* All that a preset works with. */
struct session {
	struct options opt;
	struct place place;
	struct result res;
	struct progress prog;
	size_t page_bytes;
	unsigned int first_round;	/* control --append: rounds before it are there already */
	struct result earlier;		/* and this is what they are */
};

/* A preset: named after the table it makes. */
struct preset {
	const char *name;
	const char *summary;
	bool dontcache;		/* useless where RWF_DONTCACHE is not supported */
	bool needs_dir;		/* cannot work on a bare device */
	unsigned int takes;	/* enum load_option: those that mean something here */
	/* Do all runs and put them into s->res. 0 or a negative errno (told). */
	int (*run)(struct session *s);
};

/* NULL-terminated list of all presets. */
extern const struct preset *const presets[];
const struct preset *preset_find(const char *name);

/* The two ways of I/O that the presets compare. */
struct variant {
	const char *name;
	int rwf_flags;
};

#define NR_IO_VARIANTS 2
extern const struct variant io_variants[NR_IO_VARIANTS];	/* normal, dontcache */

/*
 * The @i-th of bystander_variants to run in @round: odd rounds begin with the first,
 * even rounds with the last.
 */
const char *session_bystander(unsigned int round, size_t i);

/* Settings, each recorded in the result under @name when asked for. */
uint64_t session_bytes(struct session *s, const char *name, uint64_t given, uint64_t normal,
		       uint64_t quick);
double session_seconds(struct session *s, const char *name, double given, double normal,
		       double quick);
unsigned int session_count(struct session *s, const char *name, unsigned int given,
			   unsigned int normal, unsigned int quick);

/* Sizes given with --io-sizes, else 4K ... 1M, each @step times the one before; recorded. */
size_t session_io_sizes(struct session *s, uint64_t *sizes, unsigned int step);

/*
 * Throw out page cache as --reset says (@files: ours, for --reset file) and rest
 * as --cooldown says. 0, -EINTR or a negative errno (told).
 */
int session_rest(struct session *s, const struct bfile *files, size_t nr);

/* The same without the rest. 0 or a negative errno (told). */
int session_reset(struct session *s, const struct bfile *files, size_t nr);

/* How --reset and its default are to be understood. */
enum reset_mode session_reset_mode(const struct session *s);

/*
 * Have closed files leave the inode cache of the machine, without touching the page
 * cache of others. 0 or a negative errno (told).
 */
int session_drop_inodes(void);

/*
 * A run of @total bytes must hold one I/O of each size, or it would have no end.
 * 0, or -EINVAL (told).
 */
int session_check_io(const uint64_t *io_sizes, size_t nr, uint64_t total_bytes);

/* Seconds between two samples. */
double session_interval(struct session *s);

/* Sleep unless asked to stop. 0 or -EINTR. */
int session_sleep(double seconds);

#endif
