// SPDX-License-Identifier: GPL-2.0
#include "block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define FILE_MAGIC	"DBHNDREC"
#define BLOCK_MAGIC	0x4b4c4244U	/* "DBLK" */

/* No zlib stream expands further (RFC 1951: 258 bytes from 2 bits). */
#define EXPAND_MAX	1032U

const char *db_end_key(unsigned int end)
{
	static const char *const keys[] = { "none", "done", "rotated", "max_size", "failed" };

	return end < DB_END_NR ? keys[end] : "?";
}

static void put32(unsigned char *to, __u32 n)
{
	int i;

	for (i = 0; i < 4; i++)
		to[i] = n >> (8 * i);
}

static void put64(unsigned char *to, __u64 n)
{
	put32(to, n);
	put32(to + 4, n >> 32);
}

static __u32 get32(const unsigned char *from)
{
	return from[0] | from[1] << 8 | from[2] << 16 | (__u32)from[3] << 24;
}

static __u64 get64(const unsigned char *from)
{
	return get32(from) | (__u64)get32(from + 4) << 32;
}

void db_file_header(unsigned char header[DB_FILE_HEADER_BYTES])
{
	memcpy(header, FILE_MAGIC, 8);
	put32(header + 8, DB_RECORDING_VERSION);
	put32(header + 12, crc32(0, header, 12));
}

int db_block_pack(const struct db_block *block, unsigned char **bytes, size_t *size)
{
	char *raw = json_dumps(block->json, JSON_COMPACT);
	size_t raw_bytes;
	uLongf stored;
	unsigned char *all = NULL;
	int err = -ENOMEM;

	if (!raw)
		return -ENOMEM;
	raw_bytes = strlen(raw);
	if (raw_bytes > DB_BLOCK_RAW_MAX) {
		err = -EFBIG;
		goto cleanup;
	}
	stored = compressBound(raw_bytes);
	all = malloc(DB_BLOCK_HEADER_BYTES + stored);
	if (!all ||
	    compress2(all + DB_BLOCK_HEADER_BYTES, &stored, (const Bytef *)raw, raw_bytes,
		      Z_DEFAULT_COMPRESSION) != Z_OK)
		goto cleanup;
	put32(all, BLOCK_MAGIC);
	put32(all + 4, block->type);
	put32(all + 8, stored);
	put32(all + 12, raw_bytes);
	put64(all + 16, block->sequence);
	put64(all + 24, block->mono_ns);
	put64(all + 32, block->wall_ns);
	put32(all + 40, crc32(0, all + DB_BLOCK_HEADER_BYTES, stored));
	put32(all + 44, crc32(0, all, 44));
	*bytes = all;
	*size = DB_BLOCK_HEADER_BYTES + stored;
	all = NULL;
	err = 0;
cleanup:
	free(raw);
	free(all);
	return err;
}

