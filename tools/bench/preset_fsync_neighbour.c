// SPDX-License-Identifier: GPL-2.0
/*
 * Preset fsync-neighbour: a writer of small records that syncs each of them,
 * beside a stream. A design that lets an fsync wait for the completion of
 * somebody else's dontcache writes shows here.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "err.h"
#include "measure.h"
#include "stop.h"
#include "units.h"

/* The records go over a file of this size again and again. */
#define RECORD_SPAN (64 * MIB)

struct plan {
	uint64_t record_bytes, stream_bytes, io_bytes, log_bytes;
	double duration_s;
	unsigned int rounds;
};

/* Writes a record and syncs it, one after the other. */
struct syncer {
	pthread_t thread;
	int fd;
	uint64_t record_bytes, span_bytes;
	atomic_bool stop;
	atomic_bool *stop_others;
	struct hist fsyncs, writes;
	uint64_t deadline_ns;
	uint64_t records, begin_ns, end_ns;
	int err;
};

static int make_plan(struct session *s, struct plan *p)
{
	int err;

	p->record_bytes = 4 * KIB;
	p->io_bytes = session_bytes(s, "io_size", s->opt.nr_io_sizes ? s->opt.io_sizes[0] : 0,
				    64 * KIB, 64 * KIB);
	p->stream_bytes = session_bytes(s, "size", s->opt.size_bytes, 2 * GIB, 64 * MIB);
	p->log_bytes = session_bytes(s, "record_file", RECORD_SPAN, 0, 0);
	p->duration_s = session_seconds(s, "duration_s", s->opt.duration_s, 20, 0.5);
	p->rounds = session_count(s, "rounds", s->opt.rounds, 2, 1);
	result_setting(&s->res, "record", "4K, written, then fsync");
	err = session_check_io(&p->io_bytes, 1, p->stream_bytes);
	if (err)
		return err;
	progress_init(&s->prog, s->opt.progress, p->rounds * NR_BYSTANDER_VARIANTS);
	return place_check_space(&s->place, p->log_bytes + p->stream_bytes);
}

static int sync_record(struct syncer *y, const char *buf)
{
	uint64_t t0 = now_ns(), t1;
	off_t at = (off_t)(y->records * y->record_bytes % y->span_bytes);
	ssize_t n = pwrite(y->fd, buf, y->record_bytes, at);

	if (n != (ssize_t)y->record_bytes)
		return n < 0 ? -errno : -EIO;
	t1 = now_ns();
	if (fsync(y->fd))
		return -errno;
	hist_add(&y->writes, t1 - t0);
	hist_add(&y->fsyncs, now_ns() - t1);
	y->records++;
	return 0;
}

static void *syncer_main(void *arg)
{
	struct syncer *y = arg;
	char *buf = calloc(1, y->record_bytes);

	y->err = buf ? 0 : -ENOMEM;
	y->begin_ns = now_ns();
	while (!y->err && !atomic_load(&y->stop) && !stop_signal && now_ns() < y->deadline_ns)
		y->err = sync_record(y, buf);
	y->end_ns = now_ns();
	if (y->err)
		atomic_store(y->stop_others, true);
	free(buf);
	return NULL;
}

static int store(struct run *run, const struct syncer *y)
{
	static const struct {
		const char *name;
		double percent;
	} points[] = {
		{ "fsync_p50_us", 50 }, { "fsync_p90_us", 90 },
		{ "fsync_p99_us", 99 }, { "fsync_p999_us", 99.9 },
	};
	size_t i;
	int err;

	err = run_metric(run, "records", (double)y->records);
	err = err ? err : run_metric(run, "records_per_s", (double)y->records /
				     ((double)(y->end_ns - y->begin_ns) / 1e9));
	for (i = 0; i < sizeof(points) / sizeof(points[0]) && !err; i++)
		err = run_metric(run, points[i].name,
				 hist_percentile_ns(&y->fsyncs, points[i].percent) / 1e3);
	err = err ? err : run_metric(run, "fsync_max_us", (double)y->fsyncs.max_ns / 1e3);
	return err ? err : run_metric(run, "write_p99_us",
				      hist_percentile_ns(&y->writes, 99) / 1e3);
}

