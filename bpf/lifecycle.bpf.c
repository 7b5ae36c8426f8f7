// SPDX-License-Identifier: GPL-2.0
/* Birth, writeback, drop attempt and death of dropbehind folios. */
#include "account.h"
#include "syscall.h"

char LICENSE[] SEC("license") = "GPL";

db_inline bool db_origin_wanted(const struct db_config *cfg)
{
	char comm[16] = {};
	int i;

	if (cfg->filter_pid && cfg->filter_pid != bpf_get_current_pid_tgid() >> 32)
		return false;
	if (!cfg->filter_comm[0])
		return true;
	bpf_get_current_comm(comm, sizeof(comm));
	for (i = 0; i < 16; i++)
		if (comm[i] != cfg->filter_comm[i])
			return false;
	return true;
}

/*
 * A folio is born in the context of the I/O that asks for it, so current is
 * its origin.  Readahead allocates inside a NOFS scope (mm/readahead.c); a
 * buffered write holds the inode's rw_semaphore for writing, except on block
 * devices, where the system call decides.
 */
db_inline __u32 db_birth_op(struct inode *inode)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (task->flags & DB_PF_MEMALLOC_NOFS && !db_in_write_syscall(task))
		return DB_OP_READAHEAD;
	if (db_rwsem_writer(&inode->i_rwsem) == (unsigned long)task)
		return DB_OP_WRITE;
	return db_in_read_syscall(task) ? DB_OP_READ : DB_OP_WRITE;
}

/* The slot of a folio that is born; a stale one of the same address is settled first. */
db_inline struct db_folio *db_birth_slot(const struct db_config *cfg, __u64 tag)
{
	struct db_folio *f = db_table_find(cfg, tag);

	if (!f)
		return db_table_take(cfg, tag);
	db_gone(cfg, f, tag);
	return db_table_take(cfg, tag);
}

db_inline int db_handle_birth(__u64 tag)
{
	struct db_config *cfg = db_on();
	struct address_space *mapping;
	struct db_folio *f, born = {};
	struct db_next *next;
	struct folio *folio;
	struct inode *inode;
	unsigned long flags;
	__u32 flow, zero = 0;

	if (!cfg)
		return 0;
	folio = db_typed(struct folio, tag);
	flags = db_folio_flags(folio);
	if (!(flags & db_pg_bit(dropbehind)))
		return 0;
	if (cfg->filter_on && !db_origin_wanted(cfg))
		return 0;
	mapping = folio->mapping;
	inode = mapping->host;
	flow = db_flow_of(inode, db_folio_memcg_data(folio));
	if (flow == DB_FLOW_REJECTED)
		return 0;
	born.flow = flow;
	born.order = db_folio_order(folio, flags);
	born.pages_left = 1U << (born.order & 31);
	born.op = db_birth_op(inode);
	db_count_birth(&born);
	f = db_birth_slot(cfg, tag);
	if (!f) {
		db_lose(DB_LOSS_TABLE_FULL, born.pages_left);
		return 0;
	}
	f->wb_start_ns = 0;
	f->wb_end_ns = 0;
	f->left_ns = 0;
	f->flow = flow;
	f->pages_left = born.pages_left;
	f->op = born.op;
	f->order = born.order;
	f->state = 0;
	f->ender = 0;
	f->looked = DB_LOOK_OTHER;
	f->birth_ns = bpf_ktime_get_ns();
	f->outcome = DB_OUT_NONE;
	if (born.order) {
		next = bpf_map_lookup_elem(&db_next, &zero);
		if (next && !next->large)
			next->large = 1;
	}
	return 0;
}

/*
 * A folio with the flag that is not in the table: born before the trace or
 * while its probe was skipped.  Folios that a filter excludes are not there
 * either; who asked for them cannot be told any more.
 */
db_inline void db_lose_unborn(const struct db_config *cfg, struct folio *folio, unsigned long flags)
{
	if (cfg->filter_on) {
		if (cfg->filter_pid || cfg->filter_comm[0])
			return;
		if (db_flow_of(folio->mapping->host, db_folio_memcg_data(folio)) ==
		    DB_FLOW_REJECTED)
			return;
	}
	db_lose(DB_LOSS_UNBORN, 1U << (db_folio_order(folio, flags) & 31));
}

