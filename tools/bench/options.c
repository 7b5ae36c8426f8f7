// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "err.h"
#include "options.h"
#include "units.h"

enum {
	O_DIR = 256, O_DEV, O_FILE, O_SIZE, O_QUICK, O_IO_SIZES, O_RATES, O_ROUNDS, O_FILES,
	O_COOLDOWN, O_INTERVAL, O_DURATION, O_RUN_LIMIT, O_RESET, O_OP, O_MEMORY_LIMIT,
	O_HOT_SIZE, O_NO_CGROUP, O_BEFORE, O_AFTER, O_LABEL, O_APPEND, O_JSON, O_CSV,
	O_MARKDOWN, O_SVG, O_SAMPLES, O_BESIDE, O_NOISE, O_ALLOW, O_FORCE, O_QUIET,
	O_PROGRESS, O_TRACE, O_TRACER, O_LIST, O_VERSION,
};

static const struct option longs[] = {
	{ "dir", required_argument, NULL, O_DIR },
	{ "dev", required_argument, NULL, O_DEV },
	{ "file", required_argument, NULL, O_FILE },
	{ "size", required_argument, NULL, O_SIZE },
	{ "quick", no_argument, NULL, O_QUICK },
	{ "io-sizes", required_argument, NULL, O_IO_SIZES },
	{ "rates", required_argument, NULL, O_RATES },
	{ "rounds", required_argument, NULL, O_ROUNDS },
	{ "files", required_argument, NULL, O_FILES },
	{ "cooldown", required_argument, NULL, O_COOLDOWN },
	{ "interval", required_argument, NULL, O_INTERVAL },
	{ "duration", required_argument, NULL, O_DURATION },
	{ "run-limit", required_argument, NULL, O_RUN_LIMIT },
	{ "reset", required_argument, NULL, O_RESET },
	{ "op", required_argument, NULL, O_OP },
	{ "memory-limit", required_argument, NULL, O_MEMORY_LIMIT },
	{ "hot-size", required_argument, NULL, O_HOT_SIZE },
	{ "no-cgroup", no_argument, NULL, O_NO_CGROUP },
	{ "before", required_argument, NULL, O_BEFORE },
	{ "after", required_argument, NULL, O_AFTER },
	{ "label", required_argument, NULL, O_LABEL },
	{ "append", required_argument, NULL, O_APPEND },
	{ "json", required_argument, NULL, O_JSON },
	{ "csv", required_argument, NULL, O_CSV },
	{ "markdown", required_argument, NULL, O_MARKDOWN },
	{ "svg", required_argument, NULL, O_SVG },
	{ "samples", required_argument, NULL, O_SAMPLES },
	{ "beside", required_argument, NULL, O_BESIDE },
	{ "noise", required_argument, NULL, O_NOISE },
	{ "allow", required_argument, NULL, O_ALLOW },
	{ "force", required_argument, NULL, O_FORCE },
	{ "quiet", no_argument, NULL, O_QUIET },
	{ "progress", required_argument, NULL, O_PROGRESS },
	{ "trace", no_argument, NULL, O_TRACE },
	{ "tracer", required_argument, NULL, O_TRACER },
	{ "list", no_argument, NULL, O_LIST },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, O_VERSION },
	{ NULL, 0, NULL, 0 },
};

