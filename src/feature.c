// SPDX-License-Identifier: GPL-2.0
/* dropbehind features: what this kernel offers. */
#define _GNU_SOURCE
#include "feature.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"
#include "privilege.h"
#include "session.h"
#include "words.h"

__attribute__((format(printf, 3, 4)))
static void judge(struct db_features *f, enum db_usability usability, const char *format, ...)
{
	va_list args;

	if (usability > f->usability)
		f->usability = usability;
	if (f->nreasons == DB_REASONS_MAX)
		return;
	va_start(args, format);
	vsnprintf(f->reasons[f->nreasons++], sizeof(f->reasons[0]), format, args);
	va_end(args);
}

static int count_module_btf(void)
{
	DIR *dir = opendir("/sys/kernel/btf");
	struct dirent *entry;
	int n = 0;

	if (!dir)
		return -1;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && strcmp(entry->d_name, "vmlinux"))
			n++;
	closedir(dir);
	return n;
}

static bool shows_addresses(const struct db_kernel *kernel)
{
	size_t i;

	for (i = 0; i < kernel->nsymbols; i++)
		if (kernel->symbols[i].address)
			return true;
	return false;
}

static int find_kernel(struct db_features *f)
{
	__u64 bit;
	int err = db_kernel_open(&f->kernel);

	if (err == -ENODATA)
		err = db_kernel_read_symbols(&f->kernel);
	if (err)
		return db_complain(err, "cannot read the kernel's symbols: %s", strerror(-err));
	f->btf = f->kernel.btf;
	f->btf_modules = count_module_btf();
	f->addresses = shows_addresses(&f->kernel);
	if (f->btf)
		f->dropbehind = db_kernel_enumerator(&f->kernel, "PG_dropbehind", &bit);
	return 0;
}

static void find_mechanisms(struct db_features *f)
{
	char why[128];
	int err;

	if (!f->btf)
		return;
	if (f->privileged) {
		err = db_calibrate(&f->mechanisms, &f->kernel);
		f->tried = true;
		if (err) {
			db_security_explain(&f->security, err, why, sizeof(why));
			judge(f, DB_NOT_USABLE, "tracing programs are refused: %s", why);
		}
	}
	db_plan_make(&f->plan, &f->kernel, f->tried ? f->mechanisms.works : DB_ALLOW_ALL,
		     DB_ALLOW_ALL);
	f->contexts_known = f->tried &&
			    db_contexts_known(&f->kernel, &f->plan, &f->mechanisms);
}

static void find_work(struct db_features *f, enum db_mechanism mechanism)
{
	const struct db_work_function *work = &db_work_functions[mechanism];
	struct db_deferral *d = &f->deferrals[mechanism];
	char path[64];

	d->known = f->kernel.nsymbols || f->btf;
	if (!d->known)
		return;
	d->present = f->btf ? db_kernel_has_symbol(&f->kernel, work->name) :
			      db_kernel_address(&f->kernel, work->name) != 0;
	snprintf(path, sizeof(path), "/sys/module/%s", work->module);
	if (d->present)
		snprintf(d->how, sizeof(d->how), "work function %s", work->name);
	else if (access(path, F_OK))
		snprintf(d->how, sizeof(d->how), "module %s is not loaded", work->module);
	else
		snprintf(d->how, sizeof(d->how), "%s has no function %s", work->module, work->name);
}

static void find_deferrals(struct db_features *f)
{
	struct db_deferral *block = &f->deferrals[DB_MECH_BIO_COMPLETE];
	int mechanism;
	__u64 bit;

	block->known = f->btf;
	block->present = f->btf && db_kernel_enumerator(&f->kernel, "BIO_COMPLETE_IN_TASK", &bit);
	if (f->btf)
		snprintf(block->how, sizeof(block->how), "%s",
			 block->present ? "flag BIO_COMPLETE_IN_TASK" :
					  "no flag BIO_COMPLETE_IN_TASK, new in 7.3");
	for (mechanism = 0; mechanism < DB_MECH_NR; mechanism++)
		if (db_work_functions[mechanism].module)
			find_work(f, mechanism);
}

