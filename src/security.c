// SPDX-License-Identifier: GPL-2.0
#include "security.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "privilege.h"

#define SECURITYFS	"/sys/kernel/security"

/* The kernel's own, not for user space by name: include/linux/errno.h. */
#define KERNEL_ENOTSUPP	524

/* First line of a file without its newline.  0 or negative errno. */
static int read_line(const char *path, char *line, size_t size)
{
	FILE *f = fopen(path, "re");
	int err = 0;

	line[0] = 0;
	if (!f)
		return -errno;
	if (!fgets(line, size, f))
		err = -ENODATA;
	fclose(f);
	line[strcspn(line, "\n")] = 0;
	return err;
}

static int read_number(const char *path)
{
	char line[32];

	return read_line(path, line, sizeof(line)) ? -1 : atoi(line);
}

static void why_not(const char *what, int err, char *why, size_t size)
{
	if (err == -ENOENT && access(SECURITYFS "/lsm", F_OK))
		snprintf(why, size, "securityfs is not mounted at " SECURITYFS);
	else if (err == -ENOENT)
		snprintf(why, size, "this kernel has no %s", what);
	else
		snprintf(why, size, "%s", strerror(-err));
}

/* "none [integrity] confidentiality" -> "integrity" */
static void pick_bracketed(char *line)
{
	char *open = strchr(line, '['), *end;

	if (!open)
		return;
	end = strchr(open, ']');
	if (!end)
		return;
	*end = 0;
	memmove(line, open + 1, strlen(open + 1) + 1);
}

static int seccomp_mode(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	int mode = -1;

	if (!f)
		return -1;
	while (mode < 0 && fgets(line, sizeof(line), f))
		if (sscanf(line, "Seccomp: %d", &mode) != 1)
			mode = -1;
	fclose(f);
	return mode;
}

void db_security_read(struct db_security *s)
{
	char line[128];
	int err;

	memset(s, 0, sizeof(*s));
	err = read_line(SECURITYFS "/lockdown", line, sizeof(line));
	if (err) {
		why_not("lockdown", err, s->lockdown_why, sizeof(s->lockdown_why));
	} else {
		pick_bracketed(line);
		snprintf(s->lockdown, sizeof(s->lockdown), "%.*s", (int)sizeof(s->lockdown) - 1, line);
	}
	err = read_line(SECURITYFS "/lsm", s->lsm, sizeof(s->lsm));
	if (err)
		why_not("list of security modules", err, s->lsm_why, sizeof(s->lsm_why));
	s->bpf_stats = read_number("/proc/sys/kernel/bpf_stats_enabled");
	s->perf_paranoid = read_number("/proc/sys/kernel/perf_event_paranoid");
	s->seccomp = seccomp_mode();
}

void db_security_explain(const struct db_security *s, int err, char *why, size_t size)
{
	bool locked = s->lockdown[0] && strcmp(s->lockdown, "none");

	switch (-err) {
	case EPERM:
	case EACCES:
		if (locked)
			snprintf(why, size, "the kernel is locked down (%s)", s->lockdown);
		else if (err == -EACCES && s->perf_paranoid > DB_PERF_PARANOID_MAX &&
			 !db_privilege_has(CAP_SYS_ADMIN))
			snprintf(why, size,
				 "needs CAP_SYS_ADMIN while kernel.perf_event_paranoid is %d",
				 s->perf_paranoid);
		else if (s->seccomp > 0)
			snprintf(why, size, "%s, and this process runs under a seccomp filter",
				 strerror(-err));
		else
			snprintf(why, size, "%s, by the kernel or a security module", strerror(-err));
		break;
	case EINVAL:
		/* Lockdown takes the helpers that read kernel memory away, then programs do not verify. */
		if (!locked)
			goto other;
		snprintf(why, size, "the kernel is locked down (%s)", s->lockdown);
		break;
	case ENOENT:
	case EOPNOTSUPP:
	case KERNEL_ENOTSUPP:
		snprintf(why, size, "this kernel was built without it");
		break;
	default:
	other:
		snprintf(why, size, "%s", strerror(-err));
	}
}
