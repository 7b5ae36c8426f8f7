// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "err.h"
#include "kvfile.h"
#include "sampler.h"
#include "units.h"

#define MAX_KSWAPD 64

/*
 * What a counter gained over the loop. Up to 6.18 the machine's reclaim counters leave
 * out what the limit of a memory cgroup made reclaim (mm/vmscan.c, cgroup_reclaim());
 * 7.2 counts it there as well. It is in the group's memory.stat, of version 2 only.
 */
static const struct {
	const char *metric;
	const char *counter;
	bool prefix;	/* all counters that begin so */
	bool cgroup;	/* in memory.stat of the group, not in /proc/vmstat */
} gains[] = {
	{ "kswapd_scan_pages", "pgscan_kswapd", false, false },
	{ "kswapd_steal_pages", "pgsteal_kswapd", false, false },
	{ "direct_scan_pages", "pgscan_direct", false, false },
	{ "direct_steal_pages", "pgsteal_direct", false, false },
	{ "alloc_stalls", "allocstall", true, false },
	{ "refault_file_pages", "workingset_refault_file", false, false },
	{ "written_pages", "nr_written", false, false },
	{ "cgroup_direct_scan_pages", "pgscan_direct", false, true },
	{ "cgroup_direct_steal_pages", "pgsteal_direct", false, true },
};

#define NR_GAINS (sizeof(gains) / sizeof(gains[0]))

/* Everything read at one moment. */
struct reading {
	uint64_t time_ns;
	uint64_t bytes;
	double kswapd_ticks;
	double gain[NR_GAINS];
};

struct sampler {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool stop;
	uint64_t interval_ns;
	const struct byte_counter *counters;
	size_t nr_counters;
	struct kvfile meminfo, vmstat, cgroup;
	bool with_cgroup;
	struct progress *prog;
	int kswapd_fds[MAX_KSWAPD];
	size_t nr_kswapd;
	struct reading first, last;
	struct sample *samples;
	size_t nr_samples, max_samples;
	size_t nr_ticks;	/* samples that fell on the interval */
	bool lost;		/* a sample could not be kept */
};

static void find_kswapd(struct sampler *s)
{
	DIR *proc = opendir("/proc");
	char path[64], comm[32];
	struct dirent *d;

	if (!proc)
		return;
	while ((d = readdir(proc)) && s->nr_kswapd < MAX_KSWAPD) {
		if (!isdigit((unsigned char)d->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%.16s/comm", d->d_name);
		if (read_first_line(path, comm, sizeof(comm)) || strncmp(comm, "kswapd", 6))
			continue;
		snprintf(path, sizeof(path), "/proc/%.16s/stat", d->d_name);
		s->kswapd_fds[s->nr_kswapd] = open(path, O_RDONLY | O_CLOEXEC);
		if (s->kswapd_fds[s->nr_kswapd] >= 0)
			s->nr_kswapd++;
	}
	closedir(proc);
}

/* Clock ticks (USER_HZ) of user and system time of all kswapd threads. */
static double kswapd_ticks(struct sampler *s)
{
	char buf[1024];
	double sum = 0;
	size_t i;

	if (!s->nr_kswapd)
		return NAN;
	for (i = 0; i < s->nr_kswapd; i++) {
		ssize_t n = pread(s->kswapd_fds[i], buf, sizeof(buf) - 1, 0);
		unsigned long long user, sys;
		char *p;

		if (n <= 0)
			return NAN;
		buf[n] = '\0';
		/* The name in brackets may hold anything: count from the last bracket. */
		p = strrchr(buf, ')');
		if (!p || sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu",
				 &user, &sys) != 2)
			return NAN;
		sum += (double)(user + sys);
	}
	return sum;
}

static uint64_t bytes_done(const struct sampler *s)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < s->nr_counters; i++)
		sum += atomic_load_explicit(&s->counters[i].bytes, memory_order_relaxed);
	return sum;
}

