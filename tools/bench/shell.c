// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "err.h"
#include "shell.h"
#include "stop.h"
#include "units.h"

#define POLL_US 20000

/* Time to end after SIGTERM, and to be gone after SIGKILL. */
#define GRACE_NS (2 * NSEC_PER_SEC)

enum state { RUNS, ENDED, WAITS_FOR_TERMINAL };

static void __attribute__((noreturn)) exec_shell(const char *cmd, pid_t parent)
{
	setpgid(0, 0);
	if (!stop_with_parent(parent, SIGTERM))
		_exit(127);
	/* We ignore it, and exec would keep that. */
	signal(SIGPIPE, SIG_DFL);
	execl("/bin/sh", "sh", "-c", cmd, (char *)NULL);
	_exit(127);
}

/* Leaves the process unreaped, so that its number and its group stay its own. */
static enum state state_of(pid_t pid)
{
	siginfo_t info = { 0 };

	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT))
		return ENDED;
	if (info.si_pid != pid)
		return RUNS;
	if (info.si_code != CLD_STOPPED)
		return ENDED;
	return info.si_status == SIGTTIN || info.si_status == SIGTTOU ? WAITS_FOR_TERMINAL : RUNS;
}

static bool ends_in_time(pid_t pid)
{
	const uint64_t until = now_ns() + GRACE_NS;

	while (state_of(pid) != ENDED && now_ns() < until)
		usleep(POLL_US);
	return state_of(pid) == ENDED;
}

static void end_group(pid_t pid, const char *cmd)
{
	kill(-pid, SIGTERM);
	kill(-pid, SIGCONT);
	ends_in_time(pid);
	/* Whoever of the group did not heed it. */
	kill(-pid, SIGKILL);
	if (!ends_in_time(pid))
		bench_error("'%s' hangs in the kernel and cannot be ended; look at process %d",
			    cmd, (int)pid);
	waitpid(pid, NULL, WNOHANG);
}

static int reap(pid_t pid, const char *cmd)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return bench_fail(-errno, "wait for", cmd);
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	return bench_error("'%s' failed with %s %d; make it succeed before it is used here", cmd,
			   WIFEXITED(status) ? "status" : "signal",
			   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

int shell_run(const char *cmd)
{
	enum state state = RUNS;
	pid_t self = getpid(), pid = fork();

	if (pid < 0)
		return bench_fail(-errno, "run", cmd);
	if (!pid)
		exec_shell(cmd, self);
	/* Here as well: whoever comes first. */
	setpgid(pid, pid);
	while (!stop_signal && (state = state_of(pid)) == RUNS)
		usleep(POLL_US);
	if (state == ENDED)
		return reap(pid, cmd);
	end_group(pid, cmd);
	if (state == RUNS)
		return -EINTR;
	return bench_error("'%s' asks for input on the terminal; give a command that does not", cmd);
}
