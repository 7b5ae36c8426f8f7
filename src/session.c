// SPDX-License-Identifier: GPL-2.0
#include "session.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "collect.h"
#include "dropbehind.skel.h"
#include "modules.h"
#include "privilege.h"
#include "security.h"

/* The sweep looks twice, this far apart. */
#define SWEEP_GAP_MS	20

/* The folio table covers 1 / TABLE_SHARE of memory, within bounds. */
#define TABLE_SHARE	8
#define TABLE_MIN	65536U
#define TABLE_MAX	(4U << 20)

__u64 db_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static int fail(struct db_session *session, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(session->why, sizeof(session->why), format, args);
	va_end(args);
	return err;
}

static int refused(struct db_session *session, int err)
{
	struct db_security security;
	char why[128];

	db_security_read(&security);
	db_security_explain(&security, err, why, sizeof(why));
	return fail(session, err, "tracing programs are refused: %s; see 'dropbehind features'", why);
}

static __u32 power_of_two_below(__u64 n)
{
	__u32 p = 1;

	while ((__u64)p * 2 <= n)
		p *= 2;
	return p;
}

static __u32 default_table_slots(void)
{
	__u64 pages = sysconf(_SC_PHYS_PAGES) / TABLE_SHARE;

	if (pages < TABLE_MIN)
		return TABLE_MIN;
	return pages > TABLE_MAX ? TABLE_MAX : pages;
}

static void set_sizes(struct db_session *session)
{
	struct db_session_options *o = &session->options;
	struct dropbehind_bpf *skel = session->skel;

	if (!o->table_slots)
		o->table_slots = default_table_slots();
	o->table_slots = power_of_two_below(o->table_slots);
	if (!o->ring_bytes)
		o->ring_bytes = DB_RING_DEFAULT;
	if (!o->flow_max)
		o->flow_max = DB_FLOWS_DEFAULT;
	if (!o->grace_ms)
		o->grace_ms = DB_GRACE_DEFAULT_MS;
	bpf_map__set_max_entries(skel->maps.db_folios, o->table_slots);
	bpf_map__set_max_entries(skel->maps.db_ring, o->ring_bytes);
}

static struct bpf_program *find_program(struct db_session *session, const struct db_plan_row *row,
					enum db_attach how)
{
	char name[64];
	const char *suffix = "";

	if (how == DB_ATTACH_FENTRY)
		suffix = row->entry->exits ? "_fexit" : "_fentry";
	else if (how == DB_ATTACH_KPROBE)
		suffix = row->entry->exits ? "_kretprobe" : "_kprobe";
	snprintf(name, sizeof(name), "%s%s", row->entry->program, suffix);
	return bpf_object__find_program_by_name(session->skel->obj, name);
}

static bool may_come_later(struct db_session *session, const struct db_plan_row *row)
{
	return row->how == DB_ATTACH_NONE && row->entry->module &&
	       session->mechanisms.works & session->options.allow & (1U << DB_ATTACH_KPROBE);
}

/* Loads what the plan attaches, and kprobes for modules that may come. */
static int select_programs(struct db_session *session)
{
	struct bpf_program *program;
	struct db_plan_row *row;
	int i, err;

	bpf_object__for_each_program(program, session->skel->obj)
		bpf_program__set_autoload(program, program == session->skel->progs.sweep);
	for (i = 0; i < session->plan.nrows; i++) {
		row = &session->plan.rows[i];
		if (may_come_later(session, row)) {
			program = find_program(session, row, DB_ATTACH_KPROBE);
			if (program)
				bpf_program__set_autoload(program, true);
			continue;
		}
		if (row->how == DB_ATTACH_NONE)
			continue;
		program = find_program(session, row, row->how);
		if (!program)
			return fail(session, -ENOENT, "no program for probe point %s", row->target);
		bpf_program__set_autoload(program, true);
		if (row->how != DB_ATTACH_FENTRY)
			continue;
		err = bpf_program__set_attach_target(program, 0, row->target);
		if (err)
			return fail(session, err, "cannot aim a program at %s", row->target);
	}
	return 0;
}

static int attach_row(struct db_session *session, struct db_plan_row *row, enum db_attach how)
{
	struct bpf_program *program = find_program(session, row, how);
	struct bpf_link *link = NULL;

	if (!program)
		return -ENOENT;
	switch (how) {
	case DB_ATTACH_FENTRY:
		link = bpf_program__attach_trace(program);
		break;
	case DB_ATTACH_KPROBE:
		link = bpf_program__attach_kprobe(program, row->entry->exits, row->target);
		break;
	case DB_ATTACH_RAW_TP:
		link = bpf_program__attach_raw_tracepoint(program, row->target);
		break;
	default:
		return -EINVAL;
	}
	if (!link)
		return -errno;
	session->links[row - session->plan.rows] = link;
	session->modules[row - session->plan.rows] =
		row->entry->module ? db_module_instance(row->entry->module) : 0;
	session->programs[row - session->plan.rows] = bpf_program__fd(program);
	return 0;
}

