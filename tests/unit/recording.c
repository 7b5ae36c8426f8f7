// SPDX-License-Identifier: GPL-2.0
/*
 * Recordings: written, read back, cut at every byte, flipped in every byte,
 * at the limits of size and disk.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "block.h"
#include "check.h"
#include "coverage.h"
#include "json.h"
#include "recording.h"
#include "replay.h"
#include "synthetic.h"

/* Every n-th byte is cut or flipped; more than 1 under slow tools. */
static size_t stride = 1;

static char dir[] = "/tmp/dropbehind-recording.XXXXXX";
static char path[sizeof(dir) + 16];

static char *dump(const struct db_ledger *l)
{
	json_t *json = db_json_from_ledger(l);
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	json_decref(json);
	return text;
}

static unsigned char *slurp(const char *name, size_t *size)
{
	int fd = open(name, O_RDONLY);
	unsigned char *bytes = NULL;
	struct stat st;

	*size = 0;
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && (bytes = malloc(st.st_size + 1)) &&
	    read(fd, bytes, st.st_size) == st.st_size)
		*size = st.st_size;
	close(fd);
	return bytes;
}

static void name_file(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", dir, name);
}

/* Takes stderr away for a while; prints nothing of what is expected. */
static int quiet(void)
{
	int saved = dup(2), null = open("/dev/null", O_WRONLY);

	fflush(stderr);
	dup2(null, 2);
	close(null);
	return saved;
}

static void loud(int saved)
{
	fflush(stderr);
	dup2(saved, 2);
	close(saved);
}

static struct db_recording *create(unsigned int rotate, __u64 max_bytes)
{
	struct db_recording_options options = {
		.path = path, .max_bytes = max_bytes, .rotate = rotate, .interval_ns = 1000000000,
	};

	return db_recording_create(&options);
}

#define STEPS	3

/* A run of STEPS intervals; @states gets what the ledger was at each, from the start on. */
static void record_run(struct db_recording *r, struct synthetic *s, char **states)
{
	struct db_event event;
	int step, i;

	synthetic_start(s, 11);
	for (step = 0; step <= STEPS; step++) {
		if (step) {
			synthetic_step(s, 1000000000, 1 + step);
			for (i = 0; i < 2; i++) {
				synthetic_event(s, &event);
				db_recording_event(r, &event, event.wq ? "xfs-conv/sda1" : "");
			}
		}
		if (step == STEPS)
			synthetic_end(s);
		db_recording_ledger(r, &s->ledger);
		if (states)
			states[step] = dump(&s->ledger);
	}
}

static int count_event(void *arg, const struct db_event *event)
{
	(void)event;
	++*(unsigned int *)arg;
	return 0;
}

static void test_round_trip(char **states)
{
	unsigned int events = 0;
	struct db_replay_calls calls = { .event = count_event, .arg = &events };
	struct db_recording *r;
	struct db_replay replay;
	struct synthetic s;
	char *paths[] = { path }, *end;
	int saved;

	name_file("whole");
	r = create(0, DB_RECORDING_DEFAULT_BYTES);
	if (!check(r, "a recording is made", "it is not"))
		return;
	record_run(r, &s, states);
	check(db_recording_finish(r), "and finished", "it failed");
	db_recording_close(r);
	check_int("opened", db_replay_open(&replay, paths, 1), 0);
	check_int("and read", db_replay_run(&replay, &calls), 0);
	end = dump(&replay.ledger);
	check_str("the ledger comes back as it was", end, states[STEPS]);
	free(end);
	check(db_replay_complete(&replay), "it is complete", "it is not");
	check_uint("events", events, STEPS * 2);
	check_uint("ledgers", replay.ledgers, STEPS + 1);
	db_replay_close(&replay);
	synthetic_free(&s);
	saved = quiet();
	r = create(0, DB_RECORDING_DEFAULT_BYTES);
	loud(saved);
	check(!r, "a file that is not empty is refused", "it was opened");
	db_recording_close(r);
}

