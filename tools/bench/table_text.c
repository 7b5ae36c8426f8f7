// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "table.h"

static void widths(const struct table *t, int *width)
{
	char buf[96];
	size_t c, i;

	for (c = 0; c < t->nr_cols; c++) {
		width[c] = (int)strlen(t->cols[c].title);
		for (i = 0; i < t->nr_rows; i++) {
			table_format(&t->cols[c], &t->rows[i].cells[c], buf, sizeof(buf));
			if ((int)strlen(buf) > width[c])
				width[c] = (int)strlen(buf);
		}
	}
}

int table_write_text(const struct table *t, FILE *f)
{
	int width[TABLE_MAX_COLS];
	const char *note;
	char buf[96];
	size_t c, i;

	widths(t, width);
	fprintf(f, "%s\n", t->title);
	for (c = 0; c < t->nr_cols; c++)
		fprintf(f, t->cols[c].is_text ? "  %-*s" : "  %*s", width[c],
			t->cols[c].title);
	fputc('\n', f);
	for (i = 0; i < t->nr_rows; i++) {
		for (c = 0; c < t->nr_cols; c++) {
			table_format(&t->cols[c], &t->rows[i].cells[c], buf, sizeof(buf));
			fprintf(f, t->cols[c].is_text ? "  %-*s" : "  %*s", width[c], buf);
		}
		fputc('\n', f);
	}
	for (note = t->notes; note && *note;) {
		size_t len = strcspn(note, "\n");

		fprintf(f, "  note: %.*s\n", (int)len, note);
		note += len + 1;
	}
	return ferror(f) ? -EIO : 0;
}
