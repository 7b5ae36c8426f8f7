// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "recording.h"

#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "block.h"
#include "complain.h"
#include "event.h"
#include "json.h"
#include "jsonput.h"
#include "session.h"
#include "update.h"

/* Events go out when so many wait, so that little is lost with the process. */
#define EVENTS_BATCH	512

/* What an end block may take of max_bytes. */
#define END_ROOM	1024

struct db_recording {
	struct db_recording_options options;
	char id[33];
	char *path;		/* of the file being written; owned */
	unsigned int part;
	int fd;
	bool made;		/* the file was not there before */
	__u64 bytes;		/* whole blocks */
	__u64 sequence;		/* of the next block */
	bool any_ledger;	/* last is valid */
	bool over;		/* nothing more is written */
	bool failed;
	bool unsynced;		/* a finished part may not have reached the disk */
	struct db_ledger last;	/* as recorded */
	struct db_event events[EVENTS_BATCH];
	char workqueues[256][DB_NAME_LEN];	/* by slot, as far as events named them */
	unsigned int nevents;	/* waiting */
	__u64 kept;		/* of this interval */
	__u64 not_kept;		/* since the last block of events */
};

static char *part_path(const struct db_recording *r, unsigned int part)
{
	char *path;

	if (!part)
		return strdup(r->options.path);
	return asprintf(&path, "%s.%u", r->options.path, part) < 0 ? NULL : path;
}

