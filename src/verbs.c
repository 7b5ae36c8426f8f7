// SPDX-License-Identifier: GPL-2.0
#include "verbs.h"

#include "feature.h"
#include "left.h"
#include "record.h"
#include "report.h"
#include "stat.h"
#include "trace.h"

const struct db_verb db_verbs[] = {
	{
		.name = "features",
		.summary = "Says what this kernel and its filesystems offer, by trying",
		.usage = "[OPTIONS] [PATH...]",
		.examples =
			"  dropbehind features                   kernel and all mounted filesystems\n"
			"  dropbehind features /data             only the filesystem of /data\n"
			"  dropbehind features -j | jq .verdict  for scripts\n",
		.exits = "0 usable, 1 limited: some numbers will be unavailable, 2 not usable or failed",
		.options = DB_OPT_JSON | DB_OPT_OPERANDS,
		.run = db_verb_features,
	},
	{
		.name = "stat",
		.summary = "Counts in the kernel and prints a report at the end",
		.usage = "[OPTIONS] [-- CMD [ARGS]]",
		.examples =
			"  dropbehind stat -d 10                 everything, for ten seconds\n"
			"  dropbehind stat -i 1 --mount /data    a line a second, one filesystem\n"
			"  dropbehind stat -j -- ./backup.sh     as JSON, while a command runs\n",
		.exits = "with CMD: CMD's own",
		.options = DB_OPT_JSON | DB_OPT_INTERVAL | DB_OPT_DURATION | DB_OPT_FILTERS |
			   DB_OPT_TRACING | DB_OPT_COMMAND,
		.run = db_verb_stat,
	},
	{
		.name = "record",
		.summary = "Like stat, and writes counts over time and exceptions to a file",
		.usage = "-o FILE [OPTIONS] [-- CMD [ARGS]]",
		.examples =
			"  dropbehind record -o run.dbr -- ./backup.sh      while a command runs\n"
			"  dropbehind record -o run.dbr -i 1 -d 600         ten minutes, second by second\n"
			"  dropbehind record -o run.dbr --max-size 64m --rotate 8\n"
			"                                                   for ever, in at most 512m\n",
		.exits = "with CMD: CMD's own",
		.options = DB_OPT_JSON | DB_OPT_INTERVAL | DB_OPT_DURATION | DB_OPT_OUTPUT |
			   DB_OPT_FILTERS | DB_OPT_TRACING | DB_OPT_MIN_LATENCY | DB_OPT_SIZES |
			   DB_OPT_SAMPLES | DB_OPT_COMMAND,
		.run = db_verb_record,
	},
	{
		.name = "report",
		.summary = "Prints what a recording holds, and which part of the time it covers",
		.usage = "[OPTIONS] FILE...",
		.examples =
			"  dropbehind report run.dbr                     the report of the run\n"
			"  dropbehind report run.dbr run.dbr.1           of a rotated recording\n"
			"  dropbehind report -i 60 --events left run.dbr minutes and left-behind folios\n",
		.exits = "2 printed but the recording is incomplete",
		.options = DB_OPT_JSON | DB_OPT_INTERVAL | DB_OPT_EVENTS | DB_OPT_OPERANDS,
		.run = db_verb_report,
	},
	{
		.name = "trace",
		.summary = "Prints a line per event as it happens: folio left behind or dropped, bio deferred",
		.usage = "[OPTIONS] [-- CMD [ARGS]]",
		.examples =
			"  dropbehind trace                                what is left behind and deferred, until ^C\n"
			"  dropbehind trace --events left --mount /data    why folios stay, one filesystem\n"
			"  dropbehind trace --events defer --min-latency 5ms\n"
			"  dropbehind trace -j -- ./backup.sh              JSON, a line per event\n",
		.exits = "with CMD: CMD's own",
		.options = DB_OPT_JSON | DB_OPT_DURATION | DB_OPT_EVENTS | DB_OPT_MIN_LATENCY |
			   DB_OPT_FILTERS | DB_OPT_TRACING | DB_OPT_COMMAND,
		.run = db_verb_trace,
	},
	{
		.name = "left",
		.summary = "Lists what was left behind and is still in cache, by file, cgroup and reason",
		.usage = "[OPTIONS] [-- CMD [ARGS]]",
		.examples =
			"  dropbehind left -d 60                 a minute's left-behind folios\n"
			"  dropbehind left -- ./backup.sh        those of a command\n"
			"  dropbehind left -j --mount /data | jq '.files[].file'\n",
		.exits = "2 a check disagrees, 3 inconclusive; with CMD: CMD's own",
		.options = DB_OPT_JSON | DB_OPT_DURATION | DB_OPT_FILTERS | DB_OPT_TRACING | DB_OPT_COMMAND,
		.run = db_verb_left,
	},
	{}
};
