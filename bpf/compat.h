/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every difference between kernels (and architectures) that the programs know
 * about is in this file, each with the commit or version that made it
 * necessary.  All are asked of the running kernel by CO-RE, none by version.
 */
#ifndef DROPBEHIND_COMPAT_H
#define DROPBEHIND_COMPAT_H

#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define db_inline static __always_inline

/*
 * A kernel address as a pointer that can be followed by plain loads instead of
 * a helper call each (bpf_rdonly_cast(), 6.2); a bad address reads as zero.
 * What is loaded that way is typed too, but takes no arithmetic; addresses
 * that are computed with are kept as numbers beside.  The call sits in an
 * object of its own (kfunc.bpf.c): libbpf 1.1 links no two objects that both
 * name the same kernel function.
 */
void *db_rdonly(__u64 address, __u32 type);

#define db_typed(type, address) \
	((type *)db_rdonly((__u64)(address), bpf_core_type_id_kernel(type)))

/*
 * Page flag numbers depend on the configuration, and PG_dropbehind exists
 * since 6.14; a flavour of the enumeration lets this build on a machine whose
 * own kernel has no such flag.
 */
enum pageflags___db {
	PG_locked___db,
	PG_writeback___db,
	PG_dirty___db,
	PG_head___db,
	PG_dropbehind___db,
};

