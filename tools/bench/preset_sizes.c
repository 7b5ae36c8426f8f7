// SPDX-License-Identifier: GPL-2.0
/*
 * Presets f2fs-dontcache and f2fs-dontcache-read: one sequential pass per I/O
 * size, normal against dontcache, in counterbalanced rounds.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#include "err.h"
#include "measure.h"
#include "residency.h"
#include "units.h"

/* How often, and how long apart, pages that stay in the cache are thrown out again. */
#define RESET_TRIES 10
#define RESET_RETRY_S 0.2

/* Sizes, rounds and volume of this preset. */
struct plan {
	uint64_t sizes[OPT_MAX_LIST];
	size_t nr_sizes;
	unsigned int rounds;
	uint64_t total_bytes;
};

static int make_plan(struct session *s, struct plan *p)
{
	int err;

	p->nr_sizes = session_io_sizes(s, p->sizes, 2);
	p->rounds = session_count(s, "rounds", s->opt.rounds, 2, 2);
	p->total_bytes = session_bytes(s, "size", s->opt.size_bytes, 2 * GIB, 8 * MIB);
	err = session_check_io(p->sizes, p->nr_sizes, p->total_bytes);
	if (err)
		return err;
	progress_init(&s->prog, s->opt.progress, (unsigned int)p->nr_sizes * p->rounds * 2);
	return place_check_space(&s->place, p->total_bytes);
}

static int write_once(struct session *s, const struct plan *p, uint64_t io,
		      const struct variant *v, unsigned int round)
{
	char group[64];
	struct measured m = { group, v->name, round, NULL };
	struct byte_counter counter;
	struct stream st;
	struct bfile f;
	int err;

	measure_group(group, sizeof(group), "write", io);
	err = bfile_make(&f, &s->place, 0, 0);
	if (err)
		return err;
	/* A device keeps pages of the run before: it is thrown out like a file. */
	err = session_rest(s, &f, 1);
	if (!err) {
		measure_prepare(&st, &counter, &f, true, v->rwf_flags, io, p->total_bytes);
		err = measure_streams(s, &st, &f, 1, &m, NULL);
	}
	bfile_remove(&f);
	return err;
}

/*
 * A page that was locked or under writeback at the reset is still there: try again.
 * With --reset none the user wants what is there. 0 or a negative errno (told).
 */
static int begin_empty(struct session *s, const struct plan *p, struct bfile *f,
		       struct residency *res)
{
	int tries, err = 0;

	for (tries = 0; !err && tries < RESET_TRIES; tries++) {
		err = residency_count(f->fd, f->start, p->total_bytes, res);
		if (err)
			return bench_fail(err, "count resident pages of", f->path);
		if (!res->resident_pages || session_reset_mode(s) == RESET_NONE)
			return 0;
		err = session_sleep(RESET_RETRY_S);
		err = err ? err : session_reset(s, f, 1);
	}
	return err ? err : bench_error("%s: %" PRIu64 " pages stay in the page cache after %d resets; give --reset drop, or none to read all the same",
				       f->path, res->resident_pages, RESET_TRIES);
}

static int read_once(struct session *s, const struct plan *p, struct bfile *f, uint64_t io,
		     const struct variant *v, unsigned int round)
{
	char group[64];
	struct measured m = { group, v->name, round, NULL };
	struct byte_counter counter;
	struct residency res;
	struct stream st;
	struct run *run;
	int err;

	measure_group(group, sizeof(group), "read", io);
	err = session_rest(s, f, 1);
	if (err)
		return err;
	/* A new open file: its readahead state begins anew. */
	err = bfile_reopen(f, O_RDWR);
	if (err)
		return err;
	err = begin_empty(s, p, f, &res);
	if (err)
		return err;
	if (res.resident_pages)
		result_note(&s->res, "some read runs did not begin with zero resident pages; "
			    "see start_resident_pages");
	measure_prepare(&st, &counter, f, false, v->rwf_flags, io, p->total_bytes);
	err = measure_streams(s, &st, f, 1, &m, &run);
	if (!err)
		err = run_metric(run, "start_resident_pages", (double)res.resident_pages);
	return err;
}

/* Odd rounds ascend with normal first, even rounds descend with dontcache first. */
static int all_runs(struct session *s, const struct plan *p, struct bfile *source)
{
	unsigned int round;
	size_t i, j;
	int err;

	for (round = 1; round <= p->rounds; round++) {
		bool up = round % 2;

		for (i = 0; i < p->nr_sizes; i++) {
			uint64_t io = p->sizes[up ? i : p->nr_sizes - 1 - i];

			for (j = 0; j < NR_IO_VARIANTS; j++) {
				const struct variant *v = &io_variants[up ? j : 1 - j];

				err = source ? read_once(s, p, source, io, v, round) :
					       write_once(s, p, io, v, round);
				if (err)
					return err;
			}
		}
	}
	return 0;
}

static int run_write(struct session *s)
{
	struct plan p;
	int err = make_plan(s, &p);

	return err ? err : all_runs(s, &p, NULL);
}

static int run_read(struct session *s)
{
	struct bfile source;
	struct plan p;
	int err = make_plan(s, &p);

	if (err)
		return err;
	err = measure_make_file(&source, &s->place, p.total_bytes);
	if (err)
		return err;
	err = all_runs(s, &p, &source);
	bfile_remove(&source);
	return err;
}

const struct preset preset_f2fs_dontcache = {
	.name = "f2fs-dontcache",
	.summary = "sequential writes per I/O size, normal against dontcache",
	.dontcache = true,
	.takes = TAKES_SIZE | TAKES_IO_SIZES | TAKES_ROUNDS,
	.run = run_write,
};

const struct preset preset_f2fs_dontcache_read = {
	.name = "f2fs-dontcache-read",
	.summary = "sequential reads per I/O size with nothing resident at the start",
	.dontcache = true,
	.takes = TAKES_SIZE | TAKES_IO_SIZES | TAKES_ROUNDS,
	.run = run_read,
};
