// SPDX-License-Identifier: GPL-2.0
/*
 * Preset control: normal I/O before and after a change (two modules, two
 * kernels), interleaved: round 1 before-after, round 2 after-before, and so on.
 * Two kernels cannot alternate inside one process: --label and --append make
 * one side at a time and gather both in one file over the reboots.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "env.h"
#include "err.h"
#include "measure.h"
#include "shell.h"
#include "units.h"

struct plan {
	uint64_t sizes[OPT_MAX_LIST];
	size_t nr_sizes;
	unsigned int rounds;
	uint64_t total_bytes;
	/* What holds --dir, which a command may mount anew and not take away. */
	char mount_point[PATH_MAX], mount_type[64];
};

static int check_options(const struct options *opt)
{
	if (!opt->before != !opt->after)
		return bench_error("--before and --after belong together; give both");
	if (!opt->label != !opt->append)
		return bench_error("--label and --append belong together; give both");
	if (opt->label && opt->before)
		return bench_error("--label is for one side at a time; leave --before and --after out");
	if (opt->label && strcmp(opt->label, "before") && strcmp(opt->label, "after"))
		return bench_error("--label %s: give before or after", opt->label);
	return 0;
}

static int make_plan(struct session *s, struct plan *p)
{
	int err;

	p->nr_sizes = session_io_sizes(s, p->sizes, 16);
	p->rounds = session_count(s, "rounds", s->opt.rounds, s->opt.label ? 1 : 3,
				  s->opt.label ? 1 : 2);
	p->total_bytes = session_bytes(s, "size", s->opt.size_bytes, 2 * GIB, 8 * MIB);
	err = session_check_io(p->sizes, p->nr_sizes, p->total_bytes);
	if (err)
		return err;
	progress_init(&s->prog, s->opt.progress, (unsigned int)p->nr_sizes * 2 * p->rounds *
		      (s->opt.label ? 1 : 2));
	if (!s->place.is_dev)
		env_mount(s->place.path, p->mount_point, sizeof(p->mount_point), p->mount_type,
			  sizeof(p->mount_type));
	return place_check_space(&s->place, p->total_bytes);
}

/* Which build of the filesystem's module this side ran with. */
static int record_side(struct session *s, const char *side)
{
	char name[64], text[128];

	env_module(result_env_text(&s->res, "filesystem"), text, sizeof(text));
	snprintf(name, sizeof(name), "module_%s", side);
	if (*result_setting_text(&s->res, name))
		return 0;
	return result_setting(&s->res, name, text);
}

/*
 * The place may have been mounted anew, on another device number; but without
 * its filesystem we would write to the one below.
 */
static int check_place(struct session *s, const struct plan *p, const char *cmd)
{
	char point[PATH_MAX], type[64];
	struct stat st;

	if (stat(s->place.path, &st))
		return bench_error("%s is gone after '%s' (%s); let the command put it back",
				   s->place.path, cmd, strerror(errno));
	env_mount(s->place.path, point, sizeof(point), type, sizeof(type));
	if (strcmp(point, p->mount_point) || strcmp(type, p->mount_type))
		return bench_error("%s was on %s (%s) and is on %s (%s) after '%s'; let the command mount it again",
				   s->place.path, p->mount_point, p->mount_type, point, type, cmd);
	s->place.dev = st.st_dev;
	return place_check_space(&s->place, p->total_bytes);
}

static int put_in_place(struct session *s, const struct plan *p, const char *cmd,
			const char *side)
{
	int err = cmd ? shell_run(cmd) : 0;

	if (!err && cmd && !s->place.is_dev)
		err = check_place(s, p, cmd);
	if (err)
		return err;
	return record_side(s, side) ? bench_fail(-ENOMEM, "record", side) : 0;
}

static int one_job(struct session *s, const struct plan *p, bool write, uint64_t io,
		   const char *side, unsigned int round)
{
	struct measured m = { NULL, side, round, NULL };
	struct byte_counter counter;
	char group[64];
	struct stream st;
	struct bfile f;
	int err;

	measure_group(group, sizeof(group), write ? "control|write" : "control|read", io);
	m.group = group;
	err = measure_make_file(&f, &s->place, write ? 0 : p->total_bytes);
	if (err)
		return err;
	err = session_rest(s, &f, 1);
	if (!err && !write)
		err = bfile_reopen(&f, O_RDWR);
	if (!err) {
		measure_prepare(&st, &counter, &f, write, 0, io, p->total_bytes);
		err = measure_streams(s, &st, &f, 1, &m, NULL);
	}
	bfile_remove(&f);
	return err;
}

static int one_side(struct session *s, const struct plan *p, const char *side,
		    unsigned int round)
{
	const char *cmd = strcmp(side, "before") ? s->opt.after : s->opt.before;
	size_t i;
	int err = put_in_place(s, p, cmd, side);

	for (i = 0; !err && i < p->nr_sizes; i++) {
		err = one_job(s, p, false, p->sizes[i], side, round);
		if (!err)
			err = one_job(s, p, true, p->sizes[i], side, round);
	}
	return err;
}

static int run_control(struct session *s)
{
	static const char *const sides[] = { "before", "after" };
	unsigned int round, first = s->first_round ? s->first_round : 1, j;
	struct plan p;
	int err = check_options(&s->opt);

	if (!err)
		err = make_plan(s, &p);
	if (err)
		return err;
	if (!s->opt.before && !s->opt.label)
		result_note(&s->res, "no --before and --after: both sides are the same, so the "
			    "change is the noise of this machine");
	for (round = first; !err && round < first + p.rounds; round++) {
		if (s->opt.label) {
			err = one_side(s, &p, s->opt.label, round);
			continue;
		}
		for (j = 0; !err && j < 2; j++)
			err = one_side(s, &p, sides[round % 2 ? j : 1 - j], round);
	}
	return err;
}

const struct preset preset_control = {
	.name = "control",
	.summary = "normal I/O before and after a change, interleaved; or the noise alone",
	.takes = TAKES_SIZE | TAKES_IO_SIZES | TAKES_ROUNDS | TAKES_SIDES,
	.run = run_control,
};
