// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "workload.h"

#define MAX_FILES	65536
#define MAX_THREADS	1024
#define MAX_BLOCK	(1ull << 30)

static const char usage_text[] =
"usage: dontcache-workload SCENARIO (--dir DIR | --file FILE | --dev DEV) [OPTION]...\n"
"       dontcache-workload resident [--json] [--mincore] FILE...\n"
"       dontcache-workload --help | --list\n"
"\n"
"Does buffered I/O with RWF_DONTCACHE whose dropbehind births are known beforehand, waits until it\n"
"has settled, and prints what it did, what is expected and what is in the page cache.\n"
"`resident` prints the cached, dirty, writeback and evicted pages of files.\n"
"\n"
"Where:\n"
"      --dir DIR          make the files in DIR, remove them at the end\n"
"      --file FILE        use FILE, which is made or overwritten, and kept\n"
"      --dev DEV          use a block device; what it holds is destroyed\n"
"What:\n"
"      --size BYTES       per file (16M); BYTES may end in K, M or G\n"
"      --block BYTES      per call (64K)\n"
"      --files N          files, with --dir (1)\n"
"      --threads N        threads per process; they share each file's blocks (1)\n"
"      --cgroup PATH      do the I/O in a process in this cgroup directory, v1 memory or v2; given\n"
"                         more than once, one process each, which share the files in turn\n"
"      --engine NAME      sync (pwritev2, preadv2) or io_uring (sync)\n"
"      --depth N          io_uring requests in flight per thread (8)\n"
"      --dsync            RWF_DSYNC on each write\n"
"      --o-dsync          open with O_DSYNC\n"
"      --fsync            fsync after the last write\n"
"      --repeat N         of the scenario rewrite (4)\n"
"      --read-bytes BYTES of the scenarios unread and unread-cached (one block)\n"
"      --random-advice    posix_fadvise(POSIX_FADV_RANDOM) before reads\n"
"      --seed N           of the scenario read-random (1)\n"
"How:\n"
"      --left any|none|all  demand that none or all that may stay does (any)\n"
"      --no-settle        measure at once\n"
"      --settle-wait SECS let the kernel write by itself for so long, then start writeback (5)\n"
"      --settle-limit SECS  give up waiting, verdict inconclusive (60)\n"
"      --quiet-ms MS      settled when the cache has not changed for so long (300)\n"
"      --mincore          measure with mincore(2); otherwise cachestat(2) where the kernel has it\n"
"      --start-fifo PATH  after preparation wait until PATH is written to or closed by a writer\n"
"      --wait-fifo PATH   the same after the report, with the files open\n"
"      --hold SECS        wait so long after the report, with the files open\n"
"      --keep             do not remove the files made in --dir\n"
"  -j, --json             print JSON instead of key=value lines\n"
"\n"
"Expected pages are ranges, exact where min equals max: births by writes and by reads, claimed,\n"
"mapped, and resident after settling; resident_all_dropped_pages is what stays if every folio the\n"
"kernel may drop is dropped. max is unknown (null) where nothing bounds it. Pages that memory reclaim\n"
"took meanwhile are printed as evicted_pages and count as resident where a minimum is expected.\n"
"\n"
"Exit status: 0 as expected, 1 resident pages contradict what is expected, 2 wrong usage, 3 error,\n"
"4 the kernel or the filesystem refuses RWF_DONTCACHE (Linux 6.14 brought it; XFS, ext4 and others have it).\n"
"\n"
"Example: dontcache-workload append --dir /mnt --size 64M --block 1M --json\n"
"\n"
"Scenarios (--list tells what each expects and why):\n";

enum {
	OPT_DIR = 256, OPT_FILE, OPT_DEV, OPT_SIZE, OPT_BLOCK, OPT_FILES, OPT_THREADS, OPT_CGROUP,
	OPT_ENGINE, OPT_DEPTH, OPT_DSYNC, OPT_O_DSYNC, OPT_FSYNC, OPT_REPEAT, OPT_READ_BYTES,
	OPT_RANDOM_ADVICE, OPT_SEED, OPT_LEFT, OPT_NO_SETTLE, OPT_SETTLE_WAIT, OPT_SETTLE_LIMIT,
	OPT_QUIET_MS, OPT_MINCORE, OPT_START_FIFO, OPT_WAIT_FIFO, OPT_HOLD, OPT_KEEP, OPT_LIST,
};