/* Exactly @bytes; the file may have shrunk since its size was taken. */
static int read_at(const struct db_source *source, __u64 offset, void *to, size_t bytes)
{
	ssize_t n;

	if (offset > source->size || bytes > source->size - offset)
		return -ENODATA;
	if (source->memory) {
		memcpy(to, source->memory + offset, bytes);
		return 0;
	}
	while (bytes) {
		n = pread(source->fd, to, bytes, offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENODATA;
		to = (char *)to + n;
		offset += n;
		bytes -= n;
	}
	return 0;
}

int db_source_check(const struct db_source *source, __u32 *version)
{
	unsigned char header[DB_FILE_HEADER_BYTES];
	int err = read_at(source, 0, header, sizeof(header));

	if (err)
		return err == -ENODATA ? -EBADMSG : err;
	*version = get32(header + 8);
	if (memcmp(header, FILE_MAGIC, 8) || get32(header + 12) != crc32(0, header, 12))
		return -EBADMSG;
	return *version == DB_RECORDING_VERSION ? 0 : -EPROTONOSUPPORT;
}

/*
 * Nothing but zeros from here to the end?  Some filesystems leave that of the
 * last blocks after a power loss.
 */
static int zeros_from(const struct db_source *source, __u64 offset)
{
	unsigned char piece[4096];
	size_t bytes, i;
	int err;

	for (; offset < source->size; offset += bytes) {
		bytes = source->size - offset < sizeof(piece) ? source->size - offset : sizeof(piece);
		err = read_at(source, offset, piece, bytes);
		if (err)
			return err;
		for (i = 0; i < bytes; i++)
			if (piece[i])
				return 0;
	}
	return 1;
}

static int bad(const char **why, int err, const char *words)
{
	*why = words;
	return err;
}

static int bad_header(const struct db_source *source, __u64 offset, const char **why)
{
	int zeros = zeros_from(source, offset);

	if (zeros < 0)
		return zeros;
	if (zeros)
		return bad(why, -ENODATA, "nothing but zeros from there on");
	return bad(why, -EBADMSG, "no block begins there");
}

static int unpack(const unsigned char *stored, size_t stored_bytes, size_t raw_bytes, json_t **json,
		  const char **why)
{
	uLongf got = raw_bytes;
	uLong used = stored_bytes;
	char *raw = malloc(raw_bytes + 1);
	int zerr;

	*json = NULL;
	if (!raw)
		return -ENOMEM;
	zerr = uncompress2((Bytef *)raw, &got, stored, &used);
	if (zerr == Z_MEM_ERROR) {
		free(raw);
		return -ENOMEM;
	}
	if (zerr == Z_OK && got == raw_bytes && used == stored_bytes)
		*json = json_loadb(raw, raw_bytes, JSON_REJECT_DUPLICATES, NULL);
	free(raw);
	if (zerr != Z_OK || got != raw_bytes || used != stored_bytes)
		return bad(why, -EBADMSG, "its payload does not decompress");
	return json_is_object(*json) ? 0 : bad(why, -EBADMSG, "its payload is no JSON object");
}

int db_block_read(const struct db_source *source, __u64 *offset, struct db_block *block,
		  const char **why)
{
	unsigned char header[DB_BLOCK_HEADER_BYTES], *stored;
	__u64 at = *offset + DB_BLOCK_HEADER_BYTES;
	__u32 stored_bytes, raw_bytes;
	int err;

	memset(block, 0, sizeof(*block));
	if (*offset == source->size)
		return 0;
	err = read_at(source, *offset, header, sizeof(header));
	if (err)
		return bad(why, err, "the file ends within a block");
	if (get32(header) != BLOCK_MAGIC || get32(header + 44) != crc32(0, header, 44))
		return bad_header(source, *offset, why);
	stored_bytes = get32(header + 8);
	raw_bytes = get32(header + 12);
	block->type = get32(header + 4);
	block->sequence = get64(header + 16);
	block->mono_ns = get64(header + 24);
	block->wall_ns = get64(header + 32);
	if (raw_bytes > DB_BLOCK_RAW_MAX || raw_bytes > (__u64)stored_bytes * EXPAND_MAX ||
	    stored_bytes > compressBound(DB_BLOCK_RAW_MAX))
		return bad(why, -EBADMSG, "it claims to be larger than any block");
	if (stored_bytes > source->size - at)
		return bad(why, -ENODATA, "the file ends within a block");
	stored = malloc(stored_bytes + 1);
	if (!stored)
		return -ENOMEM;
	err = read_at(source, at, stored, stored_bytes);
	if (!err && get32(header + 40) != crc32(0, stored, stored_bytes))
		err = bad(why, at + stored_bytes == source->size ? -ENODATA : -EBADMSG,
			  "a block does not match its checksum");
	if (!err)
		err = unpack(stored, stored_bytes, raw_bytes, &block->json, why);
	free(stored);
	if (err) {
		json_decref(block->json);
		block->json = NULL;
		return err;
	}
	*offset = at + stored_bytes;
	return 1;
}
