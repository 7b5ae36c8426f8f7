// SPDX-License-Identifier: GPL-2.0
#include "plan.h"

#include <stdio.h>
#include <string.h>

#include "modules.h"

#define NOT_REPLACED	DB_POINT_NR

static const struct db_plan_entry entries[] = {
	{ .point = DB_POINT_BIRTH, .required = true, .raw_tp = true, .program = "birth",
	  .targets = { "mm_filemap_add_to_page_cache" }, .replaced_by = NOT_REPLACED },
	{ .point = DB_POINT_DEATH, .required = true, .raw_tp = true, .program = "death",
	  .targets = { "mm_filemap_delete_from_page_cache" }, .replaced_by = NOT_REPLACED },
	{ .point = DB_POINT_WB_START, .program = "wb_start",
	  .targets = { "__folio_start_writeback" }, .replaced_by = NOT_REPLACED },
	/* 6.18 split the drop off folio_end_writeback(); NFS calls the part without it. */
	{ .point = DB_POINT_WB_END, .program = "wb_end",
	  .targets = { "folio_end_writeback_no_dropbehind", "folio_end_writeback" },
	  .replaced_by = NOT_REPLACED },
	{ .point = DB_POINT_DROP_ATTEMPT, .program = "end_dropbehind",
	  .targets = { "folio_end_dropbehind" }, .replaced_by = NOT_REPLACED },
	{ .point = DB_POINT_DROP_ATTEMPT_RET, .exits = true, .program = "end_dropbehind",
	  .targets = { "folio_end_dropbehind" }, .replaced_by = NOT_REPLACED },
	{ .point = DB_POINT_DROP, .program = "drop",
	  .targets = { "filemap_end_dropbehind" }, .replaced_by = NOT_REPLACED },
	{ .point = DB_POINT_DROP_RET, .exits = true, .program = "drop",
	  .targets = { "filemap_end_dropbehind" }, .replaced_by = NOT_REPLACED },
	{ .point = DB_POINT_MIGRATE, .program = "migrate",
	  .targets = { "folio_migrate_flags" }, .replaced_by = NOT_REPLACED },
	{ .point = DB_POINT_BIO_ENDIO, .program = "bio_endio",
	  .targets = { "bio_endio" }, .replaced_by = NOT_REPLACED },
	{ .point = DB_POINT_BIO_DEFER, .program = "bio_defer",
	  .targets = { "__bio_complete_in_task" }, .replaced_by = NOT_REPLACED },
	/* The second is an earlier name of the same function. */
	{ .point = DB_POINT_END_IO, .program = "end_io_iomap",
	  .targets = { "ioend_writeback_end_bio", "iomap_writepage_end_bio" },
	  .replaced_by = NOT_REPLACED },
	/* 7.3 hands buffer heads' bios straight to it; before, end_bio_bh_io_sync stood between. */
	{ .point = DB_POINT_END_IO, .program = "end_io_buffer",
	  .targets = { "bh_end_async_write" }, .replaced_by = NOT_REPLACED },
	{ .point = DB_POINT_END_IO, .program = "end_io_f2fs", .module = "f2fs",
	  .targets = { "f2fs_write_end_io" }, .replaced_by = NOT_REPLACED },
	{ .point = DB_POINT_END_IO, .program = "end_io_f2fs_zone", .module = "f2fs",
	  .targets = { "f2fs_zone_write_end_io" }, .replaced_by = NOT_REPLACED },
	{ .point = DB_POINT_XFS_HANDOFF, .program = "xfs_end_bio", .module = "xfs",
	  .targets = { "xfs_end_bio" }, .replaced_by = NOT_REPLACED },
	{ .point = DB_POINT_XFS_FINISH, .program = "xfs_finish",
	  .targets = { "iomap_finish_ioends" }, .replaced_by = NOT_REPLACED },
	{ .point = DB_POINT_END_IO, .program = "ext4_end_bio", .module = "ext4",
	  .targets = { "ext4_end_bio" }, .replaced_by = NOT_REPLACED },
	{ .point = DB_POINT_EXT4_FINISH, .program = "ext4_finish", .module = "ext4",
	  .targets = { "ext4_finish_bio" }, .replaced_by = NOT_REPLACED },
	{ .point = DB_POINT_RQ_COMPLETE, .raw_tp = true, .program = "rq_complete",
	  .targets = { "block_rq_complete" }, .replaced_by = DB_POINT_BIO_ENDIO },
	{ .point = DB_POINT_BIO_COMPLETE, .raw_tp = true, .program = "bio_complete",
	  .targets = { "block_bio_complete" }, .replaced_by = DB_POINT_BIO_ENDIO },
	{ .point = DB_POINT_WORK_QUEUE, .raw_tp = true, .program = "work_queue",
	  .targets = { "workqueue_queue_work" }, .replaced_by = NOT_REPLACED },
	{ .point = DB_POINT_WORK_START, .raw_tp = true, .program = "work_start",
	  .targets = { "workqueue_execute_start" }, .replaced_by = NOT_REPLACED },
};

#define NENTRIES	(sizeof(entries) / sizeof(entries[0]))