static const struct option long_options[] = {
	{ "dir", required_argument, NULL, OPT_DIR },
	{ "file", required_argument, NULL, OPT_FILE },
	{ "dev", required_argument, NULL, OPT_DEV },
	{ "size", required_argument, NULL, OPT_SIZE },
	{ "block", required_argument, NULL, OPT_BLOCK },
	{ "files", required_argument, NULL, OPT_FILES },
	{ "threads", required_argument, NULL, OPT_THREADS },
	{ "cgroup", required_argument, NULL, OPT_CGROUP },
	{ "engine", required_argument, NULL, OPT_ENGINE },
	{ "depth", required_argument, NULL, OPT_DEPTH },
	{ "dsync", no_argument, NULL, OPT_DSYNC },
	{ "o-dsync", no_argument, NULL, OPT_O_DSYNC },
	{ "fsync", no_argument, NULL, OPT_FSYNC },
	{ "repeat", required_argument, NULL, OPT_REPEAT },
	{ "read-bytes", required_argument, NULL, OPT_READ_BYTES },
	{ "random-advice", no_argument, NULL, OPT_RANDOM_ADVICE },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "left", required_argument, NULL, OPT_LEFT },
	{ "no-settle", no_argument, NULL, OPT_NO_SETTLE },
	{ "settle-wait", required_argument, NULL, OPT_SETTLE_WAIT },
	{ "settle-limit", required_argument, NULL, OPT_SETTLE_LIMIT },
	{ "quiet-ms", required_argument, NULL, OPT_QUIET_MS },
	{ "mincore", no_argument, NULL, OPT_MINCORE },
	{ "start-fifo", required_argument, NULL, OPT_START_FIFO },
	{ "wait-fifo", required_argument, NULL, OPT_WAIT_FIFO },
	{ "hold", required_argument, NULL, OPT_HOLD },
	{ "keep", no_argument, NULL, OPT_KEEP },
	{ "json", no_argument, NULL, 'j' },
	{ "list", no_argument, NULL, OPT_LIST },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

