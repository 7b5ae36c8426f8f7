// SPDX-License-Identifier: GPL-2.0
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "output.h"
#include "words.h"

void db_text_time(__u64 ns, char *text, size_t size)
{
	if (ns < 1000)
		snprintf(text, size, "%llu ns", (unsigned long long)ns);
	else if (ns < 1000000)
		snprintf(text, size, "%.2f us", ns / 1e3);
	else if (ns < 1000000000)
		snprintf(text, size, "%.2f ms", ns / 1e6);
	else
		snprintf(text, size, "%.2f s", ns / 1e9);
}

void db_text_file(FILE *out, const struct db_flow *flow)
{
	if (flow->file)
		db_output_escaped(out, flow->file);
	else if (flow->file_found == DB_FOUND_LUMPED)
		fputs("(all other files)", out);
	else
		fprintf(out, "inode %llu", (unsigned long long)flow->ino);
}

void db_text_cgroup(FILE *out, const struct db_flow *flow)
{
	db_output_escaped(out, flow->cgroup ? flow->cgroup :
			       flow->cgroup_id ? "?" : "no memory cgroup");
}

static void count_line(FILE *out, int indent, const char *word, const struct db_count *count,
		       const char *note)
{
	fprintf(out, "%*s%-*s %12llu pages %12llu folios%s%s\n", indent, "", 44 - indent, word,
		(unsigned long long)count->pages, (unsigned long long)count->folios,
		*note ? "  " : "", note);
}

static void unavailable_line(FILE *out, int indent, const char *word, const char *why)
{
	fprintf(out, "%*s%-*s %12s       (%s)\n", indent, "", 44 - indent, word, "unavailable", why);
}

static void write_head(FILE *out, const struct db_ledger *l)
{
	char duration[32];

	db_text_time(l->stop_ns - l->start_ns, duration, sizeof(duration));
	fprintf(out, "dropbehind on %s %s, %u CPUs, pages of %u bytes, traced for %s%s%s\n",
		l->release, l->machine, l->cpus, l->page_size, duration,
		l->filter[0] ? ", only " : "", l->filter);
}

static const char *claimed_note(const struct db_ledger *l)
{
	if (db_ledger_has(l, DB_POINT_DROP))
		return "";
	return "(or kept by the drop: mapped, refused)";
}

static void write_outcomes(FILE *out, const struct db_ledger *l)
{
	struct db_count born = db_born(&l->total), count;
	int i;

	fprintf(out, "\nOutcomes\n");
	count_line(out, 0, "births", &born, "");
	for (i = 0; i < DB_OP_NR; i++)
		if (l->total.born[i].pages)
			count_line(out, 4, db_op_word(i), &l->total.born[i], "");
	for (i = DB_OUT_NONE + 1; i < DB_OUT_NR; i++) {
		count = db_out(&l->total, i);
		if (!db_ledger_tells(l, i) && !count.pages)
			unavailable_line(out, 2, db_outcome_word(i), "probe point missing");
		else if (count.pages || i <= DB_OUT_CLAIMED)
			count_line(out, 2, db_outcome_word(i), &count,
				   i == DB_OUT_CLAIMED ? claimed_note(l) : "");
	}
	for (i = 0; i < DB_PEND_NR; i++) {
		char word[48];

		snprintf(word, sizeof(word), "pending: %s", db_pending_word(i));
		if (!l->swept)
			unavailable_line(out, 2, word, "only known at the end");
		else if (l->sweep.pending[i].pages || i == DB_PEND_DIRTY)
			count_line(out, 2, word, &l->sweep.pending[i], "");
	}
}

static void write_balance(FILE *out, const struct db_ledger *l)
{
	struct db_balance b;

	db_ledger_balance(l, &b);
	if (!l->swept) {
		fprintf(out, "balance: inconclusive, pending folios were not counted\n");
		return;
	}
	fprintf(out, "balance: births %llu = outcomes %llu + pending %llu",
		(unsigned long long)b.births_pages, (unsigned long long)b.outcomes_pages,
		(unsigned long long)b.pending_pages);
	if (b.difference_pages)
		fprintf(out, " %+lld pages", (long long)b.difference_pages);
	fprintf(out, ": %s%s\n", db_verdict_word(b.verdict),
		b.verdict == DB_INCONCLUSIVE ? " (losses, see completeness)" : "");
}

