/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flows: which inode and memory cgroup a folio is attributed to.  Found once
 * per birth, through a per-CPU memory of the last answer; names are taken when
 * a flow is first seen, because file and cgroup may be gone when the report is
 * made.
 */
#ifndef DROPBEHIND_BPF_FLOW_H
#define DROPBEHIND_BPF_FLOW_H

#include "maps.h"
#include "names.h"

#define DB_FLOW_REJECTED	0xffffffffU	/* a filter excludes it */

/* Last answer on this CPU. */
struct db_flow_memo {
	__u64 memcg_data;
	__u64 ino;
	__u32 gen;
	__u32 dev;
	__u32 flow;
	__u32 check;	/* of all the above: two programs may write at once */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct db_flow_memo);
} db_flow_memos SEC(".maps") __weak;

db_inline void db_name_file(struct db_flow_info *info, struct inode *inode)
{
	struct hlist_node *first = BPF_CORE_READ(inode, i_dentry.first);
	struct dentry *dentry, *parent;
	__u32 end = 0, next;
	int i;

	if (!first)
		return;
	dentry = (void *)first - db_dentry_alias_offset();
	for (i = 0; i < DB_NAME_DEPTH; i++) {
		parent = BPF_CORE_READ(dentry, d_parent);
		if (!parent)
			return;
		if (parent == dentry) {
			info->names |= DB_NAMED_FILE;
			return;
		}
		next = db_name_add(info->file, end, BPF_CORE_READ(dentry, d_name.name));
		if (!next)
			return;
		end = next;
		dentry = parent;
	}
}

/* Does the group lie at or below the one filtered for? */
db_inline bool db_cgroup_wanted(const struct db_config *cfg, struct cgroup *cgrp)
{
	struct cgroup *ancestor;

	if (!cfg->filter_cgroup_id)
		return true;
	if (!cgrp || BPF_CORE_READ(cgrp, level) < (int)cfg->filter_cgroup_level)
		return false;
	ancestor = db_cgroup_ancestor(cgrp, cfg->filter_cgroup_level & 0xff);
	return ancestor && BPF_CORE_READ(ancestor, kn, id) == cfg->filter_cgroup_id;
}

db_inline bool db_flow_wanted(const struct db_config *cfg, const struct db_flow_key *key,
			      struct inode *inode, __u32 rdev, struct cgroup *cgrp)
{
	char fs[DB_FS_LEN] = {};
	int i;

	if (!cfg->filter_on)
		return true;
	if (cfg->filter_dev && key->dev != cfg->filter_dev && rdev != cfg->filter_dev)
		return false;
	if (cfg->filter_ino && key->ino != cfg->filter_ino)
		return false;
	if (cfg->filter_fs_on) {
		bpf_probe_read_kernel_str(fs, sizeof(fs), BPF_CORE_READ(inode, i_sb, s_type, name));
		for (i = 0; i < DB_FS_LEN; i++)
			if (fs[i] != cfg->filter_fs[i])
				return false;
	}
	return db_cgroup_wanted(cfg, cgrp);
}

/*
 * A new slot; lumped flows have a range of their own behind cfg->flow_max.
 * 0: none is free.  Several CPUs may ask for the last one at once.
 */
db_inline __u32 db_flow_new(const struct db_config *cfg, struct db_next *next, bool lumped)
{
	__u32 slot;

	if (!lumped) {
		if (next->flow + 1 >= cfg->flow_max)
			return 0;
		slot = __sync_fetch_and_add(&next->flow, 1) + 1;
		return slot < cfg->flow_max ? slot : 0;
	}
	if (cfg->flow_max + next->flow_lumped >= DB_MAX_FLOWS)
		return 0;
	slot = cfg->flow_max + __sync_fetch_and_add(&next->flow_lumped, 1);
	return slot < DB_MAX_FLOWS ? slot : 0;
}

db_inline __u32 db_flow_check(const struct db_flow_memo *memo)
{
	return memo->memcg_data * 5 + memo->ino * 7 + memo->gen * 11 + memo->dev * 13 +
	       memo->flow * 17 + 1;
}

