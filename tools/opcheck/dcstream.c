// SPDX-License-Identifier: GPL-2.0
/*
 * dcstream: write, read back and look at one file, with or without
 * RWF_DONTCACHE. The kernel tests are made of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "pattern.h"
#include "sys.h"

#define SETTLE_NS 5000000000LL

struct options {
	const char *verb;
	const char *path;
	uint64_t size_bytes;
	uint64_t offset_bytes;
	uint64_t block_bytes;
	uint64_t step_bytes;	/* distance of block starts */
	uint64_t seed;
	unsigned int fsync_every;
	const char *acked;	/* file that holds how many bytes fsync has confirmed */
	int open_flags;
	int rwf;
	bool compressible;
	bool no_fsync;
	bool latency;
};

/* How long each fsync took, in the order of the calls. */
struct fsync_times {
	int64_t *ns;
	size_t count;
	size_t room;
};

static const char usage_text[] =
	"usage: dcstream write|read|check|resident [OPTION]... FILE\n"
	"  write     write SIZE bytes of test data at OFFSET, fsync, print what stays cached\n"
	"  read      read SIZE bytes at OFFSET, print what stays cached\n"
	"  check     read SIZE bytes at OFFSET and compare with the test data\n"
	"  resident  print what the cache holds of the file\n"
	"  -s, --size N        bytes, with suffix k, m or g (write: 16m; else: to the end of the file)\n"
	"  -o, --offset N      first byte (0)\n"
	"  -b, --block N       bytes per call (64k)\n"
	"  -t, --step N        distance of block starts (as --block)\n"
	"  -e, --seed N        which test data (1)\n"
	"  -z, --compressible  test data that compresses\n"
	"  -d, --dontcache     use RWF_DONTCACHE\n"
	"  -S, --sync KIND     open with O_DSYNC (dsync) or O_SYNC (sync)\n"
	"  -f, --fsync N       fsync after every N blocks as well\n"
	"  -n, --no-fsync      no fsync at the end\n"
	"  -a, --acked FILE    after each fsync, write the offset up to which all is safe to FILE\n"
	"  -l, --latency       print a line on how long the fsyncs took: count, median, longest\n"
	"  -h, --help\n"
	"Output, last line: mincore=PAGES cached=PAGES dirty=PAGES writeback=PAGES\n"
	"Exit status: 0; 1 wrong data or failed I/O; 2 wrong usage.\n";

