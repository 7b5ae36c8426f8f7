// SPDX-License-Identifier: GPL-2.0
/*
 * What each scenario does, and how many pages that must come to. Facts about the kernel used here:
 * the flag is set only on a folio that a dontcache call itself adds to the cache; a folio added by a
 * write is never larger than what is left of that write, so it holds no page outside it.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dropbehind/uapi.h"
#include "workload.h"

#define PARTIAL_OFFSET	100
#define PARTIAL_BYTES	1000

static struct wl_range exactly(uint64_t pages)
{
	return (struct wl_range) { pages, pages };
}

static struct wl_range from_to(uint64_t min, uint64_t max)
{
	return (struct wl_range) { min, max };
}

static uint64_t file_pages(const struct wl_run *run)
{
	return (run->opt.size + run->page_size - 1) / run->page_size;
}

/* Pages of the blocks with an even index. With whole pages only, no page is in two blocks. */
static uint64_t even_block_pages(const struct wl_run *run)
{
	uint64_t i, pages = 0;

	for (i = 0; i < wl_nr_blocks(&run->opt); i += 2)
		pages += (wl_block_len(&run->opt, i) + run->page_size - 1) / run->page_size;
	return pages;
}

/* Dropbehind pages by writes only, each of which may be dropped or left behind. */
static void expect_written(struct wl_file *file, uint64_t pages)
{
	file->expect.births_write = exactly(pages);
	file->expect.resident = from_to(0, pages);
}

/* --- writes --- */

static int end_writes(const struct wl_share *share)
{
	if (share->run->opt.fsync && fsync(share->file->fd))
		return wl_fail(share->run, errno, "fsync of %s", share->file->path);
	return 0;
}

/* Writes the blocks start, start + step, ... with @flags. */
static int write_blocks(const struct wl_share *share, uint64_t start, uint64_t step, int flags)
{
	struct wl_run *run = share->run;
	const struct wl_options *opt = &run->opt;
	uint64_t index, end = wl_nr_blocks(opt);
	int err = 0;
	char *buf;

	if (opt->engine == WL_URING)
		return wl_uring_blocks(share, start, step, end, true);
	buf = wl_buffer(run, opt->block);
	if (!buf)
		return -ENOMEM;
	for (index = start; index < end && !err && !wl_failed(run); index += step)
		err = wl_write(run, share->file, buf, wl_block_len(opt, index), index * opt->block,
			       flags);
	munmap(buf, opt->block);
	return err;
}

static int work_write(const struct wl_share *share)
{
	int err = write_blocks(share, share->thread, share->nr_threads,
			       wl_dontcache_write_flags(&share->run->opt));

	return err ? err : end_writes(share);
}

static int work_write_cached(const struct wl_share *share)
{
	int err = write_blocks(share, share->thread, share->nr_threads,
			       share->run->opt.dsync ? RWF_DSYNC : 0);

	return err ? err : end_writes(share);
}

/* One in order extends the file; several at once, or requests in flight, fill a hole instead. */
static int prepare_append(struct wl_run *run, struct wl_file *file)
{
	const struct wl_options *opt = &run->opt;

	if (opt->nr_threads > 1 || (opt->engine == WL_URING && opt->depth > 1))
		return wl_make_sized(run, file, opt->size);
	file->extended = !opt->device;
	return wl_make_empty(run, file);
}

static void expect_all(const struct wl_run *run, struct wl_file *file)
{
	expect_written(file, file_pages(run));
}

static int prepare_sized(struct wl_run *run, struct wl_file *file)
{
	return wl_make_sized(run, file, run->opt.size);
}

static int work_sparse(const struct wl_share *share)
{
	int err = write_blocks(share, 2ull * share->thread, 2ull * share->nr_threads,
			       wl_dontcache_write_flags(&share->run->opt));

	return err ? err : end_writes(share);
}

static void expect_even(const struct wl_run *run, struct wl_file *file)
{
	expect_written(file, even_block_pages(run));
}

