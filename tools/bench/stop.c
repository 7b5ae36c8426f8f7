// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "stop.h"

volatile sig_atomic_t stop_signal;

static void on_signal(int sig)
{
	stop_signal = sig;
}

bool stop_with_parent(pid_t parent, int sig)
{
	return !prctl(PR_SET_PDEATHSIG, sig) && getppid() == parent;
}

static void stop_with_named(void)
{
	const char *text = getenv(STOP_WITH_ENV);
	pid_t pid = text ? (pid_t)strtol(text, NULL, 10) : 0;

	unsetenv(STOP_WITH_ENV);
	if (pid <= 0 || stop_with_parent(pid, SIGTERM))
		return;
	/* A script may stand between the two; then the named one must still be there. */
	if (kill(pid, 0) && errno == ESRCH)
		stop_signal = SIGTERM;
}

int stop_install(void)
{
	/* No SA_RESTART: a blocked system call shall return and see the flag. */
	struct sigaction sa = { .sa_handler = on_signal };

	if (sigaction(SIGINT, &sa, NULL) || sigaction(SIGTERM, &sa, NULL) ||
	    sigaction(SIGHUP, &sa, NULL))
		return -errno;
	signal(SIGPIPE, SIG_IGN);
	stop_with_named();
	return 0;
}
