// SPDX-License-Identifier: GPL-2.0
#include "left.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "privilege.h"
#include "run.h"

/* Exit statuses beside 0 and 1 when no command gives one. */
#define EXIT_DISAGREES		2
#define EXIT_INCONCLUSIVE	3

const char *db_left_check_word(enum db_left_check check)
{
	static const char *const words[] = { "unchecked", "agree", "disagree" };

	return words[check];
}

static __u64 fates_pages(const struct db_flow_counts *counts)
{
	__u64 sum = 0;
	int i, j;

	for (i = 0; i < DB_LEFT_NR; i++)
		for (j = 0; j < DB_FATE_NR; j++)
			sum += counts->fate[i][j].pages;
	return sum;
}

static bool same_file(const struct db_flow *a, const struct db_flow *b)
{
	return a->ino && a->dev == b->dev && a->ino == b->ino && a->gen == b->gen &&
	       a->bdev == b->bdev;
}

static struct db_left_file *file_of(struct db_left *left, const struct db_flow *flow)
{
	struct db_left_file *bigger;
	size_t i;

	for (i = 0; i < left->nfiles; i++)
		if (same_file(left->files[i].flows[0], flow))
			return &left->files[i];
	bigger = realloc(left->files, (left->nfiles + 1) * sizeof(*bigger));
	if (!bigger)
		return NULL;
	left->files = bigger;
	memset(&bigger[left->nfiles], 0, sizeof(*bigger));
	return &bigger[left->nfiles++];
}

static int add_flow(struct db_left *left, const struct db_flow *flow)
{
	struct db_left_file *file = file_of(left, flow);
	const struct db_flow **bigger;

	if (!file)
		return -ENOMEM;
	bigger = realloc(file->flows, (file->nflows + 1) * sizeof(*bigger));
	if (!bigger) {
		if (!file->nflows)
			left->nfiles--;
		return -ENOMEM;
	}
	file->flows = bigger;
	file->flows[file->nflows++] = flow;
	file->left_pages += db_left_cached(left->ledger, &flow->counts).pages;
	return 0;
}

static int by_left(const void *a, const void *b)
{
	const struct db_left_file *x = a, *y = b;

	if (x->left_pages != y->left_pages)
		return x->left_pages > y->left_pages ? -1 : 1;
	return x->flows[0]->slot < y->flows[0]->slot ? -1 : 1;
}

int db_left_find(struct db_left *left, const struct db_ledger *ledger)
{
	size_t i;
	int reason, err = 0;

	memset(left, 0, sizeof(*left));
	left->ledger = ledger;
	for (i = 0; i < ledger->nflows && !err; i++)
		if (db_left_cached(ledger, &ledger->flows[i].counts).pages)
			err = add_flow(left, &ledger->flows[i]);
	if (err) {
		db_left_free(left);
		return err;
	}
	if (left->nfiles)
		qsort(left->files, left->nfiles, sizeof(*left->files), by_left);
	left->left_pages = db_left_cached(ledger, &ledger->total).pages;
	for (reason = 0; reason < DB_LEFT_NR; reason++)
		left->looked_pages += ledger->sweep.left[reason].pages;
	for (i = 0; i < left->nfiles; i++)
		db_resident_find(&left->files[i].resident, left->files[i].flows[0]);
	return 0;
}

/* What is known to have been there all the time the kernel was asked. */
static void judge_file(struct db_left_file *file, const struct db_ledger *after)
{
	const struct db_flow *then, *now;
	__u64 gone = 0;
	size_t i;

	for (i = 0; i < file->nflows; i++) {
		then = file->flows[i];
		now = db_ledger_flow(after, then->slot);
		if (now)
			gone += fates_pages(&now->counts) - fates_pages(&then->counts);
	}
	file->least_pages = gone < file->left_pages ? file->left_pages - gone : 0;
	if (!file->resident.known)
		return;
	file->check = file->resident.pages >= file->least_pages ? DB_LEFT_AGREES : DB_LEFT_DISAGREES;
}

void db_left_judge(struct db_left *left, const struct db_ledger *after)
{
	bool checked = !left->nfiles, disagrees = false;
	size_t i;

	for (i = 0; i < left->nfiles; i++) {
		judge_file(&left->files[i], after);
		checked |= left->files[i].check != DB_LEFT_UNCHECKED;
		disagrees |= left->files[i].check == DB_LEFT_DISAGREES;
	}
	if (db_ledger_count_losses(after) || !checked)
		left->verdict = DB_INCONCLUSIVE;
	else
		left->verdict = disagrees ? DB_FAIL : DB_PASS;
}

void db_left_free(struct db_left *left)
{
	size_t i;

	for (i = 0; i < left->nfiles; i++)
		free(left->files[i].flows);
	free(left->files);
	memset(left, 0, sizeof(*left));
}

struct left_run {
	struct db_ledger ledger, after;
	struct db_left left;
};

/* Counting goes on while the kernel is asked, so that folios that go meanwhile are known. */
static int ask(struct db_run *run)
{
	struct left_run *l = run->arg;
	int err = db_session_sweep(&run->session);

	if (!err)
		err = db_session_collect(&run->session, &l->ledger);
	if (!err)
		err = db_left_find(&l->left, &l->ledger);
	if (!err)
		err = db_session_collect(&run->session, &l->after);
	if (err)
		return db_complain(err, "cannot read the counts: %s", strerror(-err));
	db_left_judge(&l->left, &l->after);
	return 0;
}

int db_verb_left(struct db_options *options)
{
	struct left_run l = {};
	struct db_run run = {
		.options = options,
		.arg = &l,
		.keep = DB_CAP_BIT(CAP_DAC_READ_SEARCH) | DB_CAP_BIT(CAP_FOWNER),
		.attached = db_run_header,
		.ending = ask,
	};
	int err, status;

	db_ledger_init(&l.ledger);
	db_ledger_init(&l.after);
	err = db_run_begin(&run);
	if (!err)
		err = db_run_wait(&run);
	if (!err && !run.gone)
		err = options->json ? db_left_json(stdout, &l.left) : db_left_text(stdout, &l.left);
	status = db_run_end(&run, err);
	if (!status && !options->command && !run.gone && l.left.verdict != DB_PASS)
		status = l.left.verdict == DB_FAIL ? EXIT_DISAGREES : EXIT_INCONCLUSIVE;
	db_left_free(&l.left);
	db_ledger_free(&l.ledger);
	db_ledger_free(&l.after);
	return status;
}
