// SPDX-License-Identifier: GPL-2.0
/*
 * Completion context of write bios, and how long a completion that was handed
 * to a worker took to run there: per bio where the hand-off and the end-io
 * function are probed, per work item where only the workqueue's tracepoints
 * exist.
 */
#include "bio.h"
#include "context.h"
#include "hist.h"

char LICENSE[] SEC("license") = "GPL";

/* A write bio between bio_endio() and its end-io function. */
struct db_bio {
	__u64 handoff_ns;	/* 0: not handed off */
	__u32 cpu;		/* that handed it off */
	__u8 context;		/* judged at bio_endio() */
	__u8 judged;		/* 1: context is valid */
	__u8 mechanism;		/* that it was handed to */
	__u8 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u64);
	__type(value, struct db_bio);
} db_bios SEC(".maps");

/* Handed off and not finished yet, by mechanism and CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, DB_MECH_NR * DB_MAX_CPUS);
	__type(key, __u32);
	__type(value, __s64);
} db_depths SEC(".maps");

/*
 * Work items that wait for their worker.  There are few at a time and each is
 * looked for twice, so a work item has one cache line in which it must find
 * room, found from its address without a hash map's locks.
 */
#define DB_WORKS_IN_LINE	4
#define DB_WORK_LINES_BITS	10

struct db_work {
	__u64 work;		/* its address; 0: free */
	__u64 queued_ns;
};

struct db_work_line {
	struct db_work works[DB_WORKS_IN_LINE];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1 << DB_WORK_LINES_BITS);
	__uint(map_flags, BPF_F_MMAPABLE);	/* aligned to a page */
	__type(key, __u32);
	__type(value, struct db_work_line);
} db_works SEC(".maps");

db_inline __s64 *db_depth(__u32 mechanism, __u32 cpu)
{
	__u32 slot = mechanism * DB_MAX_CPUS + (cpu & (DB_MAX_CPUS - 1));

	return bpf_map_lookup_elem(&db_depths, &slot);
}

db_inline void db_depth_enter(__u32 mechanism, __u32 cpu)
{
	__s64 *depth = db_depth(mechanism, cpu);

	if (!depth)
		return;
	db_hist_add(DB_HIST_DEPTH + mechanism, *depth > 0 ? *depth : 0);
	__sync_fetch_and_add(depth, 1);
}

db_inline void db_depth_leave(__u32 mechanism, __u32 cpu)
{
	__s64 *depth = db_depth(mechanism, cpu);

	if (depth)
		__sync_fetch_and_add(depth, -1);
}

db_inline struct db_truth *db_truth_counts(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&db_truth, &zero);
}

/* One completing write bio: where, by whom. */
db_inline void db_count_bio(const struct db_config *cfg, const struct bio *bio, __u32 context)
{
	struct cgroup *cgroup = db_bio_cgroup(bio);
	struct db_context_key key = {
		.dev = db_bio_dev(bio),
		.place = db_bio_dropbehind(cfg, bio) ? DB_PLACE_BIO : DB_PLACE_BIO_PLAIN,
		.context = context,
		.cgroup_id = cgroup->kn->id,
	};

	if (!cfg->filter_dev || key.dev == cfg->filter_dev)
		db_context_count(&key, 0, (__u64)cgroup);
}

/* Is the bio one we follow: a write, and to the device that is asked for? */
db_inline bool db_bio_wanted(const struct db_config *cfg, const struct bio *bio)
{
	return db_bio_is_write(bio) && (!cfg->filter_dev || db_bio_dev(bio) == cfg->filter_dev);
}

