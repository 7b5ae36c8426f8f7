// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "err.h"
#include "session.h"
#include "stop.h"
#include "units.h"

const struct variant io_variants[NR_IO_VARIANTS] = {
	{ "normal", 0 },
	{ "dontcache", RWF_DONTCACHE },
};

const char *session_bystander(unsigned int round, size_t i)
{
	return bystander_variants[round % 2 ? i : NR_BYSTANDER_VARIANTS - 1 - i];
}

/* Record a setting once. */
static void record(struct session *s, const char *name, const char *text)
{
	if (!*result_setting_text(&s->res, name))
		result_setting(&s->res, name, text);
}

uint64_t session_bytes(struct session *s, const char *name, uint64_t given, uint64_t normal,
		       uint64_t quick)
{
	uint64_t v = given ? given : s->opt.quick ? quick : normal;
	char text[32];

	format_bytes(v, text, sizeof(text));
	record(s, name, text);
	return v;
}

double session_seconds(struct session *s, const char *name, double given, double normal,
		       double quick)
{
	double v = given > 0 ? given : s->opt.quick ? quick : normal;
	char text[32];

	snprintf(text, sizeof(text), "%g", v);
	record(s, name, text);
	return v;
}

unsigned int session_count(struct session *s, const char *name, unsigned int given,
			   unsigned int normal, unsigned int quick)
{
	unsigned int v = given ? given : s->opt.quick ? quick : normal;
	char text[32];

	snprintf(text, sizeof(text), "%u", v);
	record(s, name, text);
	return v;
}

size_t session_io_sizes(struct session *s, uint64_t *sizes, unsigned int step)
{
	char text[512] = "", one[32];
	size_t n = s->opt.nr_io_sizes, used = 0, i;

	if (n) {
		memcpy(sizes, s->opt.io_sizes, n * sizeof(*sizes));
	} else {
		uint64_t size;

		for (size = 4 * KIB; size <= MIB; size *= step)
			sizes[n++] = size;
	}
	for (i = 0; i < n; i++) {
		format_bytes(sizes[i], one, sizeof(one));
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? "," : "",
					 one);
	}
	record(s, "io_sizes", text);
	return n;
}

int session_check_io(const uint64_t *io_sizes, size_t nr, uint64_t total_bytes)
{
	char io[32], total[32];
	size_t i;

	for (i = 0; i < nr; i++) {
		if (io_sizes[i] <= total_bytes)
			continue;
		format_bytes(io_sizes[i], io, sizeof(io));
		format_bytes(total_bytes, total, sizeof(total));
		return bench_error("an I/O of %s does not fit into the %s of a file; give a greater --size or smaller --io-sizes",
				   io, total);
	}
	return 0;
}

double session_interval(struct session *s)
{
	return session_seconds(s, "interval_s", s->opt.interval_s, 1, 0.05);
}

int session_sleep(double seconds)
{
	struct timespec ts = {
		.tv_sec = (time_t)seconds,
		.tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9),
	};

	while (!stop_signal && nanosleep(&ts, &ts) && errno == EINTR)
		;
	return stop_signal ? -EINTR : 0;
}

/* Write @what to /proc/sys/vm/drop_caches: 3 is everything, 2 inodes and the like. */
static int drop_caches(const char *what)
{
	int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0 || write(fd, what, 1) != 1)
		err = -errno;
	if (fd >= 0)
		close(fd);
	return err;
}

int session_drop_inodes(void)
{
	int err = drop_caches("2");

	return err ? bench_fail(err, "drop", "the inode cache") : 0;
}

static int drop_files(const struct bfile *files, size_t nr)
{
	size_t i;
	int err = 0;

	for (i = 0; i < nr && !err; i++) {
		if (files[i].fd < 0)
			continue;
		if (fsync(files[i].fd))
			return -errno;
		err = -posix_fadvise(files[i].fd, 0, 0, POSIX_FADV_DONTNEED);
	}
	return err;
}

enum reset_mode session_reset_mode(const struct session *s)
{
	if (s->opt.reset != RESET_DEFAULT)
		return s->opt.reset;
	return s->opt.quick ? RESET_FILE : RESET_DROP;
}

int session_reset(struct session *s, const struct bfile *files, size_t nr)
{
	const enum reset_mode mode = session_reset_mode(s);
	int err = 0;

	if (mode == RESET_DROP) {
		sync();
		err = drop_caches("3");
		if (err == -EACCES || err == -EPERM || err == -EROFS)
			return bench_error("cannot drop the machine's caches (%s); run as root "
					   "or give --reset file", strerror(-err));
	} else if (mode == RESET_FILE) {
		err = drop_files(files, nr);
	}
	return err ? bench_fail(err, "reset the page cache of", s->place.path) : 0;
}

int session_rest(struct session *s, const struct bfile *files, size_t nr)
{
	static const char *const names[] = { "default", "drop", "file", "none" };
	double cooldown = s->opt.cooldown_s;
	char text[32];
	int err;

	if (cooldown < 0)
		cooldown = s->opt.quick ? 0 : 5;
	record(s, "reset", names[session_reset_mode(s)]);
	snprintf(text, sizeof(text), "%g", cooldown);
	record(s, "cooldown_s", text);
	err = session_reset(s, files, nr);
	return err ? err : session_sleep(cooldown);
}
