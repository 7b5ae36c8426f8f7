// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "env.h"
#include "err.h"
#include "guard.h"
#include "model_json.h"
#include "stop.h"
#include "trace.h"
#include "units.h"

#define POLL_US 50000

/* Parts of the ledger that are not about the run as a whole, and large. */
static const char *const left_out[] = {
	"flows", "live", "births_by_order_folios", "outcomes_by_order_folios",
};

/* --tracer, else the dropbehind beside this program, else the one in PATH. */
static int find_tracer(const struct options *opt, char *path, size_t size)
{
	char self[PATH_MAX], *slash;
	ssize_t n;

	if (opt->tracer) {
		snprintf(path, size, "%s", opt->tracer);
		if (!access(path, X_OK))
			return 0;
		return bench_fail(-errno, "run the tracer", path);
	}
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n > 0) {
		self[n] = '\0';
		slash = strrchr(self, '/');
		if (slash)
			*slash = '\0';
		snprintf(path, size, "%.4000s/dropbehind", self);
		if (!access(path, X_OK))
			return 0;
	}
	snprintf(path, size, "dropbehind");
	return 0;
}

/*
 * In the new process: the tracer gets SIGTERM when we end, and hands it to its
 * command. That stops by itself as well when the tracer is killed.
 */
static int end_with_us(pid_t parent)
{
	char pid[32];

	/* Our own handler would swallow it before the exec. */
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	if (!stop_with_parent(parent, SIGTERM) || setenv(STOP_WITH_ENV, pid, 1))
		return -ESRCH;
	return 0;
}

static void __attribute__((noreturn))
exec_tracer(const char *tracer, const struct options *opt, char **argv, int out,
	    const char *result, pid_t parent)
{
	char self[PATH_MAX], mount[PATH_MAX], *args[256];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t nr = 0, i;

	if (n <= 0 || dup2(out, STDOUT_FILENO) < 0 || setenv(TRACE_RESULT_ENV, result, 1) ||
	    end_with_us(parent))
		_exit(127);
	self[n] = '\0';
	args[nr++] = (char *)tracer;
	args[nr++] = "stat";
	args[nr++] = "--json";
	args[nr++] = opt->dev ? "--dev" : "--mount";
	env_mount_point(opt->dir ? opt->dir : "/", mount, sizeof(mount));
	args[nr++] = opt->dev ? (char *)opt->dev : mount;
	args[nr++] = "--";
	args[nr++] = self;
	for (i = 1; argv[i] && nr < sizeof(args) / sizeof(args[0]) - 1; i++)
		args[nr++] = argv[i];
	args[nr] = NULL;
	execvp(tracer, args);
	_exit(127);
}

/* Wait for the tracer; pass a signal that asks us to stop on to it. */
static int wait_for(pid_t pid, const char *tracer)
{
	bool told = false;
	int status;
	pid_t got;

	while ((got = waitpid(pid, &status, WNOHANG)) != pid) {
		if (got < 0 && errno != EINTR)
			return bench_fail(-errno, "wait for", tracer);
		if (stop_signal && !told) {
			kill(pid, stop_signal);
			told = true;
		}
		usleep(POLL_US);
	}
	if (stop_signal)
		return -EINTR;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return bench_error("--trace needs the dropbehind program and %s could not be run; "
				   "build it or name it with --tracer", tracer);
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	/* The bench or the tracer has told why, but say which run it was. */
	return bench_error("the traced run ended with %s %d; see the message above, or leave --trace out",
			   WIFEXITED(status) ? "status" : "signal",
			   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

static void trim(json_t *ledger)
{
	json_t *value;
	const char *name;
	size_t i;

	for (i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
		json_object_del(ledger, left_out[i]);
	json_object_foreach(json_object_get(ledger, "latencies"), name, value)
		json_object_del(value, "buckets");
}

static int take_ledger(struct result *r, const char *path, const char *tracer)
{
	json_error_t error;
	json_t *ledger = json_load_file(path, 0, &error);

	if (!json_is_object(ledger)) {
		json_decref(ledger);
		return bench_error("%s printed no JSON ledger (line %d: %s); give its matching version with --tracer",
				   tracer, error.line, error.text);
	}
	trim(ledger);
	free(r->ledger);
	r->ledger = json_dumps(ledger, JSON_COMPACT);
	json_decref(ledger);
	return r->ledger ? 0 : bench_fail(-ENOMEM, "keep", "the ledger");
}

/* Run it with its output in @ledger, and take both results in. */
static int run_and_load(struct result *r, const struct options *opt, const char *tracer,
			const char *result, const char *ledger)
{
	int out = open(ledger, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), err;
	pid_t self = getpid(), pid = out < 0 ? -1 : fork();

	if (pid < 0)
		err = bench_fail(-errno, "start", tracer);
	else if (!pid)
		exec_tracer(tracer, opt, command_argv(), out, result, self);
	else
		err = wait_for(pid, tracer);
	if (out >= 0)
		close(out);
	if (!err && access(result, F_OK))
		err = bench_error("%s did not run the bench as its command; give the dropbehind program with --tracer",
				  tracer);
	if (!err)
		err = result_load_json(r, result);
	return err ? err : take_ledger(r, ledger, tracer);
}

/* With a directory for the results, which is gone afterwards even if we are killed. */
static int run_guarded(struct result *r, const struct options *opt, const char *tracer)
{
	char dir[64], result[96], ledger[96];
	int err;

	snprintf(dir, sizeof(dir), "/tmp/dontcache-bench.%d.%" PRIx64, (int)getpid(), now_ns());
	snprintf(result, sizeof(result), "%s/result", dir);
	snprintf(ledger, sizeof(ledger), "%s/ledger", dir);
	err = guard_make_tree(dir);
	if (err)
		return bench_fail(err, "make directory", dir);
	return run_and_load(r, opt, tracer, result, ledger);
}

int trace_run(struct result *r, const struct options *opt)
{
	char tracer[PATH_MAX];
	int err = find_tracer(opt, tracer, sizeof(tracer));

	err = err ? err : guard_start();
	if (err)
		return err;
	err = run_guarded(r, opt, tracer);
	guard_stop();
	return err;
}