db_inline int db_handle_bio_endio(__u64 key, __u32 how, __u32 irqs, __u32 held)
{
	struct db_config *cfg = db_on();
	struct db_bio now = {}, *stale;
	const struct bio *bio;
	__u32 context;

	if (!cfg || !db_bio_is_write(db_typed(struct bio, key)))
		return 0;
	key = db_bio_completing(cfg, key);
	if (!key)
		return 0;
	bio = db_typed(struct bio, key);
	context = db_context_judge(how, irqs, held);
	db_count_bio(cfg, bio, context);
	if (!(bio->bi_flags & cfg->flag_bio_complete_in_task) || !db_bio_wanted(cfg, bio))
		return 0;
	stale = bpf_map_lookup_elem(&db_bios, &key);
	if (stale && stale->handoff_ns) {
		db_lose(DB_LOSS_BIO_UNTIMED, 1);
		db_depth_leave(stale->mechanism, stale->cpu);
	}
	now.context = context;
	now.judged = context != DB_CTX_UNKNOWN;
	if (bpf_map_update_elem(&db_bios, &key, &now, BPF_ANY))
		db_lose(DB_LOSS_BIO_FULL, 1);
	return 0;
}

db_inline void db_handoff(__u64 key, __u32 mechanism)
{
	struct db_bio now = {}, *known = bpf_map_lookup_elem(&db_bios, &key);

	if (known)
		now = *known;
	now.cpu = bpf_get_smp_processor_id();
	now.mechanism = mechanism;
	now.handoff_ns = bpf_ktime_get_ns();
	if (bpf_map_update_elem(&db_bios, &key, &now, BPF_ANY)) {
		db_lose(DB_LOSS_BIO_FULL, 1);
		return;
	}
	db_depth_enter(mechanism, now.cpu);
}

/* The block layer hands this bio to its worker: the kernel's own judgement. */
db_inline int db_handle_bio_defer(__u64 key)
{
	struct db_config *cfg = db_on();
	struct db_truth *truth;
	struct db_bio *known;

	if (!cfg || !db_bio_wanted(cfg, db_typed(struct bio, key)))
		return 0;
	known = bpf_map_lookup_elem(&db_bios, &key);
	truth = db_truth_counts();
	if (known && known->judged && truth) {
		if (known->context == DB_CTX_TASK)
			__sync_fetch_and_add(&truth->judged_safe_but_deferred, 1);
		else
			__sync_fetch_and_add(&truth->agree_deferred, 1);
	}
	db_handoff(key, DB_MECH_BIO_COMPLETE);
	return 0;
}

db_inline void db_emit_bio(const struct db_config *cfg, const struct bio *bio,
			   const struct db_bio *known, __u64 now)
{
	__u64 latency = now - known->handoff_ns;
	struct db_event *e;
	__u32 flow;

	if (!(cfg->events & DB_EV_DEFER) || latency < cfg->min_latency_ns)
		return;
	flow = db_bio_flow(cfg, bio);
	if (cfg->filter_on && !flow)
		return;
	e = bpf_ringbuf_reserve(&db_ring, sizeof(*e), 0);
	if (!e) {
		db_lose(DB_LOSS_RING, 1);
		return;
	}
	__builtin_memset(e, 0, sizeof(*e));
	e->type = DB_EV_DEFER;
	e->cpu = bpf_get_smp_processor_id();
	e->time_ns = now;
	e->latency_ns = latency;
	e->dev = db_bio_dev(bio);
	e->flow = flow;
	e->bytes = db_bio_bytes(bio);
	e->mechanism = known->mechanism;
	e->context = known->judged ? known->context : DB_CTX_UNKNOWN;
	e->runner = db_runner(DB_CTX_TASK, &e->wq);
	bpf_get_current_comm(e->comm, sizeof(e->comm));
	bpf_ringbuf_submit(e, 0);
}

/*
 * The end of the road for one hand-off.  @mechanism: which hand-offs end here;
 * DB_MECH_NR: the block layer's, and bios that bio_endio() ran directly.
 */
