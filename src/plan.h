/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The attach plan: for each probe point the best mechanism this kernel offers,
 * and what it costs when there is none.
 */
#ifndef DROPBEHIND_PLAN_H
#define DROPBEHIND_PLAN_H

#include "dropbehind/records.h"
#include "kernel.h"

/* What the user allows; a bit per enum db_attach. */
#define DB_ALLOW_ALL	(1U << DB_ATTACH_FENTRY | 1U << DB_ATTACH_KPROBE | 1U << DB_ATTACH_RAW_TP)

/* One probe point as the tool knows it. */
struct db_plan_entry {
	enum db_point point;
	bool exits;		/* at the function's return */
	bool required;		/* without it there is nothing to report */
	const char *targets[4];	/* names by kernel version, newest first, NULL-ended */
	const char *program;	/* stem of the BPF programs: STEM_fentry, STEM_kprobe; raw tracepoints: STEM */
	bool raw_tp;		/* targets are tracepoints */
	const char *module;	/* may live in this module, which may be loaded later; NULL: core */
	enum db_point replaced_by;	/* not wanted when this point is attached; DB_POINT_NR: none */
};

/* Where the target is, attached or not. */
enum db_presence {
	DB_PRESENT,		/* there by that name */
	DB_INLINED,		/* the compiler left no function of it */
	DB_RENAMED,		/* by the compiler */
	DB_NOT_LOADED,		/* in a module that is not loaded */
	DB_ABSENT,		/* this kernel has nothing of that name */
};

/* One decision. */
struct db_plan_row {
	const struct db_plan_entry *entry;
	enum db_presence presence;
	enum db_attach how;	/* DB_ATTACH_NONE: cannot, see why */
	bool wanted;		/* false: replaced by a better point */
	char target[64];
	char why[128];
};

#define DB_PLAN_MAX	48

/* What a mechanism's worker runs. */
struct db_work_function {
	const char *name;
	const char *module;	/* that it may live in; NULL: core */
};

/* By enum db_mechanism. */
extern const struct db_work_function db_work_functions[DB_MECH_NR];

struct db_plan {
	struct db_plan_row rows[DB_PLAN_MAX];
	int nrows;
};

/*
 * Decides for every point.  @works: bit per enum db_attach that this kernel
 * was seen to accept (calibrate.h); @allow: what the user allows.
 */
void db_plan_make(struct db_plan *plan, struct db_kernel *kernel, unsigned int works,
		  unsigned int allow);

#endif
