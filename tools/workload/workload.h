/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dontcache-workload: buffered I/O whose dropbehind folios can be counted beforehand.
 *
 * Errors inside are negative errno. The place that sees one says what it was doing with wl_fail();
 * main() prints that one line.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum wl_exit {
	WL_EXIT_OK = 0,
	WL_EXIT_CONTRADICTED = 1,	/* measured residency is outside the expected range */
	WL_EXIT_USAGE = 2,
	WL_EXIT_ERROR = 3,
	WL_EXIT_UNSUPPORTED = 4,	/* kernel or filesystem refuses RWF_DONTCACHE */
};

/* max of a range nobody can bound */
#define WL_UNBOUNDED UINT64_MAX

/* An expected number of pages; exact when min equals max. */
struct wl_range {
	uint64_t min;
	uint64_t max;
};

/* What is expected of one file, all in pages. */
struct wl_expect {
	struct wl_range births_write;	/* dropbehind births by write(2)-like calls */
	struct wl_range births_read;	/* dropbehind births by reads and their readahead */
	struct wl_range claimed;	/* flag cleared by a cached user before the drop */
	struct wl_range mapped;		/* kept because mapped into a process at the drop attempt */
	struct wl_range resident;	/* in the page cache after settling */
	uint64_t resident_all_dropped;	/* resident if each drop the kernel may do succeeds */
};

/* I/O done on one file; counted where it is done, from all threads and processes. */
struct wl_did {
	_Atomic uint64_t dontcache_write_calls;
	_Atomic uint64_t dontcache_write_bytes;
	_Atomic uint64_t dontcache_read_calls;
	_Atomic uint64_t dontcache_read_bytes;
	_Atomic uint64_t cached_write_calls;
	_Atomic uint64_t cached_write_bytes;
	_Atomic uint64_t cached_read_calls;
	_Atomic uint64_t cached_read_bytes;
	_Atomic uint64_t mapped_touches;
};

/* A file's page-cache state in pages. With mincore(2) only cached is known. */
struct wl_pages {
	uint64_t cached;
	uint64_t dirty;
	uint64_t writeback;
	uint64_t evicted;		/* taken by reclaim, not by a drop or truncation */
	bool only_cached;
};

enum wl_settled {
	WL_NOT_SETTLED,
	WL_SETTLED_BY_KERNEL,		/* no request of ours was needed to get it written */
	WL_SETTLED_FORCED,		/* sync_file_range(2) had to start writeback */
	WL_SETTLE_TIMED_OUT,
};

struct wl_file {
	char path[4096];
	int fd;				/* -1 once the scenario closed it */
	int process;			/* index of the process (and cgroup) that does its I/O */
	uint64_t ino;
	dev_t dev;			/* of the file, or the block device itself */
	bool created;			/* made by this run */
	bool gone;			/* unlinked by the scenario */
	bool extended;			/* the writes extended it, it was not sized before */
	struct wl_did did;
	struct wl_expect expect;
	bool measured;
	struct wl_pages after;
	enum wl_settled settled;
};

enum wl_engine { WL_SYNC, WL_URING };
enum wl_left { WL_LEFT_ANY, WL_LEFT_NONE, WL_LEFT_ALL };

struct wl_scenario;

struct wl_options {
	const struct wl_scenario *scenario;
	const char *dir;
	const char *file;
	const char *device;
	const char **cgroups;
	int nr_cgroups;
	uint64_t size;			/* bytes per file */
	uint64_t block;			/* bytes per call */
	uint64_t read_bytes;		/* of scenarios that stop reading; 0: one block */
	int nr_files;
	int nr_threads;
	int depth;			/* requests in flight per thread, io_uring only */
	int repeat;
	unsigned int seed;
	enum wl_engine engine;
	enum wl_left left;
	bool dsync;			/* RWF_DSYNC on each write */
	bool o_dsync;
	bool fsync;
	bool random_advice;
	bool keep;
	bool json;
	bool settle;
	bool use_mincore;
	double settle_wait_s;
	double settle_limit_s;
	int quiet_ms;
	double hold_s;			/* negative: do not hold */
	const char *start_fifo;
	const char *wait_fifo;
};

/* The first error of the run, shared by all its processes. */
struct wl_error {
	_Atomic int set;
	int status;			/* enum wl_exit */
	char text[4608];
};

/* One run; lives in memory shared with the processes of the cgroups. */
struct wl_run {
	struct wl_options opt;
	uint64_t page_size;
	int nr_processes;
	int nr_files;
	struct wl_error error;
	struct wl_file files[];
};

/* A thread's share of a file. */
struct wl_share {
	struct wl_run *run;
	struct wl_file *file;
	int thread;			/* 0 .. nr_threads - 1 */
	int nr_threads;
};