static struct db_site *add_site(struct db_features *f, const struct db_mount *mount,
				  const char *path)
{
	struct db_site *bigger = realloc(f->sites, (f->nsites + 1) * sizeof(*bigger)), *site;

	if (!bigger)
		return NULL;
	f->sites = bigger;
	site = &f->sites[f->nsites++];
	memset(site, 0, sizeof(*site));
	site->dev = mount->dev;
	site->fs = strdup(mount->fs);
	site->source = strdup(mount->source);
	site->path = strdup(path);
	return site->fs && site->source && site->path ? site : NULL;
}

static int try_everywhere(struct db_features *f, const struct db_mounts *mounts)
{
	const struct db_mount *mount;
	struct db_site *site;
	size_t i;

	for (i = 0; i < mounts->n; i++) {
		mount = &mounts->list[i];
		if (mount->covered || mount->kind == DB_MOUNT_VIRTUAL ||
		    !db_mounts_chosen(mounts, mount))
			continue;
		site = add_site(f, mount, mount->path);
		if (!site)
			return db_complain(-ENOMEM, "out of memory");
		if (mount->kind == DB_MOUNT_REMOTE)
			snprintf(site->trial.why, sizeof(site->trial.why),
				 "touching it may block; name it to have it tried");
		else
			db_try_directory(&site->trial, mount->path);
	}
	return 0;
}

static int try_path(struct db_features *f, const struct db_mounts *mounts, const char *path)
{
	static const struct db_mount unknown = { .fs = "?", .source = "?" };
	char *real = realpath(path, NULL);
	const struct db_mount *mount;
	struct db_site *site;
	struct stat st;
	int err = 0;

	if (!real || stat(real, &st)) {
		err = -errno;
		db_complain(err, "features: %s: %s", path, strerror(-err));
		goto cleanup;
	}
	mount = db_mounts_find(mounts, real);
	site = add_site(f, mount ? mount : &unknown, path);
	if (!site) {
		err = db_complain(-ENOMEM, "out of memory");
		goto cleanup;
	}
	if (S_ISBLK(st.st_mode)) {
		free(site->fs);
		site->fs = strdup("block device");
		site->dev = db_kernel_dev(st.st_rdev);
		free(site->source);
		site->source = strdup(path);
		if (!site->fs || !site->source)
			err = db_complain(-ENOMEM, "out of memory");
		db_try_reading(&site->trial, real);
	} else {
		db_try_directory(&site->trial, S_ISDIR(st.st_mode) ? real : dirname(real));
	}
cleanup:
	free(real);
	return err;
}

static int find_sites(struct db_features *f, char *const *paths)
{
	struct db_mounts mounts;
	int err = db_mounts_read(&mounts);

	if (err)
		return db_complain(err, "cannot read /proc/self/mountinfo: %s", strerror(-err));
	if (!paths || !*paths)
		err = try_everywhere(f, &mounts);
	for (; paths && *paths && !err; paths++)
		err = try_path(f, &mounts, *paths);
	db_mounts_free(&mounts);
	return err;
}

/* A point without which whole groups of numbers are missing, whatever the kernel's version. */
static bool is_central(enum db_point point)
{
	return point == DB_POINT_WB_END || point == DB_POINT_DROP_ATTEMPT ||
	       point == DB_POINT_DROP;
}

