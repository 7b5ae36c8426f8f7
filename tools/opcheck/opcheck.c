// SPDX-License-Identifier: GPL-2.0
/*
 * opcheck: random file operations, with and without RWF_DONTCACHE, each
 * checked against a copy of the file in memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/falloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "pattern.h"
#include "shadow.h"
#include "sys.h"

#define TRAIL_LEN 32

enum op {
	OP_WRITE,
	OP_WRITE_DONTCACHE,
	OP_READ,
	OP_READ_DONTCACHE,
	OP_MMAP_WRITE,
	OP_MMAP_READ,
	OP_TRUNCATE,
	OP_PUNCH,
	OP_ZERO,
	OP_COLLAPSE,
	OP_INSERT,
	OP_ALLOCATE,
	OP_COPY,
	OP_FSYNC,
	OP_DROP,
	OP_REOPEN,
	OP_COUNT
};

static const struct {
	const char *name;
	unsigned int weight;
} ops[OP_COUNT] = {
	[OP_WRITE] = { "write", 12 },
	[OP_WRITE_DONTCACHE] = { "write-dontcache", 24 },
	[OP_READ] = { "read", 10 },
	[OP_READ_DONTCACHE] = { "read-dontcache", 14 },
	[OP_MMAP_WRITE] = { "mmap-write", 6 },
	[OP_MMAP_READ] = { "mmap-read", 6 },
	[OP_TRUNCATE] = { "truncate", 5 },
	[OP_PUNCH] = { "punch", 4 },
	[OP_ZERO] = { "zero", 4 },
	[OP_COLLAPSE] = { "collapse", 2 },
	[OP_INSERT] = { "insert", 2 },
	[OP_ALLOCATE] = { "allocate", 2 },
	[OP_COPY] = { "copy", 3 },
	[OP_FSYNC] = { "fsync", 6 },
	[OP_DROP] = { "drop-cache", 3 },
	[OP_REOPEN] = { "reopen", 2 },
};

struct step {
	enum op op;
	size_t off;
	size_t len;
	size_t to;
};

struct checker {
	const char *path;
	int fd;
	struct shadow shadow;
	unsigned char *buf;
	size_t block;		/* alignment that collapse and insert need */
	uint64_t rng;
	uint64_t done;
	uint64_t per_op[OP_COUNT];
	bool disabled[OP_COUNT];	/* the filesystem answered EOPNOTSUPP */
	bool no_dontcache;	/* asked to leave RWF_DONTCACHE out */
	struct step trail[TRAIL_LEN];
};

static volatile sig_atomic_t stop;

static const char usage_text[] =
	"usage: opcheck [OPTION]... FILE\n"
	"Does random reads, writes (half of them with RWF_DONTCACHE), mmap accesses, truncates,\n"
	"fallocates and copies on FILE and compares with a copy in memory after each read and at the end.\n"
	"  -n, --ops N       how many operations (10000)\n"
	"  -s, --seed N      which random sequence (1)\n"
	"  -l, --length N    greatest file size in bytes (1048576)\n"
	"  -x, --without OP  leave an operation out; may be repeated (--list names them)\n"
	"  -D, --no-dontcache  the same operations without RWF_DONTCACHE (a control)\n"
	"  -k, --keep        FILE stays when all went well\n"
	"      --list        print the operations\n"
	"  -h, --help\n"
	"Exit status: 0; 1 wrong data or a failed operation; 2 wrong usage.\n";