void options_help(void)
{
	puts("Usage: dontcache-bench PRESET (--dir DIR | --dev DEV) [OPTION...]\n"
	     "       dontcache-bench report RESULT.json [OUTPUT OPTION...]\n"
	     "       dontcache-bench compare BEFORE.json AFTER.json [OUTPUT OPTION...]\n"
	     "       dontcache-bench resident FILE...\n"
	     "       dontcache-bench --list\n"
	     "\n"
	     "Measures what RWF_DONTCACHE costs and saves, against normal buffered I/O.\n"
	     "\n"
	     "Load\n"
	     "  --dir DIR           make the files in DIR (removed at the end)\n"
	     "  --dev DEV           use the block device DEV; its content is lost\n"
	     "  --file NAME         name of the file in DIR (default: one nobody has)\n"
	     "  --size SIZE         bytes per run, of all its files together, such as 4G\n"
	     "  --quick             every size of the preset at small volume\n"
	     "  --io-sizes LIST     such as 4K,64K,1M\n"
	     "  --rates LIST        paced: bytes per second, such as 64M,128M\n"
	     "  --rounds N          how often each run is repeated\n"
	     "  --files N           per-second: files, each with a thread\n"
	     "  --duration SECONDS  length of a run that is limited by time\n"
	     "  --run-limit SECONDS f2fs-large-folio: end a slow run after so long\n"
	     "  --op read|write     per-second, neighbour: what the load does\n"
	     "  --memory-limit SIZE per-second: run in a memory cgroup of that size;\n"
	     "                      neighbour: size of the group both live in\n"
	     "  --hot-size SIZE     neighbour: working set of the victim\n"
	     "  --no-cgroup         neighbour: press on the whole machine's memory\n"
	     "  --before CMD        control: shell command that puts the old state in place\n"
	     "  --after CMD         control: shell command that puts the new state in place\n"
	     "  --label NAME        control: this is one side, \"before\" or \"after\"\n"
	     "  --append FILE       control: add this side's runs to FILE\n"
	     "\n"
	     "Measuring\n"
	     "  --interval SECONDS  time between samples (default 1; with --quick 0.05)\n"
	     "  --cooldown SECONDS  rest before each run (default 5; with --quick 0)\n"
	     "  --reset drop|file|none  what to throw out of the page cache before each\n"
	     "                      run: everything, our file only, nothing\n"
	     "                      (default drop; with --quick file)\n"
	     "  --trace             have `dropbehind stat` watch the run\n"
	     "  --tracer PROGRAM    the dropbehind program to use with --trace\n"
	     "  --progress always|never|auto\n"
	     "\n"
	     "Output (tables go to the terminal unless --quiet)\n"
	     "  --beside FILE.csv   show this reference table beside ours (repeatable)\n"
	     "  --noise FILE.json   result of `control`: how much is noise\n"
	     "  --json FILE  --csv DIR  --markdown FILE  --svg DIR  --samples FILE.csv\n"
	     "  --quiet             no tables on the terminal\n"
	     "  --allow FACT        compare: this fact may differ (repeatable)\n"
	     "\n"
	     "  --force NAME        this existing file or device may be overwritten (repeatable)\n"
	     "  --list  --help  --version\n"
	     "\n"
	     "Exit status: 0 all measured; 1 error; 2 wrong use; 130 stopped by a signal.");
}

static int count(const char *text, unsigned int *value, const char *name)
{
	double v;

	if (parse_number(text, &v) || v < 1 || v > 1000 || v != (unsigned int)v)
		return bench_error("--%s %s: give a whole number from 1 to 1000", name, text);
	*value = (unsigned int)v;
	return 0;
}

static int seconds(const char *text, double *value, double min, const char *name)
{
	if (parse_number(text, value) || *value < min || *value > 1e6)
		return bench_error("--%s %s: give seconds, at least %g", name, text, min);
	return 0;
}

static int bytes(const char *text, uint64_t *value, const char *name)
{
	if (parse_bytes(text, value) || !*value)
		return bench_error("--%s %s: give a size such as 64K, 16M or 4G", name, text);
	return 0;
}

static int bytes_list(const char *text, uint64_t *list, size_t *nr, const char *name)
{
	int n = parse_bytes_list(text, list, OPT_MAX_LIST);

	if (n < 0)
		return bench_error("--%s %s: give sizes separated by commas, such as 4K,64K",
				   name, text);
	*nr = (size_t)n;
	return 0;
}

