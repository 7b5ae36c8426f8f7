/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All maps and the configuration.  Every object includes this; the weak
 * definitions become one when bpftool links the objects together.  Sizes
 * marked "set at start" are placeholders that user space replaces.
 */
#ifndef DROPBEHIND_MAPS_H
#define DROPBEHIND_MAPS_H

#include "compat.h"
#include "dropbehind/records.h"

#define DB_MAX_FLOWS	8192

/* Written by user space while the programs run: attach, enable, calibrate. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct db_config);
} db_config SEC(".maps") __weak;

/* The folio table.  Set at start; a power of two. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4096);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct db_folio);
} db_folios SEC(".maps") __weak;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DB_MAX_FLOWS);
	__type(key, struct db_flow_key);
	__type(value, __u32);
} db_flow_index SEC(".maps") __weak;

/* Slot 0 stands for all births whose flow found no room. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, DB_MAX_FLOWS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct db_flow_info);
} db_flow_info SEC(".maps") __weak;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, DB_MAX_FLOWS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct db_flow_tallies);
} db_flow_tallies SEC(".maps") __weak;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct db_order_counts);
} db_orders SEC(".maps") __weak;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, DB_HIST_NR);
	__type(key, __u32);
	__type(value, struct db_hist_data);
} db_hists SEC(".maps") __weak;

/* Losses, enum db_loss; per CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, DB_LOSS_NR);
	__type(key, __u32);
	__type(value, __u64);
} db_losses SEC(".maps") __weak;

/* Contexts seen: index from key to slot, counts by slot. */
#define DB_MAX_CONTEXTS	4096
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DB_MAX_CONTEXTS);
	__type(key, struct db_context_key);
	__type(value, __u32);
} db_context_index SEC(".maps") __weak;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, DB_MAX_CONTEXTS);
	__type(key, __u32);
	__type(value, struct db_count);
} db_context_counts SEC(".maps") __weak;

/* Names of the cgroups of bios, by their kernfs id. */
#define DB_MAX_BIO_CGROUPS	1024
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DB_MAX_BIO_CGROUPS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64);
	__type(value, struct db_cgroup_names);
} db_bio_cgroups SEC(".maps") __weak;

/* Workqueue names; slot 0: no name, the last: any other. */
#define DB_MAX_WQ	64
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DB_MAX_WQ);
	__type(key, __u64);		/* address of the workqueue */
	__type(value, __u32);
} db_wq_index SEC(".maps") __weak;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, DB_MAX_WQ);
	__type(key, __u32);
	__type(value, struct db_wq_name);
} db_wq_names SEC(".maps") __weak;

/* Allocators of slots. */
struct db_next {
	__u32 flow;
	__u32 flow_lumped;
	__u32 wq;
	__u32 context;
	__u32 large;	/* a large folio has been born: parts of it may die */
	__u32 split;	/* one was split: parts without the flag may be of it */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct db_next);
} db_next SEC(".maps") __weak;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct db_truth);
} db_truth SEC(".maps") __weak;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct db_sweep);
} db_sweep SEC(".maps") __weak;

/* Set at start. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 256 * 1024);
} db_ring SEC(".maps") __weak;

db_inline struct db_config *db_cfg(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&db_config, &zero);
}

/* The configuration, or NULL while counting is off. */
db_inline struct db_config *db_on(void)
{
	struct db_config *cfg = db_cfg();

	return cfg && cfg->enabled ? cfg : NULL;
}

db_inline bool db_has_point(const struct db_config *cfg, enum db_point point)
{
	return cfg->points & (1ULL << point);
}

db_inline void db_lose(__u32 loss, __u64 n)
{
	__u64 *count = bpf_map_lookup_elem(&db_losses, &loss);

	if (count)
		__sync_fetch_and_add(count, n);
}

#endif