static int fail(const char *fmt, ...)
{
	va_list ap;

	fputs("opcheck: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return 1;
}

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static uint64_t rnd(struct checker *c, uint64_t below)
{
	c->rng++;
	return below ? pattern_mix(c->rng) % below : 0;
}

/* A length that is small more often than not: 1 byte to @most. */
static size_t rnd_len(struct checker *c, size_t most)
{
	size_t cap = 1ULL << rnd(c, 20);

	if (cap > most)
		cap = most;
	return cap ? 1 + rnd(c, cap) : 0;
}

static size_t rnd_off(struct checker *c, size_t below)
{
	size_t off = rnd(c, below);

	/* Page boundaries are where mistakes live. */
	if (rnd(c, 3) == 0)
		off &= ~4095UL;
	return off;
}

static enum op rnd_op(struct checker *c)
{
	unsigned int total = 0, at;

	for (int i = 0; i < OP_COUNT; i++)
		total += c->disabled[i] ? 0 : ops[i].weight;
	at = rnd(c, total);
	for (int i = 0; i < OP_COUNT; i++) {
		if (c->disabled[i])
			continue;
		if (at < ops[i].weight)
			return i;
		at -= ops[i].weight;
	}
	return OP_READ;
}

/* 0 if @got equals the shadow at @off; says where not and returns -EIO. */
static int compare(struct checker *c, const unsigned char *got, size_t off, size_t len,
		   const char *what)
{
	size_t i = 0;

	if (!memcmp(got, c->shadow.bytes + off, len))
		return 0;
	while (got[i] == c->shadow.bytes[off + i])
		i++;
	fail("%s: %s at operation %llu: byte %zu is 0x%02x, must be 0x%02x", c->path, what,
	     (unsigned long long)c->done, off + i, got[i], c->shadow.bytes[off + i]);
	return -EIO;
}

static int do_write(struct checker *c, const struct step *s, int rwf)
{
	pattern_fill(c->buf, s->len, s->off, c->done + 1, rnd(c, 2));
	shadow_write(&c->shadow, s->off, c->buf, s->len);
	return sys_write_all(c->fd, c->buf, s->len, s->off, rwf);
}

static int do_read(struct checker *c, const struct step *s, int rwf)
{
	int err = sys_read_all(c->fd, c->buf, s->len, s->off, rwf);

	return err ? err : compare(c, c->buf, s->off, s->len, "read");
}

static int do_mmap(struct checker *c, const struct step *s, bool write)
{
	size_t start = s->off & ~4095UL;
	size_t len = s->off + s->len - start;
	unsigned char *map;
	int err = 0;

	map = mmap(NULL, len, write ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, c->fd, start);
	if (map == MAP_FAILED)
		return -errno;
	if (write) {
		pattern_fill(c->buf, s->len, s->off, c->done + 1, 0);
		shadow_write(&c->shadow, s->off, c->buf, s->len);
		memcpy(map + (s->off - start), c->buf, s->len);
	} else {
		err = compare(c, map + (s->off - start), s->off, s->len, "mmap");
	}
	if (munmap(map, len) && !err)
		err = -errno;
	return err;
}

static int do_copy(struct checker *c, const struct step *s)
{
	loff_t from = s->off, to = s->to;
	size_t left = s->len;

	while (left) {
		ssize_t n = copy_file_range(c->fd, &from, c->fd, &to, left, 0);

		if (n < 0)
			return -errno;
		if (!n)
			return -EIO;
		left -= n;
	}
	shadow_copy(&c->shadow, s->off, s->to, s->len);
	return 0;
}

static int do_reopen(struct checker *c)
{
	int fd = open(c->path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(c->fd);
	c->fd = fd;
	return 0;
}

static int do_fallocate(struct checker *c, const struct step *s, int mode)
{
	return fallocate(c->fd, mode, s->off, s->len) ? -errno : 0;
}

/* Chooses where @op acts. False if it cannot act on the file as it is. */
static bool plan(struct checker *c, enum op op, struct step *s)
{
	size_t size = c->shadow.size, max = c->shadow.max;

	*s = (struct step){ .op = op };
	switch (op) {
	case OP_WRITE:
	case OP_WRITE_DONTCACHE:
	case OP_ALLOCATE:
		s->off = rnd_off(c, rnd(c, 4) ? (size < max ? size + 1 : max) : max);
		if (s->off >= max)
			return false;
		s->len = rnd_len(c, max - s->off);
		return true;
	case OP_ZERO:
		s->off = rnd_off(c, max);
		s->len = rnd_len(c, max - s->off);
		return true;
	case OP_READ:
	case OP_READ_DONTCACHE:
	case OP_MMAP_READ:
	case OP_MMAP_WRITE:
	case OP_PUNCH:
		if (!size)
			return false;
		s->off = rnd_off(c, size);
		s->len = rnd_len(c, size - s->off);
		return true;
	case OP_TRUNCATE:
		s->off = rnd(c, 4) ? rnd_off(c, max + 1) : rnd(c, 8192);
		return s->off <= max;
	case OP_COLLAPSE:
		if (size < 3 * c->block)
			return false;
		s->off = rnd(c, size / c->block - 1) * c->block;
		s->len = c->block * (1 + rnd(c, 4));
		return s->off + s->len < size;
	case OP_INSERT:
		if (size < c->block)
			return false;
		s->off = rnd(c, size / c->block) * c->block;
		s->len = c->block * (1 + rnd(c, 4));
		return s->off < size && size + s->len <= max;
	case OP_COPY:
		if (size < 2)
			return false;
		s->off = rnd_off(c, size);
		s->to = rnd_off(c, max);
		s->len = rnd_len(c, size - s->off);
		if (s->len > max - s->to)
			s->len = max - s->to;
		/* Overlapping ranges of one file are refused. */
		return s->len && (s->off + s->len <= s->to || s->to + s->len <= s->off);
	default:
		return true;
	}
}

static int act(struct checker *c, const struct step *s)
{
	const int dontcache = c->no_dontcache ? 0 : RWF_DONTCACHE;
	struct shadow *sh = &c->shadow;
	int err;

	switch (s->op) {
	case OP_WRITE:
		return do_write(c, s, 0);
	case OP_WRITE_DONTCACHE:
		return do_write(c, s, dontcache);
	case OP_READ:
		return do_read(c, s, 0);
	case OP_READ_DONTCACHE:
		return do_read(c, s, dontcache);
	case OP_MMAP_READ:
		return do_mmap(c, s, false);
	case OP_MMAP_WRITE:
		return do_mmap(c, s, true);
	case OP_TRUNCATE:
		shadow_truncate(sh, s->off);
		return ftruncate(c->fd, s->off) ? -errno : 0;
	case OP_PUNCH:
		err = do_fallocate(c, s, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE);
		if (!err)
			shadow_zero(sh, s->off, s->len, 0);
		return err;
	case OP_ZERO:
		err = do_fallocate(c, s, FALLOC_FL_ZERO_RANGE);
		if (!err)
			shadow_zero(sh, s->off, s->len, 1);
		return err;
	case OP_ALLOCATE:
		err = do_fallocate(c, s, 0);
		if (!err && s->off + s->len > sh->size)
			shadow_truncate(sh, s->off + s->len);
		return err;
	case OP_COLLAPSE:
		err = do_fallocate(c, s, FALLOC_FL_COLLAPSE_RANGE);
		if (!err)
			shadow_collapse(sh, s->off, s->len);
		return err;
	case OP_INSERT:
		err = do_fallocate(c, s, FALLOC_FL_INSERT_RANGE);
		if (!err)
			shadow_insert(sh, s->off, s->len);
		return err;
	case OP_COPY:
		return do_copy(c, s);
	case OP_FSYNC:
		return fsync(c->fd) ? -errno : 0;
	case OP_DROP:
		err = fsync(c->fd) ? -errno : 0;
		return err ? err : -posix_fadvise(c->fd, 0, 0, POSIX_FADV_DONTNEED);
	case OP_REOPEN:
		return do_reopen(c);
	default:
		return -EINVAL;
	}
}

static void print_trail(const struct checker *c)
{
	uint64_t first = c->done > TRAIL_LEN ? c->done - TRAIL_LEN : 0;

	fprintf(stderr, "the last operations (number, name, offset, length, destination):\n");
	for (uint64_t i = first; i <= c->done; i++) {
		const struct step *s = &c->trail[i % TRAIL_LEN];

		if (i + TRAIL_LEN > c->done)
			fprintf(stderr, "  %llu %s %zu %zu %zu\n", (unsigned long long)i,
				ops[s->op].name, s->off, s->len, s->to);
	}
}

/* The whole file and its size against the copy. */
static int check_all(struct checker *c, const char *when)
{
	struct stat st;
	int err;

	if (fstat(c->fd, &st))
		return -errno;
	if ((size_t)st.st_size != c->shadow.size) {
		fail("%s: %s: size is %lld, must be %zu", c->path, when, (long long)st.st_size,
		     c->shadow.size);
		return -EIO;
	}
	err = sys_read_all(c->fd, c->buf, c->shadow.size, 0, 0);
	return err ? err : compare(c, c->buf, 0, c->shadow.size, when);
}

static int run(struct checker *c, uint64_t count)
{
	struct step s;
	int err;

	while (c->done < count && !stop) {
		enum op op = rnd_op(c);

		if (!plan(c, op, &s))
			continue;
		c->trail[c->done % TRAIL_LEN] = s;
		err = act(c, &s);
		if (err == -EOPNOTSUPP && (op == OP_COLLAPSE || op == OP_INSERT || op == OP_ZERO ||
					   op == OP_PUNCH || op == OP_ALLOCATE)) {
			c->disabled[op] = true;
			continue;
		}
		if (err) {
			fail("%s: %s at %zu, %zu bytes, operation %llu: %s", c->path, ops[op].name,
			     s.off, s.len, (unsigned long long)c->done, strerror(-err));
			print_trail(c);
			return 1;
		}
		c->per_op[op]++;
		c->done++;
	}

	err = check_all(c, "at the end");
	if (!err)
		err = fsync(c->fd) ? -errno : -posix_fadvise(c->fd, 0, 0, POSIX_FADV_DONTNEED);
	if (!err)
		err = check_all(c, "at the end, from the device");
	if (err) {
		fail("%s: final check: %s", c->path, strerror(-err));
		print_trail(c);
		return 1;
	}
	return 0;
}

static int find_op(const char *name)
{
	for (int i = 0; i < OP_COUNT; i++) {
		if (!strcmp(ops[i].name, name))
			return i;
	}
	return -1;
}

static int parse_number(const char *text, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 0);
	return errno || end == text || *end || *text == '-' ? -EINVAL : 0;
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "ops", required_argument, NULL, 'n' },
		{ "seed", required_argument, NULL, 's' },
		{ "length", required_argument, NULL, 'l' },
		{ "without", required_argument, NULL, 'x' },
		{ "no-dontcache", no_argument, NULL, 'D' },
		{ "keep", no_argument, NULL, 'k' },
		{ "list", no_argument, NULL, 'L' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	uint64_t count = 10000, seed = 1, length = 1 << 20;
	struct checker c = { .fd = -1 };
	struct sigaction sa = { .sa_handler = on_signal };
	bool keep = false;
	struct stat st;
	int opt, op, ret = 1;

	while ((opt = getopt_long(argc, argv, "n:s:l:x:Dkh", longs, NULL)) != -1) {
		uint64_t *number = opt == 'n' ? &count : opt == 's' ? &seed : &length;

		switch (opt) {
		case 'n':
		case 's':
		case 'l':
			if (parse_number(optarg, number)) {
				fail("'%s' is not a number", optarg);
				return 2;
			}
			break;
		case 'x':
			op = find_op(optarg);
			if (op < 0) {
				fail("no operation '%s', see --list", optarg);
				return 2;
			}
			c.disabled[op] = true;
			break;
		case 'D':
			c.no_dontcache = true;
			break;
		case 'k':
			keep = true;
			break;
		case 'L':
			for (op = 0; op < OP_COUNT; op++)
				puts(ops[op].name);
			return 0;
		case 'h':
			fputs(usage_text, stdout);
			return 0;
		default:
			return 2;
		}
	}
	if (argc - optind != 1) {
		fail("want one file, see --help");
		return 2;
	}
	if (length < 65536 || length > 1ULL << 30) {
		fail("the length must be 65536 to 1073741824");
		return 2;
	}

	c.path = argv[optind];
	c.rng = pattern_mix(seed) >> 8;
	c.buf = malloc(length);
	if (!c.buf || shadow_init(&c.shadow, length)) {
		fail("no memory for two copies of %llu bytes", (unsigned long long)length);
		goto cleanup;
	}
	c.fd = open(c.path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (c.fd < 0) {
		fail("%s: %s", c.path, strerror(errno));
		goto cleanup;
	}
	if (fstat(c.fd, &st)) {
		fail("%s: fstat: %s", c.path, strerror(errno));
		goto cleanup;
	}
	c.block = st.st_blksize > 4096 ? 4096 : st.st_blksize;
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);

	ret = run(&c, count);
	if (!ret) {
		printf("%llu operations right, seed %llu:", (unsigned long long)c.done,
		       (unsigned long long)seed);
		for (op = 0; op < OP_COUNT; op++) {
			if (c.per_op[op])
				printf(" %s=%llu", ops[op].name, (unsigned long long)c.per_op[op]);
		}
		putchar('\n');
		if (!keep && unlink(c.path))
			ret = fail("%s: unlink: %s", c.path, strerror(errno));
	}
cleanup:
	if (c.fd >= 0 && close(c.fd) && !ret)
		ret = fail("%s: close: %s", c.path, strerror(errno));
	shadow_free(&c.shadow);
	free(c.buf);
	return ret;
}