/* Even blocks dontcache, odd blocks cached. */
static int work_mixed(const struct wl_share *share)
{
	struct wl_run *run = share->run;
	const struct wl_options *opt = &run->opt;
	uint64_t index;
	int err = 0;
	char *buf;

	buf = wl_buffer(run, opt->block);
	if (!buf)
		return -ENOMEM;
	for (index = share->thread; index < wl_nr_blocks(opt) && !err && !wl_failed(run);
	     index += share->nr_threads)
		err = wl_write(run, share->file, buf, wl_block_len(opt, index), index * opt->block,
			       index % 2 ? 0 : wl_dontcache_write_flags(opt));
	munmap(buf, opt->block);
	return err ? err : end_writes(share);
}

/* The odd blocks were or are put into the cache without the flag and stay. */
static void expect_odd_cached(const struct wl_run *run, struct wl_file *file)
{
	uint64_t pages = file_pages(run), even = even_block_pages(run);

	file->expect.births_write = exactly(even);
	file->expect.resident = from_to(pages - even, pages);
	file->expect.resident_all_dropped = pages - even;
}

static int work_rewrite(const struct wl_share *share)
{
	struct wl_run *run = share->run;
	const struct wl_options *opt = &run->opt;
	uint64_t index;
	int err = 0, i;
	char *buf;

	buf = wl_buffer(run, opt->block);
	if (!buf)
		return -ENOMEM;
	for (index = share->thread; index < wl_nr_blocks(opt) && !wl_failed(run);
	     index += share->nr_threads)
		for (i = 0; i < opt->repeat && !err; i++)
			err = wl_write(run, share->file, buf, wl_block_len(opt, index),
				       index * opt->block, wl_dontcache_write_flags(opt));
	munmap(buf, opt->block);
	return err ? err : end_writes(share);
}

static void expect_rewrite(const struct wl_run *run, struct wl_file *file)
{
	uint64_t pages = file_pages(run);

	file->expect.births_write = from_to(pages, pages * run->opt.repeat);
	file->expect.resident = from_to(0, pages);
}

/* One write inside each page: every page is touched once, none whole. */
static int work_partial(const struct wl_share *share)
{
	struct wl_run *run = share->run;
	uint64_t page, pages = file_pages(run);
	char buf[PARTIAL_BYTES];
	int err = 0;

	memset(buf, 0xd8, sizeof(buf));
	for (page = share->thread; page < pages && !err && !wl_failed(run);
	     page += share->nr_threads)
		err = wl_write(run, share->file, buf, sizeof(buf),
			       page * run->page_size + PARTIAL_OFFSET,
			       wl_dontcache_write_flags(&run->opt));
	return err ? err : end_writes(share);
}

static uint64_t partial_append_len(const struct wl_run *run)
{
	return run->opt.block % run->page_size ? run->opt.block : PARTIAL_BYTES;
}

static int work_partial_append(const struct wl_share *share)
{
	struct wl_run *run = share->run;
	uint64_t off, len = partial_append_len(run);
	int err = 0;
	char *buf;

	buf = wl_buffer(run, len);
	if (!buf)
		return -ENOMEM;
	for (off = 0; off + len <= run->opt.size && !err && !wl_failed(run); off += len)
		err = wl_write(run, share->file, buf, len, off,
			       wl_dontcache_write_flags(&run->opt));
	munmap(buf, len);
	return err ? err : end_writes(share);
}

static void expect_partial_append(const struct wl_run *run, struct wl_file *file)
{
	uint64_t len = partial_append_len(run), writes = run->opt.size / len;
	uint64_t pages = (writes * len + run->page_size - 1) / run->page_size;
	uint64_t i, touches = 0;

	for (i = 0; i < writes; i++)
		touches += ((i + 1) * len - 1) / run->page_size - i * len / run->page_size + 1;
	file->expect.births_write = from_to(1, touches);
	file->expect.claimed = from_to(0, touches);
	file->expect.resident = from_to(0, pages);
}

static void expect_cached_only(const struct wl_run *run, struct wl_file *file)
{
	uint64_t pages = file_pages(run);

	file->expect.resident = exactly(pages);
	file->expect.resident_all_dropped = pages;
}

/* --- writes into a file that is (partly) cached --- */

