// SPDX-License-Identifier: GPL-2.0
/*
 * Stops a write half way. Its source buffer's last page is missing and registered with
 * userfaultfd(2): the kernel waits in the copy, holding the inode's lock but no folio's, until the
 * page is supplied.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "workload.h"

struct wl_gate {
	struct wl_run *run;
	struct wl_file *file;
	char *buf;
	size_t len;			/* with the gate's page */
	int uffd;
	pthread_t thread;
	bool started;
	bool supplied;
	_Atomic bool ended;
	int err;
};

/* For a signal that comes while a write is held; one at a time is. */
static _Atomic int held_uffd = -1;

void wl_gate_let_go(void)
{
	int uffd = atomic_exchange(&held_uffd, -1);

	if (uffd >= 0)
		close(uffd);
}

static void *gated_write(void *arg)
{
	struct wl_gate *gate = arg;

	gate->err = wl_write(gate->run, gate->file, gate->buf, gate->len, 0,
			     wl_dontcache_write_flags(&gate->run->opt));
	atomic_store(&gate->ended, true);
	return NULL;
}

static int register_gate_page(struct wl_gate *gate)
{
	const uint64_t page_size = gate->run->page_size;
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range.start = (uintptr_t)gate->buf + gate->len - page_size,
		.range.len = page_size,
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	gate->uffd = syscall(__NR_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (gate->uffd < 0)
		return wl_fail(gate->run, errno,
			       "userfaultfd, which stops the write half way (needs root or CAP_SYS_PTRACE)");
	if (ioctl(gate->uffd, UFFDIO_API, &api) || ioctl(gate->uffd, UFFDIO_REGISTER, &reg))
		return wl_fail(gate->run, errno, "userfaultfd set-up");
	atomic_store(&held_uffd, gate->uffd);
	return 0;
}

static int supply_gate_page(struct wl_gate *gate)
{
	const uint64_t page_size = gate->run->page_size;
	struct uffdio_copy copy = {
		.dst = (uintptr_t)gate->buf + gate->len - page_size,
		.src = (uintptr_t)gate->buf,
		.len = page_size,
	};

	if (gate->supplied)
		return 0;
	gate->supplied = true;
	/* EEXIST: the page is there already */
	if (ioctl(gate->uffd, UFFDIO_COPY, &copy) && errno != EEXIST)
		return wl_fail(gate->run, errno, "userfaultfd copy");
	return 0;
}

/* Waits until the write stands at the gate; it never gets past it by itself. */
static int wait_at_gate(struct wl_gate *gate)
{
	struct pollfd pfd = { .fd = gate->uffd, .events = POLLIN };

	for (;;) {
		struct uffd_msg msg;

		if (poll(&pfd, 1, 50) < 0 && errno != EINTR)
			return wl_fail(gate->run, errno, "poll of userfaultfd");
		if (read(gate->uffd, &msg, sizeof(msg)) == sizeof(msg))
			return 0;
		if (atomic_load(&gate->ended))
			return wl_fail(gate->run, 0, "%s: the write ended before its last page",
				       gate->file->path);
	}
}

struct wl_gate *wl_gate_stop(struct wl_run *run, struct wl_file *file)
{
	const uint64_t page_size = run->page_size;
	struct wl_pages pages;
	struct wl_gate *gate;
	int err;

	gate = calloc(1, sizeof(*gate));
	if (!gate) {
		wl_fail(run, ENOMEM, "gate");
		return NULL;
	}
	gate->run = run;
	gate->file = file;
	gate->uffd = -1;
	gate->len = run->opt.size + page_size;
	gate->buf = mmap(NULL, gate->len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (gate->buf == MAP_FAILED) {
		wl_fail(run, errno, "cannot have %zu bytes for I/O", gate->len);
		gate->buf = NULL;
		goto fail;
	}
	/* before the rest is filled: a huge page could bring the last page along */
	if (register_gate_page(gate))
		goto fail;
	memset(gate->buf, 0xd8, run->opt.size);
	err = pthread_create(&gate->thread, NULL, gated_write, gate);
	if (err) {
		wl_fail(run, err, "cannot start a thread");
		goto fail;
	}
	gate->started = true;
	if (wait_at_gate(gate))
		goto fail;
	err = wl_pages_of(file->fd, 0, run->opt.size, run->opt.use_mincore, &pages);
	if (err) {
		wl_fail(run, err, "cachestat of %s", file->path);
		goto fail;
	}
	if (pages.cached != run->opt.size / page_size) {
		wl_fail(run, 0, "%s: %llu of %llu pages are in the cache with the write stopped at its end; use a --size that is a larger power of two",
			file->path, (unsigned long long)pages.cached,
			(unsigned long long)(run->opt.size / page_size));
		goto fail;
	}
	return gate;
fail:
	wl_gate_pass(gate);
	return NULL;
}

int wl_gate_pass(struct wl_gate *gate)
{
	int err = 0;

	if (gate->started) {
		err = supply_gate_page(gate);
		if (err)
			/* without its page the write would wait for ever: closing ends that */
			close(gate->uffd);
		pthread_join(gate->thread, NULL);
		if (!err)
			err = gate->err;
		else
			gate->uffd = -1;
	}
	atomic_store(&held_uffd, -1);
	if (gate->uffd >= 0)
		close(gate->uffd);
	if (gate->buf)
		munmap(gate->buf, gate->len);
	free(gate);
	return err;
}
