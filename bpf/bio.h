/* SPDX-License-Identifier: GPL-2.0 */
/* What can be read from a bio that completes. */
#ifndef DROPBEHIND_BPF_BIO_H
#define DROPBEHIND_BPF_BIO_H

#include "table.h"

#define DB_BIO_CHAIN_MAX	8

/* All arguments here come from db_typed(). */
db_inline bool db_bio_is_write(const struct bio *bio)
{
	__u32 op = bio->bi_opf & DB_REQ_OP_MASK;

	return op == DB_REQ_OP_WRITE || op == DB_REQ_OP_ZONE_APPEND;
}

/* Address of the bio's vectors, 0 if it has none; as a number, to compute with. */
db_inline __u64 db_bio_vecs(const struct bio *bio)
{
	__u64 vecs = 0;

	bpf_core_read(&vecs, sizeof(vecs), &bio->bi_io_vec);
	return vecs;
}

/* Address of the folio that the vector at @address names, or 0. */
db_inline __u64 db_bvec_folio(__u64 address)
{
	__u64 page = 0;

	bpf_core_read(&page, sizeof(page), &((struct bio_vec *)address)->bv_page);
	return page ? db_page_folio(page) : 0;
}

db_inline bool db_bvec_dropbehind(__u64 address)
{
	__u64 folio = db_bvec_folio(address);

	return folio && db_folio_flags(db_typed(struct folio, folio)) & db_pg_bit(dropbehind);
}

/*
 * Does it write dropbehind folios?  Filesystems that use the block layer's
 * helper say so by a flag on the bio; otherwise the first and the last folio
 * are looked at.  The folios are under writeback, so their flags are stable.
 */
db_inline bool db_bio_dropbehind(const struct db_config *cfg, const struct bio *bio)
{
	__u64 vecs;
	__u16 n;

	if (bio->bi_flags & cfg->flag_bio_complete_in_task)
		return true;
	n = bio->bi_vcnt;
	vecs = db_bio_vecs(bio);
	if (!vecs)
		return false;
	if (db_bvec_dropbehind(vecs))
		return true;
	return n > 1 && db_bvec_dropbehind(vecs + (n - 1) * bpf_core_type_size(struct bio_vec));
}

#define DB_BIO_VECS_MAX	1024

struct db_vec_walk {
	__u64 vec;
	__u32 bytes;
};

static long db_vec_add(__u32 i, struct db_vec_walk *walk)
{
	walk->bytes += db_typed(struct bio_vec, walk->vec)->bv_len;
	walk->vec += bpf_core_type_size(struct bio_vec);
	return 0;
}

/* Bytes of a bio, from its vectors: what remains to be done is 0 when it completes.  0: unknown. */
db_inline __u32 db_bio_bytes(const struct bio *bio)
{
	struct db_vec_walk walk = {
		.vec = db_bio_vecs(bio),
	};
	__u16 n = bio->bi_vcnt;

	if (!walk.vec || n > DB_BIO_VECS_MAX)
		return 0;
	bpf_loop(n, db_vec_add, &walk, 0);
	return walk.bytes;
}

/* Flow of the first folio that a bio writes, if that one is tracked; 0: unknown. */
db_inline __u32 db_bio_flow(const struct db_config *cfg, const struct bio *bio)
{
	__u64 vecs = db_bio_vecs(bio), folio = vecs ? db_bvec_folio(vecs) : 0;
	struct db_folio *f = folio ? db_table_find(cfg, folio) : NULL;

	return f ? f->flow : 0;
}

db_inline __u32 db_bio_dev(const struct bio *bio)
{
	return bio->bi_bdev->bd_dev;
}

/* The cgroup of the io controller that the bio is charged to. */
db_inline struct cgroup *db_bio_cgroup(const struct bio *bio)
{
	return bio->bi_blkg->blkcg->css.cgroup;
}

/*
 * The bio whose end-io function bio_endio(@bio) will reach: the last of a
 * chain, or 0 when parts of it are still under way.  Chains come from bios
 * that were split to fit a device's limits.
 */
db_inline __u64 db_bio_completing(const struct db_config *cfg, __u64 address)
{
	const struct bio *bio;
	int i;

	for (i = 0; i < DB_BIO_CHAIN_MAX; i++) {
		bio = db_typed(struct bio, address);
		if (bio->bi_flags & cfg->flag_bio_chain && bio->__bi_remaining.counter > 1)
			return 0;
		if (!cfg->addr_bio_chain_endio ||
		    (__u64)bio->bi_end_io != cfg->addr_bio_chain_endio)
			return address;
		address = (__u64)bio->bi_private;
	}
	return address;
}

#endif