static int add(const char **list, size_t *nr, const char *text, const char *name)
{
	if (*nr == OPT_MAX_LIST)
		return bench_error("--%s: given more than %d times", name, OPT_MAX_LIST);
	list[(*nr)++] = text;
	return 0;
}

/* Index of @text in the NULL-terminated @words, or -EINVAL (told). */
static int word(const char *text, const char *const *words, const char *name)
{
	char known[128] = "";
	size_t used = 0;
	int i;

	for (i = 0; words[i]; i++) {
		if (!strcmp(text, words[i]))
			return i;
		used += (size_t)snprintf(known + used, sizeof(known) - used, " %s", words[i]);
	}
	return bench_error("--%s %s: give one of:%s", name, text, known);
}

static int set_word(struct options *opt, int c, const char *arg)
{
	static const char *const resets[] = { "default", "drop", "file", "none", NULL };
	static const char *const ops[] = { "write", "read", NULL };
	static const char *const when[] = { "never", "auto", "always", NULL };
	int i;

	switch (c) {
	case O_RESET:
		i = word(arg, resets, "reset");
		opt->reset = i < 0 ? RESET_DEFAULT : (enum reset_mode)i;
		break;
	case O_OP:
		i = word(arg, ops, "op");
		opt->op_given = true;
		opt->op_read = i == 1;
		break;
	default:
		i = word(arg, when, "progress");
		opt->progress = i - 1;
		break;
	}
	return i < 0 ? i : 0;
}

static int set_load(struct options *opt, int c, const char *arg)
{
	switch (c) {
	case O_DIR: opt->dir = arg; return 0;
	case O_DEV: opt->dev = arg; return 0;
	case O_FILE:
		if (!*arg || strchr(arg, '/'))
			return bench_error("--file %s: give a name without a slash", arg);
		opt->file = arg;
		return 0;
	case O_SIZE: return bytes(arg, &opt->size_bytes, "size");
	case O_QUICK: opt->quick = true; return 0;
	case O_IO_SIZES: return bytes_list(arg, opt->io_sizes, &opt->nr_io_sizes, "io-sizes");
	case O_RATES: return bytes_list(arg, opt->rates, &opt->nr_rates, "rates");
	case O_ROUNDS: return count(arg, &opt->rounds, "rounds");
	case O_FILES: return count(arg, &opt->files, "files");
	case O_COOLDOWN: return seconds(arg, &opt->cooldown_s, 0, "cooldown");
	case O_INTERVAL: return seconds(arg, &opt->interval_s, 0.01, "interval");
	case O_DURATION: return seconds(arg, &opt->duration_s, 0.1, "duration");
	case O_RUN_LIMIT: return seconds(arg, &opt->run_limit_s, 0.1, "run-limit");
	case O_MEMORY_LIMIT: return bytes(arg, &opt->memory_limit_bytes, "memory-limit");
	case O_HOT_SIZE: return bytes(arg, &opt->hot_bytes, "hot-size");
	case O_NO_CGROUP: opt->no_cgroup = true; return 0;
	case O_BEFORE: opt->before = arg; return 0;
	case O_AFTER: opt->after = arg; return 0;
	case O_LABEL: opt->label = arg; return 0;
	case O_APPEND: opt->append = arg; return 0;
	default: return set_word(opt, c, arg);
	}
}

static int set_output(struct options *opt, int c, const char *arg)
{
	switch (c) {
	case O_JSON: opt->json = arg; return 0;
	case O_CSV: opt->csv_dir = arg; return 0;
	case O_MARKDOWN: opt->markdown = arg; return 0;
	case O_SVG: opt->svg_dir = arg; return 0;
	case O_SAMPLES: opt->samples = arg; return 0;
	case O_BESIDE: return add(opt->beside, &opt->nr_beside, arg, "beside");
	case O_NOISE: opt->noise = arg; return 0;
	case O_ALLOW: return add(opt->allow, &opt->nr_allow, arg, "allow");
	case O_FORCE: return add(opt->force, &opt->nr_force, arg, "force");
	case O_QUIET: opt->quiet = true; return 0;
	case O_TRACE: opt->trace = true; return 0;
	case O_TRACER: opt->tracer = arg; opt->trace = true; return 0;
	case O_LIST: opt->list = true; return 0;
	case 'h': opt->help = true; return 0;
	case O_VERSION: opt->version = true; return 0;
	default: return set_load(opt, c, arg);
	}
}

