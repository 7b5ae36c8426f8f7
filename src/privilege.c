// SPDX-License-Identifier: GPL-2.0
#include "privilege.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Debian 12's header has them; older ones may not. */
#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif
#ifndef CAP_BPF
#define CAP_BPF		39
#endif

const struct db_capability db_capabilities[] = {
	{ CAP_BPF, "CAP_BPF", "load programs, make maps" },
	{ CAP_PERFMON, "CAP_PERFMON", "trace, read kernel memory" },
	{ CAP_SYSLOG, "CAP_SYSLOG", "see kernel addresses: work items by function" },
	{ CAP_SYS_ADMIN, "CAP_SYS_ADMIN", "stands in for the first two; kprobes, if perf_event_paranoid > 2" },
	{ CAP_KILL, "CAP_KILL", "hand signals to a CMD that runs as another user" },
	{ CAP_DAC_READ_SEARCH, "CAP_DAC_READ_SEARCH", "left: open other users' files" },
	{ CAP_FOWNER, "CAP_FOWNER", "left: cachestat of other users' files" },
	{ CAP_DAC_OVERRIDE, "CAP_DAC_OVERRIDE", "record: write in a directory of another user" },
	{}
};

static int read_caps(struct __user_cap_data_struct *data)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return syscall(SYS_capget, &header, data) ? -errno : 0;
}

static bool has(const struct __user_cap_data_struct *data, int cap)
{
	return data[CAP_TO_INDEX(cap)].effective & CAP_TO_MASK(cap);
}

bool db_privilege_has(int cap)
{
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};

	return !read_caps(data) && has(data, cap);
}

int db_privilege_check(char *why, size_t size)
{
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
	int err = read_caps(data);

	if (err) {
		snprintf(why, size, "cannot read this process's capabilities");
		return err;
	}
	if (has(data, CAP_SYS_ADMIN))
		return 0;
	if (has(data, CAP_BPF) && has(data, CAP_PERFMON))
		return 0;
	snprintf(why, size,
		 "tracing needs %s%s%s: run as root, or grant with 'setcap cap_bpf,cap_perfmon,cap_syslog+ep %s'",
		 has(data, CAP_BPF) ? "" : "CAP_BPF",
		 has(data, CAP_BPF) || has(data, CAP_PERFMON) ? "" : " and ",
		 has(data, CAP_PERFMON) ? "" : "CAP_PERFMON", "/path/to/dropbehind");
	return -EPERM;
}

int db_privilege_drop(__u64 keep)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
	int i, err = read_caps(data);

	if (err)
		return err;
	for (i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		data[i].permitted &= (__u32)(keep >> (32 * i));
		data[i].effective &= (__u32)(keep >> (32 * i));
		data[i].inheritable = 0;
	}
	/* Giving up permitted ones clears the ambient set; exec must not bring any back. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_capset, &header, data))
		return -errno;
	return 0;
}