static int attach_all(struct db_session *session)
{
	struct db_plan_row *row;
	int i, err;

	for (i = 0; i < session->plan.nrows; i++) {
		row = &session->plan.rows[i];
		if (row->how == DB_ATTACH_NONE)
			continue;
		err = attach_row(session, row, row->how);
		if (err && row->entry->required)
			return fail(session, err, "cannot attach to %s: %s", row->target,
				    strerror(-err));
		if (err) {
			row->how = DB_ATTACH_NONE;
			snprintf(row->why, sizeof(row->why), "attach failed: %s", strerror(-err));
		}
	}
	return 0;
}

/* What lies in modules, and changes when they come. */
static void learn_modules(struct db_session *session)
{
	int flag = db_kernel_member_offset(&session->kernel, "ext4_io_end", "flag", "ext4");
	int mechanism;

	session->config->ext4_io_end_flag = flag < 0 ? -1 : flag;
	for (mechanism = 0; mechanism < DB_MECH_NR; mechanism++)
		session->config->work_func[mechanism] =
			db_kernel_address(&session->kernel, db_work_functions[mechanism].name);
}

static __u64 attached_points(const struct db_session *session)
{
	__u64 points = 0;
	int i;

	for (i = 0; i < session->plan.nrows; i++)
		if (session->plan.rows[i].how != DB_ATTACH_NONE)
			points |= 1ULL << session->plan.rows[i].entry->point;
	return points;
}

/*
 * preempt_count: 8 bits preemption, 8 bits soft interrupts, then hard
 * interrupts and NMI.  7.3 put an 8-bit count of disabled interrupts before
 * the last two and moved them up; the per-CPU variable that came with it
 * tells (include/linux/preempt.h, interrupt_rc.h).
 */
static void configure_masks(struct db_session *session)
{
	struct db_config *config = session->config;
	__u64 bit;

	if (db_kernel_btf_variable(&session->kernel, "local_interrupt_disable_state")) {
		config->mask_irqs_off = 0x00ff0000;
		config->mask_hardirq = 0x0f000000;
		config->mask_nmi = 0x70000000;
	} else {
		config->mask_irqs_off = 0;
		config->mask_hardirq = 0x000f0000;
		config->mask_nmi = 0x00f00000;
	}
	if (db_kernel_enumerator(&session->kernel, "BIO_CHAIN", &bit))
		config->flag_bio_chain = 1U << bit;
	if (db_kernel_enumerator(&session->kernel, "BIO_COMPLETE_IN_TASK", &bit))
		config->flag_bio_complete_in_task = 1U << bit;
	config->addr_bio_chain_endio = db_kernel_address(&session->kernel, "bio_chain_endio");
}

/* Preemptible RCU goes with CONFIG_PREEMPTION, and that with CONFIG_PREEMPT_COUNT. */
static bool counts_preemption(const struct db_kernel *kernel)
{
	return db_kernel_member(kernel, "task_struct", "rcu_read_lock_nesting");
}

bool db_contexts_known(const struct db_kernel *kernel, const struct db_plan *plan,
		       const struct db_mechanisms *mechanisms)
{
	const struct db_plan_row *row;
	bool any = false;
	int i;

	if (!counts_preemption(kernel))
		return false;
	for (i = 0; i < plan->nrows; i++) {
		row = &plan->rows[i];
		switch (row->entry->point) {
		case DB_POINT_DROP_ATTEMPT:
		case DB_POINT_BIO_ENDIO:
		case DB_POINT_RQ_COMPLETE:
		case DB_POINT_BIO_COMPLETE:
			break;
		default:
			continue;
		}
		if (row->how == DB_ATTACH_NONE)
			continue;
		if (!db_calibrated(mechanisms, row->how))
			return false;
		any = true;
	}
	return any;
}

