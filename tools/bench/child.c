// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "err.h"
#include "guard.h"
#include "session.h"
#include "stop.h"

#define POLL_S 0.002

void *child_shared(size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return mem == MAP_FAILED ? NULL : mem;
}

void child_shared_free(void *mem, size_t size)
{
	if (mem)
		munmap(mem, size);
}

static void __attribute__((noreturn))
child_main(struct child *c, const struct cgroup *cg, int (*prepare)(void *arg),
	   int (*load)(void *arg), void *arg, pid_t parent)
{
	if (!stop_with_parent(parent, SIGKILL))
		_exit(1);
	guard_forget();
	c->err = cg ? cgroup_join(cg, getpid()) : 0;
	if (!c->err)
		c->err = prepare(arg);
	atomic_store(&c->ready, true);
	while (!c->err && !atomic_load(&c->go) && !atomic_load(&c->stop))
		c->err = session_sleep(POLL_S);
	if (!c->err && atomic_load(&c->go))
		c->err = load(arg);
	_exit(c->err ? 1 : 0);
}

int child_start(struct child *c, const struct cgroup *cg, int (*prepare)(void *arg),
		int (*load)(void *arg), void *arg)
{
	pid_t parent = getpid(), pid;

	c->err = 0;
	atomic_store(&c->ready, false);
	atomic_store(&c->go, false);
	atomic_store(&c->stop, false);
	pid = fork();
	if (pid < 0)
		return bench_fail(-errno, "start", "a load process");
	if (!pid)
		child_main(c, cg, prepare, load, arg, parent);
	/* Only here: the memory is shared, the child would put its 0 there too. */
	c->pid = pid;
	return 0;
}

bool child_gone(struct child *c)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) ||
	       info.si_pid == c->pid;
}

int child_wait_ready(struct child *c, const char *what)
{
	int err = 0;

	while (!err && !atomic_load(&c->ready) && !child_gone(c))
		err = session_sleep(POLL_S);
	if (err || (!c->err && atomic_load(&c->ready)))
		return err;
	return child_stop(c, what);
}

void child_go(struct child *c)
{
	atomic_store(&c->go, true);
}

int child_stop(struct child *c, const char *what)
{
	int status = 0;

	if (c->pid <= 0)
		return 0;
	atomic_store(&c->stop, true);
	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	c->pid = 0;
	if (WIFSIGNALED(status)) {
		/* Most likely the OOM killer of a memory cgroup that is too small. */
		bench_error("%s was killed by signal %d; give a greater --memory-limit", what,
			    WTERMSIG(status));
		return -ENOMEM;
	}
	if (c->err && c->err != -EINTR)
		bench_fail(c->err, "run", what);
	return c->err;
}