/* Reads the blocks start, start + step, ... with cached calls that are not counted. */
static int fill_cache(struct wl_run *run, struct wl_file *file, uint64_t start, uint64_t step)
{
	const struct wl_options *opt = &run->opt;
	uint64_t index;
	int err = 0;
	char *buf;

	buf = wl_buffer(run, opt->block);
	if (!buf)
		return -ENOMEM;
	for (index = start; index < wl_nr_blocks(opt) && !err; index += step) {
		size_t len = wl_block_len(opt, index);
		ssize_t n = pread(file->fd, buf, len, index * opt->block);

		if (n != (ssize_t)len)
			err = wl_fail(run, n < 0 ? errno : EIO, "read from %s", file->path);
	}
	munmap(buf, opt->block);
	return err;
}

/* Pages that must be in the cache when the I/O begins: what @fill brings in, @want in all. */
static int fill_until(struct wl_run *run, struct wl_file *file, uint64_t want,
		      int (*fill)(struct wl_run *run, struct wl_file *file))
{
	struct wl_pages pages = { 0 };
	int err, try;

	/* reclaim may have taken some; one that comes between this check and the I/O is not seen */
	for (try = 0; try < 5; try++) {
		err = fill(run, file);
		if (err)
			return err;
		err = wl_measure(run, file, &pages);
		if (err)
			return err;
		if (pages.cached == want)
			return 0;
	}
	return wl_fail(run, 0, "%s: %llu pages are in the cache, wanted %llu; is memory short?",
		       file->path, (unsigned long long)pages.cached, (unsigned long long)want);
}

static int fill_all(struct wl_run *run, struct wl_file *file)
{
	return fill_cache(run, file, 0, 1);
}

static int ready_cached(struct wl_run *run, struct wl_file *file)
{
	return fill_until(run, file, file_pages(run), fill_all);
}

static int fill_odd(struct wl_run *run, struct wl_file *file)
{
	int err;

	/* without readahead, so that the even blocks stay out */
	err = posix_fadvise(file->fd, 0, 0, POSIX_FADV_RANDOM);
	if (err)
		return wl_fail(run, err, "fadvise of %s", file->path);
	err = fill_cache(run, file, 1, 2);
	if (err)
		return err;
	err = posix_fadvise(file->fd, 0, 0, POSIX_FADV_NORMAL);
	return err ? wl_fail(run, err, "fadvise of %s", file->path) : 0;
}

static int ready_odd_cached(struct wl_run *run, struct wl_file *file)
{
	return fill_until(run, file, file_pages(run) - even_block_pages(run), fill_odd);
}

/* --- cached users beside --- */

static int work_claim(const struct wl_share *share)
{
	struct wl_run *run = share->run;
	const struct wl_options *opt = &run->opt;
	uint64_t index;
	int err = 0;
	char *buf;

	buf = wl_buffer(run, opt->block);
	if (!buf)
		return -ENOMEM;
	for (index = share->thread; index < wl_nr_blocks(opt) && !err && !wl_failed(run);
	     index += share->nr_threads) {
		size_t len = wl_block_len(opt, index);

		err = wl_write(run, share->file, buf, len, index * opt->block,
			       wl_dontcache_write_flags(opt));
		if (!err)
			err = wl_write(run, share->file, buf, len, index * opt->block, 0);
	}
	munmap(buf, opt->block);
	return err ? err : end_writes(share);
}

static void expect_claim(const struct wl_run *run, struct wl_file *file)
{
	uint64_t pages = file_pages(run);

	file->expect.births_write = exactly(pages);
	file->expect.claimed = from_to(0, pages);
	file->expect.resident = exactly(pages);
	file->expect.resident_all_dropped = pages;
}

struct reader {
	const struct wl_share *share;
	_Atomic uint64_t written;	/* bytes from the start that may be read */
	_Atomic bool stop;
	int err;
};

/* Reads what was written so far, again and again, with cached calls. */
static void *reader_main(void *arg)
{
	struct reader *reader = arg;
	const struct wl_share *share = reader->share;
	size_t step = 64 << 10;
	char *buf = wl_buffer(share->run, step);

	if (!buf) {
		reader->err = -ENOMEM;
		return NULL;
	}
	while (!atomic_load(&reader->stop) && !reader->err) {
		uint64_t off, end = atomic_load(&reader->written);

		for (off = 0; off < end && !reader->err; off += step)
			reader->err = wl_read(share->run, share->file, buf,
					      end - off < step ? end - off : step, off, 0);
		if (!end)
			usleep(100);
	}
	munmap(buf, step);
	return NULL;
}

