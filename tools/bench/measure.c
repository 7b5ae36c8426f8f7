// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "err.h"
#include "iocount.h"
#include "measure.h"
#include "residency.h"
#include "units.h"

/* Completions that a worker still has to do after fsync returned. */
#define SETTLE_S 0.1

#define FILL_IO_BYTES MIB

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

int measure_fill_file(const struct bfile *f, uint64_t total)
{
	const uint64_t io = total < FILL_IO_BYTES ? total : FILL_IO_BYTES;
	struct byte_counter counter;
	struct stream st;
	int err;

	measure_prepare(&st, &counter, f, true, 0, io, total);
	err = stream_run(&st);
	if (!err && fsync(f->fd))
		err = -errno;
	if (err == -EINTR)
		return err;
	return err ? bench_fail(err, "write", f->path) : 0;
}

static int store_loop(struct run *run, const struct stream *st)
{
	double seconds = (double)(st->end_ns - st->begin_ns) / 1e9;
	int err;

	err = run_metric(run, "bytes", (double)st->done_bytes);
	err = err ? err : run_metric(run, "loop_s", seconds);
	err = err ? err : run_metric(run, "throughput_mib_s",
				     (double)st->done_bytes / (double)MIB / seconds);
	err = err ? err : run_metric(run, "ops", (double)st->ops);
	err = err ? err : run_metric(run, "short_ops", (double)st->short_ops);
	err = err ? err : run_metric(run, "interrupted", (double)st->interrupted);
	return err ? err : run_metric(run, "wraps", (double)st->wraps);
}

static int store_fsync(struct run *run, const struct stream *st)
{
	uint64_t begin = now_ns();
	double seconds, loop_s = run_value(run, "loop_s");
	int err;

	if (fsync(st->fd))
		return -errno;
	seconds = (double)(now_ns() - begin) / 1e9;
	err = run_metric(run, "fsync_s", seconds);
	return err ? err : run_metric(run, "throughput_fsync_mib_s", (double)st->done_bytes /
				      (double)MIB / (loop_s + seconds));
}

static int store_resident(struct run *run, const struct stream *st, const char *name,
			  const char *dirty_name)
{
	struct residency res;
	int err;

	err = residency_count(st->fd, (uint64_t)st->start, st->span_bytes, &res);
	/* Some pseudo filesystems can do neither call: unavailable, not zero. */
	if (err)
		return 0;
	err = run_metric(run, name, (double)res.resident_pages);
	if (!err && dirty_name && res.have_dirty)
		err = run_metric(run, dirty_name, (double)res.dirty_pages);
	return err;
}

static int store_reads(struct run *run, const struct stream *st, const struct iocount *a,
		       const struct iocount *b)
{
	double process = b->process_read_bytes - a->process_read_bytes;
	double device = b->device_read_bytes - a->device_read_bytes;
	double best = isnan(process) ? device : process;
	int err;

	err = run_metric(run, "process_read_bytes", process);
	err = err ? err : run_metric(run, "device_read_bytes", device);
	return err ? err : run_metric(run, "read_amplification", best / (double)st->done_bytes);
}

int measure_stream(struct session *s, struct stream *st, const struct bfile *f,
		   const char *group, const char *variant, unsigned int round,
		   const char *cgroup, struct run **runp)
{
	struct run *run = result_run(&s->res, group, variant, round);
	struct iocount before, after;
	struct sampler *sampler;
	int err, err2;

	if (!run)
		return bench_fail(-ENOMEM, "keep a run of", group);
	progress_run(&s->prog, group, variant, round);
	err = sampler_start(&sampler, session_interval(s), st->counter, 1, cgroup);
	if (err)
		goto drop;
	iocount_read(&before, s->place.dev);
	err = stream_run(st);
	iocount_read(&after, s->place.dev);
	err2 = sampler_stop(sampler, run);
	if (err) {
		if (err != -EINTR)
			bench_fail(err, st->write ? "write" : "read", f->path);
		goto drop;
	}
	err = err2 ? err2 : store_loop(run, st);
	err = err ? err : store_resident(run, st, "resident_end_pages", "dirty_end_pages");
	if (!err && st->write)
		err = store_fsync(run, st);
	if (!err && !st->write)
		err = store_reads(run, st, &before, &after);
	if (!err)
		err = session_sleep(SETTLE_S);
	err = err ? err : store_resident(run, st, "resident_pages", NULL);
	if (err) {
		if (err != -EINTR)
			bench_fail(err, "measure", f->path);
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
