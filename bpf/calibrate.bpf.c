// SPDX-License-Identifier: GPL-2.0
/*
 * Measures what each attach mechanism adds to the state it observes: user
 * space makes plain, preemptible task context run through each of these and
 * reads what preempt_count and the RCU nesting show.  An object of its own, so
 * that a mechanism the kernel refuses costs nothing but its program.
 */
#include "context.h"
#include "dropbehind/calibrate.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, DB_ATTACH_NR);
	__type(key, __u32);
	__type(value, struct db_calibration);
} db_calibrations SEC(".maps");

/* Only this process's own calls are known to come from plain task context. */
const volatile __u32 calibrated_pid;
/* From the run queue to cpu_number, which proves that the way to per-CPU variables is right. */
const volatile __s64 cpu_number_delta;

db_inline int db_calibrate(__u32 how, __u32 irqs)
{
	struct db_calibration *seen;
	__u64 raw;

	if (bpf_get_current_pid_tgid() >> 32 != calibrated_pid)
		return 0;
	seen = bpf_map_lookup_elem(&db_calibrations, &how);
	if (!seen)
		return 0;
	raw = db_context_raw(irqs);
	seen->hits++;
	seen->cpu = bpf_get_smp_processor_id();
	seen->cpu_read = cpu_number_delta ? db_load32(db_this_rq() + cpu_number_delta) : seen->cpu;
	seen->preempt = raw;
	seen->rcu = (raw >> 32) & 0xffff;
	seen->known = !!(raw & DB_RAW_KNOWN);
	seen->irqs_known = !!(raw & DB_RAW_IRQS_KNOWN);
	seen->irqs_off = !!(raw & DB_RAW_IRQS_OFF);
	seen->serving_softirq = !!(raw & DB_RAW_SOFTIRQ);
	return 0;
}

SEC("fentry/bpf_fentry_test1")
int BPF_PROG(calibrate_fentry)
{
	return db_calibrate(DB_ATTACH_FENTRY, DB_IRQS_ASK);
}

SEC("kprobe/bpf_fentry_test1")
int BPF_KPROBE(calibrate_kprobe)
{
	return db_calibrate(DB_ATTACH_KPROBE, db_irqs_of(ctx));
}

SEC("raw_tp/bpf_test_finish")
int BPF_PROG(calibrate_raw_tp)
{
	return db_calibrate(DB_ATTACH_RAW_TP, DB_IRQS_ASK);
}

/* Test-running this ends in the tracepoint bpf_test_finish. */
SEC("socket")
int calibrate_trigger(struct __sk_buff *skb)
{
	return 0;
}
