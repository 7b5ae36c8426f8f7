// SPDX-License-Identifier: GPL-2.0
/*
 * dropbehind-stream: a timed dontcache write stream to a new file, what it
 * took, and what a tracer took meanwhile.  Nothing but the writes and the
 * fsync is inside the time; the tracer is looked at before them and once the
 * page cache has settled.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <jansson.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "dropbehind/uapi.h"
#include "watch.h"

#define SETTLE_NAP_NS	10000000	/* between two looks at the page cache */
#define SETTLE_QUIET	20		/* looks without a change: what is there stays */
#define SETTLE_LOOKS	500

/* One pass over one file. */
struct pass {
	unsigned long long wall_ns;
	unsigned long long cpu_ns;
	long resident_pages;
	unsigned long long inode;
	unsigned long long dev;	/* as the kernel has it: major << 20 | minor */
	struct watch before, after;
};

struct stream {
	const char *path;
	const char *out;	/* where the result goes; NULL: stdout */
	unsigned long long size_bytes;
	unsigned long long block_bytes;
	pid_t tracer;		/* 0: none */
	bool bpf_stats;		/* count BPF run times meanwhile */
	bool warm_up;		/* a first pass on a file of its own */
	struct pass first, main;
};

static const char usage_text[] =
	"usage: dropbehind-stream [OPTIONS] FILE\n"
	"Writes a new file with RWF_DONTCACHE in blocks, calls fsync, waits until its pages in the page\n"
	"cache do not change any more, and removes it. Prints as JSON: bytes, block_bytes; wall_ns and\n"
	"cpu_ns of the writes and the fsync; total_cpu_ns of this process; resident_pages; inode; dev (the\n"
	"kernel's number); with --tracer what the tracer used from the first write until the pages had\n"
	"settled: tracer_cpu_ns and its BPF programs; first: the same of the warm-up.\n"
	"  -s, --size BYTES       (268435456)\n"
	"  -b, --block BYTES      per write (65536)\n"
	"  -w, --warm-up          before that the same to FILE.warm\n"
	"  -t, --tracer PID       look at this process too; `parent`: the process that started this one\n"
	"  -S, --bpf-stats        have BPF run times counted meanwhile\n"
	"  -o, --output FILE      print there\n"
	"Exit status: 0 done, 1 failed, 2 wrong use.\n";

static int complain(const char *format, ...)
{
	va_list args;

	fputs("dropbehind-stream: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return -1;
}

static unsigned long long clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static int write_all(const struct stream *s, int fd, const char *path, char *block)
{
	unsigned long long done = 0;

	while (done < s->size_bytes) {
		unsigned long long left = s->size_bytes - done;
		struct iovec iov = { block, left < s->block_bytes ? left : s->block_bytes };
		ssize_t n = pwritev2(fd, &iov, 1, done, RWF_DONTCACHE);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return complain("%s: dontcache write: %s%s", path, strerror(errno),
					errno == EOPNOTSUPP ? "; the filesystem or kernel has none" : "");
		done += n;
	}
	if (fsync(fd))
		return complain("%s: fsync: %s", path, strerror(errno));
	return 0;
}

/* Pages of the file in the page cache; negative after a complaint. */
static long resident_pages(const struct stream *s, void *mem, unsigned char *seen)
{
	size_t pages = (s->size_bytes + sysconf(_SC_PAGESIZE) - 1) / sysconf(_SC_PAGESIZE), i;
	long n = 0;

	if (mincore(mem, s->size_bytes, seen))
		return complain("%s: mincore: %s", s->path, strerror(errno));
	for (i = 0; i < pages; i++)
		n += seen[i] & 1;
	return n;
}

/* Drops may still be under way in a worker when fsync returns. */
static int settle(const struct stream *s, struct pass *pass, int fd)
{
	size_t pages = (s->size_bytes + sysconf(_SC_PAGESIZE) - 1) / sysconf(_SC_PAGESIZE);
	struct timespec nap = { .tv_nsec = SETTLE_NAP_NS };
	unsigned char *seen = malloc(pages);
	int looks, quiet = 0, err = -1;
	long now = 0, before = -1;
	void *mem;

	mem = mmap(NULL, s->size_bytes, PROT_READ, MAP_SHARED, fd, 0);
	if (!seen || mem == MAP_FAILED) {
		complain("%s: cannot look at its pages: %s", s->path, strerror(errno));
		goto out;
	}
	for (looks = 0; looks < SETTLE_LOOKS && quiet < SETTLE_QUIET; looks++) {
		now = resident_pages(s, mem, seen);
		if (now <= 0)
			break;
		quiet = now == before ? quiet + 1 : 0;
		before = now;
		nanosleep(&nap, NULL);
	}
	pass->resident_pages = now;
	err = now < 0 ? -1 : 0;
out:
	if (mem != MAP_FAILED)
		munmap(mem, s->size_bytes);
	free(seen);
	return err;
}

static int write_pass(const struct stream *s, struct pass *pass, int fd, const char *path,
		      char *block)
{
	struct stat st;
	int err;

	if (fstat(fd, &st))
		return complain("%s: %s", path, strerror(errno));
	pass->inode = st.st_ino;
	pass->dev = (unsigned long long)major(st.st_dev) << 20 | minor(st.st_dev);
	if (s->tracer)
		watch_take(&pass->before, s->tracer);
	pass->wall_ns = clock_ns(CLOCK_MONOTONIC);
	pass->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	err = write_all(s, fd, path, block);
	pass->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - pass->cpu_ns;
	pass->wall_ns = clock_ns(CLOCK_MONOTONIC) - pass->wall_ns;
	if (!err)
		err = settle(s, pass, fd);
	if (s->tracer)
		watch_take(&pass->after, s->tracer);
	return err;
}

static int run_pass(const struct stream *s, struct pass *pass, const char *path, char *block)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int err;

	if (fd < 0)
		return complain("%s: %s", path, strerror(errno));
	err = write_pass(s, pass, fd, path, block);
	close(fd);
	return err;
}

