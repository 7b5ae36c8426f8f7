// SPDX-License-Identifier: GPL-2.0
#include "privilege.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool has(const struct __user_cap_data_struct *data, int cap)
{
	return data[CAP_TO_INDEX(cap)].effective & CAP_TO_MASK(cap);
}

int db_privilege_check(char *why, size_t size)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};

	if (syscall(SYS_capget, &header, data)) {
		snprintf(why, size, "cannot read this process's capabilities");
		return -errno;
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