static int work_reader(const struct wl_share *share)
{
	struct wl_run *run = share->run;
	const struct wl_options *opt = &run->opt;
	struct reader reader = { .share = share };
	pthread_t thread;
	uint64_t index;
	int err = 0;
	char *buf;

	buf = wl_buffer(run, opt->block);
	if (!buf)
		return -ENOMEM;
	err = pthread_create(&thread, NULL, reader_main, &reader);
	if (err) {
		err = wl_fail(run, err, "cannot start a thread");
		goto cleanup;
	}
	for (index = 0; index < wl_nr_blocks(opt) && !err && !wl_failed(run); index++) {
		size_t len = wl_block_len(opt, index);

		err = wl_write(run, share->file, buf, len, index * opt->block,
			       wl_dontcache_write_flags(opt));
		atomic_store(&reader.written, index * opt->block + len);
	}
	atomic_store(&reader.stop, true);
	pthread_join(thread, NULL);
	if (!err)
		err = reader.err;
	if (!err)
		err = end_writes(share);
cleanup:
	munmap(buf, opt->block);
	return err;
}

/* --- mapped files; the write is stopped while the pages are touched --- */

static int prepare_gate(struct wl_run *run, struct wl_file *file)
{
	return wl_make_sized(run, file, run->opt.size + run->page_size);
}

static int fill_gate(struct wl_run *run, struct wl_file *file)
{
	char byte;
	ssize_t n;
	int err;

	/* without readahead: only that page */
	err = posix_fadvise(file->fd, 0, 0, POSIX_FADV_RANDOM);
	if (err)
		return wl_fail(run, err, "fadvise of %s", file->path);
	n = pread(file->fd, &byte, 1, run->opt.size);
	return n == 1 ? 0 : wl_fail(run, n < 0 ? errno : EIO, "read from %s", file->path);
}

/*
 * The last page, where the write will be stopped, is in the cache without the flag: it is no birth, it
 * stays, and it is there whether or not the kernel adds a page before it copies.
 */
static int ready_gate(struct wl_run *run, struct wl_file *file)
{
	return fill_until(run, file, 1, fill_gate);
}

static int touch_mapped(const struct wl_share *share, bool write)
{
	struct wl_run *run = share->run;
	uint64_t off, size = run->opt.size;
	volatile char *map;
	struct wl_gate *gate;
	int err;

	/* mapped before there is anything: the kernel maps pages only as they are touched */
	map = mmap(NULL, size, write ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED,
		   share->file->fd, 0);
	if (map == MAP_FAILED)
		return wl_fail(run, errno, "mmap of %s", share->file->path);
	gate = wl_gate_stop(run, share->file);
	if (!gate) {
		munmap((void *)map, size);
		return -EIO;
	}
	for (off = 0; off < size; off += run->page_size) {
		if (write)
			map[off] = 1;
		else
			(void)map[off];
		share->file->did.mapped_touches++;
	}
	err = wl_gate_pass(gate);
	if (!err)
		err = end_writes(share);
	/* the mapping must outlast the writeback */
	if (!err)
		err = wl_settle(run, share->file);
	munmap((void *)map, size);
	return err;
}

static int work_mapped(const struct wl_share *share)
{
	return touch_mapped(share, false);
}

static int work_mapped_write(const struct wl_share *share)
{
	return touch_mapped(share, true);
}

static void expect_mapped(const struct wl_run *run, struct wl_file *file)
{
	uint64_t pages = run->opt.size / run->page_size;

	file->expect.births_write = exactly(pages);
	file->expect.mapped = from_to(0, pages);
	file->expect.resident = from_to(1, pages + 1);
	file->expect.resident_all_dropped = 1;
}

static void expect_mapped_write(const struct wl_run *run, struct wl_file *file)
{
	uint64_t pages = run->opt.size / run->page_size;

	file->expect.births_write = exactly(pages);
	file->expect.claimed = exactly(pages);
	file->expect.resident = exactly(pages + 1);
	file->expect.resident_all_dropped = pages + 1;
}