static double mib_from_kib(const struct kvfile *kv, const char *name)
{
	return kvfile_value(kv, name) / 1024;
}

/* cgroup v2 and v1 name the same thing differently. */
static double cgroup_mib(const struct sampler *s, const char *v2, const char *v1)
{
	double value = kvfile_value(&s->cgroup, v2);

	if (isnan(value))
		value = kvfile_value(&s->cgroup, v1);
	return value / (double)MIB;
}

static void read_levels(struct sampler *s, double *v)
{
	int i;

	for (i = 0; i < SAMPLE_FIELDS; i++)
		v[i] = NAN;
	kvfile_read(&s->meminfo);
	v[SAMPLE_MEMAVAILABLE_MIB] = mib_from_kib(&s->meminfo, "MemAvailable");
	v[SAMPLE_CACHED_MIB] = mib_from_kib(&s->meminfo, "Cached");
	v[SAMPLE_DIRTY_MIB] = mib_from_kib(&s->meminfo, "Dirty");
	v[SAMPLE_WRITEBACK_MIB] = mib_from_kib(&s->meminfo, "Writeback");
	v[SAMPLE_ACTIVE_FILE_MIB] = mib_from_kib(&s->meminfo, "Active(file)");
	v[SAMPLE_INACTIVE_FILE_MIB] = mib_from_kib(&s->meminfo, "Inactive(file)");
	if (!s->with_cgroup || kvfile_read(&s->cgroup))
		return;
	v[SAMPLE_CGROUP_FILE_MIB] = cgroup_mib(s, "file", "total_cache");
	v[SAMPLE_CGROUP_DIRTY_MIB] = cgroup_mib(s, "file_dirty", "total_dirty");
	v[SAMPLE_CGROUP_WRITEBACK_MIB] = cgroup_mib(s, "file_writeback", "total_writeback");
}

static void read_counters(struct sampler *s, struct reading *r)
{
	size_t i;

	kvfile_read(&s->vmstat);
	if (s->with_cgroup)
		kvfile_read(&s->cgroup);
	for (i = 0; i < NR_GAINS; i++) {
		const struct kvfile *from = gains[i].cgroup ? &s->cgroup : &s->vmstat;

		r->gain[i] = gains[i].prefix ? kvfile_sum_prefix(from, gains[i].counter) :
					       kvfile_value(from, gains[i].counter);
	}
	r->kswapd_ticks = kswapd_ticks(s);
	r->bytes = bytes_done(s);
	r->time_ns = now_ns();
}

static void take(struct sampler *s, bool tick)
{
	const double hz = (double)sysconf(_SC_CLK_TCK);
	struct reading r;
	struct sample *sm;
	double seconds;

	if (s->nr_samples == s->max_samples) {
		size_t max = s->max_samples ? s->max_samples * 2 : 256;

		sm = reallocarray(s->samples, max, sizeof(*sm));
		if (!sm) {
			s->lost = true;
			return;
		}
		s->samples = sm;
		s->max_samples = max;
	}
	sm = &s->samples[s->nr_samples];
	read_levels(s, sm->v);
	read_counters(s, &r);
	seconds = (double)(r.time_ns - s->last.time_ns) / 1e9;
	sm->v[SAMPLE_TIME_S] = (double)(r.time_ns - s->first.time_ns) / 1e9;
	if (seconds > 0) {
		sm->v[SAMPLE_MB_S] = (double)(r.bytes - s->last.bytes) / 1e6 / seconds;
		sm->v[SAMPLE_KSWAPD_CPU_PCT] =
			(r.kswapd_ticks - s->last.kswapd_ticks) / hz / seconds * 100;
	}
	s->last = r;
	s->nr_samples++;
	if (tick)
		s->nr_ticks++;
	progress_tick(s->prog, sm->v[SAMPLE_MB_S]);
}

