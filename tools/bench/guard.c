// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attr.h"
#include "err.h"
#include "guard.h"

#define GUARD_MAX 1024

/* A cgroup is busy until its last process is gone, which may be in a long fsync. */
#define REMOVE_TRIES 1500
#define REMOVE_PAUSE_US 20000

/* One message: what to do, then the path. The answer: an int, 0 or a negative errno. */
enum {
	MAKE_FILE = 'f',
	MAKE_DIR = 'd',
	MAKE_TREE = 't',
	ADD_FILE = 'a',
	ADD_MEMORY = 'm',
	DONE = '-',
};

static int guard_fd = -1;
static pid_t guard_pid;

struct guarded {
	char kind;
	char path[PATH_MAX];
};

static int make(char kind, const char *path)
{
	int fd;

	switch (kind) {
	case MAKE_FILE:
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0)
			return -errno;
		close(fd);
		return 0;
	case MAKE_DIR:
		return mkdir(path, 0755) ? -errno : 0;
	case MAKE_TREE:
		return mkdir(path, 0700) ? -errno : 0;
	default:
		return 0;
	}
}

static int add(struct guarded *list, size_t *nr, char kind, const char *path)
{
	int err = *nr < GUARD_MAX ? make(kind, path) : -ENFILE;

	if (err)
		return err;
	list[*nr].kind = kind;
	snprintf(list[*nr].path, sizeof(list[*nr].path), "%s", path);
	(*nr)++;
	return 0;
}

static void take_off(struct guarded *list, size_t *nr, const char *path)
{
	size_t i;

	for (i = *nr; i-- > 0;) {
		if (!strcmp(list[i].path, path)) {
			memmove(&list[i], &list[i + 1], (*nr - i - 1) * sizeof(*list));
			(*nr)--;
			return;
		}
	}
}

static void remove_file(const char *path)
{
	attr_set_immutable_path(path, false);
	unlink(path);
}

static void remove_content(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
}

/* A process of ours that is about to end may hold a cgroup or still put a file into a tree. */
static void remove_dir(const char *path, bool tree)
{
	int tries;

	for (tries = 0; tries < REMOVE_TRIES; tries++) {
		if (tree)
			remove_content(path);
		if (!rmdir(path) || (errno != EBUSY && !(tree && errno == ENOTEMPTY)))
			return;
		usleep(REMOVE_PAUSE_US);
	}
}

static void switch_memory_off(const char *control)
{
	int fd = open(control, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "-memory", 7) < 0)
		bench_fail(-errno, "switch the memory controller off again in", control);
	close(fd);
}

static void undo(const struct guarded *g)
{
	switch (g->kind) {
	case MAKE_FILE:
	case ADD_FILE:
		remove_file(g->path);
		break;
	case MAKE_DIR:
	case MAKE_TREE:
		remove_dir(g->path, g->kind == MAKE_TREE);
		break;
	case ADD_MEMORY:
		switch_memory_off(g->path);
		break;
	}
}

static void guardian(int fd)
{
	struct guarded *list = calloc(GUARD_MAX, sizeof(*list));
	char msg[PATH_MAX + 1];
	size_t nr = 0;
	ssize_t n;
	int err;

	if (!list)
		_exit(1);
	for (;;) {
		n = recv(fd, msg, sizeof(msg) - 1, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		msg[n] = '\0';
		err = 0;
		if (msg[0] == DONE)
			take_off(list, &nr, msg + 1);
		else
			err = add(list, &nr, msg[0], msg + 1);
		if (send(fd, &err, sizeof(err), MSG_NOSIGNAL) != sizeof(err))
			break;
	}
	while (nr-- > 0)
		undo(&list[nr]);
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
	char msg[PATH_MAX + 1];
	int answer;
	ssize_t n;

	if (guard_fd < 0)
		return make(kind, path);
	n = snprintf(msg, sizeof(msg), "%c%s", kind, path);
	if (n >= (ssize_t)sizeof(msg))
		return -ENAMETOOLONG;
	if (send(guard_fd, msg, (size_t)n, MSG_NOSIGNAL) != n)
		return -errno;
	do {
		n = recv(guard_fd, &answer, sizeof(answer), 0);
	} while (n < 0 && errno == EINTR);
	return n == sizeof(answer) ? answer : -EPIPE;
}

int guard_make_file(const char *path)
{
	return tell(MAKE_FILE, path);
}

int guard_make_dir(const char *path)
{
	return tell(MAKE_DIR, path);
}

int guard_make_tree(const char *path)
{
	return tell(MAKE_TREE, path);
}

int guard_add_file(const char *path)
{
	return tell(ADD_FILE, path);
}

int guard_add_memory(const char *control)
{
	return tell(ADD_MEMORY, control);
}

int guard_done(const char *path)
{
	return tell(DONE, path);
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
