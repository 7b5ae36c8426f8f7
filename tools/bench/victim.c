// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "iocount.h"
#include "stop.h"
#include "units.h"
#include "victim.h"

#define WARM_PASSES 2

int victim_warm(void *arg)
{
	struct victim *v = arg;
	const size_t chunk = 64 * KIB;
	char *buf = malloc(chunk);
	uint64_t at;
	int pass, err = 0;

	if (!buf)
		return -ENOMEM;
	/* The run before left its advice on the open file that we share. */
	err = -posix_fadvise(v->fd, 0, 0, POSIX_FADV_NORMAL);
	for (pass = 0; pass < WARM_PASSES && !err; pass++)
		for (at = 0; at < v->hot_bytes && !err && !stop_signal; at += chunk)
			if (pread(v->fd, buf, chunk, (off_t)at) < 0 && errno != EINTR)
				err = -errno;
	free(buf);
	/* A miss shall read the page that was asked for and no others. */
	if (!err)
		err = -posix_fadvise(v->fd, 0, 0, POSIX_FADV_RANDOM);
	return stop_signal ? -EINTR : err;
}

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* One read, first without waiting to learn whether the page is cached. */
static int read_page(struct victim *v, const struct iovec *iov, off_t at)
{
	ssize_t n;

	if (v->nowait_works) {
		n = preadv2(v->fd, iov, 1, at, RWF_NOWAIT);
		if (n == (ssize_t)iov->iov_len) {
			v->hits++;
			return 0;
		}
		if (n < 0 && errno == EOPNOTSUPP)
			v->nowait_works = 0;
		else
			v->misses++;
	}
	do {
		n = preadv2(v->fd, iov, 1, at, 0);
	} while (n < 0 && errno == EINTR && !stop_signal);
	if (n < 0)
		return -errno;
	return n == (ssize_t)iov->iov_len ? 0 : -ENODATA;
}

/*
 * Reads that were due and never begun, because an earlier one took too long: each
 * waited at least until now.
 */
static void count_unissued(struct victim *v, uint64_t begin)
{
	const uint64_t end = now_ns();
	uint64_t due;

	for (due = begin + v->reads * v->period_ns; due < end; due += v->period_ns) {
		hist_add(&v->latency, end - due);
		v->unissued++;
	}
	v->run_ns = end - begin;
}

int victim_run(void *arg)
{
	struct victim *v = arg;
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct iovec iov = { .iov_len = page };
	struct iocount before, after;
	uint64_t x = v->seed, begin, due;
	int err = 0;

	if (posix_memalign(&iov.iov_base, page, page))
		return -ENOMEM;
	prctl(PR_SET_TIMERSLACK, 1UL);
	hist_init(&v->latency);
	v->reads = v->hits = v->misses = v->unissued = 0;
	v->nowait_works = 1;
	iocount_read(&before, 0);
	begin = now_ns();
	while (!err && !atomic_load_explicit(v->stop, memory_order_relaxed) && !stop_signal) {
		struct timespec ts;

		due = begin + v->reads * v->period_ns;
		ts.tv_sec = (time_t)(due / NSEC_PER_SEC);
		ts.tv_nsec = (long)(due % NSEC_PER_SEC);
		if (now_ns() < due && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL))
			continue;
		err = read_page(v, &iov,
				(off_t)(next_random(&x) % (v->hot_bytes / page) * page));
		hist_add(&v->latency, now_ns() - due);
		v->reads++;
	}
	count_unissued(v, begin);
	iocount_read(&after, 0);
	v->read_bytes = after.process_read_bytes - before.process_read_bytes;
	free(iov.iov_base);
	return err;
}
