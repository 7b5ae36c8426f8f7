// SPDX-License-Identifier: GPL-2.0
/* The table of `dropbehind features`. */
#include <errno.h>
#include <unistd.h>

#include "feature.h"
#include "output.h"
#include "privilege.h"
#include "words.h"

#define LABEL	"  %-20s "

static const char *or_why(const char *value, const char *why, char *room, size_t size)
{
	if (*value)
		return value;
	snprintf(room, size, "unavailable (%s)", why);
	return room;
}

static void write_kernel(FILE *out, const struct db_features *f)
{
	const struct db_security *s = &f->security;
	char room[160];

	fprintf(out, "Kernel\n" LABEL "%s %s, pages of %ld bytes\n", "release", f->kernel.release,
		f->kernel.machine, sysconf(_SC_PAGESIZE));
	fprintf(out, LABEL "%s\n", "dropbehind folios",
		!f->btf ? "unavailable (no BTF to ask)" :
		f->dropbehind ? "yes (PG_dropbehind)" : "no (PG_dropbehind came with 6.14)");
	fprintf(out, LABEL "%s", "BTF", f->btf ? "vmlinux" : "no (/sys/kernel/btf/vmlinux)");
	if (f->btf_modules >= 0)
		fprintf(out, ", %d modules\n", f->btf_modules);
	else
		fprintf(out, ", modules unavailable\n");
	fprintf(out, LABEL "%s\n", "lockdown",
		or_why(s->lockdown, s->lockdown_why, room, sizeof(room)));
	fprintf(out, LABEL "%s\n", "security modules", or_why(s->lsm, s->lsm_why, room, sizeof(room)));
	fprintf(out, LABEL "%s\n", "seccomp",
		s->seccomp < 0 ? "unavailable" : s->seccomp ? "this process has a filter" : "none");
	if (s->perf_paranoid < 0)
		fprintf(out, LABEL "unavailable\n", "perf_event_paranoid");
	else
		fprintf(out, LABEL "%d%s\n", "perf_event_paranoid", s->perf_paranoid,
			s->perf_paranoid > DB_PERF_PARANOID_MAX ? ": kprobes need CAP_SYS_ADMIN" : "");
	fprintf(out, LABEL "%s\n", "BPF run time",
		s->bpf_stats < 0 ? "unavailable" :
		s->bpf_stats ? "counted" : "not counted (sysctl kernel.bpf_stats_enabled=1)");
	if (!f->kernel.nsymbols)
		fprintf(out, LABEL "unavailable (/proc/kallsyms)\n", "symbols");
	else
		fprintf(out, LABEL "%zu functions, addresses %s\n", "symbols", f->kernel.nsymbols,
			f->addresses ? "visible" : "hidden");
}

static void write_capabilities(FILE *out, const struct db_features *f)
{
	const struct db_capability *c;

	fprintf(out, "\nCapabilities\n");
	for (c = db_capabilities; c->name; c++)
		fprintf(out, LABEL "%-8s %s\n", c->name, db_privilege_has(c->number) ? "have" : "missing",
			c->use);
	if (!f->privileged)
		fprintf(out, "  %s\n", f->privilege_why);
}

static void write_mechanisms(FILE *out, const struct db_features *f)
{
	char why[128];
	int how;

	fprintf(out, "\nMechanisms\n");
	for (how = DB_ATTACH_NONE + 1; how < DB_ATTACH_NR; how++) {
		fprintf(out, LABEL, db_attach_word(how));
		if (!f->tried) {
			fprintf(out, "untried (%s)\n", f->btf ? "not privileged" : "no BTF");
		} else if (!(f->mechanisms.works & 1U << how)) {
			db_security_explain(&f->security, f->mechanisms.error[how], why, sizeof(why));
			fprintf(out, "no: %s\n", why);
		} else {
			fprintf(out, "works, %s\n", db_calibrated(&f->mechanisms, how) ?
				"contexts can be judged through it" :
				"contexts cannot be judged through it");
		}
	}
	fprintf(out, LABEL "%s\n", "completion context",
		!f->tried ? "untried" : f->contexts_known ? "judged" : "unavailable");
}

static void write_points(FILE *out, const struct db_features *f)
{
	const struct db_plan_row *row;
	int i;

	if (!f->plan.nrows)
		return;
	fprintf(out, "\nProbe points\n");
	for (i = 0; i < f->plan.nrows; i++) {
		row = &f->plan.rows[i];
		fprintf(out, LABEL "%-36s ", db_point_word(row->entry->point), row->target);
		if (row->how == DB_ATTACH_NONE)
			fprintf(out, "%s%s\n", row->wanted ? "no: " : "", row->why);
		else if (!f->tried)
			fprintf(out, "there; attaching it was not tried\n");
		else
			fprintf(out, "%s%s\n", db_attach_word(row->how),
				row->entry->exits ? ", at return" : "");
	}
}

static void write_deferrals(FILE *out, const struct db_features *f)
{
	const struct db_deferral *d;
	int i;

	fprintf(out, "\nDeferral of completions\n");
	for (i = 0; i < DB_MECH_NR; i++) {
		d = &f->deferrals[i];
		fprintf(out, "  %-28s %s%s%s%s\n", db_mechanism_word(i),
			!d->known ? "unavailable" : d->present ? "yes" : "no",
			d->how[0] ? " (" : "", d->how, d->how[0] ? ")" : "");
	}
}

static void write_sites(FILE *out, const struct db_features *f)
{
	const struct db_site *p;
	size_t i;

	fprintf(out, "\nRWF_DONTCACHE  %-8s %-8s %-12s %-24s %s\n", "write", "read", "type", "source",
		"where");
	for (i = 0; i < f->nsites; i++) {
		p = &f->sites[i];
		fprintf(out, "%-15s%-8s %-8s %-12s ", "", db_trial_word(p->trial.write),
			db_trial_word(p->trial.read), p->fs);
		fprintf(out, "%-24s ", p->source);
		db_output_escaped(out, p->path);
		fprintf(out, "%s%s%s\n", p->trial.why[0] ? "  (" : "", p->trial.why,
			p->trial.why[0] ? ")" : "");
	}
	if (!f->nsites)
		fprintf(out, "%-15sno filesystem to try\n", "");
}

int db_features_text(FILE *out, const struct db_features *f)
{
	int i;

	write_kernel(out, f);
	write_capabilities(out, f);
	write_mechanisms(out, f);
	write_points(out, f);
	write_deferrals(out, f);
	write_sites(out, f);
	fprintf(out, "\nVerdict: %s\n", db_usability_word(f->usability));
	for (i = 0; i < f->nreasons; i++)
		fprintf(out, "  %s\n", f->reasons[i]);
	return db_output_finish(out);
}
