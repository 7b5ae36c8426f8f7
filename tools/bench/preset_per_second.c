// SPDX-License-Identifier: GPL-2.0
/*
 * Preset per-second: several files (or parts of a device), a thread each,
 * throughput of each second, normal against dontcache; optionally inside a
 * memory cgroup with a limit.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cgroup.h"
#include "err.h"
#include "measure.h"
#include "units.h"

struct plan {
	unsigned int files, rounds;
	uint64_t io_bytes, part_bytes;
	double duration_s;
	bool read;
	uint64_t limit_bytes;
};

/* The files and threads of one run. */
struct parts {
	struct bfile *files;
	struct stream *streams;
	struct byte_counter *counters;
	unsigned int made;
};

static int make_plan(struct session *s, struct plan *p)
{
	uint64_t size;
	int err;

	p->files = session_count(s, "files", s->opt.files, 4, 2);
	p->rounds = session_count(s, "rounds", s->opt.rounds, 1, 1);
	p->io_bytes = session_bytes(s, "io_size", s->opt.nr_io_sizes ? s->opt.io_sizes[0] : 0,
				    64 * KIB, 64 * KIB);
	p->duration_s = session_seconds(s, "duration_s", s->opt.duration_s, 18, 0.5);
	size = session_bytes(s, "size", s->opt.size_bytes, 4 * GIB, 32 * MIB);
	p->read = s->opt.op_read;
	result_setting(&s->res, "op", p->read ? "read" : "write");
	p->limit_bytes = s->opt.memory_limit_bytes;
	if (p->limit_bytes)
		session_bytes(s, "memory_limit", p->limit_bytes, 0, 0);
	p->part_bytes = size / p->files / p->io_bytes * p->io_bytes;
	err = session_check_io(&p->io_bytes, 1, size / p->files);
	if (err)
		return err;
	result_note(&s->res, "each file is gone over again from its start when it is full (--size)");
	progress_init(&s->prog, s->opt.progress, p->rounds * 2);
	return place_check_space(&s->place, size);
}

static void parts_free(struct parts *pt)
{
	unsigned int i;

	for (i = 0; i < pt->made; i++)
		bfile_remove(&pt->files[i]);
	free(pt->files);
	free(pt->streams);
	free(pt->counters);
}

static int parts_make(struct parts *pt, struct session *s, const struct plan *p)
{
	int err;

	pt->made = 0;
	pt->files = calloc(p->files, sizeof(*pt->files));
	pt->streams = calloc(p->files, sizeof(*pt->streams));
	pt->counters = aligned_alloc(alignof(struct byte_counter),
				     p->files * sizeof(*pt->counters));
	if (!pt->files || !pt->streams || !pt->counters)
		return bench_fail(-ENOMEM, "make", "the files");
	while (pt->made < p->files) {
		err = bfile_make(&pt->files[pt->made], &s->place, pt->made, p->part_bytes);
		if (err)
			return err;
		pt->made++;
		if (p->read && !s->place.is_dev) {
			err = measure_fill_file(&pt->files[pt->made - 1], p->part_bytes);
			if (err)
				return err;
		}
	}
	return 0;
}

static int one_run(struct session *s, const struct plan *p, struct parts *pt,
		   const struct variant *v, unsigned int round)
{
	struct measured m = {
		.group = p->read ? "per-second|read" : "per-second|write",
		.variant = v->name,
		.round = round,
	};
	struct cgroup cg;
	unsigned int i;
	int err = session_rest(s, pt->files, pt->made);

	if (err)
		return err;
	if (p->limit_bytes) {
		char name[64];

		snprintf(name, sizeof(name), "dontcache-bench-%d", (int)getpid());
		err = cgroup_make(&cg, NULL, name, p->limit_bytes);
		if (err)
			return err;
		err = cgroup_join(&cg, getpid());
		if (err)
			goto out;
		m.cgroup = cg.path;
	}
	for (i = 0; i < pt->made; i++) {
		measure_prepare(&pt->streams[i], &pt->counters[i], &pt->files[i], !p->read,
				v->rwf_flags, p->io_bytes, p->part_bytes);
		pt->streams[i].total_bytes = 0;
		pt->streams[i].limit_ns = (uint64_t)(p->duration_s * 1e9);
	}
	err = measure_streams(s, pt->streams, pt->files, pt->made, &m, NULL);
	if (p->limit_bytes && cgroup_leave(&cg, getpid()) && !err)
		err = -EIO;
out:
	if (p->limit_bytes)
		cgroup_remove(&cg);
	return err;
}

static int run_per_second(struct session *s)
{
	unsigned int round, j;
	struct parts pt;
	struct plan p;
	int err = make_plan(s, &p);

	if (err)
		return err;
	for (round = 1; round <= p.rounds; round++) {
		for (j = 0; j < NR_IO_VARIANTS; j++) {
			err = parts_make(&pt, s, &p);
			if (!err)
				err = one_run(s, &p, &pt, &io_variants[round % 2 ? j : 1 - j],
					      round);
			parts_free(&pt);
			if (err)
				return err;
		}
	}
	return 0;
}

const struct preset preset_per_second = {
	.name = "per-second",
	.summary = "throughput of each second with several files and threads",
	.dontcache = true,
	.takes = TAKES_SIZE | TAKES_IO_SIZE | TAKES_ROUNDS | TAKES_FILES | TAKES_DURATION |
		 TAKES_OP | TAKES_MEMORY_LIMIT,
	.run = run_per_second,
};