static int work_pending(const struct wl_share *share)
{
	struct wl_run *run = share->run;
	struct wl_file *file = share->file;
	struct wl_gate *gate;
	int err, pass_err;

	gate = wl_gate_stop(run, file);
	if (!gate)
		return -EIO;
	err = wl_measure(run, file, &file->after);
	file->measured = !err;
	if (!err)
		err = wl_report(run);
	if (!err)
		err = wl_hold(run);
	pass_err = wl_gate_pass(gate);
	if (!err)
		err = pass_err;
	return err ? err : end_writes(share);
}

static void expect_pending(const struct wl_run *run, struct wl_file *file)
{
	uint64_t pages = run->opt.size / run->page_size;

	file->expect.births_write = exactly(pages);
	file->expect.resident = exactly(pages + 1);
	file->expect.resident_all_dropped = pages + 1;
}

/* --- the file goes away --- */

static int work_truncate(const struct wl_share *share)
{
	int err = write_blocks(share, 0, 1, wl_dontcache_write_flags(&share->run->opt));

	if (!err && ftruncate(share->file->fd, 0))
		err = wl_fail(share->run, errno, "truncate %s", share->file->path);
	return err;
}

static int work_unlink(const struct wl_share *share)
{
	int err = write_blocks(share, 0, 1, wl_dontcache_write_flags(&share->run->opt));

	if (err)
		return err;
	if (unlink(share->file->path))
		return wl_fail(share->run, errno, "unlink %s", share->file->path);
	share->file->gone = true;
	close(share->file->fd);
	share->file->fd = -1;
	return 0;
}

/*
 * What truncation finds under writeback it looks up once more where it begins,
 * without FGP_DONTCACHE (mm/truncate.c): the first folio may be claimed before it goes.
 */
static void expect_truncated(const struct wl_run *run, struct wl_file *file)
{
	uint64_t first = run->opt.block < run->opt.size ? run->opt.block : run->opt.size;

	file->expect.births_write = exactly(file_pages(run));
	file->expect.claimed = from_to(0, first / run->page_size);
	file->expect.resident = exactly(0);
}

/* --- reads --- */

static int advise_random(const struct wl_share *share)
{
	int err;

	if (!share->run->opt.random_advice)
		return 0;
	err = posix_fadvise(share->file->fd, 0, 0, POSIX_FADV_RANDOM);
	return err ? wl_fail(share->run, err, "fadvise of %s", share->file->path) : 0;
}

static int read_blocks(const struct wl_share *share, const uint64_t *order, uint64_t end, int flags)
{
	struct wl_run *run = share->run;
	const struct wl_options *opt = &run->opt;
	uint64_t i;
	int err;
	char *buf;

	err = advise_random(share);
	if (err)
		return err;
	if (opt->engine == WL_URING)
		return wl_uring_blocks(share, share->thread, share->nr_threads, end, false);
	buf = wl_buffer(run, opt->block);
	if (!buf)
		return -ENOMEM;
	for (i = share->thread; i < end && !err && !wl_failed(run); i += share->nr_threads) {
		uint64_t index = order ? order[i] : i;

		err = wl_read(run, share->file, buf, wl_block_len(opt, index), index * opt->block,
			      flags);
	}
	munmap(buf, opt->block);
	return err;
}

static int work_read(const struct wl_share *share)
{
	return read_blocks(share, NULL, wl_nr_blocks(&share->run->opt), RWF_DONTCACHE);
}

static int work_read_cached_calls(const struct wl_share *share)
{
	return read_blocks(share, NULL, wl_nr_blocks(&share->run->opt), 0);
}

/* Each block once, in an order made from --seed; the threads share that order. */
static int work_read_random(const struct wl_share *share)
{
	uint64_t i, nr = wl_nr_blocks(&share->run->opt), state = share->run->opt.seed;
	uint64_t *order;
	int err;

	order = malloc(nr * sizeof(*order));
	if (!order)
		return wl_fail(share->run, ENOMEM, "memory for %llu blocks",
			       (unsigned long long)nr);
	for (i = 0; i < nr; i++) {
		uint64_t other;

		state = state * 6364136223846793005ull + 1442695040888963407ull;
		other = (state >> 33) % (i + 1);
		order[i] = order[other];
		order[other] = i;
	}
	err = read_blocks(share, order, nr, RWF_DONTCACHE);
	free(order);
	return err;
}