/* What a folio that comes out of another one, split off it or its copy, has of it. */
db_inline void db_inherit(struct db_folio *f, const struct db_folio *from)
{
	f->birth_ns = from->birth_ns;
	f->wb_start_ns = from->wb_start_ns;
	f->wb_end_ns = from->wb_end_ns;
	f->left_ns = from->left_ns;
	f->flow = from->flow;
	f->op = from->op;
	f->state = 0;
	f->ender = 0;
	f->looked = DB_LOOK_OTHER;
	f->outcome = from->outcome;
}

db_inline void db_note_split(void)
{
	__u32 zero = 0;
	struct db_next *next = bpf_map_lookup_elem(&db_next, &zero);

	if (next && !next->split)
		next->split = 1;
}

/* Takes @pages out of those that @f counts, if it has more than that. */
db_inline bool db_take_pages(struct db_folio *f, __u32 pages)
{
	__u32 had, i;

	for (i = 0; i < 8; i++) {
		had = f->pages_left;
		if (had <= pages)
			return false;
		if (__sync_val_compare_and_swap(&f->pages_left, had, had - pages) == had)
			return true;
	}
	return false;
}

/*
 * A folio that is smaller than it was born has been split.  Its slot keeps what
 * it is now; the other parts, which can each be anywhere in its life, go to a
 * slot of their own until each shows itself.
 */
db_inline void db_part_from(const struct db_config *cfg, struct db_folio *f, __u64 tag, __u32 order)
{
	__u32 pages = 1U << (order & 31), had = f->pages_left, rest;
	struct db_folio *parts;

	if (order >= f->order || had <= pages)
		return;
	rest = had - pages;
	parts = db_table_take(cfg, tag | DB_TABLE_PARTS);
	if (!parts) {
		db_lose(DB_LOSS_TABLE_FULL, rest);
		db_take_pages(f, rest);
		f->order = order;
		return;
	}
	parts->pages_left = 0;
	parts->order = f->order;
	db_inherit(parts, f);
	f->order = order;
	if (db_take_pages(f, rest))
		__sync_fetch_and_add(&parts->pages_left, rest);
	db_note_split();
}

/* The slot of a folio.  One that was split off another gets its own where its flag shows that it needs one. */
db_inline struct db_folio *db_find_or_split(const struct db_config *cfg, __u64 tag,
					    const struct folio *folio, unsigned long flags)
{
	struct db_folio *f = db_table_find(cfg, tag), *whole;
	__u32 order, pages;

	if (f) {
		if (f->order)
			db_part_from(cfg, f, tag, db_folio_order(folio, flags));
		return f;
	}
	if (!(flags & db_pg_bit(dropbehind)))
		return NULL;
	whole = db_table_find_whole(cfg, tag);
	if (!whole)
		return NULL;
	order = db_folio_order(folio, flags);
	pages = 1U << (order & 31);
	if (pages > whole->pages_left)
		return NULL;
	f = db_table_take(cfg, tag);
	if (!f)
		return NULL;
	db_inherit(f, whole);
	f->order = order;
	f->pages_left = pages;
	if (!db_take_pages(whole, pages)) {
		/* it is the last one, or another part was quicker */
		if (!(whole->tag & DB_TABLE_PARTS) || whole->pages_left != pages) {
			db_table_free(cfg, f, tag);
			return NULL;
		}
		db_table_free(cfg, whole, whole->tag);
	}
	db_note_split();
	return f;
}

db_inline __u32 db_ender(void)
{
	return DB_ENDER((__u32)bpf_get_current_pid_tgid());
}

/*
 * What removed the folio that is dying.  Where the drop itself is probed its
 * mark says so.  Elsewhere the flag tells (the drop clears it just before) and
 * the task: nothing but the drop removes clean flagless folios from a kworker
 * or inside a read or write system call, except eviction and reclaim, which
 * are recognised first.
 */