static void write_left(FILE *out, const struct db_ledger *l)
{
	struct db_count left, now;
	int reason, fate;

	left = db_left(&l->total);
	if (!left.pages)
		return;
	fprintf(out, "\nLeft behind, later\n");
	for (reason = DB_OUT_LEFT_FIRST; reason <= DB_OUT_LEFT_LAST; reason++) {
		if (!db_out(&l->total, reason).pages)
			continue;
		fprintf(out, "  %s\n", db_reason_word(reason));
		for (fate = 0; fate < DB_FATE_NR; fate++)
			if (l->total.fate[reason - DB_OUT_LEFT_FIRST][fate].pages)
				count_line(out, 4, db_fate_word(fate),
					   &l->total.fate[reason - DB_OUT_LEFT_FIRST][fate], "");
		now = db_left_now(&l->total, reason);
		count_line(out, 4, db_ledger_follows(l, reason) ? "still in cache" :
								  "not followed further", &now, "");
	}
}

static void write_orders(FILE *out, const struct db_ledger *l)
{
	int op, order;

	fprintf(out, "\nBirths by folio order\n");
	for (op = 0; op < DB_OP_NR; op++) {
		if (!l->total.born[op].folios)
			continue;
		fprintf(out, "  %-10s", db_op_word(op));
		for (order = 0; order < DB_ORDERS; order++)
			if (l->orders.born[op][order])
				fprintf(out, "  %d:%llu", order,
					(unsigned long long)l->orders.born[op][order]);
		fputc('\n', out);
	}
}

static void write_hist_line(FILE *out, const struct db_histogram *h, const char *word, bool time)
{
	static const unsigned int quantiles[] = { 500, 900, 990, 999 };
	char text[8][32];
	double mean;
	size_t i;

	if (!time) {
		fprintf(out, "  %-28s %9llu %10llu %10.1f %10llu %10llu %10llu %10llu %10llu\n", word,
			(unsigned long long)h->count, (unsigned long long)h->min,
			db_histogram_mean(h), (unsigned long long)db_histogram_quantile(h, 500),
			(unsigned long long)db_histogram_quantile(h, 900),
			(unsigned long long)db_histogram_quantile(h, 990),
			(unsigned long long)db_histogram_quantile(h, 999),
			(unsigned long long)h->max);
		return;
	}
	db_text_time(h->min, text[0], sizeof(text[0]));
	mean = db_histogram_mean(h);
	db_text_time(mean < 1e19 ? mean : 1e19, text[1], sizeof(text[1]));
	for (i = 0; i < 4; i++)
		db_text_time(db_histogram_quantile(h, quantiles[i]), text[2 + i], sizeof(text[0]));
	db_text_time(h->max, text[6], sizeof(text[6]));
	fprintf(out, "  %-28s %9llu %10s %10s %10s %10s %10s %10s %10s\n", word,
		(unsigned long long)h->count, text[0], text[1], text[2], text[3], text[4], text[5],
		text[6]);
}

static bool is_unknown(const struct db_ledger *l, int hist)
{
	return !l->hists[hist].count && l->hists_unknown & 1ULL << hist;
}

/* One line for those histograms from @first up to @end that no probe point fills. */
static void write_unknown(FILE *out, const struct db_ledger *l, const char *what, int first, int end)
{
	const char *before = "unavailable (no probe point): ", *word;
	int i;

	for (i = first; i < end; i++) {
		if (!is_unknown(l, i))
			continue;
		if (before[0] == 'u')
			fprintf(out, "  %-28s ", what);
		word = strchr(db_hist_word(i), ',');
		word = word ? word + 1 : db_hist_word(i);
		fprintf(out, "%s%s", before, word + strspn(word, " "));
		before = ", ";
	}
	if (before[0] == ',')
		fputc('\n', out);
}

