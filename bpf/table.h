/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The folio table.  A folio's set follows from where its struct page lies in
 * memory, so that neighbours in memory are neighbours in the table and large
 * folios, which own the sets of all their pages, collide no more than small
 * ones.
 */
#ifndef DROPBEHIND_BPF_TABLE_H
#define DROPBEHIND_BPF_TABLE_H

#include "maps.h"

/* Large folios go up to this order; a split leaves parts of any smaller one. */
#define DB_SPLIT_ORDERS	10

/* Index of the first slot of the set of @folio. */
db_inline __u32 db_table_set(const struct db_config *cfg, __u64 folio)
{
	__u64 page = folio / bpf_core_type_size(struct page);

	return (page & cfg->table_mask) * DB_TABLE_WAYS;
}

/* Slot that holds @folio, or NULL. */
db_inline struct db_folio *db_table_find(const struct db_config *cfg, __u64 folio)
{
	__u32 slot = db_table_set(cfg, folio);
	struct db_folio *f;
	int way;

#pragma unroll
	for (way = 0; way < DB_TABLE_WAYS; way++, slot++) {
		f = bpf_map_lookup_elem(&db_folios, &slot);
		if (!f)
			return NULL;
		if (f->tag == folio)
			return f;
	}
	return NULL;
}

/*
 * A free slot for @folio, taken by writing the tag; NULL when the set is full.
 * Only one CPU inserts a given folio at a time: it holds the folio lock.
 */
db_inline struct db_folio *db_table_take(const struct db_config *cfg, __u64 folio)
{
	__u32 slot = db_table_set(cfg, folio);
	struct db_folio *f;
	int way;

#pragma unroll
	for (way = 0; way < DB_TABLE_WAYS; way++, slot++) {
		f = bpf_map_lookup_elem(&db_folios, &slot);
		if (!f)
			return NULL;
		if (!f->tag && !__sync_val_compare_and_swap(&f->tag, 0, folio))
			return f;
	}
	return NULL;
}

/*
 * The slot of the folio that @part was split from: the head of some larger
 * aligned block that covers it and that was born as large as that.
 */
db_inline struct db_folio *db_table_find_split(const struct db_config *cfg, __u64 part)
{
	__u64 size = bpf_core_type_size(struct page);
	__u64 page = part / size;
	struct db_folio *f;
	int order;

	for (order = 1; order <= DB_SPLIT_ORDERS; order++) {
		f = db_table_find(cfg, part - (page & ((1ULL << order) - 1)) * size);
		if (f && f->order >= order)
			return f;
	}
	return NULL;
}

#endif
