// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "err.h"
#include "iocount.h"
#include "kvfile.h"
#include "measure.h"
#include "residency.h"
#include "stop.h"
#include "units.h"

/* Completions that a worker still has to do after fsync returned. */
#define SETTLE_S 0.1

#define FILL_IO_BYTES MIB

/* What all streams of a run did together. */
struct sum {
	uint64_t begin_ns, end_ns;
	uint64_t bytes, ops, short_ops, interrupted, wraps;
};

void measure_prepare(struct stream *st, struct byte_counter *counter, const struct bfile *f,
		     bool write, int rwf_flags, uint64_t io, uint64_t total)
{
	memset(st, 0, sizeof(*st));
	atomic_store(&counter->bytes, 0);
	st->counter = counter;
	st->fd = f->fd;
	st->write = write;
	st->rwf_flags = rwf_flags;
	st->io_bytes = io;
	st->start = (off_t)f->start;
	st->total_bytes = total / io * io;
	st->span_bytes = st->total_bytes;
}

static int fill(const struct bfile *f, uint64_t at, uint64_t io, uint64_t total)
{
	struct byte_counter counter;
	struct stream st;

	measure_prepare(&st, &counter, f, true, 0, io, total);
	st.start += (off_t)at;
	return stream_run(&st);
}

int measure_fill_file(const struct bfile *f, uint64_t total)
{
	const uint64_t rest = total % FILL_IO_BYTES;
	int err = 0;

	if (total > rest)
		err = fill(f, 0, FILL_IO_BYTES, total - rest);
	if (!err && rest)
		err = fill(f, total - rest, rest, rest);
	if (!err && fsync(f->fd))
		err = -errno;
	if (err == -EINTR)
		return err;
	return err ? bench_fail(err, "write", f->path) : 0;
}

void measure_group(char *group, size_t size, const char *prefix, uint64_t io)
{
	char key[32];

	format_bytes(io, key, sizeof(key));
	snprintf(group, size, "%s|%s", prefix, key);
}

int measure_make_file(struct bfile *f, struct place *p, uint64_t fill)
{
	int err = bfile_make(f, p, 0, 0);

	if (err || !fill)
		return err;
	err = measure_fill_file(f, fill);
	if (err)
		bfile_remove(f);
	return err;
}

/* A stream in a thread of its own. */
struct runner {
	pthread_t thread;
	bool started;
	struct stream *st;
	atomic_bool *stop;
	int err;
};

static void *runner_main(void *arg)
{
	struct runner *r = arg;

	r->err = stream_run(r->st);
	/* One that failed ends the others: the run is void. */
	if (r->err)
		atomic_store(r->stop, true);
	return NULL;
}

static int run_threads(struct stream *st, size_t nr, size_t *failed)
{
	struct runner *runners = calloc(nr, sizeof(*runners));
	atomic_bool stop = false;
	int err = 0;
	size_t i;

	if (!runners)
		return -ENOMEM;
	for (i = 0; i < nr && !err; i++) {
		runners[i].st = &st[i];
		runners[i].stop = &stop;
		st[i].stop = &stop;
		err = -pthread_create(&runners[i].thread, NULL, runner_main, &runners[i]);
		runners[i].started = !err;
	}
	if (err)
		atomic_store(&stop, true);
	for (i = 0; i < nr; i++) {
		if (!runners[i].started)
			continue;
		pthread_join(runners[i].thread, NULL);
		if (runners[i].err && !err) {
			err = runners[i].err;
			*failed = i;
		}
	}
	free(runners);
	return err;
}

static void add_up(struct sum *sum, const struct stream *st, size_t nr)
{
	size_t i;

	memset(sum, 0, sizeof(*sum));
	sum->begin_ns = UINT64_MAX;
	for (i = 0; i < nr; i++) {
		sum->begin_ns = st[i].begin_ns < sum->begin_ns ? st[i].begin_ns : sum->begin_ns;
		sum->end_ns = st[i].end_ns > sum->end_ns ? st[i].end_ns : sum->end_ns;
		sum->bytes += st[i].done_bytes;
		sum->ops += st[i].ops;
		sum->short_ops += st[i].short_ops;
		sum->interrupted += st[i].interrupted;
		sum->wraps += st[i].wraps;
	}
}

static int store_loop(struct run *run, const struct sum *sum)
{
	double seconds = (double)(sum->end_ns - sum->begin_ns) / 1e9;
	int err;

	err = run_metric(run, "bytes", (double)sum->bytes);
	err = err ? err : run_metric(run, "loop_s", seconds);
	/* A run whose time was over before its first call says nothing about speed. */
	err = err ? err : run_metric(run, "throughput_mib_s", sum->ops ?
				     (double)sum->bytes / (double)MIB / seconds : NAN);
	err = err ? err : run_metric(run, "ops", (double)sum->ops);
	err = err ? err : run_metric(run, "short_ops", (double)sum->short_ops);
	err = err ? err : run_metric(run, "interrupted", (double)sum->interrupted);
	return err ? err : run_metric(run, "wraps", (double)sum->wraps);
}

