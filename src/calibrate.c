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

/* The object shares its map definitions with the tracer's, but uses few of them. */
static void create_only_needed(struct calibrate_bpf *skel)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, skel->obj)
		if (map != skel->maps.db_config && map != skel->maps.db_calibrations &&
		    map != skel->maps.rodata)
			bpf_map__set_autocreate(map, false);
}

/*
 * bpf_fentry_test1() is called by a test run of any fentry program, and for
 * kprobes by that of @fentry, the program of the fentry try if it loaded.
 */
static int try_mechanism(struct db_mechanisms *mechanisms, const struct db_kernel *kernel,
			 enum db_attach how)
{
	struct calibrate_bpf *skel = calibrate_bpf__open();
	struct bpf_program *program, *trigger_program;
	struct bpf_link *link = NULL;
	struct db_config config = {};
	__u32 key = how, zero = 0;
	__s64 delta;
	int err, i;

	if (!skel)
		return -errno;
	program = program_of(skel, how);
	trigger_program = how == DB_ATTACH_RAW_TP ? skel->progs.calibrate_trigger :
						    skel->progs.calibrate_fentry;
	bpf_program__set_autoload(skel->progs.calibrate_fentry, trigger_program ==
				  skel->progs.calibrate_fentry &&
				  (how == DB_ATTACH_FENTRY ||
				   mechanisms->works & (1U << DB_ATTACH_FENTRY)));
	bpf_program__set_autoload(skel->progs.calibrate_kprobe, how == DB_ATTACH_KPROBE);
	bpf_program__set_autoload(skel->progs.calibrate_raw_tp, how == DB_ATTACH_RAW_TP);
	bpf_program__set_autoload(skel->progs.calibrate_trigger, how == DB_ATTACH_RAW_TP);
	create_only_needed(skel);
	skel->rodata->calibrated_pid = getpid();
	if (db_kernel_percpu_delta(kernel, "runqueues", "cpu_number", &delta))
		delta = 0;
	skel->rodata->cpu_number_delta = delta;
	err = calibrate_bpf__load(skel);
	if (err)
		goto cleanup;
	if (db_kernel_percpu_delta(kernel, "runqueues", "__preempt_count",
				   &config.preempt_count_delta))
		config.preempt_count_delta = 0;
	err = bpf_map__update_elem(skel->maps.db_config, &zero, sizeof(zero), &config, sizeof(config),
				   BPF_ANY);
	if (err)
		goto cleanup;
	link = bpf_program__attach(program);
	if (!link) {
		err = -errno;
		goto cleanup;
	}
	mechanisms->works |= 1U << how;
	for (i = 0; i < TRIGGERS && bpf_program__fd(trigger_program) >= 0; i++)
		trigger(bpf_program__fd(trigger_program), how);
	err = bpf_map__lookup_elem(skel->maps.db_calibrations, &key, sizeof(key),
				   &mechanisms->seen[how], sizeof(mechanisms->seen[how]), 0);
cleanup:
	bpf_link__destroy(link);
	calibrate_bpf__destroy(skel);
	return err;
}

int db_calibrate(struct db_mechanisms *mechanisms, const struct db_kernel *kernel)
{
	static const enum db_attach order[] = {
		DB_ATTACH_RAW_TP, DB_ATTACH_FENTRY, DB_ATTACH_KPROBE,
	};
	libbpf_print_fn_t old;
	unsigned int i;

	memset(mechanisms, 0, sizeof(*mechanisms));
	old = getenv("DROPBEHIND_DEBUG") ? NULL : libbpf_set_print(NULL);
	for (i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		mechanisms->error[order[i]] = try_mechanism(mechanisms, kernel, order[i]);
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
