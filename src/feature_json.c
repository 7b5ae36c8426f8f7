// SPDX-License-Identifier: GPL-2.0
/* `dropbehind features -j`.  Keys are described in src/man/features.txt. */
#include <errno.h>
#include <unistd.h>

#include "feature.h"
#include "json.h"
#include "jsonput.h"
#include "privilege.h"
#include "words.h"

static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

static json_t *tristate(int value)
{
	return value < 0 ? json_null() : json_boolean(value);
}

static void put_kernel(struct db_put *put, json_t *all, const struct db_features *f)
{
	json_t *o = db_put_object(put, all, "kernel");

	db_put_text(put, o, "release", f->kernel.release);
	db_put_text(put, o, "machine", f->kernel.machine);
	db_put_u64(put, o, "page_size_bytes", sysconf(_SC_PAGESIZE));
	db_put(put, o, "dropbehind", f->btf ? json_boolean(f->dropbehind) : json_null());
	db_put(put, o, "btf", json_boolean(f->btf));
	db_put(put, o, "btf_modules", f->btf_modules < 0 ? json_null() : json_integer(f->btf_modules));
	db_put_text(put, o, "lockdown", or_null(f->security.lockdown));
	db_put_text(put, o, "lockdown_why_not", or_null(f->security.lockdown_why));
	db_put_text(put, o, "security_modules", or_null(f->security.lsm));
	db_put_text(put, o, "security_modules_why_not", or_null(f->security.lsm_why));
	db_put(put, o, "seccomp_filter", tristate(f->security.seccomp < 0 ? -1 : f->security.seccomp > 0));
	db_put(put, o, "perf_event_paranoid", f->security.perf_paranoid < 0 ? json_null() :
	       json_integer(f->security.perf_paranoid));
	db_put(put, o, "bpf_stats", tristate(f->security.bpf_stats));
	db_put_u64(put, o, "function_symbols", f->kernel.nsymbols);
	db_put(put, o, "addresses_visible", json_boolean(f->addresses));
}

static void put_capabilities(struct db_put *put, json_t *all, const struct db_features *f)
{
	json_t *o = db_put_object(put, all, "capabilities");
	const struct db_capability *c;

	for (c = db_capabilities; c->name; c++)
		db_put(put, o, c->name, json_boolean(db_privilege_has(c->number)));
	db_put(put, all, "privileged", json_boolean(f->privileged));
}

static void put_mechanisms(struct db_put *put, json_t *all, const struct db_features *f)
{
	json_t *o = db_put_object(put, all, "mechanisms"), *m;
	char why[128];
	bool works;
	int how;

	for (how = DB_ATTACH_NONE + 1; how < DB_ATTACH_NR; how++) {
		works = f->mechanisms.works & 1U << how;
		why[0] = 0;
		if (f->tried && !works)
			db_security_explain(&f->security, f->mechanisms.error[how], why, sizeof(why));
		m = db_put_object(put, o, db_attach_word(how));
		db_put(put, m, "works", f->tried ? json_boolean(works) : json_null());
		db_put(put, m, "errno", json_integer(works ? 0 : -f->mechanisms.error[how]));
		db_put_text(put, m, "why_not", or_null(why));
		db_put(put, m, "judges_contexts", f->tried ?
		       json_boolean(works && db_calibrated(&f->mechanisms, how)) : json_null());
	}
	db_put(put, all, "contexts_known", f->tried ? json_boolean(f->contexts_known) : json_null());
}

static void put_points(struct db_put *put, json_t *all, const struct db_features *f)
{
	json_t *list = db_put_array(put, all, "points"), *o;
	const struct db_plan_row *row;
	int i;

	for (i = 0; i < f->plan.nrows; i++) {
		row = &f->plan.rows[i];
		o = db_put_object(put, list, NULL);
		db_put_text(put, o, "point", db_point_word(row->entry->point));
		db_put_text(put, o, "target", row->target);
		db_put_text(put, o, "presence", db_presence_word(row->presence));
		db_put_text(put, o, "attach", f->tried ? db_attach_word(row->how) : NULL);
		db_put(put, o, "at_return", json_boolean(row->entry->exits));
		db_put(put, o, "wanted", json_boolean(row->wanted));
		db_put_text(put, o, "module", row->entry->module);
		db_put_text(put, o, "why_not", or_null(row->why));
	}
}

static void put_deferrals(struct db_put *put, json_t *all, const struct db_features *f)
{
	json_t *o = db_put_object(put, all, "deferrals"), *d;
	int i;

	for (i = 0; i < DB_MECH_NR; i++) {
		d = db_put_object(put, o, db_mechanism_key(i));
		db_put(put, d, "present", f->deferrals[i].known ?
		       json_boolean(f->deferrals[i].present) : json_null());
		db_put_text(put, d, "how", or_null(f->deferrals[i].how));
	}
}

static void put_sites(struct db_put *put, json_t *all, const struct db_features *f)
{
	json_t *list = db_put_array(put, all, "filesystems"), *o;
	const struct db_site *p;
	size_t i;

	for (i = 0; i < f->nsites; i++) {
		p = &f->sites[i];
		o = db_put_object(put, list, NULL);
		db_put_text(put, o, "path", p->path);
		db_put_text(put, o, "fs", p->fs);
		db_put_text(put, o, "source", p->source);
		db_put_u64(put, o, "dev", p->dev);
		db_put_text(put, o, "write", db_trial_word(p->trial.write));
		db_put_text(put, o, "read", db_trial_word(p->trial.read));
		db_put_text(put, o, "why", or_null(p->trial.why));
	}
}

int db_features_json(FILE *out, const struct db_features *f)
{
	struct db_put put;
	json_t *all = db_put_start(&put), *reasons;
	int i, err;

	db_put_u64(&put, all, "version", DB_FEATURES_JSON_VERSION);
	db_put_text(&put, all, "verdict", db_usability_word(f->usability));
	reasons = db_put_array(&put, all, "reasons");
	for (i = 0; i < f->nreasons; i++)
		db_put_text(&put, reasons, NULL, f->reasons[i]);
	put_kernel(&put, all, f);
	put_capabilities(&put, all, f);
	put_mechanisms(&put, all, f);
	put_points(&put, all, f);
	put_deferrals(&put, all, f);
	put_sites(&put, all, f);
	all = db_put_end(&put, all);
	err = db_json_print(out, all);
	json_decref(all);
	return err;
}
