// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "dropbehind/uapi.h"
#include "workload.h"

/* One request in flight. */
struct slot {
	char *buf;
	uint64_t index;			/* block */
	struct slot *next;		/* in the list of free ones */
};

static int queue_block(struct io_uring *ring, const struct wl_share *share, struct slot *slot,
		       bool write)
{
	const struct wl_options *opt = &share->run->opt;
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);
	size_t len = wl_block_len(opt, slot->index);
	uint64_t off = slot->index * opt->block;

	if (!sqe)
		return wl_fail(share->run, EBUSY, "io_uring: no free entry");
	if (write) {
		io_uring_prep_write(sqe, share->file->fd, slot->buf, len, off);
		sqe->rw_flags = wl_dontcache_write_flags(opt);
	} else {
		io_uring_prep_read(sqe, share->file->fd, slot->buf, len, off);
		sqe->rw_flags = RWF_DONTCACHE;
	}
	io_uring_sqe_set_data(sqe, slot);
	return 0;
}

/* Counts what the ring did of a block and does the rest, or the whole again to see its error. */
static int end_block(const struct wl_share *share, const struct slot *slot, int res, bool write)
{
	const struct wl_options *opt = &share->run->opt;
	struct wl_file *file = share->file;
	size_t len = wl_block_len(opt, slot->index), done = 0;
	uint64_t off = slot->index * opt->block;

	if (res < 0 && res != -EOPNOTSUPP && res != -EAGAIN && res != -EINTR)
		return wl_fail(share->run, res, "io_uring %s %s at offset %llu",
			       write ? "write to" : "read from", file->path,
			       (unsigned long long)off);
	if (res > 0) {
		done = res;
		if (write) {
			file->did.dontcache_write_calls++;
			file->did.dontcache_write_bytes += done;
		} else {
			file->did.dontcache_read_calls++;
			file->did.dontcache_read_bytes += done;
		}
	}
	if (done == len)
		return 0;
	if (write)
		return wl_write(share->run, file, slot->buf + done, len - done, off + done,
				wl_dontcache_write_flags(opt));
	return wl_read(share->run, file, slot->buf + done, len - done, off + done, RWF_DONTCACHE);
}

int wl_uring_blocks(const struct wl_share *share, uint64_t start, uint64_t step, uint64_t end,
		    bool write)
{
	struct wl_run *run = share->run;
	const struct wl_options *opt = &run->opt;
	unsigned int depth = opt->depth, i, in_flight = 0;
	struct slot *slots, *free_slots = NULL;
	uint64_t index = start;
	struct io_uring ring;
	char *buf;
	int err;

	err = io_uring_queue_init(depth, &ring, 0);
	if (err)
		return wl_fail(run, err, "io_uring cannot be set up (see sysctl kernel.io_uring_disabled)");
	slots = calloc(depth, sizeof(*slots));
	buf = wl_buffer(run, depth * opt->block);
	if (!slots || !buf) {
		err = wl_fail(run, ENOMEM, "memory for %u requests", depth);
		goto cleanup;
	}
	for (i = 0; i < depth; i++) {
		slots[i].buf = buf + i * opt->block;
		slots[i].next = free_slots;
		free_slots = &slots[i];
	}

	while (in_flight || (!err && index < end && !wl_failed(run))) {
		struct io_uring_cqe *cqe;
		struct slot *slot;
		int ret;

		while (!err && free_slots && index < end && !wl_failed(run)) {
			slot = free_slots;
			slot->index = index;
			err = queue_block(&ring, share, slot, write);
			if (err)
				break;
			free_slots = slot->next;
			index += step;
			in_flight++;
		}
		ret = io_uring_submit_and_wait(&ring, in_flight ? 1 : 0);
		if (ret < 0 && ret != -EINTR) {
			err = wl_fail(run, ret, "io_uring submit");
			break;
		}
		/* after an error as well: what is in flight uses the buffers */
		while (!io_uring_peek_cqe(&ring, &cqe)) {
			slot = io_uring_cqe_get_data(cqe);
			ret = cqe->res;
			io_uring_cqe_seen(&ring, cqe);
			in_flight--;
			if (!err)
				err = end_block(share, slot, ret, write);
			slot->next = free_slots;
			free_slots = slot;
		}
	}
cleanup:
	io_uring_queue_exit(&ring);
	if (buf)
		munmap(buf, depth * opt->block);
	free(slots);
	return err;
}