static void configure(struct db_session *session)
{
	const struct db_session_options *o = &session->options;
	struct db_config *config = session->config;
	int how;

	config->filter_pid = o->pid;
	config->filter_dev = o->dev;
	config->filter_ino = o->ino;
	config->filter_cgroup_id = o->cgroup_id;
	config->filter_cgroup_level = o->cgroup_level;
	memcpy(config->filter_comm, o->comm, sizeof(config->filter_comm));
	memcpy(config->filter_fs, o->fs, sizeof(config->filter_fs));
	config->filter_fs_on = o->fs[0] != 0;
	config->filter_on = o->pid || o->comm[0] || o->dev || o->ino || o->cgroup_id || o->fs[0];
	config->min_latency_ns = o->min_latency_ns;
	config->table_mask = o->table_slots - 1;
	config->flow_max = o->flow_max;
	config->sweep_grace_ms = o->grace_ms;
	config->events = o->events;
	config->points = attached_points(session);
	for (how = 0; how < DB_ATTACH_NR; how++) {
		config->base_preempt[how] = session->mechanisms.seen[how].preempt;
		config->base_rcu[how] = session->mechanisms.seen[how].rcu;
	}
	config->config_preemption = counts_preemption(&session->kernel);
	config->config_preempt_count = config->config_preemption;
	config->context_known = db_contexts_known(&session->kernel, &session->plan,
						  &session->mechanisms);
	if (db_kernel_percpu_delta(&session->kernel, "runqueues", "__preempt_count",
				   &config->preempt_count_delta))
		config->preempt_count_delta = 0;
	configure_masks(session);
}

static int map_config(struct db_session *session)
{
	void *mem;

	session->config_bytes = sysconf(_SC_PAGESIZE);
	mem = mmap(NULL, session->config_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		   bpf_map__fd(session->skel->maps.db_config), 0);
	if (mem == MAP_FAILED)
		return fail(session, -errno, "cannot map the configuration");
	session->config = mem;
	return 0;
}

int db_session_open(struct db_session *session, const struct db_session_options *options)
{
	libbpf_print_fn_t old;
	int err;

	memset(session, 0, sizeof(*session));
	session->options = *options;
	if (!session->options.allow)
		session->options.allow = DB_ALLOW_ALL;
	err = db_privilege_check(session->why, sizeof(session->why));
	if (err)
		return err;
	err = db_kernel_open(&session->kernel);
	if (err)
		return fail(session, err,
			    "this kernel offers no BTF (/sys/kernel/btf/vmlinux); it needs CONFIG_DEBUG_INFO_BTF");
	if (!db_kernel_enumerator(&session->kernel, "PG_dropbehind", &(__u64){ 0 }))
		return fail(session, -EOPNOTSUPP,
			    "kernel %s has no dontcache I/O (PG_dropbehind came with 6.14): nothing to measure",
			    session->kernel.release);
	err = db_calibrate(&session->mechanisms, &session->kernel);
	if (err)
		return refused(session, err);
	db_plan_make(&session->plan, &session->kernel, session->mechanisms.works,
		     session->options.allow);
	session->skel = dropbehind_bpf__open();
	if (!session->skel)
		return fail(session, -errno, "cannot open the BPF object");
	set_sizes(session);
	err = select_programs(session);
	if (err)
		return err;
	old = getenv("DROPBEHIND_DEBUG") ? NULL : libbpf_set_print(NULL);
	err = dropbehind_bpf__load(session->skel);
	if (old)
		libbpf_set_print(old);
	if (err)
		return fail(session, err, "the kernel does not load the programs: %s%s", strerror(-err),
			    err == -ENOMEM ? "; a smaller --table-slots may fit" : "");
	err = map_config(session);
	if (err)
		return err;
	learn_modules(session);
	err = attach_all(session);
	if (err)
		return err;
	configure(session);
	return 0;
}

__u64 db_session_capabilities(struct db_session *session)
{
	__u64 keep = DB_CAP_BIT(CAP_SYSLOG);
	struct db_security security;
	const struct db_plan_row *row;
	int i;

	for (i = 0; i < session->plan.nrows; i++) {
		row = &session->plan.rows[i];
		if (may_come_later(session, row) && row->presence == DB_NOT_LOADED)
			break;
		if (row->how == DB_ATTACH_KPROBE && row->entry->module)
			break;
	}
	if (i == session->plan.nrows)
		return keep;
	keep |= DB_CAP_BIT(CAP_BPF) | DB_CAP_BIT(CAP_PERFMON);
	db_security_read(&security);
	if (security.perf_paranoid > DB_PERF_PARANOID_MAX)
		keep |= DB_CAP_BIT(CAP_SYS_ADMIN);
	return keep;
}

void db_session_start(struct db_session *session)
{
	struct timespec wall;
	int i;

	for (i = 0; i < session->plan.nrows; i++)
		session->missed_before[i] = db_collect_missed(session, i);
	clock_gettime(CLOCK_REALTIME, &wall);
	session->start_wall_ns = wall.tv_sec * 1000000000ULL + wall.tv_nsec;
	session->start_ns = db_now_ns();
	session->stop_ns = 0;
	__atomic_store_n(&session->config->enabled, 1, __ATOMIC_SEQ_CST);
}