db_inline __u32 db_death_cause(const struct db_config *cfg, const struct db_folio *f,
			       unsigned long flags, struct address_space *mapping)
{
	struct task_struct *task = bpf_get_current_task_btf();
	unsigned int task_flags;

	if (f->state & DB_FOLIO_TRIED)
		return f->ender == db_ender() ? DB_FATE_DROPPED_WRITE : DB_FATE_DROPPED_READ;
	task_flags = task->flags;
	if (mapping->flags & db_as_exiting()) {
		/*
		 * Eviction waits for writeback, and the drop comes before it goes on;
		 * a worker that evicts works for the general purpose workqueues.
		 */
		if (db_has_point(cfg, DB_POINT_DROP) || !(task_flags & DB_PF_WQ_WORKER) ||
		    flags & db_pg_bit(dropbehind) || db_on_events_wq())
			return DB_FATE_TRUNCATED;
		return DB_FATE_DROPPED_WRITE;
	}
	if (task_flags & (DB_PF_MEMALLOC | DB_PF_KSWAPD))
		return DB_FATE_RECLAIMED;
	if (db_has_point(cfg, DB_POINT_DROP) || flags & db_pg_bit(dropbehind))
		return DB_FATE_TRUNCATED;
	if (f->outcome == DB_OUT_CLAIMED)
		return DB_FATE_TRUNCATED;
	if (task_flags & DB_PF_WQ_WORKER)
		return DB_FATE_DROPPED_WRITE;
	if (task_flags & (DB_PF_KTHREAD | DB_PF_IO_WORKER) || db_in_io_uring(task))
		return f->op == DB_OP_WRITE ? DB_FATE_DROPPED_WRITE : DB_FATE_DROPPED_READ;
	if (db_in_read_syscall(task))
		return DB_FATE_DROPPED_READ;
	if (db_in_write_syscall(task))
		return DB_FATE_DROPPED_WRITE;
	return DB_FATE_TRUNCATED;
}

/*
 * Where migration is not probed, the address of a folio that migrated away may
 * have become another file's.
 */
db_inline bool db_is_other(const struct db_folio *f, struct address_space *mapping)
{
	__u32 flow = f->flow;
	struct db_flow_info *info = bpf_map_lookup_elem(&db_flow_info, &flow);

	return info && info->used && info->key.ino && mapping->host->i_ino != info->key.ino;
}

/* The outcome of a folio that dies without having one. */
db_inline __u32 db_death_outcome(const struct db_config *cfg, const struct db_folio *f,
				 unsigned long flags, __u32 cause)
{
	if (cause == DB_FATE_DROPPED_WRITE)
		return DB_OUT_DROPPED_WRITE;
	if (cause == DB_FATE_DROPPED_READ)
		return DB_OUT_DROPPED_READ;
	if (!(flags & db_pg_bit(dropbehind)))
		return DB_OUT_CLAIMED;
	if (f->op != DB_OP_WRITE && !f->wb_end_ns)
		return DB_OUT_LEFT_NEVER_READ;
	if (cause == DB_FATE_TRUNCATED)
		return DB_OUT_TRUNCATED;
	/* Reclaim takes clean folios only: this one was cleaned and kept. */
	if (!db_has_point(cfg, DB_POINT_DROP_ATTEMPT))
		return DB_OUT_LEFT_UNKNOWN;
	return f->wb_end_ns ? DB_OUT_RECLAIMED : DB_OUT_LEFT_NO_WB;
}