const struct db_work_function db_work_functions[DB_MECH_NR] = {
	[DB_MECH_BIO_COMPLETE] = { "bio_complete_work_fn", NULL },
	[DB_MECH_XFS_IOEND] = { "xfs_end_io", "xfs" },
	[DB_MECH_EXT4_CONV] = { "ext4_end_io_rsv_work", "ext4" },
	[DB_MECH_F2FS_WQ] = { "f2fs_write_end_io_work", "f2fs" },
};

static bool allowed(unsigned int set, enum db_attach how)
{
	return set & (1U << how);
}

static bool has_tracepoint(const struct db_kernel *kernel, const char *name)
{
	char type[96];

	snprintf(type, sizeof(type), "btf_trace_%s", name);
	return db_kernel_btf_typedef(kernel, type);
}

static void plan_tracepoint(struct db_plan_row *row, const struct db_kernel *kernel,
			    unsigned int works, unsigned int allow)
{
	snprintf(row->target, sizeof(row->target), "%s", row->entry->targets[0]);
	row->presence = has_tracepoint(kernel, row->target) ? DB_PRESENT : DB_ABSENT;
	if (row->presence == DB_ABSENT)
		snprintf(row->why, sizeof(row->why), "this kernel has no such tracepoint");
	else if (!allowed(works, DB_ATTACH_RAW_TP))
		snprintf(row->why, sizeof(row->why), "raw tracepoint programs are refused");
	else if (!allowed(allow, DB_ATTACH_RAW_TP))
		snprintf(row->why, sizeof(row->why), "raw tracepoints are not allowed by --attach");
	else
		row->how = DB_ATTACH_RAW_TP;
}

static void find_function(struct db_plan_row *row, const struct db_kernel *kernel, bool in_btf,
			  bool in_symbols)
{
	if (in_symbols)
		row->presence = DB_PRESENT;
	else if (db_kernel_renamed(kernel, row->target))
		row->presence = DB_RENAMED;
	else if (in_btf)
		row->presence = DB_INLINED;
	else if (row->entry->module && !db_module_instance(row->entry->module))
		row->presence = DB_NOT_LOADED;
	else
		row->presence = DB_ABSENT;
}

static void explain_function(struct db_plan_row *row, const struct db_kernel *kernel, bool in_btf,
			     unsigned int works)
{
	unsigned int usable = works & (1U << DB_ATTACH_KPROBE | (in_btf ? 1U << DB_ATTACH_FENTRY : 0));

	switch (row->presence) {
	case DB_PRESENT:
		snprintf(row->why, sizeof(row->why), "%s",
			 usable ? "not allowed by --attach" :
			 in_btf ? "this kernel refuses fentry and kprobes" :
				  "not in BTF, and this kernel refuses kprobes");
		break;
	case DB_RENAMED:
		snprintf(row->why, sizeof(row->why), "renamed by the compiler to %.80s",
			 db_kernel_renamed(kernel, row->target));
		break;
	case DB_INLINED:
		snprintf(row->why, sizeof(row->why), "inlined: in BTF, no symbol");
		break;
	case DB_NOT_LOADED:
		snprintf(row->why, sizeof(row->why), "module %s is not loaded", row->entry->module);
		break;
	case DB_ABSENT:
		snprintf(row->why, sizeof(row->why), "this kernel has no such function");
		break;
	}
}

static void plan_function(struct db_plan_row *row, struct db_kernel *kernel,
			  unsigned int works, unsigned int allow)
{
	const char *const *name;
	bool in_btf = false, in_symbols = false;

	for (name = row->entry->targets; *name; name++) {
		snprintf(row->target, sizeof(row->target), "%s", *name);
		in_btf = db_kernel_btf_function(kernel, *name, row->entry->module);
		in_symbols = db_kernel_has_symbol(kernel, *name);
		if (in_symbols)
			break;
	}
	if (!*name)
		snprintf(row->target, sizeof(row->target), "%s", row->entry->targets[0]);
	find_function(row, kernel, in_btf, in_symbols);
	if (in_symbols && in_btf && allowed(works & allow, DB_ATTACH_FENTRY))
		row->how = DB_ATTACH_FENTRY;
	else if (in_symbols && allowed(works & allow, DB_ATTACH_KPROBE))
		row->how = DB_ATTACH_KPROBE;
	else
		explain_function(row, kernel, in_btf, works);
}

static bool planned(const struct db_plan *plan, enum db_point point)
{
	int i;

	for (i = 0; i < plan->nrows; i++)
		if (plan->rows[i].entry->point == point && plan->rows[i].how != DB_ATTACH_NONE)
			return true;
	return false;
}

void db_plan_make(struct db_plan *plan, struct db_kernel *kernel, unsigned int works,
		  unsigned int allow)
{
	struct db_plan_row *row;
	size_t i;

	memset(plan, 0, sizeof(*plan));
	for (i = 0; i < NENTRIES; i++) {
		row = &plan->rows[plan->nrows++];
		row->entry = &entries[i];
		row->wanted = true;
		if (row->entry->raw_tp)
			plan_tracepoint(row, kernel, works, allow);
		else
			plan_function(row, kernel, works, allow);
	}
	for (i = 0; i < NENTRIES; i++) {
		row = &plan->rows[i];
		if (row->entry->replaced_by == NOT_REPLACED ||
		    !planned(plan, row->entry->replaced_by))
			continue;
		row->wanted = false;
		row->how = DB_ATTACH_NONE;
		snprintf(row->why, sizeof(row->why), "not needed: a better probe point is attached");
	}
}