static int write_all(int fd, const unsigned char *bytes, size_t size)
{
	ssize_t n;

	while (size) {
		n = write(fd, bytes, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		bytes += n;
		size -= n;
	}
	return 0;
}

/* Appends whole or not at all. */
static int append(struct db_recording *r, const unsigned char *bytes, size_t size)
{
	int err = write_all(r->fd, bytes, size);

	if (!err) {
		r->bytes += size;
		return 0;
	}
	if (ftruncate(r->fd, r->bytes) || lseek(r->fd, r->bytes, SEEK_SET) < 0)
		r->over = true;
	return err;
}

static int pack(struct db_recording *r, enum db_block_type type, json_t *json,
		unsigned char **bytes, size_t *size)
{
	struct db_block block = { .type = type, .sequence = r->sequence, .json = json };
	struct timespec wall;
	int err;

	if (!json)
		return -ENOMEM;
	clock_gettime(CLOCK_REALTIME, &wall);
	block.wall_ns = wall.tv_sec * 1000000000ULL + wall.tv_nsec;
	block.mono_ns = db_now_ns();
	err = db_block_pack(&block, bytes, size);
	json_decref(json);
	return err;
}

/* Writes a block, taking @json. */
static int put_block(struct db_recording *r, enum db_block_type type, json_t *json)
{
	unsigned char *bytes;
	size_t size;
	int err = pack(r, type, json, &bytes, &size);

	if (err)
		return err;
	err = append(r, bytes, size);
	free(bytes);
	if (!err)
		r->sequence++;
	return err;
}

static json_t *head_json(const struct db_recording *r)
{
	struct db_put p = {};
	json_t *head = db_put_start(&p);

	db_put_text(&p, head, "recording", r->id);
	db_put_u64(&p, head, "part", r->part);
	db_put_text(&p, head, "tool", DROPBEHIND_VERSION);
	db_put_u64(&p, head, "interval_ns", r->options.interval_ns);
	db_put_u64(&p, head, "events_per_interval", DB_RECORDING_EVENTS);
	db_put_u64(&p, head, "samples_per_second", r->options.samples);
	db_put_u64(&p, head, "max_bytes", r->options.max_bytes);
	db_put_u64(&p, head, "rotate", r->options.rotate);
	return db_put_end(&p, head);
}

static json_t *end_json(enum db_recording_end end)
{
	struct db_put p = {};
	json_t *json = db_put_start(&p);

	db_put_text(&p, json, "reason", db_end_key(end));
	return db_put_end(&p, json);
}

static void end_recording(struct db_recording *r, enum db_recording_end end)
{
	if (!r->over && put_block(r, DB_BLOCK_END, end_json(end)) && end == DB_END_DONE) {
		db_complain(-EIO, "%s: cannot write the end of the recording", r->path);
		r->failed = true;
	}
	r->over = true;
}

/* Once: the recording is over, the run goes on. */
static void fail(struct db_recording *r, int err)
{
	if (r->failed)
		return;
	r->failed = true;
	if (err == -EFBIG)
		db_complain(err, "%s: a block is larger than the file may be; the recording ends here, the run goes on",
			    r->path);
	else
		db_complain(err, "%s: %s; the recording ends here and is readable so far, the run goes on",
			    r->path, strerror(-err));
	end_recording(r, DB_END_FAILED);
}

static int put_file_header(struct db_recording *r)
{
	unsigned char header[DB_FILE_HEADER_BYTES];

	r->bytes = 0;
	db_file_header(header);
	return append(r, header, sizeof(header));
}

/* Opens the file of the part.  Complains. */
static int open_part(struct db_recording *r)
{
	struct stat st;

	free(r->path);
	r->path = part_path(r, r->part);
	if (!r->path)
		return db_complain(-ENOMEM, "out of memory");
	r->fd = open(r->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	r->made = r->fd >= 0;
	if (r->fd < 0 && errno == EEXIST)
		r->fd = open(r->path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (r->fd < 0)
		return db_complain(-errno, "cannot make %s: %s", r->path, strerror(errno));
	if (fstat(r->fd, &st))
		return db_complain(-errno, "%s: %s", r->path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return db_complain(-EINVAL, "%s: a recording goes into a regular file", r->path);
	if (flock(r->fd, LOCK_EX | LOCK_NB))
		return db_complain(-EBUSY, "%s: another process is writing it", r->path);
	/* The size again: whoever held the lock until now may have written. */
	if (fstat(r->fd, &st) || st.st_size)
		return db_complain(-EEXIST, "%s exists and is not empty; remove it or choose another name",
				   r->path);
	return 0;
}

/* Digits only, as in FILE.12? */
static bool is_part_suffix(const char *suffix)
{
	return *suffix && strspn(suffix, "0123456789") == strlen(suffix);
}

/* Parts of an older recording would be taken for ours.  Complains. */
static int check_no_parts(const struct db_recording_options *o)
{
	const char *slash = strrchr(o->path, '/'), *base = slash ? slash + 1 : o->path;
	char *dir = slash ? strndup(o->path, slash - o->path + 1) : strdup(".");
	size_t n = strlen(base);
	struct dirent *entry;
	int err = 0;
	DIR *d;

	d = dir ? opendir(dir) : NULL;
	if (!d) {
		err = db_complain(-errno, "cannot list the directory of %s: %s", o->path, strerror(errno));
		free(dir);
		return err;
	}
	while (!err && (entry = readdir(d)))
		if (!strncmp(entry->d_name, base, n) && entry->d_name[n] == '.' &&
		    is_part_suffix(entry->d_name + n + 1))
			err = db_complain(-EEXIST, "%s.%s exists; remove the parts of an older recording or choose another name",
					  o->path, entry->d_name + n + 1);
	closedir(d);
	free(dir);
	return err;
}

static void make_id(struct db_recording *r)
{
	unsigned char random[16];
	size_t i;

	if (getrandom(random, sizeof(random), GRND_NONBLOCK) != sizeof(random)) {
		__u64 now = db_now_ns(), pid = getpid();

		memcpy(random, &now, 8);
		memcpy(random + 8, &pid, 8);
	}
	for (i = 0; i < sizeof(random); i++)
		sprintf(r->id + 2 * i, "%02x", random[i]);
}

struct db_recording *db_recording_create(const struct db_recording_options *options)
{
	struct db_recording *r = calloc(1, sizeof(*r));

	if (!r) {
		db_complain(-ENOMEM, "out of memory");
		return NULL;
	}
	r->options = *options;
	r->fd = -1;
	db_ledger_init(&r->last);
	make_id(r);
	if ((options->rotate && check_no_parts(options)) || open_part(r)) {
		db_recording_close(r);
		return NULL;
	}
	return r;
}

/* The names of the slots that waiting events mention. */
static void put_workqueues(struct db_put *p, json_t *json, const struct db_recording *r)
{
	json_t *all = db_put_array(p, json, "workqueues"), *one;
	bool done[256] = { true };
	unsigned int i, slot;

	for (i = 0; i < r->nevents; i++) {
		slot = r->events[i].wq;
		if (done[slot])
			continue;
		done[slot] = true;
		one = db_put_object(p, all, NULL);
		db_put_u64(p, one, "slot", slot);
		db_put_text(p, one, "name", r->workqueues[slot]);
	}
}

static json_t *events_json(const struct db_recording *r)
{
	struct db_put p = {};
	json_t *json = db_put_start(&p), *events;
	unsigned int i;

	db_put_u64(&p, json, "not_kept", r->not_kept);
	put_workqueues(&p, json, r);
	events = db_put_array(&p, json, "events");
	for (i = 0; i < r->nevents; i++)
		db_event_put(&p, events, &r->events[i]);
	return db_put_end(&p, json);
}

static json_t *changes_json(struct db_recording *r, const struct db_ledger *ledger)
{
	struct db_ledger changes;
	json_t *json;

	if (db_update_make(&changes, &r->last, ledger))
		return NULL;
	json = db_json_from_ledger(&changes);
	db_ledger_free(&changes);
	return json;
}

/* Header, head and the whole ledger: with these a file can be read alone. */
static int begin_part(struct db_recording *r, const struct db_ledger *ledger)
{
	int err = put_file_header(r);

	if (!err)
		err = put_block(r, DB_BLOCK_HEAD, head_json(r));
	if (!err)
		err = put_block(r, DB_BLOCK_LEDGER, db_json_from_ledger(ledger));
	if (!err && r->bytes + END_ROOM > r->options.max_bytes)
		err = -EFBIG;
	return err;
}

static int next_part(struct db_recording *r)
{
	char *old;
	int err;

	end_recording(r, DB_END_ROTATED);
	r->over = false;
	if (fdatasync(r->fd)) {
		db_complain(-errno, "%s: %s; this part may not be whole on the disk, the recording goes on",
			    r->path, strerror(errno));
		r->unsynced = true;
	}
	close(r->fd);
	r->fd = -1;
	r->part++;
	if (r->part >= r->options.rotate) {
		old = part_path(r, r->part - r->options.rotate);
		if (!old)
			return -ENOMEM;
		unlink(old);
		free(old);
	}
	err = open_part(r);
	if (err) {
		r->failed = true;	/* open_part() has said why */
		r->over = true;
	}
	return err;
}

/*
 * Appends a block if the file has room for it and an end, else ends the file.
 * 0: written; 1: the file is at its limit; negative errno.
 */
static int put_if_room(struct db_recording *r, enum db_block_type type, json_t *json)
{
	unsigned char *bytes;
	size_t size;
	int err = pack(r, type, json, &bytes, &size);

	if (err)
		return err;
	if (r->bytes + size + END_ROOM > r->options.max_bytes)
		err = 1;
	else
		err = append(r, bytes, size);
	free(bytes);
	if (!err)
		r->sequence++;
	return err;
}

static void at_limit(struct db_recording *r)
{
	fprintf(stderr,
		"dropbehind: %s: --max-size reached; the recording ends here, the run goes on\n",
		r->path);
	end_recording(r, DB_END_MAX_SIZE);
}

void db_recording_flush(struct db_recording *r)
{
	int err;

	if (r->over || !r->any_ledger || (!r->nevents && !r->not_kept))
		return;
	err = put_if_room(r, DB_BLOCK_EVENTS, events_json(r));
	if (err == 1 && r->options.rotate) {
		if (next_part(r))
			return;
		err = begin_part(r, &r->last);
		if (!err)
			err = put_if_room(r, DB_BLOCK_EVENTS, events_json(r));
		if (err == 1)
			err = -EFBIG;
	}
	if (err == 1)
		at_limit(r);
	else if (err)
		fail(r, err);
	r->nevents = 0;
	r->not_kept = 0;
}

void db_recording_ledger(struct db_recording *r, const struct db_ledger *ledger)
{
	int err;

	db_recording_flush(r);
	r->kept = 0;
	if (r->over)
		return;
	if (!r->any_ledger)
		err = begin_part(r, ledger);
	else
		err = put_if_room(r, DB_BLOCK_CHANGES, changes_json(r, ledger));
	if (err == 1 && r->options.rotate) {
		if (next_part(r))
			return;
		err = begin_part(r, ledger);
	}
	if (err == 1) {
		at_limit(r);
		return;
	}
	if (!err) {
		db_ledger_free(&r->last);
		err = db_ledger_copy(&r->last, ledger);
		r->any_ledger = !err;
	}
	if (err)
		fail(r, err);
}

void db_recording_event(struct db_recording *r, const struct db_event *event, const char *workqueue)
{
	if (r->over)
		return;
	if (r->kept >= DB_RECORDING_EVENTS) {
		r->not_kept++;
		return;
	}
	if (r->nevents == EVENTS_BATCH)
		db_recording_flush(r);
	if (r->over)
		return;
	if (r->nevents == EVENTS_BATCH) {
		r->not_kept++;
		return;
	}
	snprintf(r->workqueues[event->wq], sizeof(r->workqueues[0]), "%.*s", DB_NAME_LEN - 1, workqueue);
	r->events[r->nevents++] = *event;
	r->kept++;
}

bool db_recording_finish(struct db_recording *r)
{
	db_recording_flush(r);
	end_recording(r, DB_END_DONE);
	if (r->fd >= 0 && fdatasync(r->fd) && !r->failed) {
		db_complain(-errno, "%s: %s", r->path, strerror(errno));
		r->failed = true;
	}
	return !r->failed && !r->unsynced;
}

void db_recording_close(struct db_recording *r)
{
	if (!r)
		return;
	if (r->made && !r->bytes)
		unlink(r->path);
	if (r->fd >= 0)
		close(r->fd);
	db_ledger_free(&r->last);
	free(r->path);
	free(r);
}