/* Reads bytes; 1: complete, 0: incomplete, negative errno. *ledgers: whole blocks of it. */
static int read_bytes(const unsigned char *bytes, size_t size, char **state, __u64 *ledgers)
{
	struct db_replay_calls none = {};
	struct db_replay replay;
	int err = db_replay_open_memory(&replay, bytes, size);

	*state = NULL;
	if (!err)
		err = db_replay_run(&replay, &none);
	if (!err) {
		*state = dump(&replay.ledger);
		*ledgers = replay.ledgers;
		err = db_replay_complete(&replay);
	} else if (!replay.why[0]) {
		err = 1000;	/* an error without words */
	}
	db_replay_close(&replay);
	return err;
}

static void test_cut(const unsigned char *bytes, size_t size, char **states)
{
	unsigned int refused = 0, partial = 0, wrong = 0;
	__u64 ledgers, last = 0;
	char *state;
	size_t cut;
	int got;

	for (cut = 0; cut < size; cut += stride) {
		/* Exact room, so that a read beyond the end is seen by the sanitizer. */
		unsigned char *piece = malloc(cut ? cut : 1);

		memcpy(piece, bytes, cut);
		got = read_bytes(piece, cut, &state, &ledgers);
		free(piece);
		if (got == -ENODATA || (got == -EBADMSG && cut < DB_FILE_HEADER_BYTES)) {
			refused++;
			wrong += last != 0;
		} else if (got == 0) {
			partial++;
			wrong += ledgers < last || !state || strcmp(state, states[ledgers - 1]);
			last = ledgers;
		} else {
			wrong++;
		}
		free(state);
	}
	printf("cut at every %zu. of %zu bytes: %u hold nothing yet, %u are read up to the last whole block\n",
	       stride, size, refused, partial);
	check_uint("cut anywhere: the ledger of the last whole block, never complete", wrong, 0);
	check(partial > size / stride / 2, "most cuts leave something to read", "%u", partial);
}

static void test_flips(unsigned char *bytes, size_t size, char **states)
{
	unsigned int refused = 0, partial = 0, wrong = 0;
	__u64 ledgers;
	char *state;
	size_t at;
	int got;

	for (at = 0; at < size; at += stride) {
		bytes[at] ^= 1 << at % 8;
		got = read_bytes(bytes, size, &state, &ledgers);
		bytes[at] ^= 1 << at % 8;
		if (got == -EBADMSG || got == -EPROTONOSUPPORT) {
			refused++;
		} else if (got == 0) {
			/* Only the last block may be taken for torn. */
			partial++;
			wrong += ledgers != STEPS + 1 || !state || strcmp(state, states[STEPS]);
		} else {
			wrong++;
		}
		free(state);
	}
	printf("a bit flipped in every %zu. of %zu bytes: %u refused, %u incomplete (in the last block)\n",
	       stride, size, refused, partial);
	check_uint("a flipped bit is never taken for data", wrong, 0);
	check(refused > size / stride / 2, "damage before the last block is refused", "%u", refused);
}

/* Appends a block made by hand. */
static size_t add_block(unsigned char *to, enum db_block_type type, __u64 sequence, json_t *json)
{
	struct db_block block = { .type = type, .sequence = sequence, .mono_ns = 5, .wall_ns = 6,
				  .json = json };
	unsigned char *bytes;
	size_t size;

	if (db_block_pack(&block, &bytes, &size))
		abort();
	memcpy(to, bytes, size);
	free(bytes);
	json_decref(json);
	return size;
}

static json_t *head(void)
{
	return json_pack("{s:s, s:i, s:i, s:i, s:i}", "recording", "0123", "part", 0,
			 "interval_ns", 1000, "samples_per_second", 0, "rotate", 0);
}

static int read_err(const unsigned char *bytes, size_t size)
{
	__u64 ledgers;
	char *state;
	int err = read_bytes(bytes, size, &state, &ledgers);

	free(state);
	return err;
}

