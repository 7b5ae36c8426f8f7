// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "table.h"

int table_write_markdown(const struct table *t, FILE *f)
{
	const char *note;
	char buf[96];
	size_t c, i;

	fprintf(f, "### %s\n\n|", t->title);
	for (c = 0; c < t->nr_cols; c++)
		fprintf(f, " %s |", t->cols[c].title);
	fprintf(f, "\n|");
	for (c = 0; c < t->nr_cols; c++)
		fprintf(f, t->cols[c].is_text ? "---|" : "---:|");
	for (i = 0; i < t->nr_rows; i++) {
		fprintf(f, "\n|");
		for (c = 0; c < t->nr_cols; c++) {
			table_format(&t->cols[c], &t->rows[i].cells[c], buf, sizeof(buf));
			fprintf(f, " %s |", buf);
		}
	}
	fprintf(f, "\n\n");
	for (note = t->notes; note && *note;) {
		size_t len = strcspn(note, "\n");

		fprintf(f, "Note: %.*s\n\n", (int)len, note);
		note += len + 1;
	}
	return ferror(f) ? -EIO : 0;
}
