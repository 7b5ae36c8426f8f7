// SPDX-License-Identifier: GPL-2.0
#include "verbs.h"

#include "feature.h"
#include "left.h"
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
		.exits = "0 usable, 1 limited: some numbers will be unavailable, 2 not usable",
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