db_inline void db_bio_arrived(const struct db_config *cfg, __u64 key, __u32 mechanism)
{
	__u64 now;
	struct db_bio *known = bpf_map_lookup_elem(&db_bios, &key), copy;
	struct db_truth *truth;

	if (!known)
		return;
	copy = *known;
	if (!copy.handoff_ns) {
		if (mechanism != DB_MECH_BIO_COMPLETE)
			return;
		truth = db_truth_counts();
		if (copy.judged && truth) {
			if (copy.context == DB_CTX_TASK)
				__sync_fetch_and_add(&truth->agree_direct, 1);
			else
				__sync_fetch_and_add(&truth->judged_unsafe_but_direct, 1);
		}
		bpf_map_delete_elem(&db_bios, &key);
		return;
	}
	if (copy.mechanism != mechanism || mechanism >= DB_MECH_NR)
		return;
	bpf_map_delete_elem(&db_bios, &key);
	now = bpf_ktime_get_ns();
	db_hist_add(DB_HIST_DEFERRAL + mechanism, now - copy.handoff_ns);
	db_depth_leave(mechanism, copy.cpu);
	db_emit_bio(cfg, db_typed(struct bio, key), &copy, now);
}

db_inline int db_handle_end_io(__u64 key)
{
	struct db_config *cfg = db_on();

	if (cfg && db_bio_is_write(db_typed(struct bio, key)))
		db_bio_arrived(cfg, key, DB_MECH_BIO_COMPLETE);
	return 0;
}

/* XFS: the ioend goes onto a list of its inode, work on xfs-conv ends it. */
db_inline int db_handle_xfs_end_bio(__u64 key)
{
	struct db_config *cfg = db_on();

	if (!cfg || !db_bio_wanted(cfg, db_typed(struct bio, key)))
		return 0;
	db_bio_arrived(cfg, key, DB_MECH_BIO_COMPLETE);
	db_handoff(key, DB_MECH_XFS_IOEND);
	return 0;
}

struct db_ioends {
	__u64 head;		/* address of the first ioend's list head */
	__u64 next;
};

#define DB_IOENDS_MAX	4096

/* struct iomap_ioend may live in a module, so this says what is needed of it. */
struct iomap_ioend___db {
	struct list_head io_list;
	struct bio io_bio;
} __attribute__((preserve_access_index));

static long db_ioend_next(__u32 i, struct db_ioends *walk)
{
	struct iomap_ioend___db *ioend = NULL;
	struct db_config *cfg = db_cfg();

	if (!cfg || !bpf_core_field_exists(ioend->io_list) || !bpf_core_field_exists(ioend->io_bio))
		return 1;
	ioend = (void *)(walk->next - bpf_core_field_offset(struct iomap_ioend___db, io_list));
	db_bio_arrived(cfg, (__u64)&ioend->io_bio, DB_MECH_XFS_IOEND);
	walk->next = (__u64)BPF_CORE_READ(ioend, io_list.next);
	return !walk->next || walk->next == walk->head;
}

db_inline int db_handle_xfs_finish(__u64 address)
{
	struct iomap_ioend___db *ioend = (void *)address;
	struct db_ioends walk;

	if (!db_on() || !bpf_core_field_exists(ioend->io_list) ||
	    !bpf_core_field_exists(ioend->io_bio))
		return 0;
	walk.head = (__u64)ioend + bpf_core_field_offset(struct iomap_ioend___db, io_list);
	walk.next = walk.head;
	bpf_loop(DB_IOENDS_MAX, db_ioend_next, &walk, 0);
	return 0;
}

/* EXT4_IO_END_UNWRITTEN, fs/ext4/ext4.h: extents to convert before pages are ended. */
#define DB_EXT4_IO_END_UNWRITTEN	0x0001

db_inline int db_handle_ext4_end_bio(__u64 key)
{
	struct db_config *cfg = db_on();
	const struct bio *bio;
	__u64 io_end = 0;

	if (!cfg)
		return 0;
	bio = db_typed(struct bio, key);
	if (!db_bio_wanted(cfg, bio))
		return 0;
	db_bio_arrived(cfg, key, DB_MECH_BIO_COMPLETE);
	if (cfg->ext4_io_end_flag < 0)
		return 0;
	/* as a number, to compute with */
	bpf_core_read(&io_end, sizeof(io_end), &bio->bi_private);
	if (io_end && db_load32(io_end + cfg->ext4_io_end_flag) & DB_EXT4_IO_END_UNWRITTEN)
		db_handoff(key, DB_MECH_EXT4_CONV);
	return 0;
}

