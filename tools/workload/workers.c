// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload.h"

/* Threads start together, or not at all. */
struct start {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	enum { START_WAIT, START_GO, START_CANCELLED } state;
};

struct worker {
	struct wl_run *run;
	int process;
	int thread;
	struct start *start;
	pthread_t id;
	int err;
};

/* Every thread of a process works on each of the process's files. */
static int work_on_files(struct wl_run *run, int process, int thread)
{
	int i, err = 0;

	for (i = 0; i < run->nr_files && !err && !wl_failed(run); i++) {
		struct wl_share share = {
			.run = run,
			.file = &run->files[i],
			.thread = thread,
			.nr_threads = run->opt.nr_threads,
		};

		if (share.file->process == process)
			err = run->opt.scenario->work(&share);
	}
	return err;
}

static void *worker_main(void *arg)
{
	struct worker *worker = arg;
	struct start *start = worker->start;
	bool go;

	pthread_mutex_lock(&start->lock);
	while (start->state == START_WAIT)
		pthread_cond_wait(&start->cond, &start->lock);
	go = start->state == START_GO;
	pthread_mutex_unlock(&start->lock);
	if (go)
		worker->err = work_on_files(worker->run, worker->process, worker->thread);
	return NULL;
}

static int run_threads(struct wl_run *run, int process)
{
	struct start start = {
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.cond = PTHREAD_COND_INITIALIZER,
	};
	int nr = run->opt.nr_threads, i, started, err = 0;
	struct worker *workers;

	if (nr == 1)
		return work_on_files(run, process, 0);

	workers = calloc(nr, sizeof(*workers));
	if (!workers)
		return wl_fail(run, ENOMEM, "memory for %d threads", nr);
	for (started = 0; started < nr; started++) {
		workers[started] = (struct worker) {
			.run = run, .process = process, .thread = started, .start = &start,
		};
		err = pthread_create(&workers[started].id, NULL, worker_main, &workers[started]);
		if (err) {
			err = wl_fail(run, err, "cannot start %d threads", nr);
			break;
		}
	}
	pthread_mutex_lock(&start.lock);
	start.state = err ? START_CANCELLED : START_GO;
	pthread_cond_broadcast(&start.cond);
	pthread_mutex_unlock(&start.lock);
	for (i = 0; i < started; i++) {
		pthread_join(workers[i].id, NULL);
		if (!err)
			err = workers[i].err;
	}
	free(workers);
	return err;
}

static int enter_cgroup(struct wl_run *run, const char *cgroup)
{
	char path[4096], pid[32];
	int fd, n, err = 0;

	n = snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	if (n < 0 || (size_t)n >= sizeof(path))
		return wl_fail(run, ENAMETOOLONG, "cgroup %s", cgroup);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return wl_fail(run, errno, "%s (is it a cgroup directory?)", path);
	n = snprintf(pid, sizeof(pid), "%d", (int)getpid());
	if (write(fd, pid, n) != n)
		err = wl_fail(run, errno, "cannot enter cgroup %s", cgroup);
	close(fd);
	return err;
}

static int run_in_cgroups(struct wl_run *run)
{
	int i, started, status, err = 0;
	pid_t *pids;

	pids = calloc(run->nr_processes, sizeof(*pids));
	if (!pids)
		return wl_fail(run, ENOMEM, "memory for %d processes", run->nr_processes);
	for (started = 0; started < run->nr_processes; started++) {
		pids[started] = fork();
		if (pids[started] < 0) {
			err = wl_fail(run, errno, "fork");
			break;
		}
		if (!pids[started]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			err = enter_cgroup(run, run->opt.cgroups[started]);
			if (!err)
				err = run_threads(run, started);
			_exit(err ? 1 : 0);
		}
	}
	for (i = 0; i < started; i++) {
		while (waitpid(pids[i], &status, 0) < 0 && errno == EINTR)
			;
		if (WIFSIGNALED(status))
			err = wl_fail(run, 0, "the process in %s was ended by signal %d",
				      run->opt.cgroups[i], WTERMSIG(status));
		else if (WEXITSTATUS(status) && !err)
			err = -EIO;
	}
	free(pids);
	return err;
}

int wl_work(struct wl_run *run)
{
	return run->opt.nr_cgroups ? run_in_cgroups(run) : run_threads(run, 0);
}
