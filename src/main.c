// SPDX-License-Identifier: GPL-2.0
/* dropbehind: which verb, and what there is. */
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "complain.h"
#include "options.h"
#include "output.h"
#include "verbs.h"

#ifndef DROPBEHIND_VERSION
#error "the Makefile says which version this is"
#endif

static void help(FILE *out)
{
	const struct db_verb *verb;

	fprintf(out,
		"usage: dropbehind VERB [OPTIONS] [-- CMD [ARGS]]\n"
		"Watches dropbehind (RWF_DONTCACHE) folios: were they dropped, where, when, why not.\n"
		"\nVerbs:\n");
	for (verb = db_verbs; verb->name; verb++)
		fprintf(out, "  %-10s %s\n", verb->name, verb->summary);
	fprintf(out,
		"\n'dropbehind VERB --help' explains a verb; --version prints the version.\n");
}

static const struct db_verb *find_verb(const char *name)
{
	const struct db_verb *verb;

	for (verb = db_verbs; verb->name; verb++)
		if (!strcmp(verb->name, name))
			return verb;
	return NULL;
}

int main(int argc, char **argv)
{
	struct db_options options;
	const struct db_verb *verb;

	if (argc < 2) {
		help(stderr);
		return EX_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		help(stdout);
		return db_output_status(stdout);
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("dropbehind " DROPBEHIND_VERSION);
		return db_output_status(stdout);
	}
	verb = find_verb(argv[1]);
	if (!verb) {
		db_complain(-EINVAL, "unknown verb '%s'; 'dropbehind --help' lists them", argv[1]);
		return EX_USAGE;
	}
	if (db_options_parse(&options, verb, argc - 1, argv + 1))
		return EX_USAGE;
	if (options.help) {
		db_options_help(stdout, verb);
		return db_output_status(stdout);
	}
	/* What went wrong is said in our own words. */
	if (!getenv("DROPBEHIND_DEBUG"))
		libbpf_set_print(NULL);
	return verb->run(&options);
}
