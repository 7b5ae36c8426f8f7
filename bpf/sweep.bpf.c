// SPDX-License-Identifier: GPL-2.0
/*
 * The sweep: looks at every live folio of the table and says why it is still
 * there.  It is a raw tracepoint program that user space runs by
 * BPF_PROG_TEST_RUN, so it works where iterators are refused.  Folio
 * structures are never freed, so a stale address reads as something that is no
 * longer this file's.
 */
#include "account.h"

char LICENSE[] SEC("license") = "GPL";

struct db_sweep_walk {
	__u32 first;		/* slot to begin with */
	__u32 pad;
	__u64 now;
};

/* Is the folio still the one that was born? */
db_inline bool db_still_there(const struct db_folio *f, const struct folio *folio)
{
	struct address_space *mapping = BPF_CORE_READ(folio, mapping);
	struct db_flow_info *info;
	struct inode *inode;
	__u32 flow = f->flow;

	/* The low bits mark anonymous and movable pages. */
	if (!mapping || (__u64)mapping & 3)
		return false;
	info = bpf_map_lookup_elem(&db_flow_info, &flow);
	if (!info || !info->used || !info->key.ino)
		return true;
	inode = BPF_CORE_READ(mapping, host);
	return BPF_CORE_READ(inode, i_ino) == info->key.ino &&
	       BPF_CORE_READ(inode, i_sb, s_dev) == info->key.dev;
}

/* True once the state was seen twice in a row. */
db_inline bool db_seen_twice(struct db_folio *f, __u8 look)
{
	if (f->looked == look)
		return true;
	f->looked = look;
	return false;
}

/* The outcome of a clean folio that still has its flag, DB_OUT_NONE while undecided. */
db_inline __u32 db_sweep_clean(const struct db_config *cfg, struct db_folio *f,
			       unsigned long flags, __u64 now)
{
	if (f->op != DB_OP_WRITE && !f->wb_end_ns) {
		if (now - f->birth_ns < cfg->sweep_grace_ms * 1000000ULL)
			return DB_OUT_NONE;
		return DB_OUT_LEFT_NEVER_READ;
	}
	if (flags & db_pg_bit(locked) || !db_seen_twice(f, DB_LOOK_CLEAN))
		return DB_OUT_NONE;
	if (f->ender)
		return DB_OUT_LEFT_LOCK_BUSY;
	if (db_has_point(cfg, DB_POINT_DROP_ATTEMPT) && !f->wb_end_ns)
		return DB_OUT_LEFT_NO_WB;
	return DB_OUT_LEFT_UNKNOWN;
}

db_inline __u32 db_sweep_pending(const struct db_folio *f, unsigned long flags)
{
	if (flags & db_pg_bit(writeback))
		return DB_PEND_WRITEBACK;
	if (flags & db_pg_bit(dirty))
		return DB_PEND_DIRTY;
	return f->op != DB_OP_WRITE && !f->wb_end_ns ? DB_PEND_UNREAD : DB_PEND_SETTLING;
}

/* Counts what is still there; @pending is why, if it has no outcome yet. */
db_inline void db_sweep_count(struct db_sweep *sum, __u32 outcome, __u32 pending, __u32 folios,
			      __u32 pages)
{
	__u32 reason = outcome - DB_OUT_LEFT_FIRST;

	if (outcome == DB_OUT_NONE)
		db_count_add(&sum->pending[pending & (DB_PEND_NR - 1)], folios, pages);
	else if (outcome == DB_OUT_CLAIMED)
		db_count_add(&sum->claimed, folios, pages);
	else if (db_is_left(outcome) && reason < DB_LEFT_NR)
		db_count_add(&sum->left[reason], folios, pages);
}

db_inline void db_sweep_one(const struct db_config *cfg, struct db_folio *f, struct db_sweep *sum,
			    __u64 now)
{
	__u64 tag = f->tag;
	struct folio *folio;
	__u32 outcome, pages = f->pages_left, pending;
	unsigned long flags;

	if (!tag)
		return;
	/* Born since this sweep began: it has no age yet. */
	if (f->birth_ns > now)
		now = f->birth_ns;
	if (tag & DB_TABLE_PARTS) {
		/* each of them shows itself at its next step */
		db_sweep_count(sum, f->outcome, DB_PEND_SETTLING, 0, pages);
		return;
	}
	folio = db_typed(struct folio, tag);
	flags = db_folio_flags(folio);
	if (!db_still_there(f, folio)) {
		if (f->tag != tag)
			return;
		/* once counting is off it may have gone since: it was pending then */
		if (cfg->enabled)
			db_gone(cfg, f, tag);
		else if (f->outcome == DB_OUT_NONE)
			db_count_add(&sum->pending[DB_PEND_SETTLING], 1, pages);
		return;
	}
	outcome = f->outcome;
	if (outcome == DB_OUT_NONE) {
		if (!(flags & db_pg_bit(dropbehind))) {
			if (db_seen_twice(f, DB_LOOK_CLAIMED))
				outcome = f->state & DB_FOLIO_TRIED ? DB_OUT_LEFT_REFUSED :
								      DB_OUT_CLAIMED;
		} else if (flags & (db_pg_bit(writeback) | db_pg_bit(dirty))) {
			f->looked = DB_LOOK_OTHER;
		} else {
			outcome = db_sweep_clean(cfg, f, flags, now);
		}
		if (outcome != DB_OUT_NONE &&
		    !db_decide(cfg, f, folio, outcome, DB_CTX_UNKNOWN, now))
			outcome = f->outcome;
	}
	/* Gone in the meantime: its death was counted. */
	if (f->tag != tag)
		return;
	pending = flags & db_pg_bit(dropbehind) ? db_sweep_pending(f, flags) : DB_PEND_SETTLING;
	db_sweep_count(sum, outcome, pending, 1, pages);
}

static long db_sweep_slot(__u32 i, struct db_sweep_walk *walk)
{
	struct db_config *cfg = db_cfg();
	__u32 slot = walk->first + i, zero = 0;
	struct db_folio *f = bpf_map_lookup_elem(&db_folios, &slot);
	struct db_sweep *sum = bpf_map_lookup_elem(&db_sweep, &zero);

	if (!cfg || !f || !sum)
		return 1;
	if (f->tag)
		db_sweep_one(cfg, f, sum, walk->now);
	return 0;
}

/* Arguments: first slot, number of slots. */
SEC("raw_tp")
int BPF_PROG(sweep, __u64 first, __u64 count)
{
	struct db_sweep_walk walk = {
		.first = first,
		.now = bpf_ktime_get_ns(),
	};
	long looked = bpf_loop(count, db_sweep_slot, &walk, 0);
	struct db_sweep *sum;
	__u32 zero = 0;

	sum = bpf_map_lookup_elem(&db_sweep, &zero);
	if (sum && looked > 0)
		sum->slots = looked;
	return looked;
}
