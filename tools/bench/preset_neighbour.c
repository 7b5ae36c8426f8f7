// SPDX-License-Identifier: GPL-2.0
/*
 * Preset neighbour: a hot working set read at random in one cgroup while another
 * streams, normal or dontcache, both below one memory limit. What does the
 * stream cost the one who did nothing?
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cgroup.h"
#include "child.h"
#include "err.h"
#include "measure.h"
#include "units.h"
#include "victim.h"

#define VICTIM_READS_PER_S 5000

struct plan {
	uint64_t hot_bytes, limit_bytes, stream_bytes, io_bytes;
	double duration_s;
	unsigned int rounds;
	bool read;
};

/* What the victim reads, what the stream goes to. */
enum { HOT, TARGET, NR_FILES };

/* Shared with both load processes. */
struct shared {
	struct child victim_child, stream_child;
	struct victim victim;
	struct stream stream;
	struct byte_counter counter;
	uint64_t stream_fsync_ns;	/* of the fsync after the stream */
};

/* The groups of one run. */
struct groups {
	struct cgroup top, victim, stream;
};

static int make_plan(struct session *s, struct plan *p)
{
	int err;

	memset(p, 0, sizeof(*p));
	p->hot_bytes = session_bytes(s, "hot_size", s->opt.hot_bytes, 256 * MIB, 8 * MIB);
	if (!s->opt.no_cgroup)
		p->limit_bytes = session_bytes(s, "memory_limit", s->opt.memory_limit_bytes,
					       2 * p->hot_bytes, 64 * MIB);
	p->stream_bytes = session_bytes(s, "size", s->opt.size_bytes, 2 * GIB, 64 * MIB);
	p->io_bytes = session_bytes(s, "io_size", s->opt.nr_io_sizes ? s->opt.io_sizes[0] : 0,
				    64 * KIB, 64 * KIB);
	p->duration_s = session_seconds(s, "duration_s", s->opt.duration_s, 20, 1);
	p->rounds = session_count(s, "rounds", s->opt.rounds, 2, 1);
	p->read = s->opt.op_read;
	result_setting(&s->res, "stream_op", p->read ? "read" : "write");
	session_count(s, "victim_reads_per_s", VICTIM_READS_PER_S, 0, 0);
	/* Recorded where it is given, like a memory limit: without it is the usual way. */
	if (s->opt.no_cgroup) {
		result_setting(&s->res, "cgroup", "none");
		result_note(&s->res, "no cgroup: the stream presses on the memory of the whole "
			    "machine, so --size must be greater than it to evict anything");
	}
	if (p->hot_bytes < s->page_bytes)
		return bench_error("--hot-size is less than a page; give a greater one");
	err = session_check_io(&p->io_bytes, 1, p->stream_bytes);
	if (err)
		return err;
	progress_init(&s->prog, s->opt.progress, p->rounds * NR_BYSTANDER_VARIANTS);
	return place_check_space(&s->place, p->hot_bytes + p->stream_bytes);
}

static void groups_remove(struct groups *g)
{
	cgroup_remove(&g->victim);
	cgroup_remove(&g->stream);
	cgroup_remove(&g->top);
}

static int groups_make(struct groups *g, const struct plan *p)
{
	char name[64];
	int err;

	memset(g, 0, sizeof(*g));
	snprintf(name, sizeof(name), "dontcache-bench-%d", (int)getpid());
	err = cgroup_make(&g->top, NULL, name, p->limit_bytes);
	err = err ? err : cgroup_make(&g->victim, &g->top, "victim", 0);
	err = err ? err : cgroup_make(&g->stream, &g->top, "stream", 0);
	if (err)
		groups_remove(g);
	return err;
}

static int nothing(void *arg)
{
	(void)arg;
	return 0;
}

static int stream_load(void *arg)
{
	struct shared *sh = arg;
	uint64_t begin;
	int err = stream_run(&sh->stream);

	if (err || !sh->stream.write)
		return err;
	begin = now_ns();
	if (fsync(sh->stream.fd))
		return -errno;
	sh->stream_fsync_ns = now_ns() - begin;
	return 0;
}

