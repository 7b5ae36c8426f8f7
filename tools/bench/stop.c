// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stddef.h>

#include "stop.h"

volatile sig_atomic_t stop_signal;

static void on_signal(int sig)
{
	stop_signal = sig;
}

int stop_install(void)
{
	/* No SA_RESTART: a blocked system call shall return and see the flag. */
	struct sigaction sa = { .sa_handler = on_signal };

	if (sigaction(SIGINT, &sa, NULL) || sigaction(SIGTERM, &sa, NULL) ||
	    sigaction(SIGHUP, &sa, NULL))
		return -errno;
	signal(SIGPIPE, SIG_IGN);
	return 0;
}
