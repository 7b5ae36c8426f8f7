// SPDX-License-Identifier: GPL-2.0
#include "collect.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dropbehind.skel.h"
#include "histogram.h"
#include "names.h"
#include "session.h"

static size_t page_round(size_t bytes)
{
	size_t page = sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

/* An mmapable array as it is now; NULL with errno.  Unmap @bytes. */
static void *map_array(const struct bpf_map *map, size_t *bytes)
{
	void *mem;

	*bytes = page_round((size_t)((bpf_map__value_size(map) + 7) & ~7U) *
			    bpf_map__max_entries(map));
	mem = mmap(NULL, *bytes, PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);
	return mem == MAP_FAILED ? NULL : mem;
}

static void count_of(const struct db_tally *tally, struct db_count *count)
{
	count->folios = tally->folios;
	count->pages = tally->folios + tally->more_pages;
}

static void counts_of(const struct db_flow_tallies *tallies, struct db_flow_counts *counts)
{
	int op, i, fate;

	for (op = 0; op < DB_OP_NR; op++) {
		count_of(&tallies->born[op], &counts->born[op]);
		for (i = 0; i < DB_OUT_NR; i++)
			count_of(&tallies->out[op][i], &counts->out[op][i]);
	}
	for (i = 0; i < DB_LEFT_NR; i++)
		for (fate = 0; fate < DB_FATE_NR; fate++)
			count_of(&tallies->fate[i][fate], &counts->fate[i][fate]);
}

static int collect_flow(struct db_ledger *ledger, __u32 slot, const struct db_flow_info *info,
			const struct db_flow_tallies *tallies)
{
	struct db_flow *flow = db_ledger_add_flow(ledger);

	if (!flow)
		return -ENOMEM;
	flow->slot = slot;
	counts_of(tallies, &flow->counts);
	if (!slot) {
		flow->file_found = DB_FOUND_LUMPED;
		return 0;
	}
	flow->dev = info->key.dev;
	flow->ino = info->key.ino;
	flow->gen = info->key.gen;
	flow->cgroup_id = info->key.cgroup_id;
	memcpy(flow->fs, info->fs, sizeof(flow->fs));
	flow->fs[sizeof(flow->fs) - 1] = 0;
	return db_name_flow(flow, info);
}

static bool tallies_empty(const struct db_flow_tallies *tallies)
{
	static const struct db_flow_tallies zero;

	return !memcmp(tallies, &zero, sizeof(zero));
}

static int collect_flows(struct db_session *session, struct db_ledger *ledger)
{
	const struct db_flow_info *info;
	const struct db_flow_tallies *tallies;
	size_t info_bytes, tallies_bytes;
	__u32 slot, n = bpf_map__max_entries(session->skel->maps.db_flow_info);
	int err = 0;

	info = map_array(session->skel->maps.db_flow_info, &info_bytes);
	if (!info)
		return -errno;
	tallies = map_array(session->skel->maps.db_flow_tallies, &tallies_bytes);
	if (!tallies) {
		err = -errno;
		goto unmap_info;
	}
	for (slot = 0; slot < n && !err; slot++)
		if (!tallies_empty(&tallies[slot]))
			err = collect_flow(ledger, slot, &info[slot], &tallies[slot]);
	munmap((void *)tallies, tallies_bytes);
unmap_info:
	munmap((void *)info, info_bytes);
	db_ledger_sum(ledger);
	return err;
}

/* Room for one value of a per-CPU map on every CPU. */
static void *percpu_room(const struct bpf_map *map, size_t *stride)
{
	*stride = (bpf_map__value_size(map) + 7) & ~7U;
	return calloc(libbpf_num_possible_cpus(), *stride);
}

static int collect_hists(struct db_session *session, struct db_ledger *ledger)
{
	const struct bpf_map *map = session->skel->maps.db_hists;
	int cpus = libbpf_num_possible_cpus(), cpu, err = 0;
	size_t stride;
	char *values;
	__u32 which;

	values = percpu_room(map, &stride);
	if (!values)
		return -ENOMEM;
	for (which = 0; which < DB_HIST_NR && !err; which++) {
		err = bpf_map__lookup_elem(map, &which, sizeof(which), values, stride * cpus, 0);
		for (cpu = 0; cpu < cpus && !err; cpu++)
			db_histogram_merge(&ledger->hists[which], (void *)(values + cpu * stride));
	}
	free(values);
	return err;
}

/* Adds up per-CPU values that consist of 64-bit counts. */
static int sum_percpu(const struct bpf_map *map, const void *key, size_t key_size, __u64 *sum)
{
	int cpus = libbpf_num_possible_cpus(), cpu, err;
	size_t stride, i;
	char *values;

	values = percpu_room(map, &stride);
	if (!values)
		return -ENOMEM;
	err = bpf_map__lookup_elem(map, key, key_size, values, stride * cpus, 0);
	for (cpu = 0; cpu < cpus && !err; cpu++)
		for (i = 0; i < bpf_map__value_size(map) / sizeof(__u64); i++)
			sum[i] += ((__u64 *)(values + cpu * stride))[i];
	free(values);
	return err;
}

int db_collect_loss(struct db_session *session, enum db_loss loss, __u64 *count)
{
	__u32 key = loss;

	*count = 0;
	return sum_percpu(session->skel->maps.db_losses, &key, sizeof(key), count);
}

static int collect_losses(struct db_session *session, struct db_ledger *ledger)
{
	__u32 loss;
	int err = 0;

	for (loss = 0; loss < DB_LOSS_NR && !err; loss++)
		err = db_collect_loss(session, loss, &ledger->losses[loss]);
	return err;
}

int db_collect_flow_info(struct db_session *session, __u32 slot, struct db_flow_info *info)
{
	return bpf_map__lookup_elem(session->skel->maps.db_flow_info, &slot, sizeof(slot), info,
				    sizeof(*info), 0);
}

void db_collect_wq_name(struct db_session *session, __u32 slot, char *name)
{
	struct db_wq_name known = {};

	if (slot && !bpf_map__lookup_elem(session->skel->maps.db_wq_names, &slot, sizeof(slot),
					  &known, sizeof(known), 0))
		known.name[sizeof(known.name) - 1] = 0;
	memcpy(name, known.name, sizeof(known.name));
}

/* Null where the kernel side had no room for it. */
static int name_bio_cgroup(struct db_session *session, struct db_context_row *row)
{
	struct db_cgroup_names names;

	if (!row->key.cgroup_id ||
	    bpf_map__lookup_elem(session->skel->maps.db_bio_cgroups, &row->key.cgroup_id,
				 sizeof(row->key.cgroup_id), &names, sizeof(names), 0))
		return 0;
	row->cgroup = db_name_cgroup(names.cgroup, names.names & DB_NAMED_CGROUP);
	return row->cgroup ? 0 : -ENOMEM;
}

static int collect_context(struct db_session *session, struct db_ledger *ledger,
			   const struct db_context_key *key, __u32 counts_slot)
{
	struct db_context_row *row = db_ledger_add_context(ledger);
	__u64 sum[2] = {};
	int err;

	if (!row)
		return -ENOMEM;
	row->key = *key;
	err = sum_percpu(session->skel->maps.db_context_counts, &counts_slot, sizeof(counts_slot), sum);
	if (err)
		return err;
	row->events = sum[0];
	row->pages = sum[1];
	db_collect_wq_name(session, key->wq, row->wq);
	return name_bio_cgroup(session, row);
}

static int collect_contexts(struct db_session *session, struct db_ledger *ledger)
{
	const struct bpf_map *map = session->skel->maps.db_context_index;
	struct db_context_key key, next;
	bool first = true;
	__u32 slot;
	int err;

	while (!bpf_map__get_next_key(map, first ? NULL : &key, &next, sizeof(next))) {
		first = false;
		key = next;
		err = bpf_map__lookup_elem(map, &key, sizeof(key), &slot, sizeof(slot), 0);
		if (!err)
			err = collect_context(session, ledger, &key, slot);
		if (err)
			return err;
	}
	return 0;
}

/* What the kernel keeps about the program at plan row @row; zeroed if there is none. */
static void program_info(struct db_session *session, int row, struct bpf_prog_info *info)
{
	__u32 size = sizeof(*info);

	memset(info, 0, sizeof(*info));
	if (session->programs[row] > 0 &&
	    bpf_obj_get_info_by_fd(session->programs[row], info, &size))
		memset(info, 0, sizeof(*info));
}

/*
 * The part of struct bpf_link_info about kprobes, newer than the headers of
 * Debian 12: include/uapi/linux/bpf.h of 6.7, with missed.
 */
struct kprobe_link_info {
	__u32 type;		/* BPF_LINK_TYPE_PERF_EVENT */
	__u32 id;
	__u32 prog_id;
	__u32 pad;
	__u32 event_type;	/* 3, 4: kprobe, kretprobe */
	__u32 pad2;
	__u64 func_name;
	__u32 name_len;
	__u32 offset;
	__u64 addr;
	__u64 missed;
	__u64 cookie;
};

#define KPROBE_EVENT	3
#define KRETPROBE_EVENT	4

/* Hits of a kprobe that the kernel passed over because another was being handled. */
static __u64 kprobe_missed(struct db_session *session, int row)
{
	struct kprobe_link_info info = {};
	__u32 size = sizeof(info);

	if (!session->links[row] || session->plan.rows[row].how != DB_ATTACH_KPROBE ||
	    bpf_obj_get_info_by_fd(bpf_link__fd(session->links[row]), &info, &size))
		return 0;
	if (info.event_type != KPROBE_EVENT && info.event_type != KRETPROBE_EVENT)
		return 0;
	return info.missed;
}

__u64 db_collect_missed(struct db_session *session, int row)
{
	struct bpf_prog_info info;

	program_info(session, row, &info);
	return info.recursion_misses + kprobe_missed(session, row);
}

static int collect_points(struct db_session *session, struct db_ledger *ledger)
{
	const struct db_plan_row *row;
	struct db_point_row *point;
	struct bpf_prog_info info;
	int i;

	for (i = 0; i < session->plan.nrows; i++) {
		row = &session->plan.rows[i];
		point = db_ledger_add_point(ledger);
		if (!point)
			return -ENOMEM;
		point->point = row->entry->point;
		point->how = row->how;
		point->wanted = row->wanted;
		point->exits = row->entry->exits;
		memcpy(point->target, row->target, sizeof(point->target));
		memcpy(point->why, row->why, sizeof(point->why));
		program_info(session, i, &info);
		point->missed = db_collect_missed(session, i) - session->missed_before[i];
		point->runs = info.run_cnt;
		point->run_ns = info.run_time_ns;
		/* the kernel counts runs only while somebody asks it to */
		ledger->run_stats |= info.run_cnt != 0;
		if (row->how != DB_ATTACH_NONE)
			ledger->points_attached |= 1ULL << row->entry->point;
	}
	return 0;
}

static bool attached(const struct db_session *session, const char *program)
{
	int i;

	for (i = 0; i < session->plan.nrows; i++)
		if (!strcmp(session->plan.rows[i].entry->program, program))
			return session->plan.rows[i].how != DB_ATTACH_NONE;
	return false;
}

/* Work items are recognised by the function they run. */
static bool sees_work(const struct db_session *session, enum db_mechanism mechanism)
{
	return session->config->work_func[mechanism] && attached(session, "work_queue") &&
	       attached(session, "work_start");
}

/* Can the hand-off of bios to @mechanism be seen, and if @arrival, also the end of it? */
static bool sees_deferral(const struct db_session *session, enum db_mechanism mechanism,
			  bool arrival)
{
	const struct db_config *config = session->config;

	switch (mechanism) {
	case DB_MECH_BIO_COMPLETE:
		return attached(session, "bio_defer") &&
		       (!arrival || config->points & 1ULL << DB_POINT_END_IO);
	case DB_MECH_XFS_IOEND:
		return attached(session, "xfs_end_bio") &&
		       (!arrival || attached(session, "xfs_finish"));
	case DB_MECH_EXT4_CONV:
		return attached(session, "ext4_end_bio") && config->ext4_io_end_flag >= 0 &&
		       (!arrival || attached(session, "ext4_finish"));
	default:
		return sees_work(session, mechanism);
	}
}

static bool sees_hist(const struct db_session *session, int hist)
{
	bool start = attached(session, "wb_start");
	bool end = attached(session, "wb_end") || attached(session, "end_dropbehind");

	if (hist >= DB_HIST_DEPTH)
		return sees_deferral(session, hist - DB_HIST_DEPTH, false);
	if (hist >= DB_HIST_WORK)
		return sees_work(session, hist - DB_HIST_WORK);
	if (hist >= DB_HIST_DEFERRAL)
		return sees_deferral(session, hist - DB_HIST_DEFERRAL, true);
	switch (hist) {
	case DB_HIST_DIRTY_WAIT:
		return start;
	case DB_HIST_WRITEBACK:
		return start && end;
	case DB_HIST_DROP_DELAY:
		return end;
	default:
		return true;
	}
}

static void collect_unknown(const struct db_session *session, struct db_ledger *ledger)
{
	int i;

	for (i = 0; i < DB_HIST_NR; i++)
		if (!ledger->hists[i].count && !sees_hist(session, i))
			ledger->hists_unknown |= 1ULL << i;
}

static int collect_single(const struct bpf_map *map, void *value, size_t size)
{
	__u32 zero = 0;

	return bpf_map__lookup_elem(map, &zero, sizeof(zero), value, size, 0);
}

static void collect_facts(struct db_session *session, struct db_ledger *ledger)
{
	memcpy(ledger->release, session->kernel.release, sizeof(ledger->release));
	memcpy(ledger->machine, session->kernel.machine, sizeof(ledger->machine));
	memcpy(ledger->filter, session->options.filter, sizeof(ledger->filter));
	ledger->page_size = sysconf(_SC_PAGESIZE);
	ledger->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	ledger->start_ns = session->start_ns;
	ledger->stop_ns = session->stop_ns ? session->stop_ns : db_now_ns();
	ledger->start_wall_ns = session->start_wall_ns;
	ledger->final = session->stop_ns != 0;
	ledger->swept = session->swept;
	ledger->table_slots = session->options.table_slots;
	ledger->table_bytes = (__u64)session->options.table_slots * sizeof(struct db_folio);
	ledger->context_known = session->config->context_known;
}

/* While folios are still counted, more large ones than there were folios may have been. */
static void small_folios(__u64 *orders, __u64 folios)
{
	int order;

	for (order = 1; order < DB_ORDERS; order++)
		folios -= orders[order] < folios ? orders[order] : folios;
	orders[0] = folios;
}

static int collect_orders(struct db_session *session, struct db_ledger *ledger)
{
	struct db_order_counts *orders = &ledger->orders;
	__u32 zero = 0, op, i;
	int err;

	err = sum_percpu(session->skel->maps.db_orders, &zero, sizeof(zero), (__u64 *)orders);
	for (op = 0; op < DB_OP_NR; op++) {
		small_folios(orders->born[op], ledger->total.born[op].folios);
		for (i = 0; i < DB_OUT_NR; i++)
			small_folios(orders->out[op][i], ledger->total.out[op][i].folios);
	}
	return err;
}

int db_collect(struct db_session *session, struct db_ledger *ledger)
{
	int err;

	collect_facts(session, ledger);
	err = collect_flows(session, ledger);
	if (!err)
		err = collect_hists(session, ledger);
	collect_unknown(session, ledger);
	if (!err)
		err = collect_losses(session, ledger);
	if (!err)
		err = collect_contexts(session, ledger);
	if (!err)
		err = db_name_devices(ledger);
	if (!err)
		err = collect_points(session, ledger);
	if (!err)
		err = collect_orders(session, ledger);
	if (!err)
		err = collect_single(session->skel->maps.db_truth, &ledger->truth,
				     sizeof(ledger->truth));
	if (!err && ledger->swept)
		err = collect_single(session->skel->maps.db_sweep, &ledger->sweep,
				     sizeof(ledger->sweep));
	if (err)
		db_ledger_free(ledger);
	return err;
}