static void put32(unsigned char *to, __u32 n)
{
	to[0] = n;
	to[1] = n >> 8;
	to[2] = n >> 16;
	to[3] = n >> 24;
}

static void test_hostile(void)
{
	static unsigned char file[1 << 20];
	size_t n, first, second;
	struct synthetic s;

	synthetic_start(&s, 1);
	db_file_header(file);
	n = DB_FILE_HEADER_BYTES;
	check_int("a header and nothing else", read_err(file, n), -ENODATA);
	n += add_block(file + n, DB_BLOCK_HEAD, 0, head());
	first = n;
	check_int("a head and no ledger", read_err(file, n), -ENODATA);
	n += add_block(file + n, DB_BLOCK_LEDGER, 1, db_json_from_ledger(&s.ledger));
	second = n;
	check_int("a head and a ledger", read_err(file, n), 0);
	memset(file + n, 0, 100000);
	check_int("zeros behind the last whole block are a torn end", read_err(file, n + 100000), 0);
	n = second + add_block(file + second, DB_BLOCK_LEDGER, 3, db_json_from_ledger(&s.ledger));
	check_int("a block missing between", read_err(file, n), -EBADMSG);
	n = second + add_block(file + second, 77, 2, json_object());
	check_int("an unknown type", read_err(file, n), -EBADMSG);
	n = second + add_block(file + second, DB_BLOCK_END, 2, json_pack("{s:s}", "reason", "done"));
	check_int("an end without final counts is incomplete", read_err(file, n), 0);
	n += add_block(file + n, DB_BLOCK_LEDGER, 3, db_json_from_ledger(&s.ledger));
	check_int("a block behind the end", read_err(file, n), -EBADMSG);
	n = second + add_block(file + second, DB_BLOCK_END, 2, json_pack("{s:s}", "reason", "tired"));
	check_int("an end for no known reason", read_err(file, n), -EBADMSG);
	n = first + add_block(file + first, DB_BLOCK_CHANGES, 1, db_json_from_ledger(&s.ledger));
	check_int("changes of nothing", read_err(file, n), -EBADMSG);
	n = first + add_block(file + first, DB_BLOCK_EVENTS, 1, json_pack("{s:i}", "not_kept", 1));
	check_int("events without events", read_err(file, n), -EBADMSG);
	n = DB_FILE_HEADER_BYTES;
	n += add_block(file + n, DB_BLOCK_HEAD, 0, json_object());
	check_int("a head that says nothing", read_err(file, n), -EBADMSG);
	synthetic_free(&s);

	put32(file + 8, DB_RECORDING_VERSION + 1);
	put32(file + 12, crc32(0, file, 12));
	check_int("another format", read_err(file, n), -EPROTONOSUPPORT);
	memset(file, 'x', 64);
	check_int("any other file", read_err(file, 64), -EBADMSG);
}

/* A block whose header is right and whose payload expands to @claimed bytes or more. */
static size_t add_bomb(unsigned char *to, __u32 claimed, size_t real)
{
	unsigned char *zeros = calloc(1, real);
	uLongf stored = compressBound(real);

	if (!zeros || compress2(to + DB_BLOCK_HEADER_BYTES, &stored, zeros, real, 9) != Z_OK)
		abort();
	free(zeros);
	memset(to, 0, DB_BLOCK_HEADER_BYTES);
	memcpy(to, "DBLK", 4);
	put32(to + 4, DB_BLOCK_LEDGER);
	put32(to + 8, stored);
	put32(to + 12, claimed);
	to[16] = 1;
	put32(to + 40, crc32(0, to + DB_BLOCK_HEADER_BYTES, stored));
	put32(to + 44, crc32(0, to, 44));
	return DB_BLOCK_HEADER_BYTES + stored;
}