db_inline int db_handle_death(__u64 tag)
{
	struct db_config *cfg = db_on();
	struct folio *folio;
	struct address_space *mapping;
	struct db_next *next;
	struct db_folio *f;
	unsigned long flags;
	__u32 pages, order, cause, outcome, known, zero = 0;
	__u64 now, left_ns;
	bool last;

	if (!cfg)
		return 0;
	folio = db_typed(struct folio, tag);
	flags = db_folio_flags(folio);
	f = db_table_find(cfg, tag);
	mapping = folio->mapping;
	if (!f) {
		next = bpf_map_lookup_elem(&db_next, &zero);
		if (!next || !next->large)
			goto unknown;
		/* what the drop removes has a slot of its own since the drop began */
		if (!(flags & db_pg_bit(dropbehind)) && db_has_point(cfg, DB_POINT_DROP) && !next->split)
			return 0;
		f = db_table_find_whole(cfg, tag);
		if (!f || db_is_other(f, mapping))
			goto unknown;
	} else if (!db_has_point(cfg, DB_POINT_MIGRATE) && db_is_other(f, mapping)) {
		db_gone(cfg, f, f->tag);
		goto unknown;
	}
	order = db_folio_order(folio, flags);
	if (f->tag == tag)
		db_part_from(cfg, f, tag, order);
	pages = 1U << (order & 31);
	if (pages > f->pages_left)
		pages = f->pages_left;
	last = pages == f->pages_left;
	now = bpf_ktime_get_ns();
	cause = db_death_cause(cfg, f, flags, mapping);
	left_ns = f->left_ns;
	known = f->outcome;
	outcome = known;
	if (known == DB_OUT_NONE) {
		outcome = db_death_outcome(cfg, f, flags, cause);
		/* the task that ended its writeback may be deciding too */
		known = last ? __sync_val_compare_and_swap(&f->outcome, DB_OUT_NONE, outcome) :
			       f->outcome;
		if (known == DB_OUT_NONE)
			db_count_outcome(f, outcome, last, pages);
		else
			outcome = known;
	}
	if (db_is_left(known))
		db_hist_add(DB_HIST_STAYED, left_ns && now > left_ns ? now - left_ns : 0);
	if (db_is_left(outcome))
		db_count_fate(f, outcome, cause, last, pages);
	if (cause == DB_FATE_DROPPED_WRITE || cause == DB_FATE_DROPPED_READ) {
		db_hist_residency(f, now);
		db_emit_folio(cfg, DB_EV_DROP, f, folio,
			      cause == DB_FATE_DROPPED_WRITE ? DB_OUT_DROPPED_WRITE :
							       DB_OUT_DROPPED_READ,
			      DB_CTX_TASK, now);
	}
	if (last)
		db_table_free(cfg, f, f->tag);
	else
		__sync_fetch_and_sub(&f->pages_left, pages);
	return 0;
unknown:
	if (flags & db_pg_bit(dropbehind))
		db_lose_unborn(cfg, folio, flags);
	return 0;
}

db_inline int db_handle_wb_start(__u64 tag)
{
	struct db_config *cfg = db_on();
	struct folio *folio;
	struct db_folio *f;

	if (!cfg)
		return 0;
	folio = db_typed(struct folio, tag);
	f = db_find_or_split(cfg, tag, folio, db_folio_flags(folio));
	if (f)
		f->wb_start_ns = bpf_ktime_get_ns();
	return 0;
}

db_inline int db_handle_wb_end(__u64 tag)
{
	struct db_config *cfg = db_on();
	struct folio *folio;
	struct db_folio *f;
	unsigned long flags;

	if (!cfg)
		return 0;
	folio = db_typed(struct folio, tag);
	flags = db_folio_flags(folio);
	f = db_find_or_split(cfg, tag, folio, flags);
	if (!f)
		return 0;
	f->wb_end_ns = bpf_ktime_get_ns();
	if (!(flags & db_pg_bit(dropbehind)))
		db_decide(cfg, f, folio, DB_OUT_CLAIMED, DB_CTX_UNKNOWN, f->wb_end_ns);
	return 0;
}

/* The drop after writeback is about to be tried, if the context allows. */
db_inline int db_handle_end_dropbehind(__u64 tag, __u32 how, __u32 irqs, __u32 held)
{
	struct db_config *cfg = db_on();
	struct folio *folio;
	struct db_context_key key = {};
	unsigned long flags;
	struct db_folio *f;
	__u32 context;
	__u64 now;

	if (!cfg)
		return 0;
	folio = db_typed(struct folio, tag);
	flags = db_folio_flags(folio);
	if (!(flags & db_pg_bit(dropbehind)))
		return 0;
	f = db_find_or_split(cfg, tag, folio, flags);
	if (!f) {
		/* whoever holds the lock may just have removed it, with its flag */
		if (folio->mapping && !(flags & db_pg_bit(locked)))
			db_lose_unborn(cfg, folio, flags);
		return 0;
	}
	context = db_context_judge(how, irqs, held);
	now = bpf_ktime_get_ns();
	if (!db_has_point(cfg, DB_POINT_WB_END))
		f->wb_end_ns = now;
	key.dev = folio->mapping->host->i_sb->s_dev;
	key.place = DB_PLACE_DROP_ATTEMPT;
	key.context = context;
	db_context_count(&key, f->pages_left, 0);
	if (context == DB_CTX_UNKNOWN || db_context_in_task(context))
		f->ender = db_ender();
	else
		db_decide(cfg, f, folio, DB_OUT_LEFT_NOT_TASK, context, now);
	return 0;
}

