// SPDX-License-Identifier: GPL-2.0
/*
 * mkman TEXTS MAN: writes the manual pages to the directory MAN, from the
 * tables that --help is printed from and from the texts in the directory
 * TEXTS.  A text is dropbehind.txt or VERB.txt; its lines are
 *
 *	== TITLE		a section; before the first it is DESCRIPTION
 *	TERM :: text		an item; the text may go on in the next lines
 *	%KIND KEY :: text	an item for a word of the vocabulary; the word is
 *				printed beside the key, and every word of a KIND
 *				that is begun must have its item
 *	four spaces		as it is
 *	# text			a comment
 *	(empty)			a new paragraph
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "verbs.h"
#include "words.h"

#define WORDS_MAX	64

struct vocabulary {
	const char *kind;
	const char *(*key)(unsigned int n);
	const char *(*word)(unsigned int n);
	unsigned int first, n;
	bool begun, seen[WORDS_MAX];
};

static struct vocabulary vocabularies[] = {
	{ .kind = "outcome", .key = db_outcome_key, .word = db_outcome_word, .n = DB_OUT_NR },
	{ .kind = "fate", .key = db_fate_key, .word = db_fate_word, .n = DB_FATE_NR },
	{ .kind = "pending", .key = db_pending_key, .word = db_pending_word, .n = DB_PEND_NR },
	{ .kind = "context", .key = db_context_key, .word = db_context_word, .n = DB_CTX_NR },
	{ .kind = "runner", .key = db_runner_key, .word = db_runner_word, .n = DB_RUN_NR },
	{ .kind = "mechanism", .key = db_mechanism_key, .word = db_mechanism_word, .n = DB_MECH_NR },
	{ .kind = "loss", .key = db_loss_key, .word = db_loss_word, .n = DB_LOSS_NR },
	{ .kind = "point", .key = db_point_word, .word = db_point_word, .n = DB_POINT_NR },
	{}
};

__attribute__((format(printf, 1, 2), noreturn))
static void die(const char *format, ...)
{
	va_list args;

	fputs("mkman: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

/* Text as troff must see it to print it as it is. */
static void put(FILE *out, const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", out);
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\e", out);
		else if (*text == '-')
			fputs("\\-", out);
		else if (*text == '`')
			fputs("\\(ga", out);
		else if (*text == '\'')
			fputs("\\(aq", out);
		else
			fputc(*text, out);
	}
}

static void put_word(FILE *out, const char *font, const char *text)
{
	fprintf(out, "\\f%s", font);
	put(out, text);
	fputs("\\fR", out);
}

static void put_vocabulary(FILE *out, const char *file, char *kind_and_key)
{
	struct vocabulary *v;
	char *key = strchr(kind_and_key, ' ');
	int n;

	if (!key)
		die("%s: '%%%s' names no key", file, kind_and_key);
	*key++ = 0;
	for (v = vocabularies; v->kind && strcmp(v->kind, kind_and_key); v++)
		;
	if (!v->kind)
		die("%s: no vocabulary is called '%s'", file, kind_and_key);
	n = db_word_number(v->key, v->n, key);
	if (n < 0)
		die("%s: '%s' is no %s", file, key, v->kind);
	v->begun = true;
	v->seen[n] = true;
	fputs(".TP\n", out);
	if (strcmp(v->word(n), key)) {
		put_word(out, "B", v->word(n));
		fputs(" (", out);
		put_word(out, "I", key);
		fputs(")\n", out);
	} else {
		put_word(out, "B", key);
		fputc('\n', out);
	}
}

static void check_vocabularies(const char *file)
{
	struct vocabulary *v;
	unsigned int i;

	for (v = vocabularies; v->kind; v++)
		for (i = 0; v->begun && i < v->n; i++)
			if (!v->seen[i])
				die("%s does not explain the %s '%s'", file, v->kind, v->key(i));
}

static void put_line(FILE *out, const char *file, char *line, bool *literal)
{
	bool indented = !strncmp(line, "    ", 4);
	char *text;

	if (*literal && !indented) {
		fputs(".EE\n.RE\n", out);
		*literal = false;
	}
	if (indented) {
		if (!*literal)
			fputs(".PP\n.RS 4\n.EX\n", out);
		*literal = true;
		put(out, line + 4);
		fputc('\n', out);
		return;
	}
	if (!strncmp(line, "== ", 3)) {
		fprintf(out, ".SH %s\n", line + 3);
		return;
	}
	if (!*line) {
		fputs(".PP\n", out);
		return;
	}
	text = strstr(line, " :: ");
	if (text) {
		*text = 0;
		text += 4;
		if (*line == '%') {
			put_vocabulary(out, file, line + 1);
		} else {
			fputs(".TP\n", out);
			put_word(out, "B", line);
			fputc('\n', out);
		}
		line = text;
	}
	put(out, line);
	fputc('\n', out);
}

