// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "options.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/magic.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sysexits.h>
#include <unistd.h>

#include "complain.h"
#include "mounts.h"

enum {
	OPT_CGROUP = 256,
	OPT_COMM,
	OPT_DEV,
	OPT_FILE,
	OPT_FS,
	OPT_MOUNT,
	OPT_MIN_LATENCY,
	OPT_ATTACH,
	OPT_TABLE_SLOTS,
	OPT_RING_SIZE,
	OPT_MAX_FILES,
	OPT_GRACE,
	OPT_MAX_SIZE,
	OPT_ROTATE,
	OPT_EVENTS,
	OPT_SAMPLES,
};

struct option_row {
	int code;		/* letter, or OPT_* */
	const char *name;
	const char *value;	/* placeholder, NULL: takes none */
	unsigned int group;	/* DB_OPT_*; 0: every verb */
	const char *help;
};

static const struct option_row table[] = {
	{ 'i', "interval", "SECS", DB_OPT_INTERVAL, "a line or block every SECS seconds; record: default 10" },
	{ 'd', "duration", "SECS", DB_OPT_DURATION, "stop after SECS seconds; a CMD goes on, uncounted, and is waited for" },
	{ 'o', "output", "FILE", DB_OPT_OUTPUT, "write the recording to FILE" },
	{ 'j', "json", NULL, DB_OPT_JSON, "print JSON" },
	{ 'p', "pid", "PID", DB_OPT_FILTERS, "only folios born in I/O of this process" },
	{ OPT_COMM, "comm", "NAME", DB_OPT_FILTERS, "only folios born in I/O of tasks of this name" },
	{ OPT_CGROUP, "cgroup", "PATH", DB_OPT_FILTERS,
	  "only folios charged to this memory cgroup or one below it" },
	{ OPT_DEV, "dev", "PATH", DB_OPT_FILTERS, "only this block device" },
	{ OPT_MOUNT, "mount", "PATH", DB_OPT_FILTERS, "only the filesystem mounted at PATH" },
	{ OPT_FILE, "file", "PATH", DB_OPT_FILTERS, "only this file" },
	{ OPT_FS, "fs", "TYPE", DB_OPT_FILTERS, "only filesystems of this type (xfs, ext4, f2fs ...)" },
	{ OPT_MIN_LATENCY, "min-latency", "TIME", DB_OPT_MIN_LATENCY,
	  "only events at least this slow (100us, 5ms, 1s)" },
	{ OPT_EVENTS, "events", "LIST", DB_OPT_EVENTS,
	  "which events, of left, drop, defer; default: trace left,defer, report none" },
	{ OPT_SAMPLES, "samples", "N", DB_OPT_SAMPLES, "keep up to N dropped folios a second as samples" },
	{ OPT_MAX_SIZE, "max-size", "BYTES", DB_OPT_SIZES,
	  "at most this many bytes per file (suffixes k, m, g); default 1g" },
	{ OPT_ROTATE, "rotate", "N", DB_OPT_SIZES, "at --max-size go on in FILE.1 ... keeping N files" },
	{ OPT_ATTACH, "attach", "LIST", DB_OPT_TRACING,
	  "mechanisms allowed, of fentry, kprobe, raw_tp; default: all" },
	{ OPT_TABLE_SLOTS, "table-slots", "N", DB_OPT_TRACING,
	  "folios that can be followed at once; default: an eighth of memory's pages" },
	{ OPT_MAX_FILES, "max-files", "N", DB_OPT_TRACING, "files told apart; 6144 is the default and the maximum" },
	{ OPT_RING_SIZE, "ring-size", "BYTES", DB_OPT_TRACING, "size of the ring buffer; default 1m" },
	{ OPT_GRACE, "grace", "TIME", DB_OPT_TRACING,
	  "folios read in and unread for longer count as never read; default 1s" },
	{ 'h', "help", NULL, 0, "this text" },
};

#define NROWS	(sizeof(table) / sizeof(table[0]))

