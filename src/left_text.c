// SPDX-License-Identifier: GPL-2.0
/* The report of `dropbehind left` for a terminal. */
#include <stdlib.h>
#include <string.h>

#include "left.h"
#include "output.h"
#include "text.h"
#include "words.h"

static void write_bytes(FILE *out, __u64 pages, __u32 page_size)
{
	double bytes = (double)pages * page_size;

	if (bytes >= 1 << 30)
		fprintf(out, "%.2f GiB", bytes / (1 << 30));
	else if (bytes >= 1 << 20)
		fprintf(out, "%.2f MiB", bytes / (1 << 20));
	else
		fprintf(out, "%.0f KiB", bytes / 1024);
}

/* A file without a name may be on any device. */
static void write_file_name(FILE *out, const struct db_ledger *l, const struct db_flow *f)
{
	char room[24];

	db_text_file(out, f);
	if (!f->file)
		fprintf(out, " on %s", db_ledger_device(l, f->dev, room, sizeof(room)));
}

/* A line per cgroup and reason of one file. */
static void write_file(FILE *out, const struct db_ledger *l, const struct db_left_file *file)
{
	const struct db_flow *f;
	struct db_count now;
	char resident[24] = "unavailable";
	size_t i;
	int reason;

	if (file->resident.known)
		snprintf(resident, sizeof(resident), "%llu", (unsigned long long)file->resident.pages);
	for (i = 0; i < file->nflows; i++) {
		f = file->flows[i];
		for (reason = DB_OUT_LEFT_FIRST; reason <= DB_OUT_LEFT_LAST; reason++) {
			now = db_left_now(&f->counts, reason);
			if (!db_ledger_follows(l, reason) || !now.pages)
				continue;
			fprintf(out, "%10llu  %-26s %11s  %-9s  ", (unsigned long long)now.pages,
				db_reason_word(reason), resident, db_left_check_word(file->check));
			write_file_name(out, l, f);
			fputs("  [", out);
			db_text_cgroup(out, f);
			fputs("]", out);
			if (file->check == DB_LEFT_UNCHECKED)
				fprintf(out, "  (%s)", file->resident.why);
			fputc('\n', out);
		}
	}
}

static void write_reasons(FILE *out, const struct db_ledger *l)
{
	struct db_count now;
	int reason;

	fprintf(out, "\nBy reason (pages)\n");
	for (reason = DB_OUT_LEFT_FIRST; reason <= DB_OUT_LEFT_LAST; reason++) {
		now = db_left_now(&l->total, reason);
		if (now.pages)
			fprintf(out, "%10llu  %s%s\n", (unsigned long long)now.pages,
				db_reason_word(reason), db_ledger_follows(l, reason) ?
				"" : ": not followed further, not in the sums");
	}
}

struct cgroup_sum {
	const struct db_flow *flow;
	__u64 pages;
};

static int by_pages(const void *a, const void *b)
{
	const struct cgroup_sum *x = a, *y = b;

	return x->pages > y->pages ? -1 : x->pages < y->pages;
}

static void write_cgroups(FILE *out, const struct db_ledger *l)
{
	struct cgroup_sum *sums = calloc(l->nflows + 1, sizeof(*sums));
	size_t i, j, n = 0;
	__u64 pages;

	if (!sums)
		return;
	for (i = 0; i < l->nflows; i++) {
		pages = db_left_cached(l, &l->flows[i].counts).pages;
		if (!pages)
			continue;
		for (j = 0; j < n && sums[j].flow->cgroup_id != l->flows[i].cgroup_id; j++)
			;
		if (j == n)
			sums[n++].flow = &l->flows[i];
		sums[j].pages += pages;
	}
	qsort(sums, n, sizeof(*sums), by_pages);
	fprintf(out, "\nBy memory cgroup (pages)\n");
	for (i = 0; i < n; i++) {
		fprintf(out, "%10llu  ", (unsigned long long)sums[i].pages);
		db_text_cgroup(out, sums[i].flow);
		fputc('\n', out);
	}
	free(sums);
}

/* Not left behind, or not yet. */
static void write_pending(FILE *out, const struct db_ledger *l)
{
	bool any = false;
	int i;

	for (i = 0; i < DB_PEND_NR; i++) {
		if (!l->sweep.pending[i].pages)
			continue;
		fprintf(out, "%s %llu pages %s", any ? "," : "still pending:",
			(unsigned long long)l->sweep.pending[i].pages, db_pending_word(i));
		any = true;
	}
	if (any)
		fputs(" (those not yet read count as left behind after --grace)\n", out);
}

int db_left_text(FILE *out, const struct db_left *left)
{
	const struct db_ledger *l = left->ledger;
	char duration[32];
	size_t i;

	db_text_time(l->stop_ns - l->start_ns, duration, sizeof(duration));
	fprintf(out, "dropbehind on %s %s, pages of %u bytes, traced for %s%s%s\n", l->release, l->machine,
		l->page_size, duration, l->filter[0] ? ", only " : "", l->filter);
	fprintf(out, "left behind and still in cache: %llu pages (",
		(unsigned long long)left->left_pages);
	write_bytes(out, left->left_pages, l->page_size);
	fprintf(out, ") of %zu file%s; looking at each folio found %llu pages\n", left->nfiles,
		left->nfiles == 1 ? "" : "s", (unsigned long long)left->looked_pages);
	write_pending(out, l);
	if (left->nfiles) {
		fprintf(out, "\n%10s  %-26s %11s  %-9s  %s\n", "pages", "reason", "resident", "check",
			"file  [memory cgroup]");
		for (i = 0; i < left->nfiles; i++)
			write_file(out, left->ledger, &left->files[i]);
		fprintf(out,
			"resident: all cached pages of the file, also those others use; the check is that it is not less than left\n");
		write_reasons(out, l);
		write_cgroups(out, l);
	}
	fprintf(out, "\nverdict: %s\n", db_verdict_word(left->verdict));
	db_text_completeness(out, l);
	return db_output_finish(out);
}
