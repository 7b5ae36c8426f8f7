// SPDX-License-Identifier: GPL-2.0
#include "calibrate.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibrate.skel.h"
#include "dropbehind/records.h"

#define TRIGGERS	4

/* Runs something that passes the probe in this process's plain task context. */
static void trigger(int fd, enum db_attach how)
{
	unsigned char packet[64] = {};
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	if (how == DB_ATTACH_RAW_TP || how == DB_ATTACH_KPROBE) {
		opts.data_in = packet;
		opts.data_size_in = sizeof(packet);
	}
	bpf_prog_test_run_opts(fd, &opts);
}

static struct bpf_program *program_of(struct calibrate_bpf *skel, enum db_attach how)
{
	switch (how) {
	case DB_ATTACH_FENTRY:
		return skel->progs.calibrate_fentry;
	case DB_ATTACH_KPROBE:
		return skel->progs.calibrate_kprobe;
	case DB_ATTACH_RAW_TP:
		return skel->progs.calibrate_raw_tp;
	default:
		return NULL;
	}
}

/* The object shares its map definitions with the tracer's, but does not use the large ones. */
static void create_only_needed(struct calibrate_bpf *skel)
{
	struct bpf_map *large[] = {
		skel->maps.db_folios, skel->maps.db_flow_index, skel->maps.db_flow_info,
		skel->maps.db_flow_tallies, skel->maps.db_orders, skel->maps.db_hists,
		skel->maps.db_ring,
	};
	size_t i;

	for (i = 0; i < sizeof(large) / sizeof(large[0]); i++)
		bpf_map__set_autocreate(large[i], false);
}

static int configure(struct calibrate_bpf *skel, const struct db_kernel *kernel)
{
	struct db_config config = {};
	__u32 zero = 0;

	if (db_kernel_percpu_delta(kernel, "runqueues", "__preempt_count",
				   &config.preempt_count_delta))
		config.preempt_count_delta = 0;
	return bpf_map__update_elem(skel->maps.db_config, &zero, sizeof(zero), &config,
				    sizeof(config), BPF_ANY);
}

/* Attaches one, makes it run, reads what it saw. */
static int measure(struct db_mechanisms *mechanisms, struct calibrate_bpf *skel, enum db_attach how)
{
	struct bpf_link *link = bpf_program__attach(program_of(skel, how));
	struct bpf_program *by;
	__u32 key = how;
	int i, err;

	if (!link)
		return -errno;
	mechanisms->works |= 1U << how;
	by = how == DB_ATTACH_RAW_TP ? skel->progs.calibrate_trigger : skel->progs.calibrate_fentry;
	for (i = 0; i < TRIGGERS && bpf_program__fd(by) >= 0; i++)
		trigger(bpf_program__fd(by), how);
	err = bpf_map__lookup_elem(skel->maps.db_calibrations, &key, sizeof(key),
				   &mechanisms->seen[how], sizeof(mechanisms->seen[how]), 0);
	bpf_link__destroy(link);
	return err;
}

/*
 * Tries the mechanisms in @set, bits by enum db_attach, with one object.
 * bpf_fentry_test1() is called by a test run of any fentry program; so a kprobe
 * on it is measured only where fentry programs load.  Returns the error of
 * loading; those of attaching are each mechanism's own.
 */
static int try_set(struct db_mechanisms *mechanisms, const struct db_kernel *kernel,
		   unsigned int set)
{
	struct calibrate_bpf *skel = calibrate_bpf__open();
	unsigned int how, load = set;
	__s64 delta;
	int err;

	if (!skel)
		return -errno;
	if (set & (1U << DB_ATTACH_KPROBE) && mechanisms->works & (1U << DB_ATTACH_FENTRY))
		load |= 1U << DB_ATTACH_FENTRY;
	for (how = DB_ATTACH_NONE + 1; how < DB_ATTACH_NR; how++)
		bpf_program__set_autoload(program_of(skel, how), load & (1U << how));
	bpf_program__set_autoload(skel->progs.calibrate_trigger, set & (1U << DB_ATTACH_RAW_TP));
	create_only_needed(skel);
	skel->rodata->calibrated_pid = getpid();
	if (db_kernel_percpu_delta(kernel, "runqueues", "cpu_number", &delta))
		delta = 0;
	skel->rodata->cpu_number_delta = delta;
	err = calibrate_bpf__load(skel);
	if (!err)
		err = configure(skel, kernel);
	for (how = DB_ATTACH_NONE + 1; !err && how < DB_ATTACH_NR; how++)
		if (set & (1U << how))
			mechanisms->error[how] = measure(mechanisms, skel, how);
	calibrate_bpf__destroy(skel);
	return err;
}

static void try_one(struct db_mechanisms *mechanisms, const struct db_kernel *kernel,
		    enum db_attach how)
{
	int err = try_set(mechanisms, kernel, 1U << how);

	if (err)
		mechanisms->error[how] = err;
}

int db_calibrate(struct db_mechanisms *mechanisms, const struct db_kernel *kernel)
{
	unsigned int how, all = 0;
	libbpf_print_fn_t old;

	memset(mechanisms, 0, sizeof(*mechanisms));
	for (how = DB_ATTACH_NONE + 1; how < DB_ATTACH_NR; how++)
		all |= 1U << how;
	old = getenv("DROPBEHIND_DEBUG") ? NULL : libbpf_set_print(NULL);
	/* One object for all is quick; where one is refused, each gets its own. */
	if (try_set(mechanisms, kernel, all))
		for (how = DB_ATTACH_NONE + 1; how < DB_ATTACH_NR; how++)
			try_one(mechanisms, kernel, how);
	if (old)
		libbpf_set_print(old);
	return mechanisms->works ? 0 : mechanisms->error[DB_ATTACH_RAW_TP];
}

int db_calibrated(const struct db_mechanisms *mechanisms, enum db_attach how)
{
	const struct db_calibration *seen = &mechanisms->seen[how];

	return seen->hits && seen->cpu == seen->cpu_read && seen->known && seen->irqs_known && !seen->irqs_off &&
	       !seen->serving_softirq;
}