#define db_pg_bit(name) \
	(1UL << bpf_core_enum_value(enum pageflags___db, PG_##name##___db))

/* folio->flags became a structure (memdesc_flags_t) in 6.18. */
typedef struct {
	unsigned long f;
} memdesc_flags_t___db;

struct folio___typed {
	memdesc_flags_t___db flags;
} __attribute__((preserve_access_index));

struct folio___plain {
	unsigned long flags;
} __attribute__((preserve_access_index));

/* @folio here and below: from db_typed(). */
db_inline unsigned long db_folio_flags(const struct folio *folio)
{
	const struct folio___typed *typed = (const void *)folio;
	const struct folio___plain *plain = (const void *)folio;

	if (bpf_core_field_exists(typed->flags.f))
		return typed->flags.f;
	return plain->flags;
}

/* Order of a large folio: low byte of the first tail page's flags since 6.6 (59ea1a0a3c14). */
db_inline unsigned int db_folio_order(const struct folio *folio, unsigned long flags)
{
	if (!(flags & db_pg_bit(head)))
		return 0;
	return folio->_flags_1 & 0xff;
}

/*
 * Mapped into a process?  Large folios keep a count of their own since 6.7
 * (_large_mapcount by that name since 6.10); small ones use the page's.
 */
db_inline bool db_folio_mapped(const struct folio *folio, unsigned long flags)
{
	int count;

	if (flags & db_pg_bit(head))
		count = folio->_large_mapcount.counter + 1;
	else
		count = folio->_mapcount.counter + 1;
	return count >= 1;
}

/*
 * Head of the page a bio vector names.  Tail pages keep a pointer to the head
 * (compound_head) or, in 7.x with the vmemmap optimisation, a mask that turns
 * the tail's address into the head's (compound_info); both have bit 0 set.
 */
struct page___head {
	unsigned long compound_head;
} __attribute__((preserve_access_index));

struct page___info {
	unsigned long compound_info;
} __attribute__((preserve_access_index));

db_inline __u64 db_page_folio(__u64 address)
{
	const struct page___head *old = (const void *)address;
	const struct page___info *new = (const void *)address;
	unsigned long info = 0;

	/* a member of a union with pointers: a typed load would not be a number */
	if (bpf_core_field_exists(new->compound_info))
		bpf_core_read(&info, sizeof(info), &new->compound_info);
	else
		bpf_core_read(&info, sizeof(info), &old->compound_head);
	if (!(info & 1))
		return address;
	if ((info >> 32) == 0xffffffff)
		return address & info;
	return info - 1;
}

/*
 * folio->memcg_data points to the mem_cgroup, or since 7.x to an obj_cgroup
 * whose ->memcg is the group.  Kernel memory used obj_cgroups long before, so
 * the structure's existence says nothing; obj_cgroup.is_root came with the
 * change for page-cache folios.  The low bits are flags.
 */
struct obj_cgroup___root {
	struct mem_cgroup *memcg;
	bool is_root;
} __attribute__((preserve_access_index));

db_inline unsigned long db_folio_memcg_data(const struct folio *folio)
{
	if (!bpf_core_field_exists(folio->memcg_data))
		return 0;
	return folio->memcg_data;
}

db_inline struct mem_cgroup *db_memcg(unsigned long memcg_data)
{
	struct obj_cgroup___root *objcg = (void *)(memcg_data & ~7UL);

	if (!memcg_data)
		return NULL;
	if (bpf_core_field_exists(objcg->is_root))
		return BPF_CORE_READ(objcg, memcg);
	return (struct mem_cgroup *)objcg;
}

/* kernfs_node.parent became __parent (RCU) in 6.15 (633488947ef6). */
struct kernfs_node___old {
	struct kernfs_node *parent;
} __attribute__((preserve_access_index));

struct kernfs_node___new {
	struct kernfs_node *__parent;
} __attribute__((preserve_access_index));

db_inline struct kernfs_node *db_kernfs_parent(const struct kernfs_node *kn)
{
	const struct kernfs_node___new *new = (const void *)kn;
	const struct kernfs_node___old *old = (const void *)kn;

	if (bpf_core_field_exists(new->__parent))
		return BPF_CORE_READ(new, __parent);
	return BPF_CORE_READ(old, parent);
}

/* dentry.d_u.d_alias lost its named union in 7.x. */
struct dentry___flat {
	struct hlist_node d_alias;
} __attribute__((preserve_access_index));

struct dentry___union {
	union {
		struct hlist_node d_alias;
	} d_u;
} __attribute__((preserve_access_index));

db_inline unsigned long db_dentry_alias_offset(void)
{
	if (bpf_core_field_exists(((struct dentry___flat *)0)->d_alias))
		return bpf_core_field_offset(struct dentry___flat, d_alias);
	return bpf_core_field_offset(struct dentry___union, d_u.d_alias);
}

/* cgroup.ancestors[] holds the groups themselves since 6.1 (7f203bc89eb6). */
db_inline struct cgroup *db_cgroup_ancestor(struct cgroup *cgrp, unsigned int level)
{
	struct cgroup *ancestor = NULL;
	unsigned long base = (unsigned long)cgrp + bpf_core_field_offset(struct cgroup, ancestors);

	bpf_probe_read_kernel(&ancestor, sizeof(ancestor), (void *)(base + level * sizeof(void *)));
	return ancestor;
}

/*
 * preempt_count: a member of thread_info on arm64, a per-CPU variable on x86
 * (under this name since 6.15, 46e8fff6d45f; no filesystem offers dontcache
 * before that).  A typed per-CPU ksym would do where the symbol table lists
 * variables, but kernels without CONFIG_KALLSYMS_ALL refuse it.  So the
 * variable is found from one whose address every task leads to, the CPU's run
 * queue; BTF tells how far apart the two are.  x86 keeps "need resched"
 * inverted in the top bit.
 */
struct thread_info___preempt {
	union {
		struct {
			__u32 count;
		} preempt;
	};
} __attribute__((preserve_access_index));

struct task_struct___preempt {
	struct thread_info___preempt thread_info;
} __attribute__((preserve_access_index));

struct cfs_rq___db {
	struct rq *rq;
} __attribute__((preserve_access_index));

struct sched_entity___db {
	struct cfs_rq___db *cfs_rq;
} __attribute__((preserve_access_index));

struct task_struct___se {
	struct sched_entity___db se;
} __attribute__((preserve_access_index));

/* Address of this CPU's run queue, 0 if this kernel does not lead there. */
db_inline __u64 db_this_rq(void)
{
	struct task_struct___se *task = (void *)bpf_get_current_task();

	if (!bpf_core_field_exists(task->se.cfs_rq) ||
	    !bpf_core_field_exists(((struct cfs_rq___db *)0)->rq))
		return 0;
	return (__u64)BPF_CORE_READ(task, se.cfs_rq, rq);
}

/* A 32-bit number at a kernel address. */
db_inline __u32 db_load32(__u64 address)
{
	return db_typed(struct refcount_struct, address)->refs.counter;
}

/* arm64: preempt_count of current, which is a member of its task. */
db_inline bool db_task_preempt_count(__u32 *count)
{
	struct task_struct___preempt *task = (void *)bpf_get_current_task();

	if (!bpf_core_field_exists(task->thread_info.preempt.count))
		return false;
	*count = BPF_CORE_READ(task, thread_info.preempt.count);
	return true;
}

/* PREEMPT_RT counts disabled bottom halves in the task, not in preempt_count. */
struct task_struct___rt {
	int softirq_disable_cnt;
} __attribute__((preserve_access_index));

/* Preemptible RCU counts readers in the task. */
struct task_struct___rcu {
	int rcu_read_lock_nesting;
} __attribute__((preserve_access_index));

#define DB_SOFTIRQ_SERVING	0x100U	/* SOFTIRQ_OFFSET, preempt.h, the same in every layout so far */

/*
 * Interrupts disabled?  That is in the processor's flags register, which a
 * BPF program cannot read.  bpf_local_irq_save() (6.14) stores it in a stack
 * slot that the verifier keeps us from reading directly; a helper may.
 */
#define DB_NO_IRQ_FLAGS	(~0ULL)

/* The flags register, or DB_NO_IRQ_FLAGS. */
__u64 db_irq_flags(void);

/*
 * The kernel does not run a program that is already running on the same CPU:
 * such calls are missed.  Tracepoints called raw programs with preemption
 * disabled until 7.x; fentry programs can always be preempted.  With these a
 * program is not preempted before its end (bpf_preempt_disable(), 6.10), and
 * since bpf_preempt_enable() would let the next task in before the program has
 * returned, it is called with interrupts disabled: then the kernel reschedules
 * at its next chance instead, which is after the program.  What remains are a
 * few instructions at both ends.
 */

/* How often it has disabled preemption: once or, where it cannot, 0 times. */
__u32 db_preempt_off(void);
void db_preempt_on(void);

#define DB_UNPREEMPTED(held, call)		\
	({					\
		__u32 held = db_preempt_off();	\
		int __ret = call;		\
						\
		(void)held;			\
		db_preempt_on();		\
		__ret;				\
	})

#if defined(__TARGET_ARCH_x86)
#define db_flags_irqs_off(flags)	(!((flags) & 0x200))	/* X86_EFLAGS_IF */
#define db_regs_irqs_off(regs)		db_flags_irqs_off((regs)->flags)
#elif defined(__TARGET_ARCH_arm64)
#define db_flags_irqs_off(flags)	(!!((flags) & 0x80))	/* PSR_I_BIT, or the GIC priority mask */
#define db_regs_irqs_off(regs)		db_flags_irqs_off((regs)->pstate)
#else
#error "say where this architecture keeps its interrupt flag"
#endif

/*
 * Number of the system call current is in; only meaningful for user tasks.
 * Kernel threads have no user registers.
 */
#if defined(__TARGET_ARCH_x86)
#define db_syscall_nr(regs)	((long)BPF_CORE_READ(regs, orig_ax))
#define DB_NR_READ		0
#define DB_NR_READV		19
#define DB_NR_PREAD64		17
#define DB_NR_PREADV		295
#define DB_NR_PREADV2		327
#define DB_NR_SENDFILE		40
#define DB_NR_SPLICE		275
#define DB_NR_COPY_FILE_RANGE	326
#define DB_NR_IO_URING_ENTER	426
#define DB_NR_WRITE		1
#define DB_NR_WRITEV		20
#define DB_NR_PWRITE64		18
#define DB_NR_PWRITEV		296
#define DB_NR_PWRITEV2		328
#define DB_NR_FSYNC		74
#define DB_NR_FDATASYNC		75
#define DB_NR_MSYNC		26
#define DB_NR_SYNC		162
#define DB_NR_SYNCFS		306
#define DB_NR_SYNC_FILE_RANGE	277
#elif defined(__TARGET_ARCH_arm64)
#define db_syscall_nr(regs)	((long)BPF_CORE_READ((struct pt_regs___syscallno *)(regs), syscallno))
struct pt_regs___syscallno {
	int syscallno;
} __attribute__((preserve_access_index));
#define DB_NR_READ		63
#define DB_NR_READV		65
#define DB_NR_PREAD64		67
#define DB_NR_PREADV		69
#define DB_NR_PREADV2		286
#define DB_NR_SENDFILE		71
#define DB_NR_SPLICE		76
#define DB_NR_COPY_FILE_RANGE	285
#define DB_NR_IO_URING_ENTER	426
#define DB_NR_WRITE		64
#define DB_NR_WRITEV		66
#define DB_NR_PWRITE64		68
#define DB_NR_PWRITEV		70
#define DB_NR_PWRITEV2		287
#define DB_NR_FSYNC		82
#define DB_NR_FDATASYNC		83
#define DB_NR_MSYNC		227
#define DB_NR_SYNC		81
#define DB_NR_SYNCFS		267
#define DB_NR_SYNC_FILE_RANGE	84
#endif

/*
 * Argument @n of the function an fentry or fexit program is at, as a plain
 * number: the typed pointers these programs get allow no arithmetic.
 * bpf_get_func_arg() (5.17) is inlined.
 */
db_inline __u64 db_arg(void *ctx, __u32 n)
{
	__u64 value = 0;

	bpf_get_func_arg(ctx, n, &value);
	return value;
}

/* "writebac" as a number. */
#define DB_WRITEBACK_WORD	0x6361626574697277ULL

/* Task flags, include/linux/sched.h; not in BTF. */
#define DB_PF_IO_WORKER		0x00000010
#define DB_PF_WQ_WORKER		0x00000020
#define DB_PF_MEMALLOC		0x00000800
#define DB_PF_KSWAPD		0x00020000
#define DB_PF_MEMALLOC_NOFS	0x00040000
#define DB_PF_KTHREAD		0x00200000

/*
 * Who holds an rw_semaphore for writing.  Its owner's low bits are flags, bit
 * 0: a reader stored it (kernel/locking/rwsem.c).  On PREEMPT_RT the lock is
 * built from an rt_mutex that only a writer keeps; bit 0 there: it has waiters
 * (kernel/locking/rwbase_rt.c, rtmutex_common.h).
 */
#define DB_RWSEM_READER_OWNED	1UL
#define DB_RWSEM_OWNER_FLAGS	7UL

struct rw_semaphore___plain {
	atomic_long_t owner;
} __attribute__((preserve_access_index));

struct rt_mutex_base___db {
	struct task_struct *owner;
} __attribute__((preserve_access_index));

struct rwbase_rt___db {
	struct rt_mutex_base___db rtmutex;
} __attribute__((preserve_access_index));

struct rw_semaphore___rt {
	struct rwbase_rt___db rwbase;
} __attribute__((preserve_access_index));

/* Address of the task that holds @sem (from a typed load) for writing, 0 if none does. */
db_inline unsigned long db_rwsem_writer(const struct rw_semaphore *sem)
{
	const struct rw_semaphore___plain *plain = (const void *)sem;
	const struct rw_semaphore___rt *rt = (const void *)sem;
	unsigned long owner = 0;

	if (bpf_core_field_exists(plain->owner)) {
		owner = plain->owner.counter;
		if (owner & DB_RWSEM_READER_OWNED)
			return 0;
	} else if (bpf_core_field_exists(rt->rwbase.rtmutex.owner)) {
		bpf_core_read(&owner, sizeof(owner), &rt->rwbase.rtmutex.owner);
	}
	return owner & ~DB_RWSEM_OWNER_FLAGS;
}

/* bio->bi_opf, include/linux/blk_types.h. */
#define DB_REQ_OP_MASK		0xffU
#define DB_REQ_OP_WRITE		1
#define DB_REQ_OP_ZONE_APPEND	7

/* mapping->flags: the inode is being evicted. */
enum mapping_flags___db {
	AS_EXITING___db,
};

#define db_as_exiting() (1UL << bpf_core_enum_value(enum mapping_flags___db, AS_EXITING___db))

#endif