enum wl_scenario_flags {
	WL_FILE_ONLY = 1 << 0,		/* makes no sense on a block device */
	WL_ONE_THREAD = 1 << 1,
	WL_SYNC_ONLY = 1 << 2,		/* not through io_uring */
	WL_WHOLE_PAGES = 1 << 3,	/* block and size must be multiples of the page size */
	WL_READS = 1 << 4,		/* the dontcache I/O is reads */
	WL_NO_DONTCACHE = 1 << 5,
	WL_HOLDS_WRITE = 1 << 6,	/* reports and holds while its write is under way */
	WL_ONE_PROCESS = 1 << 7,	/* not with --cgroup */
	WL_PAGE_MORE = 1 << 8,		/* works on one page behind --size too */
};

struct wl_scenario {
	const char *name;
	const char *what;		/* one line of help: what it does */
	const char *why;		/* what is expected, and why */
	unsigned int flags;
	/* Brings the file into the state the scenario starts from. */
	int (*prepare)(struct wl_run *run, struct wl_file *file);
	/* What of that may not keep: called last before the I/O. Optional. */
	int (*ready)(struct wl_run *run, struct wl_file *file);
	/* The I/O of one thread. */
	int (*work)(const struct wl_share *share);
	/* Fills file->expect; called after prepare. */
	void (*expect)(const struct wl_run *run, struct wl_file *file);
};

/* scenarios.c */
extern const struct wl_scenario wl_scenarios[];
extern const size_t wl_nr_scenarios;
const struct wl_scenario *wl_find_scenario(const char *name);

/* error.c: keeps the first line told, returns the negative errno given (or -EIO for 0). */
int wl_fail(struct wl_run *run, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
bool wl_failed(const struct wl_run *run);
const char *wl_fs_name(int fd);

/* files.c: all return 0 or a negative errno, told. */
int wl_open_files(struct wl_run *run);
void wl_close_files(struct wl_run *run);
void wl_remove_files(struct wl_run *run);
int wl_make_empty(struct wl_run *run, struct wl_file *file);
int wl_make_sized(struct wl_run *run, struct wl_file *file, uint64_t bytes);
int wl_make_full(struct wl_run *run, struct wl_file *file);
int wl_make_cold(struct wl_run *run, struct wl_file *file);

/* io.c: one whole transfer by @flags (RWF_*), counted in file->did; 0 or a negative errno, told. */
int wl_write(struct wl_run *run, struct wl_file *file, const void *buf, size_t len, uint64_t off,
	     int flags);
int wl_read(struct wl_run *run, struct wl_file *file, void *buf, size_t len, uint64_t off,
	    int flags);
int wl_dontcache_write_flags(const struct wl_options *opt);
void *wl_buffer(struct wl_run *run, size_t len);
uint64_t wl_nr_blocks(const struct wl_options *opt);
size_t wl_block_len(const struct wl_options *opt, uint64_t index);

/* uring.c: the blocks start, start + step, ... below end, in that order of submission. */
int wl_uring_blocks(const struct wl_share *share, uint64_t start, uint64_t step, uint64_t end,
		    bool write);

/* gate.c */
struct wl_gate;
/*
 * Starts one write of opt.size bytes and one page more with RWF_DONTCACHE at offset 0 and stops it
 * before its last page: every page before is then in the cache and dirty, and writeback was not yet
 * asked for. NULL on error, told.
 */
struct wl_gate *wl_gate_stop(struct wl_run *run, struct wl_file *file);
/* Lets the write go on, waits for its end and frees the gate. */
int wl_gate_pass(struct wl_gate *gate);

/* Lets a held write go on with a page of zeros, whatever holds it. Safe in a signal handler. */
void wl_gate_let_go(void);

/* residency.c */
int wl_pages_of(int fd, uint64_t off, uint64_t len, bool use_mincore, struct wl_pages *pages);
int wl_measure(struct wl_run *run, struct wl_file *file, struct wl_pages *pages);
int wl_settle(struct wl_run *run, struct wl_file *file);

/* readahead.c: largest folio, in pages, that a read of this file may get; 0 if not known */
uint64_t wl_read_folio_pages(const struct wl_run *run, const struct wl_file *file);

/* workers.c: runs the scenario's work in its processes and threads. */
int wl_work(struct wl_run *run);

/* report.c */
int wl_report(const struct wl_run *run);
int wl_report_resident(char **paths, int nr_paths, bool json, bool use_mincore);
bool wl_contradicted(const struct wl_run *run);
/* Waits as --hold and --wait-fifo say. */
int wl_hold(struct wl_run *run);
int wl_wait_fifo(struct wl_run *run, const char *path);

#endif