static int store(struct run *run, const struct shared *sh, double refaults)
{
	const struct victim *v = &sh->victim;
	const struct stream *st = &sh->stream;
	double seconds = (double)(st->end_ns - st->begin_ns) / 1e9;
	double hit = v->nowait_works ? (double)v->hits * 100 / (double)v->reads : NAN;
	int err;

	err = run_metric(run, "reads", (double)v->reads);
	err = err ? err : run_metric(run, "unissued_reads", (double)v->unissued);
	err = err ? err : run_metric(run, "victim_s", (double)v->run_ns / 1e9);
	err = err ? err : run_metric(run, "hit_pct", hit);
	err = err ? err : run_metric(run, "misses", v->nowait_works ? (double)v->misses : NAN);
	err = err ? err : run_metric(run, "refaults", refaults);
	err = err ? err : run_metric(run, "victim_read_bytes", v->read_bytes);
	err = err ? err : run_metric(run, "latency_p50_us",
				     hist_percentile_ns(&v->latency, 50) / 1e3);
	err = err ? err : run_metric(run, "latency_p99_us",
				     hist_percentile_ns(&v->latency, 99) / 1e3);
	err = err ? err : run_metric(run, "latency_p999_us",
				     hist_percentile_ns(&v->latency, 99.9) / 1e3);
	err = err ? err : run_metric(run, "latency_max_us", (double)v->latency.max_ns / 1e3);
	if (err || !st->begin_ns)
		return err;
	err = run_metric(run, "stream_mib_s", (double)st->done_bytes / (double)MIB / seconds);
	if (!err && st->write)
		err = run_metric(run, "stream_fsync_mib_s", (double)st->done_bytes / (double)MIB /
				 (seconds + (double)sh->stream_fsync_ns / 1e9));
	return err ? err : run_metric(run, "stream_wraps", (double)st->wraps);
}

/* Both loads run for the duration, unless one of them fails. */
static int let_run(struct shared *sh, double seconds, bool with_stream)
{
	const uint64_t end = now_ns() + (uint64_t)(seconds * 1e9);
	int err = 0;

	child_go(&sh->victim_child);
	if (with_stream)
		child_go(&sh->stream_child);
	while (!err && now_ns() < end && !child_gone(&sh->victim_child) &&
	       !(with_stream && child_gone(&sh->stream_child)))
		err = session_sleep(0.02);
	return err;
}

static int watch(struct session *s, const struct plan *p, struct shared *sh,
		 const struct groups *g, const char *column, unsigned int round)
{
	const bool with_stream = strcmp(column, "alone");
	const char *sampled = s->opt.no_cgroup ? NULL : g->top.path;
	struct run *run = result_run(&s->res, "neighbour|victim", column, round);
	double refaults = NAN;
	struct sampler *sampler;
	int err, err2;

	if (!run)
		return bench_fail(-ENOMEM, "keep a run of", "neighbour");
	progress_run(&s->prog, "neighbour", column, round);
	if (!s->opt.no_cgroup)
		refaults = cgroup_refaults(&g->victim);
	err = sampler_start(&sampler, session_interval(s), &sh->counter, 1, sampled, &s->prog);
	if (!err) {
		err = let_run(sh, p->duration_s, with_stream);
		err2 = sampler_stop(sampler, run);
		err = err ? err : err2;
	}
	if (!s->opt.no_cgroup)
		refaults = cgroup_refaults(&g->victim) - refaults;
	err2 = child_stop(&sh->victim_child, "the victim");
	err = err ? err : err2;
	if (with_stream) {
		err2 = child_stop(&sh->stream_child, "the stream");
		err = err ? err : err2;
	}
	if (!err && store(run, sh, refaults))
		err = bench_fail(-ENOMEM, "keep a run of", "neighbour");
	if (err)
		result_drop_last_run(&s->res);
	else
		progress_done(&s->prog);
	return err;
}