/* A paragraph is begun only where text follows text: elsewhere the macros make their own space. */
static void put_text(FILE *out, const char *dir, const char *name)
{
	char *path, *line = NULL;
	bool literal = false, space = false, fresh = true;
	size_t room = 0;
	FILE *in;

	if (asprintf(&path, "%s/%s.txt", dir, name) < 0)
		die("out of memory");
	in = fopen(path, "re");
	if (!in)
		die("%s: %s", path, strerror(errno));
	while (getline(&line, &room, in) > 0) {
		line[strcspn(line, "\n")] = 0;
		if (*line == '#')
			continue;
		if (!*line) {
			space = true;
			continue;
		}
		if (space && !fresh && strncmp(line, "== ", 3) && strncmp(line, "    ", 4) &&
		    !strstr(line, " :: "))
			put_line(out, path, (char[]){ "" }, &literal);
		fresh = !strncmp(line, "== ", 3);
		space = false;
		put_line(out, path, line, &literal);
	}
	if (literal)
		fputs(".EE\n.RE\n", out);
	free(line);
	fclose(in);
	check_vocabularies(path);
	free(path);
}

static FILE *create(const char *dir, const char *page)
{
	char *path;
	FILE *out;

	if (asprintf(&path, "%s/%s.1", dir, page) < 0)
		die("out of memory");
	out = fopen(path, "we");
	if (!out)
		die("%s: %s", path, strerror(errno));
	free(path);
	return out;
}

static void finish(FILE *out, const char *page)
{
	int bad = ferror(out);

	if (fclose(out) || bad)
		die("%s cannot be written", page);
}

static void put_title(FILE *out, const char *page, const char *summary)
{
	fputs(".\\\" SPDX-License-Identifier: GPL-2.0\n.TH ", out);
	put(out, page);
	fprintf(out, " 1 \"\" \"dropbehind %s\" \"User Commands\"\n.SH NAME\n", DROPBEHIND_VERSION);
	put(out, page);
	fputs(" \\- ", out);
	put(out, summary);
	fputs("\n.SH SYNOPSIS\n", out);
}

static void put_option(void *arg, char letter, const char *name, const char *value, const char *help)
{
	FILE *out = arg;

	fputs(".TP\n", out);
	if (letter)
		fprintf(out, "\\fB\\-%c\\fR, ", letter);
	fputs("\\fB\\-\\-", out);
	put(out, name);
	fputs("\\fR", out);
	if (value) {
		fputc(' ', out);
		put_word(out, "I", value);
	}
	fputc('\n', out);
	put(out, help);
	fputs(".\n", out);
}

static void put_literal(FILE *out, const char *lines)
{
	char *copy = strdup(lines), *line, *save = NULL;

	if (!copy)
		die("out of memory");
	fputs(".EX\n", out);
	for (line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		put(out, line);
		fputc('\n', out);
	}
	fputs(".EE\n", out);
	free(copy);
}

static void put_see_also(FILE *out, const char *but)
{
	const struct db_verb *verb;
	const char *comma = "";

	fputs(".SH SEE ALSO\n", out);
	if (but) {
		fputs("\\fBdropbehind\\fR(1)", out);
		comma = ",\n";
	}
	for (verb = db_verbs; verb->name; verb++) {
		if (but && !strcmp(verb->name, but))
			continue;
		fprintf(out, "%s\\fBdropbehind\\-%s\\fR(1)", comma, verb->name);
		comma = ",\n";
	}
	fputc('\n', out);
}

static void write_verb(const struct db_verb *verb, const char *texts, const char *man)
{
	char *page, exits[256];
	FILE *out;

	if (asprintf(&page, "dropbehind-%s", verb->name) < 0)
		die("out of memory");
	out = create(man, page);
	put_title(out, page, verb->summary);
	fprintf(out, "\\fBdropbehind %s\\fR ", verb->name);
	put(out, verb->usage);
	fputs("\n.SH DESCRIPTION\n", out);
	put_text(out, texts, verb->name);
	fputs(".SH OPTIONS\n", out);
	db_options_each(verb, put_option, out);
	fputs(".SH EXAMPLES\n", out);
	put_literal(out, verb->examples);
	db_options_exits(verb, exits, sizeof(exits));
	fputs(".SH EXIT STATUS\n", out);
	put(out, exits);
	fputs(".\n", out);
	put_see_also(out, verb->name);
	finish(out, page);
	free(page);
}

static void write_main(const char *texts, const char *man)
{
	const struct db_verb *verb;
	FILE *out = create(man, "dropbehind");

	put_title(out, "dropbehind", "watches dropbehind (RWF_DONTCACHE) folios");
	fputs("\\fBdropbehind\\fR \\fIVERB\\fR [\\fIOPTIONS\\fR] [\\-\\- \\fICMD\\fR [\\fIARGS\\fR]]\n", out);
	fputs(".SH VERBS\n", out);
	for (verb = db_verbs; verb->name; verb++) {
		fputs(".TP\n", out);
		fprintf(out, "\\fBdropbehind\\-%s\\fR(1)\n", verb->name);
		put(out, verb->summary);
		fputs(".\n", out);
	}
	fputs(".SH DESCRIPTION\n", out);
	put_text(out, texts, "dropbehind");
	put_see_also(out, NULL);
	finish(out, "dropbehind");
}

int main(int argc, char **argv)
{
	const struct db_verb *verb;

	if (argc != 3)
		die("usage: mkman TEXTS MAN");
	write_main(argv[1], argv[2]);
	for (verb = db_verbs; verb->name; verb++)
		write_verb(verb, argv[1], argv[2]);
	return 0;
}
