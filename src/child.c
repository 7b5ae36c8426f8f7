// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t caught;
#define NSIGNALS	5

static struct sigaction before[NSIGNALS];
static const int signals[NSIGNALS] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ };

static void on_signal(int signal)
{
	caught = signal;
}

void db_catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	int i;

	sigemptyset(&action.sa_mask);
	for (i = 0; i < NSIGNALS; i++) {
		if (signals[i] == SIGPIPE || signals[i] == SIGXFSZ)
			action.sa_handler = SIG_IGN;
		sigaction(signals[i], &action, &before[i]);
	}
}

bool db_interrupted(void)
{
	return caught;
}

static void run(char **argv, int report)
{
	int i, err;

	for (i = 0; i < NSIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
	execvp(argv[0], argv);
	err = errno;
	if (write(report, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

int db_child_start(struct db_child *child, char **argv)
{
	int report[2], err = 0;
	ssize_t n;

	memset(child, 0, sizeof(*child));
	if (pipe2(report, O_CLOEXEC))
		return -errno;
	child->pid = fork();
	if (child->pid < 0) {
		err = errno;
		child->pid = 0;
		close(report[0]);
		close(report[1]);
		return -err;
	}
	if (!child->pid)
		run(argv, report[1]);
	close(report[1]);
	do {
		n = read(report[0], &err, sizeof(err));
	} while (n < 0 && errno == EINTR);
	close(report[0]);
	if (n != sizeof(err))
		return 0;
	waitpid(child->pid, NULL, 0);
	child->pid = 0;
	return -err;
}

static void ended(struct db_child *child, int status)
{
	child->ended = true;
	child->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void db_child_check(struct db_child *child)
{
	int status;

	if (!child->pid || child->ended)
		return;
	if (waitpid(child->pid, &status, WNOHANG) == child->pid)
		ended(child, status);
}

void db_child_wait(struct db_child *child)
{
	int status;

	if (!child->pid || child->ended)
		return;
	if (caught)
		kill(child->pid, caught);
	while (waitpid(child->pid, &status, 0) < 0) {
		if (errno != EINTR)
			return;
		kill(child->pid, caught);
	}
	ended(child, status);
}
