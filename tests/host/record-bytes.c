// SPDX-License-Identifier: GPL-2.0
/*
 * Records of the ring buffer, byte by byte: what no field of an event means is 0, so nothing of the
 * kernel's memory gets out.  The ring is small and goes round, so that older records would show.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "check.h"
#include "dropbehind/uapi.h"
#include "session.h"
#include "words.h"

#define ROUNDS		8
#define FOLIOS		64	/* of a round; the ring has room for them */
#define RING_BYTES	32768
#define FOLIO_BYTES	4096

struct seen {
	unsigned int drops;
	unsigned int wrong_size;
	unsigned int dirty_pads;
	unsigned int dirty_names;	/* bytes after the end of comm */
	unsigned int strange;		/* numbers beyond their lists */
};

static int look(void *arg, void *data, size_t size)
{
	const struct db_event *e = data;
	struct seen *seen = arg;
	size_t i;

	if (size != sizeof(*e)) {
		seen->wrong_size++;
		return 0;
	}
	seen->drops += e->type == DB_EV_DROP;
	seen->dirty_pads += e->pad != 0;
	for (i = strnlen(e->comm, sizeof(e->comm)); i < sizeof(e->comm); i++)
		seen->dirty_names += e->comm[i] != 0;
	seen->strange += e->op >= DB_OP_NR || e->outcome >= DB_OUT_NR || e->context >= DB_CTX_NR ||
			 e->runner >= DB_RUN_NR || e->mechanism >= DB_MECH_NR;
	/* what only bios have */
	if (e->type != DB_EV_DEFER)
		seen->strange += e->dev || e->bytes || e->mechanism;
	return 0;
}

/* 0, or the errno of the write or sync that failed. */
static int write_folios(const char *path)
{
	static char text[FOLIO_BYTES];
	struct iovec iov = { .iov_base = text, .iov_len = sizeof(text) };
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600), i, err = 0;

	if (fd < 0)
		return errno;
	for (i = 0; i < FOLIOS && !err; i++)
		if (pwritev2(fd, &iov, 1, (off_t)i * FOLIO_BYTES, RWF_DONTCACHE) != FOLIO_BYTES)
			err = errno ? errno : EIO;
	if (!err && fsync(fd))
		err = errno;
	close(fd);
	unlink(path);
	return err;
}

int main(void)
{
	struct db_session_options options = {
		.events = DB_EV_DROP | DB_EV_LEFT | DB_EV_DEFER,
		.ring_bytes = RING_BYTES,
	};
	const char *dir = getenv("TEST_TMP");
	struct db_session session;
	struct seen seen = {};
	char path[4096];
	int err = 0, i;

	if (geteuid()) {
		check_skip("bytes of records", "not root");
		return check_finish();
	}
	snprintf(path, sizeof(path), "%s/record-bytes", dir ? dir : "/var/tmp");
	err = db_session_open(&session, &options);
	if (!check(!err, "a session opens", "%s", session.why))
		goto cleanup;
	err = db_session_on_event(&session, look, &seen);
	if (!check(!err, "its ring can be read", "%s", strerror(-err)))
		goto cleanup;
	db_session_start(&session);
	for (i = 0; i < ROUNDS && !err; i++) {
		err = write_folios(path);
		/* folios are dropped a moment after fsync; what is not there yet comes with the next */
		usleep(20000);
		while (db_session_poll(&session, 0) > 0)
			;
	}
	db_session_stop(&session);
	if (err == EOPNOTSUPP) {
		check_skip("bytes of records", "the filesystem of the test's folder refuses dontcache");
		goto cleanup;
	}
	check_int("dontcache writes", err, 0);
	while (db_session_poll(&session, 0) > 0)
		;
	check(seen.drops >= ROUNDS * FOLIOS, "every drop has its record", "%u of %u", seen.drops,
	      ROUNDS * FOLIOS);
	check_uint("records are as long as events", seen.wrong_size, 0);
	check_uint("pads are 0", seen.dirty_pads, 0);
	check_uint("so is what follows a name", seen.dirty_names, 0);
	check_uint("and fields that do not belong to the event", seen.strange, 0);
cleanup:
	db_session_close(&session);
	return check_finish();
}