/* The syncer alone: nothing streams, the sampler runs all the same. */
static int alone(struct session *s, struct syncer *y, unsigned int round, struct run **runp)
{
	struct byte_counter counter = { 0 };
	struct run *run = result_run(&s->res, "fsync|writer", "alone", round);
	struct sampler *sampler;
	int err, err2;

	if (!run)
		return bench_fail(-ENOMEM, "keep a run of", "fsync-neighbour");
	progress_run(&s->prog, "fsync", "alone", round);
	err = sampler_start(&sampler, session_interval(s), &counter, 1, NULL, &s->prog);
	while (!err && now_ns() < y->deadline_ns && !atomic_load(y->stop_others))
		err = session_sleep(0.02);
	if (err != 0 && err != -EINTR)
		goto drop;
	err2 = sampler_stop(sampler, run);
	err = err ? err : err2;
	if (err)
		goto drop;
	progress_done(&s->prog);
	*runp = run;
	return 0;
drop:
	result_drop_last_run(&s->res);
	return err;
}

static int loads(struct session *s, const struct plan *p, struct syncer *y,
		 struct bfile *target, const char *column, unsigned int round,
		 struct run **runp)
{
	struct measured m = { "fsync|writer", column, round, NULL };
	struct byte_counter counter;
	struct stream st;

	if (!strcmp(column, "alone"))
		return alone(s, y, round, runp);
	measure_prepare(&st, &counter, target, true,
			strcmp(column, "dontcache") ? 0 : RWF_DONTCACHE, p->io_bytes,
			p->stream_bytes);
	st.total_bytes = 0;
	st.stop = y->stop_others;
	st.limit_ns = (uint64_t)(p->duration_s * 1e9);
	return measure_streams(s, &st, target, 1, &m, runp);
}

static int one_run(struct session *s, const struct plan *p, const char *column,
		   unsigned int round)
{
	struct syncer *y = calloc(1, sizeof(*y));
	struct bfile log = { .fd = -1 }, target = { .fd = -1 };
	atomic_bool stop_stream = false;
	struct run *run = NULL;
	bool started = false;
	int err;

	if (!y)
		return bench_fail(-ENOMEM, "start", "the fsync writer");
	err = session_rest(s, NULL, 0);
	err = err ? err : bfile_make(&log, &s->place, 0, 0);
	err = err ? err : bfile_make(&target, &s->place, 1, 0);
	if (err)
		goto out;
	hist_init(&y->fsyncs);
	hist_init(&y->writes);
	y->fd = log.fd;
	y->record_bytes = p->record_bytes;
	y->span_bytes = p->log_bytes;
	y->stop_others = &stop_stream;
	y->deadline_ns = now_ns() + (uint64_t)(p->duration_s * 1e9);
	err = -pthread_create(&y->thread, NULL, syncer_main, y);
	started = !err;
	if (err)
		bench_fail(err, "start", "the fsync writer");
	else
		err = loads(s, p, y, &target, column, round, &run);
out:
	if (started) {
		atomic_store(&y->stop, true);
		pthread_join(y->thread, NULL);
	}
	if (!err && y->err)
		err = bench_fail(y->err, "write and sync", log.path);
	if (!err && store(run, y))
		err = bench_fail(-ENOMEM, "keep a run of", "fsync-neighbour");
	bfile_remove(&log);
	bfile_remove(&target);
	free(y);
	return err;
}

static int run_fsync_neighbour(struct session *s)
{
	unsigned int round;
	struct plan p;
	size_t i;
	int err = make_plan(s, &p);

	for (round = 1; !err && round <= p.rounds; round++)
		for (i = 0; !err && i < NR_BYSTANDER_VARIANTS; i++)
			err = one_run(s, &p, session_bystander(round, i), round);
	return err;
}

const struct preset preset_fsync_neighbour = {
	.name = "fsync-neighbour",
	.summary = "a writer that syncs small records beside a stream: fsync percentiles",
	.dontcache = true,
	.needs_dir = true,
	.takes = TAKES_SIZE | TAKES_IO_SIZE | TAKES_ROUNDS | TAKES_DURATION,
	.run = run_fsync_neighbour,
};