static void test_bombs(void)
{
	static unsigned char file[1 << 20];
	size_t n = DB_FILE_HEADER_BYTES, bomb;

	db_file_header(file);
	n += add_block(file + n, DB_BLOCK_HEAD, 0, head());
	bomb = add_bomb(file + n, 0xffffffff, 1 << 20);
	check_int("a claim of 4 GiB is refused before any memory is taken", read_err(file, n + bomb),
		  -EBADMSG);
	bomb = add_bomb(file + n, DB_BLOCK_RAW_MAX, 100);
	check_int("a claim that no compression reaches is refused", read_err(file, n + bomb),
		  -EBADMSG);
	bomb = add_bomb(file + n, 1000, 1 << 20);
	check_int("more bytes than claimed are not written", read_err(file, n + bomb), -EBADMSG);
	bomb = add_bomb(file + n, 1 << 21, 1 << 20);
	check_int("fewer bytes than claimed are refused", read_err(file, n + bomb), -EBADMSG);
}

/* More flows, so that files fill quickly. */
static void record_long(struct db_recording *r, struct synthetic *s, int steps)
{
	int step;

	synthetic_start(s, 12);
	for (step = 0; step <= steps; step++) {
		if (step)
			synthetic_step(s, 1000000000, 60);
		if (step == steps)
			synthetic_end(s);
		db_recording_ledger(r, &s->ledger);
	}
}

static void test_rotation(void)
{
	char names[64][sizeof(path) + 16], *paths[64], *state, *want;
	struct db_replay_calls none = {};
	struct db_replay replay;
	struct synthetic s;
	struct db_recording *r;
	struct stat st;
	int part, n = 0, too_large = 0, saved;

	name_file("row");
	r = create(3, 80000);
	record_long(r, &s, 30);
	check(db_recording_finish(r), "a rotated recording is finished", "it failed");
	db_recording_close(r);
	want = dump(&s.ledger);
	synthetic_free(&s);
	for (part = 63; part >= 0; part--) {
		snprintf(names[n], sizeof(names[n]), part ? "%s.%d" : "%s", path, part);
		if (stat(names[n], &st))
			continue;
		too_large += st.st_size > 80000;
		paths[n] = names[n];
		n++;
	}
	check_int("three files are kept", n, 3);
	check_int("none is larger than allowed", too_large, 0);
	check_int("the parts are opened in any order", db_replay_open(&replay, paths, n), 0);
	check_int("and read", db_replay_run(&replay, &none), 0);
	state = dump(&replay.ledger);
	check_str("the counts are whole, those of removed parts included", state, want);
	check(db_replay_complete(&replay) && replay.first_ns > replay.ledger.start_ns,
	      "complete, with detail for the end only", "it is not");
	free(state);
	db_replay_close(&replay);

	paths[1] = paths[2];
	check_int("without the part between", db_replay_open(&replay, paths, 2), 0);
	check_int("it is read too", db_replay_run(&replay, &none), 0);
	state = dump(&replay.ledger);
	check_str("with all counts", state, want);
	check(!db_replay_complete(&replay) && replay.parts_missing == 1, "and says that one is missing",
	      "it does not");
	free(state);
	db_replay_close(&replay);
	paths[1] = paths[0];
	check_int("the same part twice is refused", db_replay_open(&replay, paths, 2), -EINVAL);
	db_replay_close(&replay);
	snprintf(names[10], sizeof(names[10]), "%s/whole", dir);
	paths[1] = names[10];
	check_int("parts of two recordings are refused", db_replay_open(&replay, paths, 2), -EINVAL);
	db_replay_close(&replay);
	saved = quiet();
	unlink(path);
	r = create(3, 80000);
	loud(saved);
	check(!r, "parts of an older recording are in the way", "they were not seen");
	db_recording_close(r);
	free(want);
}

static enum db_recording_end end_of(bool *complete)
{
	struct db_replay_calls none = {};
	struct db_replay replay;
	enum db_recording_end end = DB_END_NR;
	char *paths[] = { path };