/*
 * Takes away kprobes whose module was unloaded: the kernel keeps them, dead, also
 * when the module comes again, which /proc/modules need not tell.  fentry programs
 * hold their module.  True if there was one.
 */
static bool forget_unloaded(struct db_session *session, int i)
{
	struct db_plan_row *row = &session->plan.rows[i];
	__u64 missed;

	if (row->how != DB_ATTACH_KPROBE || !row->entry->module ||
	    db_module_instance(row->entry->module) == session->modules[i])
		return false;
	missed = db_collect_missed(session, i) - session->missed_before[i];
	bpf_link__destroy(session->links[i]);
	session->links[i] = NULL;
	session->missed_before[i] = db_collect_missed(session, i) - missed;
	row->how = DB_ATTACH_NONE;
	row->presence = DB_NOT_LOADED;
	snprintf(row->why, sizeof(row->why), "module %s was unloaded", row->entry->module);
	return true;
}

int db_session_refresh(struct db_session *session)
{
	struct db_plan_row *row;
	bool gone = false;
	int i, err, n = 0;

	for (i = 0; i < session->plan.nrows; i++)
		gone |= forget_unloaded(session, i);
	if (db_kernel_refresh(&session->kernel) <= 0 && !gone)
		return 0;
	for (i = 0; i < session->plan.nrows; i++) {
		row = &session->plan.rows[i];
		if (!may_come_later(session, row) ||
		    !db_kernel_has_symbol(&session->kernel, row->target))
			continue;
		row->presence = DB_PRESENT;
		err = attach_row(session, row, DB_ATTACH_KPROBE);
		if (err) {
			snprintf(row->why, sizeof(row->why), "its module came, attaching failed: %s",
				 strerror(-err));
			continue;
		}
		row->how = DB_ATTACH_KPROBE;
		row->why[0] = 0;
		n++;
	}
	learn_modules(session);
	session->config->points = attached_points(session);
	return n;
}

static int sweep_once(struct db_session *session)
{
	__u64 args[2] = { 0, session->options.table_slots };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));
	struct db_sweep empty = {};
	__u32 zero = 0;
	int err;

	err = bpf_map__update_elem(session->skel->maps.db_sweep, &zero, sizeof(zero), &empty,
				   sizeof(empty), BPF_ANY);
	if (err)
		return err;
	err = bpf_prog_test_run_opts(bpf_program__fd(session->skel->progs.sweep), &opts);
	if (err)
		return -errno;
	return (int)opts.retval < 0 ? (int)opts.retval : 0;
}

int db_session_look(struct db_session *session)
{
	return sweep_once(session);
}

static void sweep_gap(void)
{
	struct timespec gap = { .tv_nsec = SWEEP_GAP_MS * 1000000L };

	nanosleep(&gap, NULL);
}

int db_session_stop(struct db_session *session)
{
	int err;

	if (!session->config || !session->config->enabled)
		return 0;
	err = sweep_once(session);
	sweep_gap();
	__atomic_store_n(&session->config->enabled, 0, __ATOMIC_SEQ_CST);
	session->stop_ns = db_now_ns();
	if (!err)
		err = sweep_once(session);
	session->swept = !err;
	return err;
}

int db_session_sweep(struct db_session *session)
{
	int err;

	if (!session->config->enabled)
		return session->swept ? 0 : -ENODATA;
	err = sweep_once(session);
	if (err)
		return err;
	sweep_gap();
	err = sweep_once(session);
	session->swept = !err;
	return err;
}

int db_session_collect(struct db_session *session, struct db_ledger *ledger)
{
	return db_collect(session, ledger);
}

int db_session_on_event(struct db_session *session,
			int (*event)(void *arg, void *record, size_t size), void *arg)
{
	session->ring = ring_buffer__new(bpf_map__fd(session->skel->maps.db_ring), event, arg, NULL);
	return session->ring ? 0 : -errno;
}

int db_session_poll(struct db_session *session, int timeout_ms)
{
	return ring_buffer__poll(session->ring, timeout_ms);
}

void db_session_close(struct db_session *session)
{
	int i;

	for (i = 0; i < DB_PLAN_MAX; i++)
		bpf_link__destroy(session->links[i]);
	ring_buffer__free(session->ring);
	if (session->config)
		munmap(session->config, session->config_bytes);
	if (session->skel)
		dropbehind_bpf__destroy(session->skel);
	db_kernel_close(&session->kernel);
	memset(session, 0, sizeof(*session));
}