static uint64_t unread_blocks(const struct wl_options *opt)
{
	uint64_t bytes = opt->read_bytes ? opt->read_bytes : opt->block;
	uint64_t blocks = (bytes + opt->block - 1) / opt->block;

	return blocks < wl_nr_blocks(opt) ? blocks : wl_nr_blocks(opt);
}

static int work_unread(const struct wl_share *share)
{
	return read_blocks(share, NULL, unread_blocks(&share->run->opt), RWF_DONTCACHE);
}

/* As above, and then the whole file with cached calls: these drop the leftovers they meet. */
static int work_unread_cached(const struct wl_share *share)
{
	struct wl_run *run = share->run;
	struct wl_file *file = share->file;
	struct wl_pages left;
	int err = work_unread(share);

	if (err)
		return err;
	err = wl_measure(run, file, &left);
	if (err)
		return err;
	file->expect.resident_all_dropped = file_pages(run) - left.cached;
	return work_read_cached_calls(share);
}

/*
 * A call adds a page to the cache at most once. A page is added again only after it was dropped, and
 * it is dropped only by a call that read from its folio, so from near it. A block device goes on behind
 * the part that is read: up to two windows of readahead are added there, whose last folio may reach
 * one window further, and stay.
 */
static uint64_t most_read_births(const struct wl_run *run, const struct wl_file *file,
				 uint64_t calls, uint64_t pages)
{
	uint64_t folio = wl_read_folio_pages(run, file), near;

	if (!folio)
		return calls == 1 && !run->opt.device ? pages : WL_UNBOUNDED;
	near = 2 * folio * run->page_size / run->opt.block + 3;
	pages *= near < calls ? near : calls;
	return run->opt.device ? pages + 3 * folio : pages;
}

static void expect_read(const struct wl_run *run, struct wl_file *file)
{
	uint64_t pages = file_pages(run);

	file->expect.births_read = from_to(pages, most_read_births(run, file,
								   wl_nr_blocks(&run->opt), pages));
	file->expect.resident = from_to(0, pages);
}

static void expect_unread(const struct wl_run *run, struct wl_file *file)
{
	uint64_t pages = file_pages(run), calls = unread_blocks(&run->opt);
	uint64_t bytes = calls * run->opt.block;
	uint64_t read = (bytes < run->opt.size ? bytes : run->opt.size) + run->page_size - 1;

	file->expect.births_read = from_to(read / run->page_size,
					   most_read_births(run, file, calls, pages));
	file->expect.resident = from_to(0, pages);
}

#define WHY_WRITE \
	"A birth for each page written, none else. Dropped after writeback if that ends in safe context and the folio's lock is free; how many stay depends on the filesystem, device and kernel."