static int parse_number(const char *text, double *value, const char **rest)
{
	char *end;

	errno = 0;
	*value = strtod(text, &end);
	if (end == text || errno || !isfinite(*value) || *value < 0)
		return -EINVAL;
	*rest = end;
	return 0;
}

static int parse_seconds(const struct option_row *row, const char *text, double *seconds)
{
	const char *rest;

	if (parse_number(text, seconds, &rest) || *rest || *seconds <= 0 || *seconds > 1e9)
		return db_complain(-EINVAL, "--%s takes a number of seconds above 0, not '%s'",
				   row->name, text);
	return 0;
}

static int parse_time(const struct option_row *row, const char *text, __u64 *ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	const char *rest;
	double value;
	size_t i;

	if (!parse_number(text, &value, &rest))
		for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
			if (!strcmp(rest, units[i].unit) && value * units[i].ns < 1e18) {
				*ns = value * units[i].ns;
				return 0;
			}
	return db_complain(-EINVAL, "--%s takes a time such as 500us, 20ms or 1s, not '%s'",
			   row->name, text);
}

static int parse_bytes(const struct option_row *row, const char *text, __u64 *bytes)
{
	static const char units[] = "kmgt";
	const char *rest, *unit;
	double value;

	if (parse_number(text, &value, &rest))
		goto bad;
	if (*rest) {
		unit = strchr(units, *rest | 0x20);
		if (!unit || rest[1])
			goto bad;
		value *= (double)(1ULL << (10 * (unit - units + 1)));
	}
	if (value < 1 || value > 1e18)
		goto bad;
	*bytes = value;
	return 0;
bad:
	return db_complain(-EINVAL, "--%s takes a number of bytes such as 4096, 64k or 1g, not '%s'",
			   row->name, text);
}

static int parse_count(const struct option_row *row, const char *text, __u32 *count)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || !n || n > 0x7fffffff)
		return db_complain(-EINVAL, "--%s takes a whole number above 0, not '%s'", row->name,
				   text);
	*count = n;
	return 0;
}

struct word_bit {
	const char *word;
	unsigned int bit;
};

static int parse_list(const struct option_row *row, const char *text, const struct word_bit *words,
		      unsigned int *bits)
{
	const struct word_bit *w;
	char *copy = strdup(text), *word, *save = NULL;
	int err = 0;

	if (!copy)
		return db_complain(-ENOMEM, "out of memory");
	*bits = 0;
	for (word = strtok_r(copy, ",", &save); word && !err; word = strtok_r(NULL, ",", &save)) {
		for (w = words; w->word && strcmp(w->word, word); w++)
			;
		if (!w->word)
			err = db_complain(-EINVAL, "--%s does not know '%s'; see --help", row->name, word);
		else
			*bits |= w->bit;
	}
	free(copy);
	if (!err && !*bits)
		err = db_complain(-EINVAL, "--%s needs at least one word; see --help", row->name);
	return err;
}

static void describe(struct db_session_options *s, const char *name, const char *value)
{
	size_t at = strlen(s->filter);

	snprintf(s->filter + at, sizeof(s->filter) - at, "%s%s %s", at ? ", " : "", name, value);
}

