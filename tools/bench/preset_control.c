// SPDX-License-Identifier: GPL-2.0
/*
 * Preset control: normal I/O before and after a change (two modules, two
 * kernels), interleaved: round 1 before-after, round 2 after-before, and so on.
 * Two kernels cannot alternate inside one process: --label and --append make
 * one side at a time and gather both in one file over the reboots.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "env.h"
#include "err.h"
#include "measure.h"
#include "units.h"

struct plan {
	uint64_t sizes[OPT_MAX_LIST];
	size_t nr_sizes;
	unsigned int rounds;
	uint64_t total_bytes;
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
	static const uint64_t usual[] = { 4 * KIB, 64 * KIB, MIB };
	int err;

	if (!s->opt.nr_io_sizes) {
		memcpy(s->opt.io_sizes, usual, sizeof(usual));
		s->opt.nr_io_sizes = 3;
	}
	p->nr_sizes = session_io_sizes(s, p->sizes);
	p->rounds = session_count(s, "rounds", s->opt.rounds, s->opt.label ? 1 : 3,
				  s->opt.label ? 1 : 2);
	p->total_bytes = session_bytes(s, "size", s->opt.size_bytes, 2 * GIB, 8 * MIB);
	err = session_check_io(p->sizes, p->nr_sizes, p->total_bytes);
	if (err)
		return err;
	progress_init(&s->prog, s->opt.progress, (unsigned int)p->nr_sizes * 2 * p->rounds *
		      (s->opt.label ? 1 : 2));
	return place_check_space(&s->place, p->total_bytes);
}

/* Run the user's command that puts a state in place. 0 or a negative errno (told). */
static int run_command(const char *cmd)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return bench_fail(-errno, "run", cmd);
	if (!pid) {
		execl("/bin/sh", "sh", "-c", cmd, (char *)NULL);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return bench_fail(-errno, "wait for", cmd);
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	return bench_error("'%s' failed with %s %d; make it succeed before it is used here", cmd,
			   WIFEXITED(status) ? "status" : "signal",
			   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
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

static int put_in_place(struct session *s, const char *cmd, const char *side)
{
	struct stat st;
	int err;

	if (cmd) {
		err = run_command(cmd);
		if (err)
			return err;
		/* The place may have been mounted anew. */
		if (!s->place.is_dev) {
			if (stat(s->place.path, &st))
				return bench_fail(-errno, "open directory", s->place.path);
			s->place.dev = st.st_dev;
		}
	}
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
	int err = put_in_place(s, cmd, side);

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
	.run = run_control,
};