db_inline int db_handle_ext4_finish(__u64 key)
{
	struct db_config *cfg = db_on();

	if (cfg)
		db_bio_arrived(cfg, key, DB_MECH_EXT4_CONV);
	return 0;
}

/*
 * Block layer tracepoints judge the context where bio_endio() itself cannot
 * be probed.  Requests complete all their bios at one place.
 */
struct db_bio_walk {
	__u64 bio;
	__u32 context;
	__u32 left;		/* bytes of the request that complete now */
};

#define DB_BIOS_MAX	1024

/* One more bio of a request; 1: there is none that completes now. */
static long db_rq_bio(__u32 i, struct db_bio_walk *walk)
{
	struct db_config *cfg = db_cfg();
	const struct bio *bio;
	__u32 size;

	if (!walk->bio || !cfg)
		return 1;
	bio = db_typed(struct bio, walk->bio);
	size = bio->bi_iter.bi_size;
	if (size > walk->left)
		return 1;
	walk->left -= size;
	db_count_bio(cfg, bio, walk->context);
	walk->bio = (__u64)bio->bi_next;
	return 0;
}

SEC("raw_tp/block_rq_complete")
int BPF_PROG(rq_complete, __u64 request, int error, unsigned int bytes)
{
	struct db_config *cfg = db_on();
	struct db_bio_walk walk;
	const struct request *rq;
	__u32 op;

	if (!cfg)
		return 0;
	rq = db_typed(struct request, request);
	op = rq->cmd_flags & DB_REQ_OP_MASK;
	if (op != DB_REQ_OP_WRITE && op != DB_REQ_OP_ZONE_APPEND)
		return 0;
	walk.bio = (__u64)rq->bio;
	walk.context = db_context_judge(DB_ATTACH_RAW_TP, DB_IRQS_ASK, 0);
	walk.left = bytes;
	if (db_rq_bio(0, &walk) || !walk.bio)
		return 0;
	if (bpf_loop(DB_BIOS_MAX, db_rq_bio, &walk, 0) == DB_BIOS_MAX && walk.bio)
		db_lose(DB_LOSS_BIO_LONG, 1);
	return 0;
}

SEC("raw_tp/block_bio_complete")
int BPF_PROG(bio_complete, __u64 queue, __u64 address)
{
	struct db_config *cfg = db_on();
	const struct bio *bio;

	if (!cfg)
		return 0;
	bio = db_typed(struct bio, address);
	if (db_bio_is_write(bio))
		db_count_bio(cfg, bio, db_context_judge(DB_ATTACH_RAW_TP, DB_IRQS_ASK, 0));
	return 0;
}

/* Mechanism whose work function this is, DB_MECH_NR if it is none's. */
db_inline __u32 db_work_mechanism(const struct db_config *cfg, __u64 work)
{
	__u64 func = (__u64)db_typed(struct work_struct, work)->func;
	__u32 i;

	for (i = 0; i < DB_MECH_NR; i++)
		if (func == cfg->work_func[i])
			return i;
	return DB_MECH_NR;
}

db_inline struct db_work_line *db_work_line_of(__u64 work)
{
	__u32 line = work * 0x9e3779b97f4a7c15ULL >> (64 - DB_WORK_LINES_BITS);

	return bpf_map_lookup_elem(&db_works, &line);
}

/*
 * F2FS on kernels before the block layer's helpers (kernel/7.2): one work item
 * per bio, on an unbound workqueue, so its depth is that of all CPUs together.
 */
db_inline bool db_work_is_bio(__u32 mechanism)
{
	return mechanism == DB_MECH_F2FS_WQ;
}