__attribute__((format(printf, 1, 2), noreturn))
static void usage_error(const char *fmt, ...)
{
	va_list ap;

	fputs("dontcache-workload: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputs(" (see --help)\n", stderr);
	exit(WL_EXIT_USAGE);
}

static void print_scenarios(FILE *out, bool with_why)
{
	size_t i;

	for (i = 0; i < wl_nr_scenarios; i++) {
		fprintf(out, "  %-22s %s\n", wl_scenarios[i].name, wl_scenarios[i].what);
		if (with_why)
			fprintf(out, "      %s\n", wl_scenarios[i].why);
	}
}

/* A whole number from @min to @max; with @unit, K, M or G may follow. */
static uint64_t number(const char *option, const char *text, uint64_t min, uint64_t max, bool unit)
{
	unsigned long long value;
	int shift = 0;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (unit && *end && strchr("KMG", *end)) {
		shift = *end == 'K' ? 10 : *end == 'M' ? 20 : 30;
		end++;
	}
	if (*text < '0' || *text > '9' || *end || errno || value > (max >> shift) ||
	    value << shift < min)
		usage_error("%s '%s': want a number from %llu to %llu", option, text,
			    (unsigned long long)min, (unsigned long long)max);
	return value << shift;
}

static double seconds(const char *option, const char *text)
{
	double value;
	char *end;

	value = strtod(text, &end);
	if (end == text || *end || !(value >= 0 && value <= 1e6))
		usage_error("%s '%s': want seconds from 0 to 1000000", option, text);
	return value;
}

static void parse(struct wl_options *opt, int argc, char **argv)
{
	const char *name;
	int c;

	while ((c = getopt_long(argc, argv, ":hj", long_options, NULL)) != -1) {
		switch (c) {
		case OPT_DIR:
			opt->dir = optarg;
			break;
		case OPT_FILE:
			opt->file = optarg;
			break;
		case OPT_DEV:
			opt->device = optarg;
			break;
		case OPT_SIZE:
			opt->size = number("--size", optarg, 1, 1ull << 50, true);
			break;
		case OPT_BLOCK:
			opt->block = number("--block", optarg, 1, MAX_BLOCK, true);
			break;
		case OPT_FILES:
			opt->nr_files = number("--files", optarg, 1, MAX_FILES, false);
			break;
		case OPT_THREADS:
			opt->nr_threads = number("--threads", optarg, 1, MAX_THREADS, false);
			break;
		case OPT_CGROUP:
			opt->cgroups[opt->nr_cgroups++] = optarg;
			break;
		case OPT_ENGINE:
			if (!strcmp(optarg, "sync"))
				opt->engine = WL_SYNC;
			else if (!strcmp(optarg, "io_uring"))
				opt->engine = WL_URING;
			else
				usage_error("--engine '%s': want sync or io_uring", optarg);
			break;
		case OPT_DEPTH:
			opt->depth = number("--depth", optarg, 1, 4096, false);
			break;
		case OPT_DSYNC:
			opt->dsync = true;
			break;
		case OPT_O_DSYNC:
			opt->o_dsync = true;
			break;
		case OPT_FSYNC:
			opt->fsync = true;
			break;
		case OPT_REPEAT:
			opt->repeat = number("--repeat", optarg, 1, 1000000, false);
			break;
		case OPT_READ_BYTES:
			opt->read_bytes = number("--read-bytes", optarg, 1, 1ull << 50, true);
			break;
		case OPT_RANDOM_ADVICE:
			opt->random_advice = true;
			break;
		case OPT_SEED:
			opt->seed = number("--seed", optarg, 0, UINT_MAX, false);
			break;
		case OPT_LEFT:
			if (!strcmp(optarg, "any"))
				opt->left = WL_LEFT_ANY;
			else if (!strcmp(optarg, "none"))
				opt->left = WL_LEFT_NONE;
			else if (!strcmp(optarg, "all"))
				opt->left = WL_LEFT_ALL;
			else
				usage_error("--left '%s': want any, none or all", optarg);
			break;
		case OPT_NO_SETTLE:
			opt->settle = false;
			break;
		case OPT_SETTLE_WAIT:
			opt->settle_wait_s = seconds("--settle-wait", optarg);
			break;
		case OPT_SETTLE_LIMIT:
			opt->settle_limit_s = seconds("--settle-limit", optarg);
			break;
		case OPT_QUIET_MS:
			opt->quiet_ms = number("--quiet-ms", optarg, 0, 600000, false);
			break;
		case OPT_MINCORE:
			opt->use_mincore = true;
			break;
		case OPT_START_FIFO:
			opt->start_fifo = optarg;
			break;
		case OPT_WAIT_FIFO:
			opt->wait_fifo = optarg;
			break;
		case OPT_HOLD:
			opt->hold_s = seconds("--hold", optarg);
			break;
		case OPT_KEEP:
			opt->keep = true;
			break;
		case 'j':
			opt->json = true;
			break;
		case OPT_LIST:
			print_scenarios(stdout, true);
			exit(WL_EXIT_OK);
		case 'h':
			fputs(usage_text, stdout);
			print_scenarios(stdout, false);
			exit(WL_EXIT_OK);
		case ':':
			usage_error("%s needs a value", argv[optind - 1]);
		default:
			usage_error("unknown option '%s'", argv[optind - 1]);
		}
	}
	name = argv[optind];
	if (!name)
		usage_error("which scenario?");
	if (!strcmp(name, "resident")) {
		if (!argv[optind + 1])
			usage_error("resident: which file?");
		exit(wl_report_resident(argv + optind + 1, argc - optind - 1, opt->json,
					opt->use_mincore));
	}
	opt->scenario = wl_find_scenario(name);
	if (!opt->scenario)
		usage_error("unknown scenario '%s'", name);
	if (argv[optind + 1])
		usage_error("'%s' is one argument too many", argv[optind + 1]);
}

static void check_options(const struct wl_options *opt)
{
	const char *name = opt->scenario->name;
	unsigned int flags = opt->scenario->flags;
	uint64_t page_size = sysconf(_SC_PAGESIZE);
	struct stat st;

	if (!!opt->dir + !!opt->file + !!opt->device != 1)
		usage_error("give one of --dir, --file and --dev");
	if (opt->dir && (stat(opt->dir, &st) || !S_ISDIR(st.st_mode)))
		usage_error("--dir '%s' is not a directory", opt->dir);
	if (!opt->dir && opt->nr_files != 1)
		usage_error("--files needs --dir");
	if (opt->device && (flags & WL_FILE_ONLY))
		usage_error("%s cannot be done on a block device", name);
	if ((flags & WL_ONE_THREAD) && opt->nr_threads != 1)
		usage_error("%s has one thread", name);
	if ((flags & WL_ONE_PROCESS) && opt->nr_cgroups)
		usage_error("%s cannot be done with --cgroup", name);
	if ((flags & WL_HOLDS_WRITE) && opt->nr_files != 1)
		usage_error("%s has one file", name);
	if ((flags & WL_SYNC_ONLY) && opt->engine != WL_SYNC)
		usage_error("%s cannot be done with io_uring", name);
	if ((flags & WL_WHOLE_PAGES) && (opt->block % page_size || opt->size % page_size))
		usage_error("%s needs --block and --size in whole pages of %llu bytes", name,
			    (unsigned long long)page_size);
	if ((flags & WL_READS) && (opt->dsync || opt->o_dsync || opt->fsync))
		usage_error("%s reads: --dsync, --o-dsync and --fsync do nothing for it", name);
	if (opt->nr_cgroups > opt->nr_files)
		usage_error("%d cgroups need as many --files", opt->nr_cgroups);
	if (opt->block > opt->size)
		usage_error("--block %llu is larger than --size %llu",
			    (unsigned long long)opt->block, (unsigned long long)opt->size);
}

/* Narrows what may be resident to what --left demands. */
static void demand_left(struct wl_run *run, struct wl_file *file)
{
	struct wl_range *resident = &file->expect.resident;

	if (run->opt.left == WL_LEFT_NONE)
		resident->min = resident->max = file->expect.resident_all_dropped;
	else if (run->opt.left == WL_LEFT_ALL)
		resident->min = resident->max;
}

static int prepare(struct wl_run *run)
{
	const struct wl_scenario *scenario = run->opt.scenario;
	int i, err;

	err = wl_open_files(run);
	for (i = 0; i < run->nr_files && !err; i++) {
		struct wl_file *file = &run->files[i];

		err = scenario->prepare(run, file);
		if (err)
			break;
		scenario->expect(run, file);
		if (scenario->flags & WL_HOLDS_WRITE)
			demand_left(run, file);
	}
	return err;
}

static int measure(struct wl_run *run)
{
	int i, err;

	for (i = 0; i < run->nr_files; i++) {
		struct wl_file *file = &run->files[i];

		demand_left(run, file);
		if (file->fd < 0)
			continue;
		if (run->opt.settle) {
			err = wl_settle(run, file);
			if (err)
				return err;
		}
		err = wl_measure(run, file, &file->after);
		if (err)
			return err;
		file->measured = true;
	}
	return 0;
}

static int do_run(struct wl_run *run)
{
	int i, err;

	err = prepare(run);
	if (!err && run->opt.start_fifo)
		err = wl_wait_fifo(run, run->opt.start_fifo);
	for (i = 0; i < run->nr_files && !err && run->opt.scenario->ready; i++)
		err = run->opt.scenario->ready(run, &run->files[i]);
	if (!err)
		err = wl_work(run);
	if (err)
		return err;
	if (run->opt.scenario->flags & WL_HOLDS_WRITE)
		return 0;	/* reported already */
	err = measure(run);
	if (!err && wl_report(run))
		err = wl_fail(run, 0, "the report could not be written");
	return err ? err : wl_hold(run);
}

static struct wl_run *run_to_end;
static pid_t run_owner;

/* Ends by the same signal, with the files removed. The cgroups' processes end with this one. */
static void end_by_signal(int sig)
{
	if (getpid() == run_owner) {
		/* a write that is held keeps the file from being removed */
		wl_gate_let_go();
		wl_remove_files(run_to_end);
	}
	signal(sig, SIG_DFL);
	raise(sig);
}

int main(int argc, char **argv)
{
	struct wl_options opt = {
		.size = 16 << 20,
		.block = 64 << 10,
		.nr_files = 1,
		.nr_threads = 1,
		.depth = 8,
		.repeat = 4,
		.seed = 1,
		.settle = true,
		.settle_wait_s = 5,
		.settle_limit_s = 60,
		.quiet_ms = 300,
		.hold_s = -1,
	};
	struct wl_run *run;
	size_t run_len;
	int i, status;

	opt.cgroups = calloc(argc, sizeof(*opt.cgroups));
	if (!opt.cgroups) {
		fputs("dontcache-workload: no memory\n", stderr);
		return WL_EXIT_ERROR;
	}
	parse(&opt, argc, argv);
	check_options(&opt);
	signal(SIGPIPE, SIG_IGN);

	run_len = sizeof(*run) + opt.nr_files * sizeof(run->files[0]);
	run = mmap(NULL, run_len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (run == MAP_FAILED) {
		fprintf(stderr, "dontcache-workload: memory for %d files: %s\n", opt.nr_files,
			strerror(errno));
		free(opt.cgroups);
		return WL_EXIT_ERROR;
	}
	run->opt = opt;
	run->page_size = sysconf(_SC_PAGESIZE);
	run->nr_files = opt.nr_files;
	run->nr_processes = opt.nr_cgroups ? opt.nr_cgroups : 1;
	for (i = 0; i < run->nr_files; i++) {
		run->files[i].fd = -1;
		run->files[i].process = i % run->nr_processes;
	}

	run_to_end = run;
	run_owner = getpid();
	signal(SIGINT, end_by_signal);
	signal(SIGTERM, end_by_signal);
	signal(SIGHUP, end_by_signal);

	if (do_run(run) || wl_failed(run)) {
		fprintf(stderr, "dontcache-workload: %s\n", run->error.text);
		status = run->error.status;
	} else {
		status = wl_contradicted(run) ? WL_EXIT_CONTRADICTED : WL_EXIT_OK;
	}
	wl_close_files(run);
	wl_remove_files(run);
	munmap(run, run_len);
	free(opt.cgroups);
	return status;
}