static void *sampler_main(void *arg)
{
	struct sampler *s = arg;
	uint64_t due = s->first.time_ns;
	bool stop = false;

	while (!stop) {
		struct timespec ts;
		int rc = 0;

		due += s->interval_ns;
		ts.tv_sec = (time_t)(due / NSEC_PER_SEC);
		ts.tv_nsec = (long)(due % NSEC_PER_SEC);
		pthread_mutex_lock(&s->lock);
		while (!s->stop && rc != ETIMEDOUT)
			rc = pthread_cond_timedwait(&s->wake, &s->lock, &ts);
		stop = s->stop;
		pthread_mutex_unlock(&s->lock);
		take(s, !stop);
	}
	return NULL;
}

static void sampler_free(struct sampler *s)
{
	size_t i;

	for (i = 0; i < s->nr_kswapd; i++)
		close(s->kswapd_fds[i]);
	kvfile_close(&s->meminfo);
	kvfile_close(&s->vmstat);
	kvfile_close(&s->cgroup);
	free(s->samples);
	free(s);
}

int sampler_start(struct sampler **sp, double interval_s, const struct byte_counter *counters,
		  size_t nr, const char *cgroup, struct progress *prog)
{
	struct sampler *s = calloc(1, sizeof(*s));
	pthread_condattr_t attr;
	char path[4200];
	int err;

	*sp = NULL;
	if (!s)
		return bench_fail(-ENOMEM, "start", "the sampler");
	s->meminfo.fd = s->vmstat.fd = s->cgroup.fd = -1;
	s->interval_ns = (uint64_t)(interval_s * 1e9);
	s->counters = counters;
	s->nr_counters = nr;
	s->prog = prog;
	s->with_cgroup = cgroup != NULL;
	snprintf(path, sizeof(path), "%s/memory.stat", cgroup ? cgroup : "/nonexistent");
	err = kvfile_open(&s->meminfo, "/proc/meminfo");
	if (!err)
		err = kvfile_open(&s->vmstat, "/proc/vmstat");
	if (!err)
		err = kvfile_open(&s->cgroup, path);
	if (err)
		goto fail;
	find_kswapd(s);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->wake, &attr);
	read_counters(s, &s->first);
	s->last = s->first;
	err = -pthread_create(&s->thread, NULL, sampler_main, s);
	if (err)
		goto fail;
	*sp = s;
	return 0;
fail:
	sampler_free(s);
	return bench_fail(err, "start", "the sampler");
}

/* The sample at the end of the loop counts only when no interval was completed. */
static int store_means(const struct sampler *s, struct run *run)
{
	size_t n = s->nr_ticks ? s->nr_ticks : s->nr_samples, i;
	int f, err = 0;

	for (f = SAMPLE_MEMAVAILABLE_MIB; f < SAMPLE_FIELDS && !err; f++) {
		double sum = 0;

		for (i = 0; i < n; i++)
			sum += s->samples[i].v[f];
		if (n)
			err = run_metric(run, sample_names[f], sum / (double)n);
	}
	return err ? err : run_metric(run, "samples", (double)n);
}

int sampler_stop(struct sampler *s, struct run *run)
{
	double seconds;
	size_t i;
	int err;

	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);

	err = s->lost ? -ENOMEM : 0;
	for (i = 0; i < s->nr_samples && !err; i++)
		err = run_sample(run, &s->samples[i]);
	if (!err)
		err = store_means(s, run);
	for (i = 0; i < NR_GAINS && !err; i++)
		err = run_metric(run, gains[i].metric, s->last.gain[i] - s->first.gain[i]);
	seconds = (double)(s->last.time_ns - s->first.time_ns) / 1e9;
	if (!err && seconds > 0)
		err = run_metric(run, sample_names[SAMPLE_KSWAPD_CPU_PCT],
				 (s->last.kswapd_ticks - s->first.kswapd_ticks) /
					 (double)sysconf(_SC_CLK_TCK) / seconds * 100);
	sampler_free(s);
	return err;
}
