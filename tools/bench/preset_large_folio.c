// SPDX-License-Identifier: GPL-2.0
/*
 * Preset f2fs-large-folio: reads of holes, reads of data and the matrix of
 * overwrite / sync / background writeback, over block sizes. On F2FS reads are
 * also done on an immutable file, the only kind it gives large folios.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attr.h"
#include "err.h"
#include "measure.h"
#include "units.h"

#define KICK_EVERY_S 0.01

struct plan {
	uint64_t sizes[OPT_MAX_LIST];
	size_t nr_sizes;
	unsigned int rounds;
	uint64_t total_bytes;
	double limit_s;
	bool dontcache;		/* works here */
	bool immutable;		/* worth a column: F2FS */
};

/* A column of the read tables. */
struct kind {
	const char *name;
	int rwf_flags;
	bool immutable;
};

static const struct kind kinds[] = {
	{ "normal", 0, false },
	{ "dontcache", RWF_DONTCACHE, false },
	{ "immutable", 0, true },
};

/* A row of the write table. */
struct mix {
	const char *name;
	bool overwrite, sync, background;
};

/* With O_SYNC nothing stays dirty, so background writeback has no meaning there. */
static const struct mix mixes[] = {
	{ "N/N/N", false, false, false },
	{ "N/N/Y", false, false, true },
	{ "N/Y/N", false, true, false },
	{ "Y/N/N", true, false, false },
	{ "Y/N/Y", true, false, true },
	{ "Y/Y/N", true, true, false },
};

#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))
#define NR_MIXES (sizeof(mixes) / sizeof(mixes[0]))

static int make_plan(struct session *s, struct plan *p)
{
	unsigned int variants;
	int err;

	p->nr_sizes = session_io_sizes(s, p->sizes, 16);
	p->rounds = session_count(s, "rounds", s->opt.rounds, 10, 1);
	p->total_bytes = session_bytes(s, "size", s->opt.size_bytes, 256 * MIB, 4 * MIB);
	err = session_check_io(p->sizes, p->nr_sizes, p->total_bytes);
	if (err)
		return err;
	p->limit_s = session_seconds(s, "run_limit_s", s->opt.run_limit_s, 10, 0.25);
	p->dontcache = place_has_dontcache(&s->place);
	p->immutable = !strcmp(result_env_text(&s->res, "filesystem"), "f2fs");
	if (!p->dontcache)
		result_note(&s->res, "RWF_DONTCACHE answered EOPNOTSUPP here: its columns are "
			    "unavailable");
	variants = 1 + p->dontcache;
	progress_init(&s->prog, s->opt.progress, (unsigned int)p->nr_sizes * p->rounds *
		      (2 * (variants + p->immutable) + (unsigned int)NR_MIXES * variants));
	return place_check_space(&s->place, p->total_bytes);
}

static bool wanted(const struct plan *p, const struct kind *k)
{
	return k->immutable ? p->immutable : !k->rwf_flags || p->dontcache;
}

/*
 * F2FS decides about large folios when it loads the inode: it must leave the
 * inode cache between setting the attribute and reading.
 */
static int make_immutable(struct session *s, struct bfile *f)
{
	int err = fsync(f->fd) ? -errno : attr_set_immutable(f->fd, true);

	if (err)
		return bench_fail(err, "set the immutable attribute of", f->path);
	err = session_rest(s, f, 1);
	if (err)
		return err;
	close(f->fd);
	f->fd = -1;
	return session_drop_inodes();
}

static int one_read(struct session *s, const struct plan *p, bool hole, uint64_t io,
		    const struct kind *k, unsigned int round)
{
	struct measured m = { NULL, k->name, round, NULL };
	struct byte_counter counter;
	char group[64];
	struct stream st;
	struct bfile f;
	int err;

	measure_group(group, sizeof(group), hole ? "hole-read" : "data-read", io);
	m.group = group;
	err = measure_make_file(&f, &s->place, hole ? 0 : p->total_bytes);
	if (err)
		return err;
	if (hole && ftruncate(f.fd, (off_t)p->total_bytes))
		err = bench_fail(-errno, "make a hole in", f.path);
	if (!err)
		err = k->immutable ? make_immutable(s, &f) : session_rest(s, &f, 1);
	if (!err)
		err = bfile_reopen(&f, O_RDONLY);
	if (!err) {
		measure_prepare(&st, &counter, &f, false, k->rwf_flags, io, p->total_bytes);
		st.limit_ns = (uint64_t)(p->limit_s * 1e9);
		err = measure_streams(s, &st, &f, 1, &m, NULL);
	}
	if (k->immutable)
		attr_set_immutable_path(f.path, false);
	bfile_remove(&f);
	return err;
}

