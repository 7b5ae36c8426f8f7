// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attr.h"
#include "err.h"
#include "guard.h"

#define GUARD_MAX 1024

/* One message: 'f' or 'd' (add file, directory) or '-' (done), then the path. */
static int guard_fd = -1;
static pid_t guard_pid;

struct guarded {
	char kind;
	char path[PATH_MAX];
};

static void take(struct guarded *list, size_t *nr, const char *msg)
{
	size_t i;

	if (msg[0] != '-') {
		if (*nr < GUARD_MAX) {
			list[*nr].kind = msg[0];
			snprintf(list[*nr].path, sizeof(list[*nr].path), "%s", msg + 1);
			(*nr)++;
		}
		return;
	}
	for (i = *nr; i-- > 0;) {
		if (!strcmp(list[i].path, msg + 1)) {
			memmove(&list[i], &list[i + 1], (*nr - i - 1) * sizeof(*list));
			(*nr)--;
			return;
		}
	}
}

/* A cgroup can be busy for a moment after its last process was killed. */
static void remove_dir(const char *path)
{
	int tries;

	for (tries = 0; tries < 50; tries++) {
		if (!rmdir(path) || errno != EBUSY)
			return;
		usleep(20000);
	}
}

static void guardian(int fd)
{
	struct guarded *list = calloc(GUARD_MAX, sizeof(*list));
	char msg[PATH_MAX + 1];
	size_t nr = 0;
	ssize_t n;

	if (!list)
		_exit(1);
	for (;;) {
		n = recv(fd, msg, sizeof(msg) - 1, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		msg[n] = '\0';
		take(list, &nr, msg);
		/* The answer makes "on the list" certain before the file is made. */
		if (send(fd, "k", 1, MSG_NOSIGNAL) != 1)
			break;
	}
	while (nr-- > 0) {
		if (list[nr].kind == 'd') {
			remove_dir(list[nr].path);
			continue;
		}
		attr_set_immutable_path(list[nr].path, false);
		unlink(list[nr].path);
	}
	_exit(0);
}

int guard_start(void)
{
	int sv[2], err;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv))
		return bench_fail(-errno, "start", "the clean-up process");
	guard_pid = fork();
	if (guard_pid < 0) {
		err = -errno;
		close(sv[0]);
		close(sv[1]);
		return bench_fail(err, "start", "the clean-up process");
	}
	if (!guard_pid) {
		close(sv[0]);
		setsid();
		signal(SIGINT, SIG_IGN);
		signal(SIGTERM, SIG_IGN);
		signal(SIGHUP, SIG_IGN);
		prctl(PR_SET_NAME, "bench-cleanup");
		guardian(sv[1]);
	}
	close(sv[1]);
	guard_fd = sv[0];
	return 0;
}

void guard_forget(void)
{
	if (guard_fd >= 0)
		close(guard_fd);
	guard_fd = -1;
	guard_pid = 0;
}

static int tell(char kind, const char *path)
{
	char msg[PATH_MAX + 1], answer;
	ssize_t n;

	if (guard_fd < 0)
		return 0;
	n = snprintf(msg, sizeof(msg), "%c%s", kind, path);
	if (n >= (ssize_t)sizeof(msg))
		return -ENAMETOOLONG;
	if (send(guard_fd, msg, (size_t)n, MSG_NOSIGNAL) != n)
		return -errno;
	do {
		n = recv(guard_fd, &answer, 1, 0);
	} while (n < 0 && errno == EINTR);
	return n == 1 ? 0 : -EPIPE;
}

int guard_add_file(const char *path)
{
	return tell('f', path);
}

int guard_add_dir(const char *path)
{
	return tell('d', path);
}

int guard_done(const char *path)
{
	return tell('-', path);
}

void guard_stop(void)
{
	if (guard_fd < 0)
		return;
	close(guard_fd);
	guard_fd = -1;
	while (waitpid(guard_pid, NULL, 0) < 0 && errno == EINTR)
		;
}