static void write_latencies(FILE *out, const struct db_ledger *l)
{
	bool any = false;
	int i;

	for (i = 0; i < DB_HIST_NR; i++) {
		if (!l->hists[i].count)
			continue;
		if (!any)
			fprintf(out,
				"\n%-30s %9s %10s %10s %10s %10s %10s %10s %10s\n",
				"Latencies (quantiles +-3.2 %)", "count", "min", "mean", "p50",
				"p90", "p99", "p99.9", "max");
		any = true;
		write_hist_line(out, &l->hists[i], db_hist_word(i), i < DB_HIST_DEPTH);
	}
	write_unknown(out, l, "parts of residency", DB_HIST_DIRTY_WAIT, DB_HIST_STAYED);
	write_unknown(out, l, "deferral, queue depth", DB_HIST_DEFERRAL, DB_HIST_WORK);
	write_unknown(out, l, "work items", DB_HIST_WORK, DB_HIST_DEPTH);
}

static int by_events(const void *a, const void *b)
{
	const struct db_context_row *const *x = a, *const *y = b;

	if ((*x)->key.place != (*y)->key.place)
		return (*x)->key.place < (*y)->key.place ? -1 : 1;
	if ((*x)->events != (*y)->events)
		return (*x)->events > (*y)->events ? -1 : 1;
	return memcmp(&(*x)->key, &(*y)->key, sizeof((*x)->key));
}

static void write_contexts(FILE *out, const struct db_ledger *l)
{
	const struct db_context_row **rows;
	char room[24];
	size_t i, n = 0;

	fprintf(out, "\nCompletion context\n");
	if (!l->context_known) {
		fprintf(out, "  unavailable: this kernel does not let the probes tell\n");
		return;
	}
	rows = calloc(l->ncontexts + 1, sizeof(*rows));
	if (!rows)
		return;
	for (i = 0; i < l->ncontexts; i++)
		if (l->contexts[i].events)
			rows[n++] = &l->contexts[i];
	qsort(rows, n, sizeof(*rows), by_events);
	if (!n)
		fprintf(out, "  no write completion seen\n");
	for (i = 0; i < n && i < 2 * DB_TEXT_ROWS; i++) {
		fprintf(out, "  %-16s %-10s %10llu  %-15s %s%s%s\n",
			db_place_word(rows[i]->key.place),
			db_ledger_device(l, rows[i]->key.dev, room, sizeof(room)),
			(unsigned long long)rows[i]->events,
			db_context_word(rows[i]->key.context), db_runner_word(rows[i]->key.runner),
			rows[i]->wq[0] ? ", workqueue " : "", rows[i]->wq);
	}
	if (i < n)
		fprintf(out, "  and %zu more rows (--json has all)\n", n - i);
	free(rows);
	if (db_ledger_has(l, DB_POINT_BIO_DEFER))
		fprintf(out,
			"  judged as the kernel did: %llu deferred, %llu direct; otherwise: %llu deferred, %llu direct\n",
			(unsigned long long)l->truth.agree_deferred,
			(unsigned long long)l->truth.agree_direct,
			(unsigned long long)l->truth.judged_safe_but_deferred,
			(unsigned long long)l->truth.judged_unsafe_but_direct);
}

static int by_births(const void *a, const void *b)
{
	const struct db_flow *const *x = a, *const *y = b;
	__u64 p = db_born(&(*x)->counts).pages, q = db_born(&(*y)->counts).pages;

	if (p != q)
		return p > q ? -1 : 1;
	return (*x)->slot < (*y)->slot ? -1 : (*x)->slot > (*y)->slot;
}

static void flow_row(FILE *out, const struct db_ledger *l, const struct db_flow *f)
{
	char room[24];

	fprintf(out, "  %10llu %10llu %10llu %10llu  %-8s %-10s ",
		(unsigned long long)db_born(&f->counts).pages,
		(unsigned long long)(db_out(&f->counts, DB_OUT_DROPPED_WRITE).pages +
				     db_out(&f->counts, DB_OUT_DROPPED_READ).pages),
		(unsigned long long)db_left(&f->counts).pages,
		(unsigned long long)db_left_cached(l, &f->counts).pages, f->fs,
		db_ledger_device(l, f->dev, room, sizeof(room)));
	db_text_file(out, f);
	fputs("  [", out);
	db_text_cgroup(out, f);
	fputs("]\n", out);
}