/* Starts writeback of what is dirty, again and again, while a run goes on. */
struct kicker {
	pthread_t thread;
	atomic_bool stop;
	int fd;
};

static void *kicker_main(void *arg)
{
	struct kicker *k = arg;

	while (!atomic_load(&k->stop)) {
		sync_file_range(k->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
		session_sleep(KICK_EVERY_S);
	}
	return NULL;
}

static int measure_mix(struct session *s, struct stream *st, struct bfile *f,
		       const struct measured *m, bool background)
{
	struct kicker k = { .fd = f->fd };
	struct run *run;
	double written;
	int err;

	if (background && pthread_create(&k.thread, NULL, kicker_main, &k))
		return bench_fail(-EAGAIN, "start", "background writeback");
	err = measure_streams(s, st, f, 1, m, &run);
	if (background) {
		atomic_store(&k.stop, true);
		pthread_join(k.thread, NULL);
	}
	if (err || background)
		return err;
	/* Nobody can switch it off for one file: say when it was there all the same. */
	written = run_value(run, "written_pages") * (double)s->page_bytes;
	if (!(st->rwf_flags & RWF_DONTCACHE) && !strstr(m->group, "/Y/") &&
	    written > 0.1 * (double)st->done_bytes)
		return result_note(&s->res, "in some */N/N runs the machine wrote back more than "
				   "10 %% of the volume during the loop (see written_pages)");
	return 0;
}

static int one_write(struct session *s, const struct plan *p, const struct mix *mix,
		     uint64_t io, const struct variant *v, unsigned int round)
{
	struct measured m = { NULL, v->name, round, NULL };
	struct byte_counter counter;
	char group[64], prefix[32];
	struct stream st;
	struct bfile f;
	int err;

	snprintf(prefix, sizeof(prefix), "write|%s", mix->name);
	measure_group(group, sizeof(group), prefix, io);
	m.group = group;
	err = measure_make_file(&f, &s->place, mix->overwrite ? p->total_bytes : 0);
	if (err)
		return err;
	err = session_rest(s, &f, 1);
	if (!err)
		err = bfile_reopen(&f, O_RDWR | (mix->sync ? O_SYNC : 0));
	if (!err) {
		measure_prepare(&st, &counter, &f, true, v->rwf_flags, io, p->total_bytes);
		st.limit_ns = (uint64_t)(p->limit_s * 1e9);
		err = measure_mix(s, &st, &f, &m, mix->background);
	}
	bfile_remove(&f);
	return err;
}

static int one_round(struct session *s, const struct plan *p, unsigned int round)
{
	const bool up = round % 2;
	size_t i, j, k;
	int err = 0;

	for (k = 0; k < 2; k++)
		for (i = 0; i < p->nr_sizes; i++)
			for (j = 0; j < NR_KINDS && !err; j++) {
				const struct kind *kind = &kinds[up ? j : NR_KINDS - 1 - j];

				if (wanted(p, kind))
					err = one_read(s, p, k == 0, p->sizes[i], kind, round);
			}
	for (k = 0; k < NR_MIXES; k++)
		for (i = 0; i < p->nr_sizes; i++)
			for (j = 0; j < NR_IO_VARIANTS && !err; j++) {
				const struct variant *v = &io_variants[up ? j : 1 - j];

				if (!v->rwf_flags || p->dontcache)
					err = one_write(s, p, &mixes[k], p->sizes[i], v, round);
			}
	return err;
}

static int run_large_folio(struct session *s)
{
	unsigned int round;
	struct plan p;
	int err = make_plan(s, &p);

	for (round = 1; !err && round <= p.rounds; round++)
		err = one_round(s, &p, round);
	return err;
}

const struct preset preset_f2fs_large_folio = {
	.name = "f2fs-large-folio",
	.summary = "hole reads, data reads, overwrite/sync/writeback matrix per block size",
	.needs_dir = true,
	.takes = TAKES_SIZE | TAKES_IO_SIZES | TAKES_ROUNDS | TAKES_RUN_LIMIT,
	.run = run_large_folio,
};