/* Back from the attempt: a folio that still has its flag was not even tried. */
db_inline int db_handle_end_dropbehind_ret(__u64 tag)
{
	struct db_config *cfg = db_on();
	struct folio *folio;
	struct db_folio *f;

	if (!cfg)
		return 0;
	folio = db_typed(struct folio, tag);
	f = db_table_find(cfg, tag);
	if (!f || f->ender != db_ender())
		return 0;
	if (db_folio_flags(folio) & db_pg_bit(dropbehind))
		db_decide(cfg, f, folio, DB_OUT_LEFT_LOCK_BUSY, DB_CTX_TASK, bpf_ktime_get_ns());
	f->ender = 0;
	return 0;
}

/* The folio is locked and, if clean and not under writeback, loses its flag now. */
db_inline int db_handle_drop(__u64 tag)
{
	struct db_config *cfg = db_on();
	struct folio *folio;
	struct db_folio *f;
	unsigned long flags;

	if (!cfg)
		return 0;
	folio = db_typed(struct folio, tag);
	flags = db_folio_flags(folio);
	if (!(flags & db_pg_bit(dropbehind)))
		return 0;
	f = db_find_or_split(cfg, tag, folio, flags);
	if (!f)
		return 0;
	if (flags & (db_pg_bit(writeback) | db_pg_bit(dirty))) {
		if (f->ender == db_ender())
			f->ender = 0;
		return 0;
	}
	if (!folio->mapping)
		return 0;
	if (db_folio_mapped(folio, flags))
		db_decide(cfg, f, folio, DB_OUT_LEFT_MAPPED, DB_CTX_TASK, bpf_ktime_get_ns());
	else
		f->state = DB_FOLIO_TRIED;
	return 0;
}

db_inline int db_handle_drop_ret(__u64 tag)
{
	struct db_config *cfg = db_on();
	struct folio *folio;
	struct db_folio *f;

	if (!cfg)
		return 0;
	folio = db_typed(struct folio, tag);
	f = db_table_find(cfg, tag);
	if (!f || !(f->state & DB_FOLIO_TRIED))
		return 0;
	db_decide(cfg, f, folio, DB_OUT_LEFT_REFUSED, DB_CTX_TASK, bpf_ktime_get_ns());
	f->state = 0;
	return 0;
}

/*
 * The copy of a migrated folio does not inherit the flag, so an undecided one is
 * left behind now.  The slot goes with the copy, for what becomes of it later.
 */
db_inline int db_handle_migrate(__u64 to, __u64 from)
{
	struct db_config *cfg = db_on();
	struct db_folio *f, *copy;
	struct folio *folio;

	if (!cfg)
		return 0;
	folio = db_typed(struct folio, from);
	f = db_find_or_split(cfg, from, folio, db_folio_flags(folio));
	if (!f)
		return 0;
	db_decide(cfg, f, folio, DB_OUT_LEFT_MIGRATED, DB_CTX_UNKNOWN, bpf_ktime_get_ns());
	copy = db_birth_slot(cfg, to);
	if (copy) {
		db_inherit(copy, f);
		copy->order = f->order;
		copy->pages_left = f->pages_left;
	} else {
		/* its outcome is counted, its fate will not be */
		db_lose(DB_LOSS_TABLE_FULL, f->pages_left);
	}
	db_table_free(cfg, f, from);
	return 0;
}

SEC("raw_tp/mm_filemap_add_to_page_cache")
int BPF_PROG(birth, __u64 folio)
{
	return DB_UNPREEMPTED(held, db_handle_birth(folio));
}

/* Interrupts are disabled here. */
SEC("raw_tp/mm_filemap_delete_from_page_cache")
int BPF_PROG(death, __u64 folio)
{
	return db_handle_death(folio);
}

/*
 * One pair of programs per probed function; user space loads one of each pair
 * and gives it its target.
 */