const struct wl_scenario wl_scenarios[] = {
	{
		.name = "append",
		.what = "write a new file (on a device: its start, cold) in blocks",
		.why = WHY_WRITE,
		.flags = WL_WHOLE_PAGES,
		.prepare = prepare_append,
		.work = work_write,
		.expect = expect_all,
	}, {
		.name = "overwrite",
		.what = "overwrite a file that is on the device and not in the cache",
		.why = WHY_WRITE " Whole pages are not read before. XFS and block devices (7.3) complete in a worker; ext4 completes where the device does.",
		.flags = WL_WHOLE_PAGES,
		.prepare = wl_make_full,
		.work = work_write,
		.expect = expect_all,
	}, {
		.name = "rewrite",
		.what = "write each block --repeat times in a row",
		.why = "At least one birth for each page; one more for each time a page was dropped between two writes to it.",
		.flags = WL_WHOLE_PAGES | WL_SYNC_ONLY,
		.prepare = prepare_append,
		.work = work_rewrite,
		.expect = expect_rewrite,
	}, {
		.name = "overwrite-cached",
		.what = "overwrite a file that a cached reader has in the cache",
		.why = "No births: the flag is never set on a folio that is in the cache. All pages stay.",
		.flags = WL_WHOLE_PAGES,
		.prepare = wl_make_full,
		.ready = ready_cached,
		.work = work_write,
		.expect = expect_cached_only,
	}, {
		.name = "overwrite-half-cached",
		.what = "overwrite a file whose odd blocks are in the cache",
		.why = "A birth for each page of the even blocks; the pages of the odd blocks stay.",
		.flags = WL_WHOLE_PAGES,
		.prepare = wl_make_full,
		.ready = ready_odd_cached,
		.work = work_write,
		.expect = expect_odd_cached,
	}, {
		.name = "partial",
		.what = "overwrite 1000 bytes inside each page of a cold file (--block is not used)",
		.why = "A birth for each page: the rest of the page is read into the folio the write added.",
		.flags = WL_WHOLE_PAGES | WL_SYNC_ONLY,
		.prepare = wl_make_full,
		.work = work_partial,
		.expect = expect_all,
	}, {
		.name = "partial-append",
		.what = "append writes of 1000 bytes, or --block if that is no multiple of the page size",
		.why = "Several writes touch a page. It is born again if it was dropped between two of them, and claimed if the filesystem looks up the old end of file itself to zero it. Only bounds are known.",
		.flags = WL_ONE_THREAD | WL_SYNC_ONLY | WL_FILE_ONLY,
		.prepare = prepare_append,
		.work = work_partial_append,
		.expect = expect_partial_append,
	}, {
		.name = "sparse",
		.what = "write every second block into a file that is one hole",
		.why = WHY_WRITE " Holes add nothing.",
		.flags = WL_WHOLE_PAGES,
		.prepare = prepare_sized,
		.work = work_sparse,
		.expect = expect_even,
	}, {
		.name = "mixed",
		.what = "write the even blocks dontcache and the odd blocks cached",
		.why = "A birth for each page of the even blocks; the pages of the odd blocks stay.",
		.flags = WL_WHOLE_PAGES | WL_SYNC_ONLY,
		.prepare = prepare_sized,
		.work = work_mixed,
		.expect = expect_odd_cached,
	}, {
		.name = "control",
		.what = "cached writes to a new file",
		.why = "No births. All pages stay.",
		.flags = WL_WHOLE_PAGES | WL_SYNC_ONLY | WL_NO_DONTCACHE,
		.prepare = prepare_append,
		.work = work_write_cached,
		.expect = expect_cached_only,
	}, {
		.name = "claim",
		.what = "write each block dontcache and at once again cached",
		.why = "A birth for each page. The cached write claims the folio if it comes before the drop, else it adds the page again without the flag: claimed and dropped together are all births, and all pages stay. A device that delays completions makes it all claims.",
		.flags = WL_WHOLE_PAGES | WL_SYNC_ONLY,
		.prepare = prepare_append,
		.work = work_claim,
		.expect = expect_claim,
	}, {
		.name = "reader",
		.what = "append while a cached reader reads what was written, again and again",
		.why = "A birth for each page. A read does not clear the flag, so nothing is claimed; it drops a clean folio it has read, and adds dropped pages again without the flag, which stay.",
		.flags = WL_WHOLE_PAGES | WL_ONE_THREAD | WL_SYNC_ONLY | WL_FILE_ONLY,
		.prepare = prepare_append,
		.work = work_reader,
		.expect = expect_all,
	}, {
		.name = "mapped",
		.what = "map the file and read each page while it is dirty, before its writeback",
		.why = "Reading through a mapping maps cached folios without a lookup (fault-around), so the flag stays. At the drop attempt the folios are mapped: Linux 7.2 and 7.3 clear the flag and keep them, reason mapped; 6.18 drops them all the same. The write's end, one page behind the size, was cached before and stays.",
		.flags = WL_WHOLE_PAGES | WL_ONE_THREAD | WL_SYNC_ONLY | WL_PAGE_MORE,
		.prepare = prepare_gate,
		.ready = ready_gate,
		.work = work_mapped,
		.expect = expect_mapped,
	}, {
		.name = "mapped-write",
		.what = "map the file and write each page while it is dirty, before its writeback",
		.why = "A write fault looks the folio up without the dontcache flag, which claims it. Claimed pages stay. The write's end, one page behind the size, was cached before and stays.",
		.flags = WL_WHOLE_PAGES | WL_ONE_THREAD | WL_SYNC_ONLY | WL_PAGE_MORE,
		.prepare = prepare_gate,
		.ready = ready_gate,
		.work = work_mapped_write,
		.expect = expect_mapped_write,
	}, {
		.name = "pending",
		.what = "stop a write before its last page, report, hold (--hold, --wait-fifo), let it end",
		.why = "While it is held, all pages are born, dirty and not dropped: still pending. The write's end, one page behind the size, was cached before.",
		.flags = WL_WHOLE_PAGES | WL_ONE_THREAD | WL_SYNC_ONLY | WL_ONE_PROCESS |
			 WL_HOLDS_WRITE | WL_PAGE_MORE,
		.prepare = prepare_gate,
		.ready = ready_gate,
		.work = work_pending,
		.expect = expect_pending,
	}, {
		.name = "truncate",
		.what = "append, then truncate to nothing at once, with writeback under way",
		.why = "A birth for each page; each is dropped or truncated, none stays. Truncation itself may claim the first folio, by looking it up.",
		.flags = WL_WHOLE_PAGES | WL_ONE_THREAD | WL_FILE_ONLY,
		.prepare = prepare_append,
		.work = work_truncate,
		.expect = expect_truncated,
	}, {
		.name = "unlink",
		.what = "append, then unlink and close at once, with writeback under way",
		.why = "A birth for each page; each is dropped or truncated, and the first folio perhaps claimed before. The file is gone and cannot be measured: verdict inconclusive.",
		.flags = WL_WHOLE_PAGES | WL_ONE_THREAD | WL_FILE_ONLY | WL_ONE_PROCESS,
		.prepare = prepare_append,
		.work = work_unlink,
		.expect = expect_truncated,
	}, {
		.name = "read",
		.what = "read a cold file in order",
		.why = "Each page is born at least once, by the read or its readahead, and dropped after the read. A folio is dropped even if only a part was read, and then read again: births may be more.",
		.flags = WL_READS,
		.prepare = wl_make_full,
		.work = work_read,
		.expect = expect_read,
	}, {
		.name = "read-random",
		.what = "read each block of a cold file once, in random order",
		.why = "As read; in addition pages that were read ahead after their block was read stay, never read.",
		.flags = WL_READS | WL_SYNC_ONLY,
		.prepare = wl_make_full,
		.work = work_read_random,
		.expect = expect_read,
	}, {
		.name = "read-hole",
		.what = "read a file that is one hole",
		.why = "As read: a hole's pages pass through the cache too.",
		.flags = WL_READS | WL_FILE_ONLY,
		.prepare = prepare_sized,
		.work = work_read,
		.expect = expect_read,
	}, {
		.name = "read-cached",
		.what = "read a file that a cached reader has in the cache",
		.why = "No births, and the pages stay: the flag is never set on a folio that is in the cache.",
		.flags = WL_READS,
		.prepare = wl_make_full,
		.ready = ready_cached,
		.work = work_read,
		.expect = expect_cached_only,
	}, {
		.name = "control-read",
		.what = "read a cold file with cached calls",
		.why = "No births. All pages stay.",
		.flags = WL_READS | WL_SYNC_ONLY | WL_NO_DONTCACHE,
		.prepare = wl_make_full,
		.work = work_read_cached_calls,
		.expect = expect_cached_only,
	}, {
		.name = "unread",
		.what = "read the first --read-bytes (one block) of a cold file and stop",
		.why = "Readahead goes further than the read, with the flag: what nobody reads stays, never read. How much is the kernel's choice.",
		.flags = WL_READS | WL_SYNC_ONLY | WL_ONE_THREAD,
		.prepare = wl_make_full,
		.work = work_unread,
		.expect = expect_unread,
	}, {
		.name = "unread-cached",
		.what = "as unread, then read the whole file with cached calls",
		.why = "A cached read drops dropbehind folios it has read as well: the leftovers go, all other pages stay.",
		.flags = WL_READS | WL_SYNC_ONLY | WL_ONE_THREAD,
		.prepare = wl_make_full,
		.work = work_unread_cached,
		.expect = expect_unread,
	},
};

const size_t wl_nr_scenarios = sizeof(wl_scenarios) / sizeof(wl_scenarios[0]);

const struct wl_scenario *wl_find_scenario(const char *name)
{
	size_t i;

	for (i = 0; i < wl_nr_scenarios; i++)
		if (!strcmp(wl_scenarios[i].name, name))
			return &wl_scenarios[i];
	return NULL;
}