	if (!db_replay_open(&replay, paths, 1) && !db_replay_run(&replay, &none)) {
		end = replay.parts[0].end;
		*complete = db_replay_complete(&replay);
	}
	db_replay_close(&replay);
	return end;
}

static void test_limits(void)
{
	struct rlimit limit, old;
	struct db_recording *r;
	struct synthetic s;
	bool complete = true;
	struct stat st;
	int saved;

	name_file("small");
	r = create(0, 65536);
	saved = quiet();
	record_long(r, &s, 60);
	loud(saved);
	check(db_recording_finish(r), "reaching --max-size is no failure", "it is");
	db_recording_close(r);
	synthetic_free(&s);
	check(!stat(path, &st) && st.st_size <= 65536, "the file is not larger than that", "it is");
	check_int("and says why it ends", end_of(&complete), DB_END_MAX_SIZE);
	check(!complete, "it is not complete", "it claims to be");

	/* A file that cannot grow, as on a full disk. */
	name_file("full");
	signal(SIGXFSZ, SIG_IGN);
	r = create(0, DB_RECORDING_DEFAULT_BYTES);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = old;
	limit.rlim_cur = 50000;
	setrlimit(RLIMIT_FSIZE, &limit);
	saved = quiet();
	record_long(r, &s, 60);
	loud(saved);
	check(!db_recording_finish(r), "a write that fails is a failure", "it is not");
	db_recording_close(r);
	setrlimit(RLIMIT_FSIZE, &old);
	synthetic_free(&s);
	complete = true;
	check(end_of(&complete) != DB_END_NR, "the file is readable up to there", "it is not");
	check(!complete, "it is not complete either", "it claims to be");
}

static void test_event_limit(void)
{
	struct db_replay_calls none = {};
	struct db_event event;
	struct db_recording *r;
	struct db_replay replay;
	struct synthetic s;
	char *paths[] = { path };
	unsigned int i;

	name_file("events");
	r = create(0, DB_RECORDING_DEFAULT_BYTES);
	synthetic_start(&s, 13);
	db_recording_ledger(r, &s.ledger);
	for (i = 0; i < DB_RECORDING_EVENTS + 1000; i++) {
		synthetic_event(&s, &event);
		db_recording_event(r, &event, "");
	}
	synthetic_step(&s, 1000000000, 8);
	db_recording_ledger(r, &s.ledger);
	for (i = 0; i < 10; i++)
		db_recording_event(r, &event, "");
	synthetic_end(&s);
	db_recording_ledger(r, &s.ledger);
	db_recording_finish(r);
	db_recording_close(r);
	check_int("many events", db_replay_open(&replay, paths, 1) || db_replay_run(&replay, &none), 0);
	check_uint("so many kept of one interval, and those of the next",
		   replay.events, DB_RECORDING_EVENTS + 10);
	check_uint("the others counted", replay.events_not_kept, 1000);
	db_replay_close(&replay);
	synthetic_free(&s);
}

int main(void)
{
	char *states[STEPS + 1] = {}, command[64];
	unsigned char *bytes;
	size_t size;
	int i;

	if (getenv("DROPBEHIND_TEST_STRIDE"))
		stride = strtoul(getenv("DROPBEHIND_TEST_STRIDE"), NULL, 10) | 1;
	if (!mkdtemp(dir)) {
		check(false, "a directory for the files", "%s", strerror(errno));
		return check_finish();
	}
	test_round_trip(states);
	name_file("whole");
	bytes = slurp(path, &size);
	if (check(bytes && size > 1000, "the file is there", "it is not")) {
		test_cut(bytes, size, states);
		test_flips(bytes, size, states);
	}
	free(bytes);
	test_hostile();
	test_bombs();
	test_rotation();
	test_limits();
	test_event_limit();
	for (i = 0; i <= STEPS; i++)
		free(states[i]);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	check_int("cleaned up", system(command), 0);
	return check_finish();
}