static int check_place(const struct options *opt)
{
	if (opt->dir && opt->dev)
		return bench_error("--dir and --dev exclude each other; give one");
	if (!opt->dir && !opt->dev)
		return bench_error("%s needs a place to work in; give --dir DIR or --dev DEV",
				   opt->verb);
	return 0;
}

int options_parse(struct options *opt, int argc, char **argv)
{
	int c, err;

	memset(opt, 0, sizeof(*opt));
	opt->cooldown_s = -1;
	opterr = 0;
	while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		if (c == '?')
			return bench_error("%s: no such option, or its value is missing; see --help",
					   argv[optind - 1]);
		err = set_output(opt, c, optarg);
		if (err)
			return err;
	}
	if (opt->help || opt->list || opt->version)
		return 0;
	if (optind == argc)
		return bench_error("no preset given; see --list and --help");
	opt->verb = argv[optind++];
	while (optind < argc) {
		err = add(opt->inputs, &opt->nr_inputs, argv[optind], "argument");
		if (err)
			return err;
		optind++;
	}
	if (!strcmp(opt->verb, "report") || !strcmp(opt->verb, "compare") ||
	    !strcmp(opt->verb, "resident"))
		return 0;
	if (opt->nr_inputs)
		return bench_error("%s: one preset at a time; leave it out", opt->inputs[0]);
	return check_place(opt);
}

int options_check_load(const struct options *opt, unsigned int takes)
{
	const struct {
		bool given;
		unsigned int belongs_to;
		const char *name;
	} load[] = {
		{ opt->size_bytes, TAKES_SIZE, "size" },
		{ opt->nr_io_sizes, TAKES_IO_SIZE | TAKES_IO_SIZES, "io-sizes" },
		{ opt->nr_rates, TAKES_RATES, "rates" },
		{ opt->rounds, TAKES_ROUNDS, "rounds" },
		{ opt->files, TAKES_FILES, "files" },
		{ opt->duration_s > 0, TAKES_DURATION, "duration" },
		{ opt->run_limit_s > 0, TAKES_RUN_LIMIT, "run-limit" },
		{ opt->op_given, TAKES_OP, "op" },
		{ opt->memory_limit_bytes, TAKES_MEMORY_LIMIT, "memory-limit" },
		{ opt->hot_bytes, TAKES_HOT_SIZE, "hot-size" },
		{ opt->no_cgroup, TAKES_NO_CGROUP, "no-cgroup" },
		{ opt->before || opt->after, TAKES_SIDES, "before or --after" },
		{ opt->label || opt->append, TAKES_SIDES, "label or --append" },
	};
	size_t i;

	for (i = 0; i < sizeof(load) / sizeof(load[0]); i++)
		if (load[i].given && !(load[i].belongs_to & takes))
			return bench_error("%s takes no --%s; leave it out", opt->verb,
					   load[i].name);
	if (opt->nr_io_sizes > 1 && !(takes & TAKES_IO_SIZES))
		return bench_error("--io-sizes: %s takes one size only", opt->verb);
	if (opt->no_cgroup && opt->memory_limit_bytes)
		return bench_error("--memory-limit is the size of a cgroup and --no-cgroup makes none; leave one out");
	return 0;
}

bool options_forced(const struct options *opt, const char *name)
{
	size_t i;

	for (i = 0; i < opt->nr_force; i++)
		if (!strcmp(opt->force[i], name))
			return true;
	return false;
}