/* Both files stay until the end: a tracer that knows them by inode must not take them for one. */
static int run_passes(struct stream *s, char *block)
{
	char *warm_path = NULL;
	int err = 0;

	if (s->warm_up) {
		if (asprintf(&warm_path, "%s.warm", s->path) < 0)
			return complain("out of memory");
		err = run_pass(s, &s->first, warm_path, block);
	}
	if (!err) {
		err = run_pass(s, &s->main, s->path, block);
		if (unlink(s->path) && !err)
			err = complain("%s: cannot remove it: %s", s->path, strerror(errno));
	}
	if (warm_path && unlink(warm_path) && !err)
		err = complain("%s: cannot remove it: %s", warm_path, strerror(errno));
	free(warm_path);
	if (s->tracer && s->bpf_stats) {
		watch_name(&s->first.after, s->tracer);
		watch_name(&s->main.after, s->tracer);
	}
	return err;
}

static const struct watch_program *find_program(const struct watch *watch, __u32 id)
{
	int i;

	for (i = 0; i < watch->nprograms; i++)
		if (watch->programs[i].id == id)
			return &watch->programs[i];
	return NULL;
}

static json_t *programs_json(const struct stream *s, const struct pass *pass)
{
	static const struct watch_program none;
	const struct watch_program *now, *then;
	json_t *all;
	int i;

	if (!s->bpf_stats || pass->before.nprograms < 0 || pass->after.nprograms < 0)
		return json_null();
	all = json_array();
	for (i = 0; i < pass->after.nprograms; i++) {
		now = &pass->after.programs[i];
		then = find_program(&pass->before, now->id);
		if (!then)
			then = &none;
		json_array_append_new(all, json_pack("{s:I, s:s, s:I, s:I, s:I}",
						     "id", (json_int_t)now->id, "name", now->name,
						     "runs", (json_int_t)(now->runs - then->runs),
						     "run_ns", (json_int_t)(now->run_ns - then->run_ns),
						     "missed", (json_int_t)(now->missed - then->missed)));
	}
	return all;
}

static json_t *tracer_cpu_json(const struct stream *s, const struct pass *pass)
{
	if (!s->tracer || pass->before.cpu_ns < 0 || pass->after.cpu_ns < 0)
		return json_null();
	return json_integer(pass->after.cpu_ns - pass->before.cpu_ns);
}

