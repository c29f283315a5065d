/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include <lz4.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "kernel/unpack.h"

#define CHUNK		(256U << 10)
#define LZ4_BLOCK	(8U << 20)	/* what a legacy block may unpack to */

static int too_much(size_t max, struct err *e)
{
	return err_set(e, EFBIG, "it unpacks to more than %zu bytes", max);
}

static int broken(const char *form, struct err *e)
{
	return err_set(e, EBADMSG, "broken %s data", form);
}

static int unpack_gzip(const void *p, size_t n, size_t max, struct text *out, struct err *e)
{
	z_stream z = { .next_in = (Bytef *)p, .avail_in = (uInt)n };
	size_t before = out->len;
	char buf[CHUNK];
	int r;

	if (inflateInit2(&z, 15 + 16) != Z_OK)
		abort();
	do {
		z.next_out = (Bytef *)buf;
		z.avail_out = sizeof(buf);
		r = inflate(&z, Z_NO_FLUSH);
		text_put(out, buf, sizeof(buf) - z.avail_out);
	} while (r == Z_OK && out->len - before <= max);
	inflateEnd(&z);
	if (out->len - before > max)
		return too_much(max, e);
	return r == Z_STREAM_END ? 0 : broken("gzip", e);
}

static int run_lzma(lzma_stream *z, size_t max, struct text *out, struct err *e)
{
	size_t before = out->len;
	char buf[CHUNK];
	lzma_ret r;

	do {
		z->next_out = (uint8_t *)buf;
		z->avail_out = sizeof(buf);
		r = lzma_code(z, LZMA_RUN);
		text_put(out, buf, sizeof(buf) - z->avail_out);
	} while (r == LZMA_OK && out->len - before <= max);
	lzma_end(z);
	if (out->len - before > max)
		return too_much(max, e);
	return r == LZMA_STREAM_END ? 0 : broken("xz", e);
}

static int unpack_xz(const void *p, size_t n, size_t max, struct text *out, struct err *e)
{
	lzma_stream z = LZMA_STREAM_INIT;

	if (lzma_stream_decoder(&z, UINT64_MAX, 0) != LZMA_OK)
		abort();
	z.next_in = p;
	z.avail_in = n;
	return run_lzma(&z, max, out, e);
}

static int unpack_lzma(const void *p, size_t n, size_t max, struct text *out, struct err *e)
{
	lzma_stream z = LZMA_STREAM_INIT;

	if (lzma_alone_decoder(&z, UINT64_MAX) != LZMA_OK)
		abort();
	z.next_in = p;
	z.avail_in = n;
	return run_lzma(&z, max, out, e);
}

static int unpack_zstd(const void *p, size_t n, size_t max, struct text *out, struct err *e)
{
	ZSTD_DCtx *z = ZSTD_createDCtx();
	ZSTD_inBuffer in = { p, n, 0 };
	size_t before = out->len, r;
	char buf[CHUNK];

	if (!z)
		abort();
	do {
		ZSTD_outBuffer to = { buf, sizeof(buf), 0 };
		size_t at = in.pos;

		r = ZSTD_decompressStream(z, &to, &in);
		if (!ZSTD_isError(r))
			text_put(out, buf, to.pos);
		if (in.pos == at && !to.pos)
			break;
	} while (r && !ZSTD_isError(r) && out->len - before <= max);
	ZSTD_freeDCtx(z);
	if (out->len - before > max)
		return too_much(max, e);
	return r ? broken("zstd", e) : 0;
}

static uint32_t get_u32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* A magic number, then blocks behind their sizes; the kernel's build adds a size at the end. */
static int unpack_lz4(const void *bytes, size_t n, size_t max, struct text *out, struct err *e)
{
	_free_ char *block = mem_zero(LZ4_BLOCK, 1);
	const uint8_t *p = (const uint8_t *)bytes + 4, *end = (const uint8_t *)bytes + n;
	size_t before = out->len;

	while (end - p > 4) {
		uint32_t size = get_u32(p);
		int got;

		p += 4;
		if (!size || size > (size_t)(end - p))
			return broken("lz4", e);
		got = LZ4_decompress_safe((const char *)p, block, (int)size, LZ4_BLOCK);
		if (got < 0)
			return broken("lz4", e);
		text_put(out, block, (size_t)got);
		if (out->len - before > max)
			return too_much(max, e);
		p += size;
	}
	return out->len > before ? 0 : broken("lz4", e);
}

static const struct {
	const char *magic;
	size_t n;
	int (*unpack)(const void *p, size_t n, size_t max, struct text *out, struct err *e);
} forms[] = {
	{ "\x1f\x8b\x08", 3, unpack_gzip },
	{ "\xfd" "7zXZ\0", 6, unpack_xz },
	{ "\x5d\0\0", 3, unpack_lzma },
	{ "\x28\xb5\x2f\xfd", 4, unpack_zstd },
	{ "\x02\x21\x4c\x18", 4, unpack_lz4 },
};

int unpack(const void *p, size_t n, size_t max, struct text *out, struct err *e)
{
	for (size_t i = 0; i < COUNT(forms); i++)
		if (n >= forms[i].n && !memcmp(p, forms[i].magic, forms[i].n))
			return forms[i].unpack(p, n, max, out, e);
	return 1;
}