/* @failed: which of them could not be synced. */
static int store_fsync(struct run *run, const struct stream *st, size_t nr,
		       const struct sum *sum, size_t *failed)
{
	uint64_t begin = now_ns();
	double seconds;
	size_t i;
	int err;

	for (i = 0; i < nr; i++) {
		while (fsync(st[i].fd)) {
			*failed = i;
			if (errno != EINTR)
				return -errno;
			if (stop_signal)
				return -EINTR;
		}
	}
	seconds = (double)(now_ns() - begin) / 1e9;
	err = run_metric(run, "fsync_s", seconds);
	return err ? err : run_metric(run, "throughput_fsync_mib_s", sum->ops ?
				      (double)sum->bytes / (double)MIB /
				      (run_value(run, "loop_s") + seconds) : NAN);
}

static int store_resident(struct run *run, const struct stream *st, size_t nr,
			  const char *name, const char *dirty_name, const char *evicted_name)
{
	double pages = 0, dirty = 0, evicted = 0;
	struct residency res;
	size_t i;
	int err;

	for (i = 0; i < nr; i++) {
		/* Some pseudo filesystems can do neither call: unavailable, not zero. */
		if (residency_count(st[i].fd, (uint64_t)st[i].start, st[i].span_bytes, &res))
			return 0;
		pages += (double)res.resident_pages;
		dirty += res.have_dirty ? (double)res.dirty_pages : NAN;
		evicted += res.have_dirty ? (double)res.evicted_pages : NAN;
	}
	err = run_metric(run, name, pages);
	if (!err && dirty_name)
		err = run_metric(run, dirty_name, dirty);
	if (!err && evicted_name)
		err = run_metric(run, evicted_name, evicted);
	return err;
}

static int store_reads(struct run *run, const struct sum *sum, const struct iocount *a,
		       const struct iocount *b)
{
	double process = b->process_read_bytes - a->process_read_bytes;
	double device = b->device_read_bytes - a->device_read_bytes;
	double best = isnan(process) ? device : process;
	int err;

	err = run_metric(run, "process_read_bytes", process);
	err = err ? err : run_metric(run, "device_read_bytes", device);
	return err ? err : run_metric(run, "read_amplification", best / (double)sum->bytes);
}

/* How often the page cache was dropped by hand since boot; NAN when unavailable. */
static double cache_drops(void)
{
	double drops = NAN;
	struct kvfile kv;

	if (!kvfile_open(&kv, "/proc/vmstat") && !kvfile_read(&kv))
		drops = kvfile_value(&kv, "drop_pagecache");
	kvfile_close(&kv);
	return drops;
}

/* Somebody else who drops caches while we measure spoils what we count. */
static int store_drops(struct result *r, struct run *run, double before)
{
	double drops = cache_drops() - before;
	int err = run_metric(run, "foreign_cache_drops", drops);

	if (err || !(drops > 0))
		return err;
	return result_note(r, "somebody else dropped the page cache during some runs (see "
			   "foreign_cache_drops): their pages and throughput are disturbed");
}

static int after_loop(struct run *run, const struct stream *st, size_t nr,
		      const struct iocount *before, const struct iocount *after, size_t *failed)
{
	struct sum sum;
	int err;

	add_up(&sum, st, nr);
	err = store_loop(run, &sum);
	err = err ? err : store_resident(run, st, nr, "resident_end_pages", "dirty_end_pages",
					 NULL);
	if (!err)
		err = st->write ? store_fsync(run, st, nr, &sum, failed) :
				  store_reads(run, &sum, before, after);
	if (!err)
		err = session_sleep(SETTLE_S);
	return err ? err : store_resident(run, st, nr, "resident_pages", NULL, "evicted_pages");
}

int measure_streams(struct session *s, struct stream *st, const struct bfile *files,
		    size_t nr, const struct measured *m, struct run **runp)
{
	struct run *run = result_run(&s->res, m->group, m->variant, m->round);
	struct iocount before, after;
	struct sampler *sampler;
	const double drops = cache_drops();
	size_t failed = 0;
	int err, err2;

	if (!run)
		return bench_fail(-ENOMEM, "keep a run of", m->group);
	progress_run(&s->prog, m->group, m->variant, m->round);
	err = sampler_start(&sampler, session_interval(s), st->counter, nr, m->cgroup,
			    &s->prog);
	if (err)
		goto drop;
	iocount_read(&before, s->place.dev);
	err = nr == 1 ? stream_run(st) : run_threads(st, nr, &failed);
	iocount_read(&after, s->place.dev);
	err2 = sampler_stop(sampler, run);
	err = err ? err : err2;
	err = err ? err : after_loop(run, st, nr, &before, &after, &failed);
	err = err ? err : store_drops(&s->res, run, drops);
	if (err) {
		if (err != -EINTR)
			bench_fail(err, st->write ? "write" : "read", files[failed].path);
		goto drop;
	}
	progress_done(&s->prog);
	if (runp)
		*runp = run;
	return 0;
drop:
	result_drop_last_run(&s->res);
	return err;
}
