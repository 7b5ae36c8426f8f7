/* SPDX-License-Identifier: GPL-2.0 */
/* Which system call current is in, where that tells reads from writes. */
#ifndef DROPBEHIND_BPF_SYSCALL_H
#define DROPBEHIND_BPF_SYSCALL_H

#include "compat.h"

/* Number of current's system call, -1 for kernel threads. */
db_inline long db_current_syscall(struct task_struct *task)
{
	struct pt_regs *regs;

	if (BPF_CORE_READ(task, flags) & (DB_PF_KTHREAD | DB_PF_IO_WORKER))
		return -1;
	regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	return db_syscall_nr(regs);
}

db_inline bool db_in_read_syscall(struct task_struct *task)
{
	switch (db_current_syscall(task)) {
	case DB_NR_READ:
	case DB_NR_READV:
	case DB_NR_PREAD64:
	case DB_NR_PREADV:
	case DB_NR_PREADV2:
	case DB_NR_SENDFILE:
	case DB_NR_SPLICE:
	case DB_NR_COPY_FILE_RANGE:
		return true;
	}
	return false;
}

db_inline bool db_in_write_syscall(struct task_struct *task)
{
	switch (db_current_syscall(task)) {
	case DB_NR_WRITE:
	case DB_NR_WRITEV:
	case DB_NR_PWRITE64:
	case DB_NR_PWRITEV:
	case DB_NR_PWRITEV2:
	case DB_NR_FSYNC:
	case DB_NR_FDATASYNC:
	case DB_NR_MSYNC:
	case DB_NR_SYNC:
	case DB_NR_SYNCFS:
	case DB_NR_SYNC_FILE_RANGE:
		return true;
	}
	return false;
}

db_inline bool db_in_io_uring(struct task_struct *task)
{
	return db_current_syscall(task) == DB_NR_IO_URING_ENTER;
}

#endif
