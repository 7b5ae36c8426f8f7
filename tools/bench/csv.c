// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "err.h"

/* A value with a separator or quote in it is quoted. */
static void put_text(FILE *f, const char *text)
{
	if (!strpbrk(text, ",\"\n")) {
		fputs(text, f);
		return;
	}
	fputc('"', f);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', f);
		fputc(*text, f);
	}
	fputc('"', f);
}

int table_write_csv(const struct table *t, FILE *f)
{
	char buf[96];
	size_t c, i;

	for (c = 0; c < t->nr_cols; c++)
		fprintf(f, "%s%s", c ? "," : "", t->cols[c].name);
	fputc('\n', f);
	for (i = 0; i < t->nr_rows; i++) {
		for (c = 0; c < t->nr_cols; c++) {
			const struct cell *cell = &t->rows[i].cells[c];

			table_format(&t->cols[c], cell, buf, sizeof(buf));
			if (c)
				fputc(',', f);
			/* A plus sign is for people. */
			put_text(f, !t->cols[c].is_text && buf[0] == '+' ? buf + 1 : buf);
		}
		fputc('\n', f);
	}
	return ferror(f) ? -EIO : 0;
}

int csv_write_samples(const struct result *r, FILE *f)
{
	size_t i, j;
	int c;

	fprintf(f, "group,variant,round");
	for (c = 0; c < SAMPLE_FIELDS; c++)
		fprintf(f, ",%s", sample_names[c]);
	fputc('\n', f);
	for (i = 0; i < r->nr_runs; i++) {
		const struct run *run = &r->runs[i];

		for (j = 0; j < run->nr_samples; j++) {
			put_text(f, run->group);
			fprintf(f, ",%s,%u", run->variant, run->round);
			for (c = 0; c < SAMPLE_FIELDS; c++) {
				if (isnan(run->samples[j].v[c]))
					fprintf(f, ",unavailable");
				else
					fprintf(f, ",%.6g", run->samples[j].v[c]);
			}
			fputc('\n', f);
		}
	}
	return ferror(f) ? -EIO : 0;
}

/* Take the next value off the line; *line moves on, NULL after the last one. */
static void next_value(char **line, char *buf, size_t size)
{
	size_t n = 0;
	char *p = *line;
	bool quoted = *p == '"';

	if (quoted)
		p++;
	while (*p && (quoted || *p != ',')) {
		if (quoted && *p == '"') {
			if (p[1] != '"') {
				p++;
				break;
			}
			p++;
		}
		if (n + 1 < size)
			buf[n++] = *p;
		p++;
	}
	buf[n] = '\0';
	*line = *p == ',' ? p + 1 : NULL;
}

static int read_header(struct table *t, char *line)
{
	char buf[64];
	int n;

	while (line) {
		next_value(&line, buf, sizeof(buf));
		n = table_add_column(t, buf, buf, 0);
		if (n < 0)
			return n;
	}
	return 0;
}

static int read_row(struct table *t, char *line)
{
	size_t c;
	int row = table_add_row(t, "");

	if (row < 0)
		return row;
	for (c = 0; c < t->nr_cols; c++) {
		struct cell *cell = &t->rows[row].cells[c];
		char *end, *dot;

		if (!line)
			return -EINVAL;
		next_value(&line, cell->text, sizeof(cell->text));
		cell->value = strtod(cell->text, &end);
		if (*end || end == cell->text)
			cell->value = NAN;
		dot = strchr(cell->text, '.');
		if (!*end && dot && (int)strlen(dot + 1) > t->cols[c].decimals)
			t->cols[c].decimals = (int)strlen(dot + 1);
	}
	return line ? -EINVAL : 0;
}

static void find_keys(struct table *t)
{
	size_t c, i;

	for (c = 0; c < t->nr_cols; c++) {
		bool numbers = true;

		for (i = 0; i < t->nr_rows; i++)
			if (isnan(t->rows[i].cells[c].value) &&
			    strcmp(t->rows[i].cells[c].text, "unavailable"))
				numbers = false;
		if (numbers && c)
			break;
		t->cols[c].is_text = true;
	}
	t->nr_keys = c;
}

static void name_after(struct table *t, const char *path)
{
	const char *base = strrchr(path, '/');
	size_t len;

	base = base ? base + 1 : path;
	len = strlen(base);
	if (len > 4 && !strcmp(base + len - 4, ".csv"))
		len -= 4;
	snprintf(t->name, sizeof(t->name), "%.*s", (int)len, base);
}

int csv_read(struct table *t, const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t cap = 0, nr = 0;
	int err = 0;

	memset(t, 0, sizeof(*t));
	if (!f)
		return bench_fail(-errno, "read", path);
	while (!err && getline(&line, &cap, f) > 0) {
		line[strcspn(line, "\r\n")] = '\0';
		nr++;
		if (*line)
			err = t->nr_cols ? read_row(t, line) : read_header(t, line);
	}
	if (!err && ferror(f))
		err = -EIO;
	fclose(f);
	free(line);
	if (!err && t->nr_rows && t->nr_cols > 1) {
		find_keys(t);
		name_after(t, path);
		return 0;
	}
	free(t->rows);
	memset(t, 0, sizeof(*t));
	if (err && err != -EINVAL)
		return bench_fail(err, "read", path);
	return bench_error("%s: line %zu is no row of a CSV table with a heading line", path, nr);
}