static void judge_points(struct db_features *f)
{
	const struct db_plan_row *row;
	int i, unreachable = 0;

	for (i = 0; i < f->plan.nrows; i++) {
		row = &f->plan.rows[i];
		if (row->how != DB_ATTACH_NONE || !row->wanted)
			continue;
		if (row->entry->required)
			judge(f, DB_NOT_USABLE, "probe point %s on %s: %s",
			      db_point_word(row->entry->point), row->target, row->why);
		else if (row->presence != DB_ABSENT && row->presence != DB_NOT_LOADED)
			unreachable++;
		else if (is_central(row->entry->point))
			unreachable++;
	}
	if (unreachable)
		judge(f, DB_LIMITED, "%d probe point%s cannot be attached: their numbers are unavailable",
		      unreachable, unreachable == 1 ? "" : "s");
}

static void judge_sites(struct db_features *f)
{
	size_t i, works = 0, tried = 0;

	for (i = 0; i < f->nsites; i++) {
		works += f->sites[i].trial.write == DB_TRIAL_WORKS ||
			 f->sites[i].trial.read == DB_TRIAL_WORKS;
		tried += f->sites[i].trial.write != DB_TRIAL_UNTRIED ||
			 f->sites[i].trial.read != DB_TRIAL_UNTRIED;
	}
	if (!tried)
		judge(f, DB_LIMITED, "RWF_DONTCACHE could not be tried on any filesystem");
	else if (!works)
		judge(f, DB_LIMITED, "RWF_DONTCACHE works on no filesystem that was tried");
}

static void judge_all(struct db_features *f)
{
	if (!f->btf)
		judge(f, DB_NOT_USABLE,
		      "no BTF (/sys/kernel/btf/vmlinux): the kernel needs CONFIG_DEBUG_INFO_BTF");
	else if (!f->dropbehind)
		judge(f, DB_NOT_USABLE,
		      "kernel %s has no dontcache I/O (PG_dropbehind came with 6.14): nothing to measure",
		      f->kernel.release);
	if (!f->privileged)
		judge(f, DB_NOT_USABLE, "%s", f->privilege_why);
	if (f->tried && f->mechanisms.works && f->dropbehind) {
		judge_points(f);
		if (!f->contexts_known)
			judge(f, DB_LIMITED, "completion contexts cannot be judged");
		if (!f->addresses)
			judge(f, DB_LIMITED,
			      "kernel addresses are hidden (CAP_SYSLOG, kernel.kptr_restrict): no work items");
	}
	if (!f->btf || f->dropbehind)
		judge_sites(f);
}

int db_features_find(struct db_features *f, char *const *paths)
{
	int err;

	memset(f, 0, sizeof(*f));
	err = find_kernel(f);
	if (err)
		return err;
	db_security_read(&f->security);
	f->privileged = !db_privilege_check(f->privilege_why, sizeof(f->privilege_why));
	find_mechanisms(f);
	find_deferrals(f);
	err = find_sites(f, paths);
	if (!err)
		judge_all(f);
	return err;
}

void db_features_free(struct db_features *f)
{
	size_t i;

	for (i = 0; i < f->nsites; i++) {
		free(f->sites[i].fs);
		free(f->sites[i].source);
		free(f->sites[i].path);
	}
	free(f->sites);
	db_kernel_close(&f->kernel);
	memset(f, 0, sizeof(*f));
}

const char *db_usability_word(enum db_usability usability)
{
	static const char *const words[] = { "usable", "limited", "not usable" };

	return words[usability];
}

const char *db_trial_word(enum db_trial_result result)
{
	static const char *const words[] = { "untried", "works", "refused", "failed" };

	return words[result];
}

const char *db_presence_word(enum db_presence presence)
{
	static const char *const words[] = { "present", "inlined", "renamed", "not_loaded", "absent" };

	return words[presence];
}

int db_verb_features(struct db_options *options)
{
	struct db_features features;
	enum db_usability usability;
	int err = db_features_find(&features, options->operands);

	usability = features.usability;
	if (!err)
		err = options->json ? db_features_json(stdout, &features) :
				      db_features_text(stdout, &features);
	db_features_free(&features);
	return err && err != -EPIPE ? DB_NOT_USABLE : usability;
}