static int fail(const char *fmt, ...)
{
	va_list ap;

	fputs("dcstream: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return 1;
}

/* Parses "64k" and the like. Returns 0 or -EINVAL. */
static int parse_bytes(const char *text, uint64_t *out)
{
	unsigned long long v;
	unsigned int shift = 0;
	char *end;

	errno = 0;
	v = strtoull(text, &end, 0);
	if (errno || end == text || *text == '-')
		return -EINVAL;
	if (*end == 'k' || *end == 'K')
		shift = 10;
	else if (*end == 'm' || *end == 'M')
		shift = 20;
	else if (*end == 'g' || *end == 'G')
		shift = 30;
	if (shift)
		end++;
	if (*end || v > UINT64_MAX >> shift)
		return -EINVAL;
	*out = v << shift;
	return 0;
}

static int parse_options(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "size", required_argument, NULL, 's' },
		{ "offset", required_argument, NULL, 'o' },
		{ "block", required_argument, NULL, 'b' },
		{ "step", required_argument, NULL, 't' },
		{ "seed", required_argument, NULL, 'e' },
		{ "compressible", no_argument, NULL, 'z' },
		{ "dontcache", no_argument, NULL, 'd' },
		{ "sync", required_argument, NULL, 'S' },
		{ "fsync", required_argument, NULL, 'f' },
		{ "no-fsync", no_argument, NULL, 'n' },
		{ "acked", required_argument, NULL, 'a' },
		{ "latency", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	uint64_t v = 0;
	int c;

	*o = (struct options){ .block_bytes = 65536, .seed = 1 };
	while ((c = getopt_long(argc, argv, "s:o:b:t:e:zdS:f:na:lh", longs, NULL)) != -1) {
		if (strchr("sobtef", c) && parse_bytes(optarg, &v)) {
			fail("'%s' is not a number of bytes", optarg);
			return 2;
		}
		switch (c) {
		case 's': o->size_bytes = v; break;
		case 'o': o->offset_bytes = v; break;
		case 'b': o->block_bytes = v; break;
		case 't': o->step_bytes = v; break;
		case 'e': o->seed = v; break;
		case 'f': o->fsync_every = v; break;
		case 'z': o->compressible = true; break;
		case 'd': o->rwf = RWF_DONTCACHE; break;
		case 'n': o->no_fsync = true; break;
		case 'a': o->acked = optarg; break;
		case 'l': o->latency = true; break;
		case 'S':
			if (!strcmp(optarg, "dsync")) {
				o->open_flags |= O_DSYNC;
			} else if (!strcmp(optarg, "sync")) {
				o->open_flags |= O_SYNC;
			} else {
				fail("--sync takes dsync or sync, not '%s'", optarg);
				return 2;
			}
			break;
		case 'h':
			fputs(usage_text, stdout);
			exit(0);
		default:
			return 2;
		}
	}
	if (argc - optind != 2) {
		fail("want a verb and one file, see --help");
		return 2;
	}
	o->verb = argv[optind];
	o->path = argv[optind + 1];
	if (!o->block_bytes || o->block_bytes > 1ULL << 30) {
		fail("the block size must be 1 to 1g");
		return 2;
	}
	if (!o->step_bytes)
		o->step_bytes = o->block_bytes;
	return 0;
}

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/*
 * fsync returns when writeback has ended, which is a moment before the worker
 * that ended it has dropped the folios. So look until the count stops falling.
 */
static int print_residency(int fd, const char *path)
{
	struct sys_residency r, last = { .mincore_pages = UINT64_MAX };
	int64_t end = now_ns() + SETTLE_NS;
	unsigned int same = 0;
	struct stat st;
	int err;

	if (fstat(fd, &st))
		return fail("%s: fstat: %s", path, strerror(errno));
	do {
		err = sys_residency(fd, st.st_size, &r);
		if (err)
			return fail("%s: cannot read residency: %s", path, strerror(-err));
		same = r.mincore_pages == last.mincore_pages ? same + 1 : 0;
		if (!r.mincore_pages || same == 20)
			break;
		last = r;
		usleep(10000);
	} while (now_ns() < end);

	printf("mincore=%llu", (unsigned long long)r.mincore_pages);
	if (r.have_cachestat)
		printf(" cached=%llu dirty=%llu writeback=%llu\n",
		       (unsigned long long)r.cached_pages, (unsigned long long)r.dirty_pages,
		       (unsigned long long)r.writeback_pages);
	else
		printf(" cached=unavailable dirty=unavailable writeback=unavailable\n");
	return 0;
}

static int add_time(struct fsync_times *t, int64_t ns)
{
	if (t->count == t->room) {
		size_t room = t->room ? 2 * t->room : 64;
		int64_t *grown = realloc(t->ns, room * sizeof(*grown));

		if (!grown)
			return fail("no memory for the times of %zu fsyncs", room);
		t->ns = grown;
		t->room = room;
	}
	t->ns[t->count++] = ns;
	return 0;
}

static int compare_ns(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void print_times(struct fsync_times *t)
{
	if (!t->count) {
		printf("fsyncs=0\n");
		return;
	}
	qsort(t->ns, t->count, sizeof(*t->ns), compare_ns);
	printf("fsyncs=%zu median_us=%lld max_us=%lld\n", t->count,
	       (long long)t->ns[t->count / 2] / 1000, (long long)t->ns[t->count - 1] / 1000);
}

/* fsync, then @safe_bytes into the file of --acked. Returns 0 or 1. */
static int sync_and_ack(const struct options *o, int fd, int acked_fd, uint64_t safe_bytes,
			struct fsync_times *times)
{
	int64_t start_ns = now_ns();
	char text[32];
	int len;

	if (fsync(fd))
		return fail("%s: fsync: %s", o->path, strerror(errno));
	if (o->latency && add_time(times, now_ns() - start_ns))
		return 1;
	if (acked_fd < 0)
		return 0;
	len = snprintf(text, sizeof(text), "%020llu\n", (unsigned long long)safe_bytes);
	if (pwrite(acked_fd, text, len, 0) != len)
		return fail("%s: cannot write", o->acked);
	return 0;
}

static int stream(const struct options *o, int fd, bool write, bool check)
{
	uint64_t end = o->offset_bytes + o->size_bytes;
	struct fsync_times times = { 0 };
	unsigned int blocks = 0;
	int acked_fd = -1;
	int ret = 1;
	char *buf;

	buf = malloc(o->block_bytes);
	if (!buf)
		return fail("no memory for a block of %llu bytes",
			    (unsigned long long)o->block_bytes);
	if (o->acked) {
		acked_fd = open(o->acked, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
		if (acked_fd < 0) {
			fail("%s: %s", o->acked, strerror(errno));
			goto cleanup;
		}
	}
	for (uint64_t off = o->offset_bytes; off < end; off += o->step_bytes) {
		size_t len = end - off < o->block_bytes ? end - off : o->block_bytes;
		size_t good;
		int err;

		if (write) {
			pattern_fill(buf, len, off, o->seed, o->compressible);
			err = sys_write_all(fd, buf, len, off, o->rwf);
		} else {
			err = sys_read_all(fd, buf, len, off, o->rwf);
		}
		if (err) {
			fail("%s: %s at %llu: %s", o->path, write ? "write" : "read",
			     (unsigned long long)off, strerror(-err));
			goto cleanup;
		}
		if (check) {
			good = pattern_check(buf, len, off, o->seed, o->compressible);
			if (good != len) {
				fail("%s: wrong data at %llu (seed %llu)", o->path,
				     (unsigned long long)(off + good),
				     (unsigned long long)o->seed);
				goto cleanup;
			}
		}
		if (write && o->fsync_every && ++blocks % o->fsync_every == 0 &&
		    sync_and_ack(o, fd, acked_fd, off + len, &times))
			goto cleanup;
	}
	if (write && !o->no_fsync && sync_and_ack(o, fd, acked_fd, end, &times))
		goto cleanup;
	if (o->latency)
		print_times(&times);
	ret = 0;
cleanup:
	free(times.ns);
	if (acked_fd >= 0)
		close(acked_fd);
	free(buf);
	return ret;
}

int main(int argc, char **argv)
{
	struct options o;
	struct stat st;
	bool write, check, read;
	int ret, fd;

	ret = parse_options(argc, argv, &o);
	if (ret)
		return ret;
	write = !strcmp(o.verb, "write");
	check = !strcmp(o.verb, "check");
	read = !strcmp(o.verb, "read");
	if (!write && !check && !read && strcmp(o.verb, "resident")) {
		fail("no such verb: '%s', see --help", o.verb);
		return 2;
	}

	fd = open(o.path, (write ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC | o.open_flags, 0644);
	if (fd < 0)
		return fail("%s: %s", o.path, strerror(errno));
	if (fstat(fd, &st)) {
		ret = fail("%s: fstat: %s", o.path, strerror(errno));
		goto cleanup;
	}
	if (!o.size_bytes)
		o.size_bytes = write ? 16ULL << 20 :
			       (uint64_t)st.st_size > o.offset_bytes ?
				       st.st_size - o.offset_bytes : 0;

	if (write || check || read)
		ret = stream(&o, fd, write, check);
	if (!ret && !check)
		ret = print_residency(fd, o.path);
cleanup:
	if (close(fd) && !ret)
		ret = fail("%s: close: %s", o.path, strerror(errno));
	if (!ret && fflush(stdout))
		ret = fail("standard output: %s", strerror(errno));
	return ret;
}