/* Of the filesystem: some give their files numbers of their own in stat(2). */
static int filesystem_dev(const struct option_row *row, const char *text, const struct stat *st,
			  __u32 *dev)
{
	int fd = open(text, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return db_complain(-errno, "--%s %s: %s", row->name, text, strerror(errno));
	if (db_mounts_dev(fd, dev))
		*dev = db_kernel_dev(st->st_dev);
	close(fd);
	return 0;
}

/* One group of the hierarchy that folios are charged in. */
static int parse_cgroup(const char *text, const struct stat *st, struct db_session_options *s)
{
	char *path, *slash, *stat_file;
	struct statfs fs;
	struct stat above;
	bool charged;

	if (!S_ISDIR(st->st_mode) || statfs(text, &fs) ||
	    (fs.f_type != CGROUP_SUPER_MAGIC && fs.f_type != CGROUP2_SUPER_MAGIC))
		return db_complain(-EINVAL, "--cgroup %s: not the directory of a cgroup", text);
	if (asprintf(&stat_file, "%s/memory.stat", text) < 0)
		return db_complain(-ENOMEM, "out of memory");
	charged = !access(stat_file, F_OK);
	free(stat_file);
	if (!charged)
		return db_complain(-EINVAL, fs.f_type == CGROUP_SUPER_MAGIC ?
				   "--cgroup %s: not in the memory controller's hierarchy, so no folio is charged to it" :
				   "--cgroup %s: the memory controller is not enabled for it, so no folio is charged to it",
				   text);
	path = realpath(text, NULL);
	if (!path)
		return db_complain(-errno, "--cgroup %s: %s", text, strerror(errno));
	s->cgroup_id = st->st_ino;
	/* the level is the depth below the mount: one for each directory up to it */
	while ((slash = strrchr(path, '/')) && slash != path) {
		*slash = 0;
		if (stat(path, &above) || above.st_dev != st->st_dev)
			break;
		s->cgroup_level++;
	}
	free(path);
	return 0;
}

static int parse_place(const struct option_row *row, const char *text, struct db_session_options *s)
{
	struct stat st;
	int err = 0;

	if (stat(text, &st))
		return db_complain(-errno, "--%s %s: %s", row->name, text, strerror(errno));
	switch (row->code) {
	case OPT_DEV:
		if (!S_ISBLK(st.st_mode))
			return db_complain(-EINVAL, "--dev %s: not a block device; for a directory use --mount",
					   text);
		s->dev = db_kernel_dev(st.st_rdev);
		break;
	case OPT_MOUNT:
		if (!S_ISDIR(st.st_mode))
			return db_complain(-EINVAL, "--mount %s: not a directory; for a file use --file", text);
		err = filesystem_dev(row, text, &st, &s->dev);
		break;
	case OPT_FILE:
		if (S_ISBLK(st.st_mode)) {
			s->dev = db_kernel_dev(st.st_rdev);
			break;
		}
		if (!S_ISREG(st.st_mode))
			return db_complain(-EINVAL, "--file %s: not a regular file", text);
		err = filesystem_dev(row, text, &st, &s->dev);
		s->ino = st.st_ino;
		break;
	case OPT_CGROUP:
		err = parse_cgroup(text, &st, s);
		break;
	}
	return err;
}

static int parse_fs(const char *text, struct db_session_options *s)
{
	if (!*text || strlen(text) >= sizeof(s->fs))
		return db_complain(-EINVAL, "--fs takes a filesystem type such as xfs, not '%s'", text);
	memcpy(s->fs, text, strlen(text));
	if (!db_fs_known(text))
		fprintf(stderr,
			"dropbehind: note: --fs %s: the kernel has no filesystem of this type (/proc/filesystems); nothing is counted unless its module is loaded\n",
			text);
	return 0;
}

/* The filter that an option alone asks for. */
static int parse_filter(const struct option_row *row, const char *text, struct db_session_options *s)
{
	switch (row->code) {
	case 'p':
		return parse_count(row, text, &s->pid);
	case OPT_COMM:
		if (!*text || strlen(text) >= sizeof(s->comm))
			return db_complain(-EINVAL, "--comm takes a task name of at most 15 bytes, not '%s'",
					   text);
		memcpy(s->comm, text, strlen(text));
		return 0;
	case OPT_FS:
		return parse_fs(text, s);
	default:
		return parse_place(row, text, s);
	}
}

/* Can both hold for one folio? */
static bool filters_agree(const struct db_session_options *a, const struct db_session_options *b)
{
	return !((a->pid && b->pid && a->pid != b->pid) ||
		 (a->comm[0] && b->comm[0] && strcmp(a->comm, b->comm)) ||
		 (a->dev && b->dev && a->dev != b->dev) || (a->ino && b->ino && a->ino != b->ino) ||
		 (a->cgroup_id && b->cgroup_id && a->cgroup_id != b->cgroup_id) ||
		 (a->fs[0] && b->fs[0] && strcmp(a->fs, b->fs)));
}

/* All filters that are given must hold; those that cannot hold together are refused. */
static int add_filter(const struct option_row *row, const char *text, struct db_session_options *s)
{
	struct db_session_options one = {};
	int err = parse_filter(row, text, &one);

	if (err)
		return err;
	if (!filters_agree(s, &one))
		return db_complain(-EINVAL,
				   "--%s %s: nothing can match this together with: %s; trace each in a run of its own",
				   row->name, text, s->filter);
	if (one.pid)
		s->pid = one.pid;
	if (one.comm[0])
		memcpy(s->comm, one.comm, sizeof(s->comm));
	if (one.fs[0])
		memcpy(s->fs, one.fs, sizeof(s->fs));
	if (one.dev)
		s->dev = one.dev;
	if (one.ino)
		s->ino = one.ino;
	if (one.cgroup_id) {
		s->cgroup_id = one.cgroup_id;
		s->cgroup_level = one.cgroup_level;
	}
	describe(s, row->name, text);
	return 0;
}

static int parse_ring(const struct option_row *row, const char *text, __u32 *bytes)
{
	__u64 wanted, size = sysconf(_SC_PAGESIZE);

	if (parse_bytes(row, text, &wanted))
		return -EINVAL;
	if (wanted > 1ULL << 30)
		return db_complain(-EINVAL, "--ring-size %s: at most 1g", text);
	while (size < wanted)
		size *= 2;
	*bytes = size;
	return 0;
}

static int parse_one(struct db_options *o, const struct option_row *row, const char *text)
{
	static const struct word_bit mechanisms[] = {
		{ "fentry", 1U << DB_ATTACH_FENTRY }, { "kprobe", 1U << DB_ATTACH_KPROBE },
		{ "raw_tp", 1U << DB_ATTACH_RAW_TP }, {}
	};
	static const struct word_bit events[] = {
		{ "left", DB_EV_LEFT }, { "drop", DB_EV_DROP }, { "defer", DB_EV_DEFER }, {}
	};
	struct db_session_options *s = &o->session;
	__u64 ns = 0;
	int err;

	switch (row->code) {
	case 'h':
		o->help = true;
		return 0;
	case 'j':
		o->json = true;
		return 0;
	case 'i':
		return parse_seconds(row, text, &o->interval_s);
	case 'd':
		return parse_seconds(row, text, &o->duration_s);
	case 'o':
		o->output = text;
		return 0;
	case OPT_MIN_LATENCY:
		return parse_time(row, text, &s->min_latency_ns);
	case OPT_GRACE:
		err = parse_time(row, text, &ns);
		s->grace_ms = ns < 1000000 ? 1 : ns / 1000000;
		return err;
	case OPT_ATTACH:
		return parse_list(row, text, mechanisms, &s->allow);
	case OPT_EVENTS:
		return parse_list(row, text, events, &s->events);
	case OPT_TABLE_SLOTS:
		return parse_count(row, text, &s->table_slots);
	case OPT_MAX_FILES:
		err = parse_count(row, text, &s->flow_max);
		if (!err && s->flow_max > DB_FLOWS_DEFAULT)
			return db_complain(-EINVAL, "--max-files %s: at most %d", text, DB_FLOWS_DEFAULT);
		return err;
	case OPT_RING_SIZE:
		return parse_ring(row, text, &s->ring_bytes);
	case OPT_MAX_SIZE:
		return parse_bytes(row, text, &o->max_bytes);
	case OPT_ROTATE:
		return parse_count(row, text, &o->rotate);
	case OPT_SAMPLES:
		return parse_count(row, text, &o->samples);
	default:
		return add_filter(row, text, s);
	}
}

static bool taken(const struct db_verb *verb, const struct option_row *row)
{
	return !row->group || verb->options & row->group;
}

int db_options_parse(struct db_options *o, const struct db_verb *verb, int argc, char **argv)
{
	struct option longs[NROWS + 1] = {};
	char shorts[2 * NROWS + 3] = "+:";
	size_t i, n = 0, s = 2;
	int code, err = 0, dashes;

	memset(o, 0, sizeof(*o));
	for (i = 0; i < NROWS; i++) {
		if (!taken(verb, &table[i]))
			continue;
		longs[n].name = table[i].name;
		longs[n].has_arg = table[i].value ? required_argument : no_argument;
		longs[n++].val = table[i].code;
		if (table[i].code < 256) {
			shorts[s++] = table[i].code;
			if (table[i].value)
				shorts[s++] = ':';
		}
	}
	for (dashes = 1; dashes < argc && strcmp(argv[dashes], "--"); dashes++)
		;
	optind = 1;
	opterr = 0;
	while (!err && (code = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (code == ':')
			return db_complain(-EINVAL, "%s: option %s needs a value; see 'dropbehind %s --help'",
					   verb->name, argv[optind - 1], verb->name);
		if (code == '?')
			return db_complain(-EINVAL, "%s: unknown option %s; see 'dropbehind %s --help'",
					   verb->name, argv[optind - 1], verb->name);
		for (i = 0; i < NROWS && table[i].code != code; i++)
			;
		err = parse_one(o, &table[i], optarg);
	}
	if (err || o->help)
		return err;
	if (dashes < argc && optind == dashes + 1) {
		if (!(verb->options & DB_OPT_COMMAND))
			return db_complain(-EINVAL, "%s runs no command; drop everything from '--' on", verb->name);
		o->command = argv + optind;
		if (!*o->command)
			return db_complain(-EINVAL, "%s: no command behind '--'", verb->name);
		return 0;
	}
	o->operands = argv + optind;
	o->noperands = argc - optind;
	if (o->noperands && !(verb->options & DB_OPT_OPERANDS))
		return db_complain(-EINVAL, "%s: unexpected '%s'%s; see 'dropbehind %s --help'", verb->name,
				   *o->operands,
				   verb->options & DB_OPT_COMMAND ? " (a command goes behind '--')" : "",
				   verb->name);
	return 0;
}

void db_options_each(const struct db_verb *verb,
		     void (*option)(void *arg, char letter, const char *name, const char *value,
				    const char *help),
		     void *arg)
{
	size_t i;

	for (i = 0; i < NROWS; i++)
		if (taken(verb, &table[i]))
			option(arg, table[i].code < 256 ? table[i].code : 0, table[i].name,
			       table[i].value, table[i].help);
}

void db_options_exits(const struct db_verb *verb, char *text, size_t size)
{
	if (verb->exits && !strncmp(verb->exits, "0 ", 2))
		snprintf(text, size, "%s, %d wrong use", verb->exits, EX_USAGE);
	else
		snprintf(text, size, "0 done, 1 failed, %d wrong use%s%s", EX_USAGE, verb->exits ? ", " : "",
			 verb->exits ? verb->exits : "");
}

static void help_row(void *arg, char letter, const char *name, const char *value, const char *help)
{
	FILE *out = arg;
	char left[64], before[8] = "    ";

	if (letter)
		snprintf(before, sizeof(before), "-%c, ", letter);
	snprintf(left, sizeof(left), "%s--%s%s%s", before, name, value ? " " : "", value ? value : "");
	fprintf(out, "  %-28s %s\n", left, help);
}

void db_options_help(FILE *out, const struct db_verb *verb)
{
	char exits[256];

	fprintf(out, "usage: dropbehind %s %s\n%s.\n\nOptions:\n", verb->name, verb->usage, verb->summary);
	db_options_each(verb, help_row, out);
	db_options_exits(verb, exits, sizeof(exits));
	fprintf(out, "\nExamples:\n%s\nExit status: %s.\n", verb->examples, exits);
}
