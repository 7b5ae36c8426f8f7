// SPDX-License-Identifier: GPL-2.0
/* `dropbehind left -j`.  Keys are described in src/man/left.txt. */
#include "json.h"
#include "left.h"
#include "words.h"

static void put_reasons(struct db_put *put, json_t *parent, const struct db_flow_counts *counts)
{
	json_t *o = db_put_object(put, parent, "reasons");
	struct db_count now;
	int reason;

	for (reason = DB_OUT_LEFT_FIRST; reason <= DB_OUT_LEFT_LAST; reason++) {
		now = db_left_now(counts, reason);
		if (now.pages)
			db_json_put_count(put, o, db_outcome_key(reason), &now);
	}
}

static void put_file(struct db_put *put, json_t *list, const struct db_left *left,
		     const struct db_left_file *file)
{
	const struct db_flow *f = file->flows[0];
	json_t *o = db_put_object(put, list, NULL), *cgroups, *c;
	char room[24];
	size_t i;

	db_put_text(put, o, "file", f->file);
	db_put_text(put, o, "file_found", db_found_word(f->file_found));
	db_put_u64(put, o, "dev", f->dev);
	db_put_text(put, o, "device", db_ledger_device(left->ledger, f->dev, room, sizeof(room)));
	db_put_text(put, o, "fs", f->fs);
	db_put_u64(put, o, "inode", f->ino);
	db_put_u64(put, o, "generation", f->gen);
	db_put_u64(put, o, "left_pages", file->left_pages);
	db_put_u64(put, o, "left_pages_least", file->least_pages);
	db_put(put, o, "resident_pages",
	       file->resident.known ? json_integer(file->resident.pages) : json_null());
	db_put_text(put, o, "method", file->resident.known ? file->resident.method : NULL);
	db_put_text(put, o, "check", db_left_check_word(file->check));
	db_put_text(put, o, "why", file->resident.why[0] ? file->resident.why : NULL);
	cgroups = db_put_array(put, o, "cgroups");
	for (i = 0; i < file->nflows; i++) {
		f = file->flows[i];
		c = db_put_object(put, cgroups, NULL);
		db_put_text(put, c, "cgroup", f->cgroup);
		db_put_text(put, c, "cgroup_found", db_found_word(f->cgroup_found));
		db_put_u64(put, c, "cgroup_id", f->cgroup_id);
		put_reasons(put, c, &f->counts);
	}
}

int db_left_json(FILE *out, const struct db_left *left)
{
	const struct db_ledger *l = left->ledger;
	struct db_put put;
	json_t *all = db_put_start(&put), *files, *pending;
	size_t i;
	int err;

	db_put_u64(&put, all, "version", DB_LEFT_JSON_VERSION);
	db_put_text(&put, all, "release", l->release);
	db_put_text(&put, all, "machine", l->machine);
	db_put_u64(&put, all, "page_size_bytes", l->page_size);
	db_put_u64(&put, all, "start_ns", l->start_ns);
	db_put_u64(&put, all, "stop_ns", l->stop_ns);
	db_put_u64(&put, all, "start_wall_ns", l->start_wall_ns);
	db_put_text(&put, all, "filter", l->filter[0] ? l->filter : NULL);
	db_put_text(&put, all, "verdict", db_verdict_word(left->verdict));
	db_put_u64(&put, all, "left_pages", left->left_pages);
	db_put_u64(&put, all, "looked_pages", left->looked_pages);
	pending = db_put_object(&put, all, "pending");
	for (i = 0; i < DB_PEND_NR; i++)
		db_json_put_count(&put, pending, db_pending_key(i), &l->sweep.pending[i]);
	put_reasons(&put, all, &l->total);
	files = db_put_array(&put, all, "files");
	for (i = 0; i < left->nfiles; i++)
		put_file(&put, files, left, &left->files[i]);
	db_json_put_completeness(&put, all, l);
	all = db_put_end(&put, all);
	err = db_json_print(out, all);
	json_decref(all);
	return err;
}