static json_t *pass_json(const struct stream *s, const struct pass *pass)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:o, s:o}",
			 "wall_ns", (json_int_t)pass->wall_ns, "cpu_ns", (json_int_t)pass->cpu_ns,
			 "resident_pages", (json_int_t)pass->resident_pages,
			 "inode", (json_int_t)pass->inode, "dev", (json_int_t)pass->dev,
			 "tracer_cpu_ns", tracer_cpu_json(s, pass),
			 "programs", programs_json(s, pass));
}

static int print_result(const struct stream *s)
{
	FILE *out = s->out ? fopen(s->out, "we") : stdout;
	json_t *json;
	int err = 0;

	if (!out)
		return complain("%s: %s", s->out, strerror(errno));
	json = json_pack("{s:I, s:I, s:I, s:o}", "bytes", (json_int_t)s->size_bytes,
			 "block_bytes", (json_int_t)s->block_bytes, "total_cpu_ns",
			 (json_int_t)clock_ns(CLOCK_PROCESS_CPUTIME_ID), "first",
			 s->warm_up ? pass_json(s, &s->first) : json_null());
	if (json && json_object_update_new(json, pass_json(s, &s->main))) {
		json_decref(json);
		json = NULL;
	}
	if (!json || json_dumpf(json, out, JSON_COMPACT) || fputc('\n', out) == EOF || fflush(out))
		err = complain("cannot print: %s", strerror(errno));
	json_decref(json);
	if (s->out && fclose(out) && !err)
		err = complain("%s: %s", s->out, strerror(errno));
	return err;
}

static int run(struct stream *s)
{
	char *block = NULL;
	int stats = -1, err = -1;

	if (posix_memalign((void **)&block, sysconf(_SC_PAGESIZE), s->block_bytes))
		return complain("no memory for a block of %llu bytes", s->block_bytes);
	memset(block, 0x5a, s->block_bytes);
	if (s->bpf_stats) {
		stats = watch_enable_stats();
		if (stats < 0) {
			complain("cannot have BPF run times counted: %s", strerror(-stats));
			goto out;
		}
	}
	err = run_passes(s, block);
	if (!err)
		err = print_result(s);
out:
	if (stats >= 0)
		close(stats);
	free(block);
	return err;
}

static int wrong(const char *why, const char *text)
{
	fprintf(stderr, "dropbehind-stream: %s, not '%s'; see --help\n", why, text);
	return 2;
}

static unsigned long long number(const char *text)
{
	char *end;
	unsigned long long n;

	errno = 0;
	n = strtoull(text, &end, 10);
	return errno || *end || end == text || *text == '-' ? 0 : n;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "size", required_argument, NULL, 's' },
		{ "block", required_argument, NULL, 'b' },
		{ "tracer", required_argument, NULL, 't' },
		{ "bpf-stats", no_argument, NULL, 'S' },
		{ "warm-up", no_argument, NULL, 'w' },
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	static struct stream s = { .size_bytes = 256 << 20, .block_bytes = 65536 };
	int c;

	while ((c = getopt_long(argc, argv, "s:b:t:Swo:h", options, NULL)) != -1) {
		switch (c) {
		case 's':
			s.size_bytes = number(optarg);
			if (!s.size_bytes)
				return wrong("--size needs a number of bytes above 0", optarg);
			break;
		case 'b':
			s.block_bytes = number(optarg);
			if (!s.block_bytes || s.block_bytes > 1 << 30)
				return wrong("--block needs a number of bytes from 1 to 1 GiB", optarg);
			break;
		case 't':
			s.tracer = strcmp(optarg, "parent") ? (pid_t)number(optarg) : getppid();
			if (s.tracer <= 0)
				return wrong("--tracer needs a process or `parent`", optarg);
			break;
		case 'S':
			s.bpf_stats = true;
			break;
		case 'w':
			s.warm_up = true;
			break;
		case 'o':
			s.out = optarg;
			break;
		case 'h':
			fputs(usage_text, stdout);
			return 0;
		default:
			fputs("dropbehind-stream: see --help\n", stderr);
			return 2;
		}
	}
	if (argc - optind != 1) {
		fputs("dropbehind-stream: one FILE is needed; see --help\n", stderr);
		return 2;
	}
	s.path = argv[optind];
	/* A tracer that dies takes its stream with it. */
	if (s.tracer == getppid())
		prctl(PR_SET_PDEATHSIG, SIGTERM);
	return run(&s) ? 1 : 0;
}
