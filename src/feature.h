/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What this kernel offers for watching dropbehind folios, found by asking and
 * trying.  Nothing is left attached.
 */
#ifndef DROPBEHIND_FEATURES_H
#define DROPBEHIND_FEATURES_H

#include "calibrate.h"
#include "dontcache.h"
#include "kernel.h"
#include "mounts.h"
#include "options.h"
#include "plan.h"
#include "security.h"

#define DB_FEATURES_JSON_VERSION	1

/* Also the exit status. */
enum db_usability {
	DB_USABLE,
	DB_LIMITED,		/* some numbers are unavailable */
	DB_NOT_USABLE,
};

/* A way of handing a completion to a worker. */
struct db_deferral {
	bool known;		/* false: cannot be told without BTF or symbols */
	bool present;
	char how[96];		/* what shows it, or why it is not there */
};

/* One filesystem (or device) and what was tried there. */
struct db_site {
	__u32 dev;		/* of the filesystem; major << 20 | minor */
	char *fs;		/* type; owned */
	char *source;		/* device or the like; owned */
	char *path;		/* where it was tried: mount point, or as the user named it; owned */
	struct db_trial trial;
};

#define DB_REASONS_MAX	16

struct db_features {
	struct db_kernel kernel;
	bool btf;		/* of vmlinux; without it mechanisms and plan are not known */
	int btf_modules;	/* modules with BTF; -1: unknown */
	bool dropbehind;	/* the kernel has PG_dropbehind; only known with btf */
	bool addresses;		/* the symbol table shows addresses */
	struct db_security security;
	bool privileged;	/* may load tracing programs */
	char privilege_why[256];
	bool tried;		/* mechanisms are valid */
	struct db_mechanisms mechanisms;
	struct db_plan plan;	/* when not tried: as if every mechanism worked */
	bool contexts_known;	/* completion contexts can be judged; only known when tried */
	struct db_deferral deferrals[DB_MECH_NR];
	struct db_site *sites;	/* owned */
	size_t nsites;
	enum db_usability usability;
	char reasons[DB_REASONS_MAX][160];	/* for not being usable without limits */
	int nreasons;
};

/*
 * Finds out, on the mounts of @paths (NULL-ended; empty: on all).  0, or
 * negative errno after one line on stderr.
 */
int db_features_find(struct db_features *features, char *const *paths);
void db_features_free(struct db_features *features);

/* Views; 0 or negative errno as of db_output_finish(). */
int db_features_text(FILE *out, const struct db_features *features);
int db_features_json(FILE *out, const struct db_features *features);

const char *db_usability_word(enum db_usability usability);
const char *db_trial_word(enum db_trial_result result);
const char *db_presence_word(enum db_presence presence);

/* The verb. */
int db_verb_features(struct db_options *options);

#endif