#define DB_ENTRY(name, call)						\
	SEC("fentry")							\
	int name##_fentry(unsigned long long *ctx)			\
	{								\
		__u64 folio = db_arg(ctx, 0);				\
									\
		return DB_UNPREEMPTED(held, call);				\
	}								\
	SEC("kprobe")							\
	int BPF_KPROBE(name##_kprobe, __u64 folio)			\
	{								\
		return call;						\
	}

DB_ENTRY(wb_start, db_handle_wb_start(folio))
DB_ENTRY(wb_end, db_handle_wb_end(folio))

SEC("fentry")
int end_dropbehind_fentry(unsigned long long *ctx)
{
	return DB_UNPREEMPTED(held, db_handle_end_dropbehind(db_arg(ctx, 0), DB_ATTACH_FENTRY,
							     DB_IRQS_ASK, held));
}

SEC("fexit")
int end_dropbehind_fexit(unsigned long long *ctx)
{
	return DB_UNPREEMPTED(held, db_handle_end_dropbehind_ret(db_arg(ctx, 0)));
}

SEC("fentry")
int drop_fentry(unsigned long long *ctx)
{
	return DB_UNPREEMPTED(held, db_handle_drop(db_arg(ctx, 0)));
}

SEC("fexit")
int drop_fexit(unsigned long long *ctx)
{
	return DB_UNPREEMPTED(held, db_handle_drop_ret(db_arg(ctx, 0)));
}

/*
 * A return probe has no arguments, so the entry probe leaves them with the
 * task.  Both functions run in task context when that matters.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, __u64);
} db_calls SEC(".maps");

#define DB_CALL_DROP_ATTEMPT	0ULL
#define DB_CALL_DROP		1ULL

db_inline __u64 db_call_key(__u64 which)
{
	return bpf_get_current_task() | which;
}

db_inline void db_call_enter(__u64 which, __u64 folio)
{
	__u64 key = db_call_key(which), value = folio;

	if (db_folio_flags(db_typed(struct folio, folio)) & db_pg_bit(dropbehind) &&
	    bpf_map_update_elem(&db_calls, &key, &value, BPF_ANY))
		db_lose(DB_LOSS_CALL_FULL, 1);
}

db_inline __u64 db_call_leave(__u64 which)
{
	__u64 key = db_call_key(which), *value, folio;

	value = bpf_map_lookup_elem(&db_calls, &key);
	if (!value)
		return 0;
	folio = *value;
	bpf_map_delete_elem(&db_calls, &key);
	return folio;
}

SEC("kprobe")
int BPF_KPROBE(end_dropbehind_kprobe, __u64 folio)
{
	struct db_config *cfg = db_on();
	if (!cfg)
		return 0;
	if (db_context_in_task(db_context_judge(DB_ATTACH_KPROBE, db_irqs_of(ctx), 0)))
		db_call_enter(DB_CALL_DROP_ATTEMPT, folio);
	return db_handle_end_dropbehind(folio, DB_ATTACH_KPROBE, db_irqs_of(ctx), 0);
}

SEC("kretprobe")
int BPF_KRETPROBE(end_dropbehind_kretprobe)
{
	__u64 folio;

	if (!db_on())
		return 0;
	folio = db_call_leave(DB_CALL_DROP_ATTEMPT);
	return folio ? db_handle_end_dropbehind_ret(folio) : 0;
}

SEC("kprobe")
int BPF_KPROBE(drop_kprobe, __u64 folio)
{
	if (!db_on())
		return 0;
	db_call_enter(DB_CALL_DROP, folio);
	return db_handle_drop(folio);
}

SEC("kretprobe")
int BPF_KRETPROBE(drop_kretprobe)
{
	__u64 folio;

	if (!db_on())
		return 0;
	folio = db_call_leave(DB_CALL_DROP);
	return folio ? db_handle_drop_ret(folio) : 0;
}

SEC("fentry")
int migrate_fentry(unsigned long long *ctx)
{
	return db_handle_migrate(db_arg(ctx, 0), db_arg(ctx, 1));
}

SEC("kprobe")
int BPF_KPROBE(migrate_kprobe, __u64 to, __u64 from)
{
	return db_handle_migrate(to, from);
}