static void write_flows(FILE *out, const struct db_ledger *l)
{
	const struct db_flow **rows = calloc(l->nflows + 1, sizeof(*rows));
	size_t i;

	if (!rows)
		return;
	for (i = 0; i < l->nflows; i++)
		rows[i] = &l->flows[i];
	qsort(rows, l->nflows, sizeof(*rows), by_births);
	fprintf(out, "\nBy file and memory cgroup (pages)\n  %10s %10s %10s %10s  %-8s %-10s %s\n",
		"births", "dropped", "left", "left now", "fs", "device", "file  [cgroup]");
	for (i = 0; i < l->nflows && i < DB_TEXT_ROWS; i++)
		flow_row(out, l, rows[i]);
	if (i < l->nflows)
		fprintf(out, "  and %zu more (--json has all)\n", l->nflows - i);
	free(rows);
}

static bool is_missing(const struct db_point_row *row)
{
	return row->wanted && row->how == DB_ATTACH_NONE;
}

/* One line per reason, with the functions that are missing for it. */
static void write_missing(FILE *out, const struct db_ledger *l)
{
	const struct db_point_row *row, *other;
	size_t i, j;
	bool told;

	for (i = 0; i < l->npoints; i++) {
		row = &l->points[i];
		told = false;
		for (j = 0; j < i && !told; j++)
			told = is_missing(&l->points[j]) && !strcmp(l->points[j].why, row->why);
		if (!is_missing(row) || told)
			continue;
		fprintf(out, "  missing, %s:", row->why);
		for (j = i; j < l->npoints; j++) {
			other = &l->points[j];
			if (is_missing(other) && !strcmp(other->why, row->why) && !other->exits)
				fprintf(out, " %s", other->target);
		}
		fputc('\n', out);
	}
}

void db_text_completeness(FILE *out, const struct db_ledger *l)
{
	__u64 missed = 0;
	bool lost = false;
	size_t i;
	int loss;

	fprintf(out, "\nCompleteness\n  probe points:");
	for (i = 0; i < l->npoints; i++) {
		missed += l->points[i].missed;
		if (l->points[i].how != DB_ATTACH_NONE)
			fprintf(out, " %s=%s", db_point_word(l->points[i].point),
				db_attach_word(l->points[i].how));
	}
	fputc('\n', out);
	write_missing(out, l);
	for (loss = 0; loss < DB_LOSS_NR; loss++) {
		if (!l->losses[loss])
			continue;
		lost = true;
		fprintf(out, "  %s: %llu\n", db_loss_word(loss), (unsigned long long)l->losses[loss]);
	}
	if (missed)
		fprintf(out, "  calls skipped because the program was already running: %llu\n",
			(unsigned long long)missed);
	if (!lost && !missed)
		fprintf(out, "  nothing lost; latencies of every folio and bio, no sampling\n");
}

int db_text_report(FILE *out, const struct db_ledger *l)
{
	write_head(out, l);
	write_outcomes(out, l);
	write_balance(out, l);
	write_left(out, l);
	write_orders(out, l);
	write_latencies(out, l);
	write_contexts(out, l);
	write_flows(out, l);
	db_text_completeness(out, l);
	return db_output_finish(out);
}

int db_text_interval(FILE *out, const struct db_ledger *d, unsigned long line)
{
	const struct db_histogram *write = &d->hists[DB_HIST_RESIDENCY_WRITE];
	char residency[32] = "-";

	if (line % 20 == 0)
		fprintf(out, "%10s %10s %10s %10s %10s %10s %12s %8s\n", "seconds", "births", "dropped",
			"claimed", "left", "other", "p99 written", "lost");
	if (write->count)
		db_text_time(db_histogram_quantile(write, 990), residency, sizeof(residency));
	fprintf(out, "%10.1f %10llu %10llu %10llu %10llu %10llu %12s %8llu\n",
		(d->start_wall_ns ? (d->stop_ns - d->start_ns) / 1e9 : 0),
		(unsigned long long)db_born(&d->total).pages,
		(unsigned long long)(db_out(&d->total, DB_OUT_DROPPED_WRITE).pages +
				     db_out(&d->total, DB_OUT_DROPPED_READ).pages),
		(unsigned long long)db_out(&d->total, DB_OUT_CLAIMED).pages,
		(unsigned long long)db_left(&d->total).pages,
		(unsigned long long)(db_out(&d->total, DB_OUT_TRUNCATED).pages +
				     db_out(&d->total, DB_OUT_RECLAIMED).pages),
		residency, (unsigned long long)db_ledger_count_losses(d));
	return db_output_finish(out);
}
