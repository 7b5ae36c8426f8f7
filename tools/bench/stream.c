// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "stop.h"
#include "stream.h"
#include "units.h"

/* Bytes that do not compress. Each call stamps its offset into the first of them. */
static void fill(unsigned char *buf, size_t size)
{
	uint64_t x = 0x9e3779b97f4a7c15ULL;
	size_t i;

	for (i = 0; i + 8 <= size; i += 8) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(buf + i, &x, 8);
	}
}

/*
 * Move one block whole, going on after short transfers and EINTR. Returns the
 * bytes moved, or a negative errno; 0 means end of file.
 */
static ssize_t move_block(struct stream *s, unsigned char *buf, off_t at)
{
	size_t done = 0;

	while (done < s->io_bytes) {
		struct iovec iov = { buf + done, s->io_bytes - done };
		ssize_t n;

		if (s->write)
			n = pwritev2(s->fd, &iov, 1, at + (off_t)done, s->rwf_flags);
		else
			n = preadv2(s->fd, &iov, 1, at + (off_t)done, s->rwf_flags);
		if (n == (ssize_t)s->io_bytes)
			return n;
		if (n < 0 && errno == EINTR) {
			s->interrupted++;
			if (stop_signal)
				return -EINTR;
			continue;
		}
		if (n < 0)
			return -errno;
		if (!n)
			return s->write ? -EIO : (ssize_t)done;
		s->short_ops += (size_t)n < iov.iov_len;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

/* Time that the rate gives @k operations. Exact to a nanosecond for some hundred days. */
static uint64_t paced_ns(const struct stream *s, uint64_t k)
{
	return (uint64_t)((double)k * (double)s->io_bytes / (double)s->rate_bytes_s * 1e9);
}

uint64_t stream_schedule_ns(const struct stream *s)
{
	return paced_ns(s, s->max_ops);
}

uint64_t stream_count_unissued(struct stream *s)
{
	uint64_t k;

	for (k = s->ops; k < s->max_ops; k++) {
		uint64_t due = s->begin_ns + paced_ns(s, k);
		uint64_t lag = s->end_ns > due ? s->end_ns - due : 0;

		hist_add(s->lag, lag);
		hist_add(s->latency, lag);
	}
	return s->max_ops - s->ops;
}

/* Wait for operation @k and count how late it is. Returns the time it was due. */
static uint64_t wait_turn(struct stream *s, uint64_t k)
{
	uint64_t due = s->begin_ns + paced_ns(s, k), now = now_ns();
	struct timespec ts = {
		.tv_sec = (time_t)(due / NSEC_PER_SEC),
		.tv_nsec = (long)(due % NSEC_PER_SEC),
	};

	while (now < due && !stop_signal) {
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
		now = now_ns();
	}
	if (now > due) {
		hist_add(s->lag, now - due);
		s->late_ops += now - due > paced_ns(s, 1);
	} else {
		hist_add(s->lag, 0);
	}
	return due;
}

static bool finished(const struct stream *s)
{
	if (s->total_bytes && s->done_bytes >= s->total_bytes)
		return true;
	if (s->max_ops && s->ops >= s->max_ops)
		return true;
	if (s->stop && atomic_load_explicit(s->stop, memory_order_relaxed))
		return true;
	return s->limit_ns && now_ns() - s->begin_ns >= s->limit_ns;
}

static int loop(struct stream *s, unsigned char *buf)
{
	uint64_t pos = 0, due = 0;
	ssize_t n;

	while (!stop_signal && !finished(s)) {
		if (s->rate_bytes_s) {
			due = wait_turn(s, s->ops);
			if (stop_signal)
				break;
		}
		if (s->write)
			memcpy(buf, &s->done_bytes, sizeof(s->done_bytes));
		n = move_block(s, buf, s->start + (off_t)pos);
		if (n < 0)
			return (int)n;
		if (s->latency)
			hist_add(s->latency, now_ns() - due);
		s->ops++;
		s->done_bytes += (uint64_t)n;
		atomic_store_explicit(&s->counter->bytes, s->done_bytes, memory_order_relaxed);
		pos += (uint64_t)n;
		if (n < (ssize_t)s->io_bytes || pos + s->io_bytes > s->span_bytes) {
			/* Nothing there at all: going back would turn in circles. */
			if (!n && !pos)
				return -ENODATA;
			if (finished(s))
				break;
			pos = 0;
			s->wraps++;
		}
	}
	return stop_signal ? -EINTR : 0;
}

int stream_run(struct stream *s)
{
	unsigned char *buf = NULL;
	int err;

	if (posix_memalign((void **)&buf, (size_t)sysconf(_SC_PAGESIZE), s->io_bytes))
		return -ENOMEM;
	fill(buf, s->io_bytes);
	/* The default slack of 50 us would show as lag of ours. */
	if (s->rate_bytes_s)
		prctl(PR_SET_TIMERSLACK, 1UL);
	s->begin_ns = now_ns();
	err = loop(s, buf);
	s->end_ns = now_ns();
	free(buf);
	return err;
}
