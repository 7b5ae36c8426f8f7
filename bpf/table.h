/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The folio table.  A folio's home slot follows from where its struct page lies
 * in memory: neighbours in memory are neighbours in the table, and large
 * folios, which own the slots of all their pages, collide no more than small
 * ones.  When the home slot is taken, one of a few others is used and the home
 * slot remembers that somebody lives elsewhere, so that a look at one cache
 * line is nearly always enough.
 */
#ifndef DROPBEHIND_BPF_TABLE_H
#define DROPBEHIND_BPF_TABLE_H

#include "maps.h"

/* Large folios go up to this order; a split leaves parts of any smaller one. */
#define DB_SPLIT_ORDERS	10

/* In the tag of a slot: not a folio, but the parts of a split one that have no slot of their own yet. */
#define DB_TABLE_PARTS	1ULL

#define DB_TABLE_CHOICES	4
#define DB_TABLE_STEP		0x9e3779b1U	/* odd, so that the choices differ */

/* Slot number @choice of @folio; 0 is its home. */
db_inline struct db_folio *db_table_slot(const struct db_config *cfg, __u64 folio, __u32 choice)
{
	__u32 page = folio / bpf_core_type_size(struct page);
	__u32 slot = (page + choice * DB_TABLE_STEP) & cfg->table_mask;

	return bpf_map_lookup_elem(&db_folios, &slot);
}

/* Slot that holds @folio, or NULL. */
db_inline struct db_folio *db_table_find(const struct db_config *cfg, __u64 folio)
{
	struct db_folio *home = db_table_slot(cfg, folio, 0), *f;
	__u32 choice;

	if (!home)
		return NULL;
	if (home->tag == folio)
		return home;
	if (!home->displaced)
		return NULL;
	for (choice = 1; choice < DB_TABLE_CHOICES; choice++) {
		f = db_table_slot(cfg, folio, choice);
		if (f && f->tag == folio)
			return f;
	}
	return NULL;
}

/*
 * A free slot for @folio, taken by writing the tag; NULL when all its choices
 * are taken.  Only one CPU inserts a given folio at a time: it holds the folio
 * lock.
 */
db_inline struct db_folio *db_table_take(const struct db_config *cfg, __u64 folio)
{
	struct db_folio *home = db_table_slot(cfg, folio, 0), *f;
	__u32 choice;

	if (!home)
		return NULL;
	if (!home->tag && !__sync_val_compare_and_swap(&home->tag, 0, folio))
		return home;
	__sync_fetch_and_add(&home->displaced, 1);
	for (choice = 1; choice < DB_TABLE_CHOICES; choice++) {
		f = db_table_slot(cfg, folio, choice);
		if (f && !f->tag && !__sync_val_compare_and_swap(&f->tag, 0, folio))
			return f;
	}
	__sync_fetch_and_add(&home->displaced, -1);
	return NULL;
}

/* Frees the slot that holds @folio. */
db_inline void db_table_free(const struct db_config *cfg, struct db_folio *f, __u64 folio)
{
	struct db_folio *home = db_table_slot(cfg, folio, 0);

	if (home && home->tag == folio) {
		home->tag = 0;
		return;
	}
	f->tag = 0;
	if (home)
		__sync_fetch_and_add(&home->displaced, -1);
}

/*
 * The slot that still counts @part of a split folio: the folio's own as long as
 * nothing told the split, or the one of its parts.  The head is that of some
 * larger aligned block that covers the part and that was born as large as that.
 */
db_inline struct db_folio *db_table_find_whole(const struct db_config *cfg, __u64 part)
{
	__u64 size = bpf_core_type_size(struct page);
	__u64 page = part / size, head;
	struct db_folio *f;
	int order;

	for (order = 1; order <= DB_SPLIT_ORDERS; order++) {
		head = part - (page & ((1ULL << order) - 1)) * size;
		f = db_table_find(cfg, head);
		if (f && f->order >= order)
			return f;
		f = db_table_find(cfg, head | DB_TABLE_PARTS);
		if (f && f->order >= order)
			return f;
	}
	return NULL;
}

#endif