/* It is queued once at a time and starts later, so nobody else looks for it now. */
SEC("raw_tp/workqueue_queue_work")
int BPF_PROG(work_queue, int cpu, __u64 pwq, __u64 work)
{
	struct db_config *cfg = db_on();
	struct db_work_line *line;
	struct db_work *w, *found = NULL;
	__u32 mechanism;
	int i;

	if (!cfg)
		return 0;
	mechanism = db_work_mechanism(cfg, work);
	if (mechanism >= DB_MECH_NR)
		return 0;
	line = db_work_line_of(work);
	if (!line)
		return 0;
	/* it may still be here: queued once before, and cancelled */
	for (i = 0; i < DB_WORKS_IN_LINE && !found; i++)
		if (line->works[i].work == work)
			found = &line->works[i];
	for (i = 0; i < DB_WORKS_IN_LINE && !found; i++) {
		w = &line->works[i];
		if (!w->work && !__sync_val_compare_and_swap(&w->work, 0, work))
			found = w;
	}
	if (!found) {
		db_lose(DB_LOSS_BIO_FULL, 1);
		return 0;
	}
	found->queued_ns = bpf_ktime_get_ns();
	if (db_work_is_bio(mechanism))
		db_depth_enter(mechanism, 0);
	return 0;
}

SEC("raw_tp/workqueue_execute_start")
int BPF_PROG(work_start, __u64 work)
{
	struct db_config *cfg = db_on();
	struct db_work_line *line;
	struct db_work *w;
	__u32 mechanism;
	__u64 waited;
	int i;

	if (!cfg)
		return 0;
	mechanism = db_work_mechanism(cfg, work);
	line = mechanism < DB_MECH_NR ? db_work_line_of(work) : NULL;
	if (!line)
		return 0;
	for (i = 0; i < DB_WORKS_IN_LINE; i++) {
		w = &line->works[i];
		if (w->work != work)
			continue;
		waited = bpf_ktime_get_ns() - w->queued_ns;
		db_hist_add(DB_HIST_WORK + mechanism, waited);
		if (db_work_is_bio(mechanism)) {
			db_hist_add(DB_HIST_DEFERRAL + mechanism, waited);
			db_depth_leave(mechanism, 0);
		}
		w->work = 0;
		break;
	}
	return 0;
}

#define DB_BIO_ENTRY(name, call)					\
	SEC("fentry")							\
	int name##_fentry(unsigned long long *ctx)			\
	{								\
		__u64 bio = db_arg(ctx, 0);				\
									\
		return DB_UNPREEMPTED(held, call);			\
	}								\
	SEC("kprobe")							\
	int BPF_KPROBE(name##_kprobe, __u64 bio)			\
	{								\
		return call;						\
	}

SEC("fentry")
int bio_endio_fentry(unsigned long long *ctx)
{
	return DB_UNPREEMPTED(held, db_handle_bio_endio(db_arg(ctx, 0), DB_ATTACH_FENTRY,
							DB_IRQS_ASK, held));
}

SEC("kprobe")
int BPF_KPROBE(bio_endio_kprobe, __u64 bio)
{
	return db_handle_bio_endio(bio, DB_ATTACH_KPROBE, db_irqs_of(ctx), 0);
}

DB_BIO_ENTRY(bio_defer, db_handle_bio_defer(bio))
DB_BIO_ENTRY(xfs_end_bio, db_handle_xfs_end_bio(bio))
DB_BIO_ENTRY(ext4_end_bio, db_handle_ext4_end_bio(bio))
DB_BIO_ENTRY(ext4_finish, db_handle_ext4_finish(bio))
/* One per end-io function: a program of this type has one target. */
DB_BIO_ENTRY(end_io_iomap, db_handle_end_io(bio))
DB_BIO_ENTRY(end_io_buffer, db_handle_end_io(bio))
DB_BIO_ENTRY(end_io_f2fs, db_handle_end_io(bio))
DB_BIO_ENTRY(end_io_f2fs_zone, db_handle_end_io(bio))
DB_BIO_ENTRY(xfs_finish, db_handle_xfs_finish(bio))