static int start_children(struct shared *sh, const struct groups *g, bool cgroups,
			  bool with_stream)
{
	int err;

	err = child_start(&sh->victim_child, cgroups ? &g->victim : NULL, victim_warm,
			  victim_run, &sh->victim);
	if (!err && with_stream)
		err = child_start(&sh->stream_child, cgroups ? &g->stream : NULL, nothing,
				  stream_load, sh);
	if (!err)
		err = child_wait_ready(&sh->victim_child, "the victim");
	if (!err && with_stream)
		err = child_wait_ready(&sh->stream_child, "the stream");
	return err;
}

static int one_run(struct session *s, const struct plan *p, struct shared *sh,
		   const struct bfile *files, const char *column, unsigned int round)
{
	const bool with_stream = strcmp(column, "alone");
	const bool cgroups = !s->opt.no_cgroup;
	struct groups g = { 0 };
	int err;

	err = session_rest(s, files, 2);
	if (!err && cgroups)
		err = groups_make(&g, p);
	if (err)
		return err;
	memset(sh, 0, sizeof(*sh));
	sh->victim.fd = files[HOT].fd;
	sh->victim.hot_bytes = p->hot_bytes;
	sh->victim.period_ns = NSEC_PER_SEC / VICTIM_READS_PER_S;
	sh->victim.seed = 0x2545f4914f6cdd1dULL + round;
	sh->victim.stop = &sh->victim_child.stop;
	measure_prepare(&sh->stream, &sh->counter, &files[TARGET], !p->read,
			strcmp(column, "dontcache") ? 0 : RWF_DONTCACHE, p->io_bytes,
			p->stream_bytes);
	sh->stream.total_bytes = 0;
	sh->stream.stop = &sh->stream_child.stop;
	err = start_children(sh, &g, cgroups, with_stream);
	if (!err)
		err = watch(s, p, sh, &g, column, round);
	child_stop(&sh->victim_child, "the victim");
	child_stop(&sh->stream_child, "the stream");
	groups_remove(&g);
	return err;
}

static int all_runs(struct session *s, const struct plan *p, struct shared *sh,
		    const struct bfile *files)
{
	unsigned int round;
	size_t i;
	int err = measure_fill_file(&files[HOT], p->hot_bytes);

	if (!err && p->read)
		err = measure_fill_file(&files[TARGET], p->stream_bytes);
	for (round = 1; !err && round <= p->rounds; round++) {
		for (i = 0; !err && i < NR_BYSTANDER_VARIANTS; i++) {
			const char *column = session_bystander(round, i);

			/* A write stream begins with an empty file each time. */
			if (!p->read && ftruncate(files[TARGET].fd, 0))
				return bench_fail(-errno, "empty", files[TARGET].path);
			err = one_run(s, p, sh, files, column, round);
		}
	}
	return err;
}

static int run_neighbour(struct session *s)
{
	struct bfile files[NR_FILES] = { { .fd = -1 }, { .fd = -1 } };
	struct shared *sh;
	struct plan p;
	int err = make_plan(s, &p);

	if (err)
		return err;
	sh = child_shared(sizeof(*sh));
	if (!sh)
		return bench_fail(-ENOMEM, "share memory with", "the loads");
	err = bfile_make(&files[HOT], &s->place, 0, 0);
	err = err ? err : bfile_make(&files[TARGET], &s->place, 1, 0);
	err = err ? err : all_runs(s, &p, sh, files);
	bfile_remove(&files[HOT]);
	bfile_remove(&files[TARGET]);
	child_shared_free(sh, sizeof(*sh));
	return err;
}

const struct preset preset_neighbour = {
	.name = "neighbour",
	.summary = "a hot set read at random while another streams: hits, latency, refaults",
	.dontcache = true,
	.needs_dir = true,
	.takes = TAKES_SIZE | TAKES_IO_SIZE | TAKES_ROUNDS | TAKES_DURATION | TAKES_OP |
		 TAKES_MEMORY_LIMIT | TAKES_HOT_SIZE | TAKES_NO_CGROUP,
	.run = run_neighbour,
};