static __noinline __u32 db_flow_find(struct inode *inode, unsigned long memcg_data)
{
	struct db_config *cfg = db_cfg();
	struct mem_cgroup *memcg = db_memcg(memcg_data);
	struct cgroup *cgrp = memcg ? BPF_CORE_READ(memcg, css.cgroup) : NULL;
	struct db_flow_key key = {};
	struct db_flow_info *info;
	struct db_next *next;
	__u32 zero = 0, slot, rdev, *known;
	const char *fs;

	next = bpf_map_lookup_elem(&db_next, &zero);
	if (!cfg || !next || !inode)
		return 0;
	key.ino = BPF_CORE_READ(inode, i_ino);
	key.gen = BPF_CORE_READ(inode, i_generation);
	key.dev = BPF_CORE_READ(inode, i_sb, s_dev);
	key.cgroup_id = cgrp ? BPF_CORE_READ(cgrp, kn, id) : 0;
	rdev = BPF_CORE_READ(inode, i_rdev);
	if (!db_flow_wanted(cfg, &key, inode, rdev, cgrp))
		return DB_FLOW_REJECTED;
	known = bpf_map_lookup_elem(&db_flow_index, &key);
	if (known)
		return *known;
	slot = db_flow_new(cfg, next, false);
	if (!slot) {
		key.ino = 0;
		key.gen = 0;
		known = bpf_map_lookup_elem(&db_flow_index, &key);
		if (known)
			return *known;
		slot = db_flow_new(cfg, next, true);
	}
	if (!slot || slot >= DB_MAX_FLOWS) {
		db_lose(DB_LOSS_FLOW_FULL, 1);
		return 0;
	}
	info = bpf_map_lookup_elem(&db_flow_info, &slot);
	if (!info)
		return 0;
	if (bpf_map_update_elem(&db_flow_index, &key, &slot, BPF_NOEXIST)) {
		/* another CPU was first; the slot stays unused */
		known = bpf_map_lookup_elem(&db_flow_index, &key);
		if (known)
			return *known;
		db_lose(DB_LOSS_FLOW_FULL, 1);
		return 0;
	}
	info->key = key;
	info->first_ns = bpf_ktime_get_ns();
	fs = BPF_CORE_READ(inode, i_sb, s_type, name);
	bpf_probe_read_kernel_str(info->fs, sizeof(info->fs), fs);
	if (info->fs[0] == 'b' && info->fs[1] == 'd' && info->fs[2] == 'e' && info->fs[3] == 'v')
		info->bdev = rdev;
	if (key.ino)
		db_name_file(info, inode);
	if (cgrp)
		info->names |= db_name_cgroup(info->cgroup, cgrp);
	info->used = 1;
	return slot;
}

/* The flow of a folio of @inode (from a typed load), or DB_FLOW_REJECTED. */
db_inline __u32 db_flow_of(struct inode *inode, unsigned long memcg_data)
{
	struct db_flow_memo *memo, now = {
		.memcg_data = memcg_data,
		.ino = inode->i_ino,
		.gen = inode->i_generation,
		.dev = inode->i_sb->s_dev,
	};
	__u32 zero = 0;

	memo = bpf_map_lookup_elem(&db_flow_memos, &zero);
	if (memo && memo->memcg_data == now.memcg_data && memo->ino == now.ino &&
	    memo->gen == now.gen && memo->dev == now.dev) {
		now.flow = memo->flow;
		if (memo->check == db_flow_check(&now))
			return now.flow;
	}
	now.flow = db_flow_find(inode, memcg_data);
	now.check = db_flow_check(&now);
	if (memo)
		*memo = now;
	return now.flow;
}

db_inline void db_count_add(struct db_count *count, __u64 folios, __u64 pages)
{
	if (folios)
		__sync_fetch_and_add(&count->folios, folios);
	__sync_fetch_and_add(&count->pages, pages);
}

#endif
