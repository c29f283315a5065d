/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <lzma.h>
#include <stdbool.h>
#include <string.h>
#include <zlib.h>

#include "parser/input.h"

#define RAW_SIZE 65536
#define LZMA_MEMORY (128U << 20)

struct input {
	int fd;				/* -1: from memory */
	const unsigned char *mem;
	size_t mem_len;

	enum { PLAIN, GZIP, XZ } form;
	unsigned char raw[RAW_SIZE];	/* as read, compressed or not */
	size_t raw_at, raw_len;
	bool raw_end, known, inside;	/* inside: a compressed stream has not ended */
	z_stream z;
	lzma_stream x;

	char *buf;			/* text: lines to be given out stand at @at */
	size_t at, len, room, searched;
	bool end;
	uint64_t line_no;
};

struct input *input_fd(int fd)
{
	struct input *in = mem_zero(1, sizeof(*in));

	in->fd = fd;
	return in;
}

struct input *input_memory(const void *bytes, size_t n)
{
	struct input *in = input_fd(-1);

	in->mem = bytes;
	in->mem_len = n;
	return in;
}

void input_free(struct input *in)
{
	if (!in)
		return;
	if (in->form == GZIP)
		inflateEnd(&in->z);
	if (in->form == XZ)
		lzma_end(&in->x);
	free(in->buf);
	free(in);
}

uint64_t input_line_number(const struct input *in)
{
	return in->line_no;
}

static ssize_t source_read(struct input *in, void *to, size_t n)
{
	ssize_t got;

	if (in->fd < 0) {
		n = n < in->mem_len ? n : in->mem_len;
		if (n)
			memcpy(to, in->mem, n);
		in->mem += n;
		in->mem_len -= n;
		return (ssize_t)n;
	}
	do
		got = read(in->fd, to, n);
	while (got < 0 && errno == EINTR);
	return got;
}

/* Adds to the raw bytes, keeping those not used yet. */
static int raw_fill(struct input *in, struct err *e)
{
	ssize_t got;

	memmove(in->raw, in->raw + in->raw_at, in->raw_len - in->raw_at);
	in->raw_len -= in->raw_at;
	in->raw_at = 0;
	got = source_read(in, in->raw + in->raw_len, RAW_SIZE - in->raw_len);
	if (got < 0)
		return err_sys(e, "reading the input");
	in->raw_end = !got;
	in->raw_len += (size_t)got;
	return 0;
}

static int form_detect(struct input *in, struct err *e)
{
	int r;

	while (in->raw_len < 6 && !in->raw_end) {
		r = raw_fill(in, e);
		if (r < 0)
			return r;
	}
	in->known = true;
	if (in->raw_len >= 2 && !memcmp(in->raw, "\x1f\x8b", 2)) {
		if (inflateInit2(&in->z, 15 + 16) != Z_OK)
			return err_set(e, ENOMEM, "zlib did not start");
		in->form = GZIP;
	} else if (in->raw_len >= 6 && !memcmp(in->raw, "\xfd" "7zXZ", 6)) {
		if (lzma_stream_decoder(&in->x, LZMA_MEMORY, LZMA_CONCATENATED) != LZMA_OK)
			return err_set(e, ENOMEM, "liblzma did not start");
		in->form = XZ;
	}
	in->inside = in->form != PLAIN;
	return 0;
}

/* Each returns how many bytes it put to @to; 0 may mean "more raw bytes". */
static ssize_t take_plain(struct input *in, char *to, size_t n)
{
	size_t k = in->raw_len - in->raw_at;

	k = k < n ? k : n;
	memcpy(to, in->raw + in->raw_at, k);
	in->raw_at += k;
	return (ssize_t)k;
}

static ssize_t take_gzip(struct input *in, char *to, size_t n, struct err *e)
{
	int r;

	if (in->raw_at == in->raw_len)
		return 0;
	if (!in->inside) {
		if (inflateReset(&in->z) != Z_OK)
			return err_set(e, EIO, "gzip data: cannot begin again");
		in->inside = true;
	}
	in->z.next_in = in->raw + in->raw_at;
	in->z.avail_in = (uInt)(in->raw_len - in->raw_at);
	in->z.next_out = (Bytef *)to;
	in->z.avail_out = (uInt)n;
	r = inflate(&in->z, Z_NO_FLUSH);
	in->raw_at = in->raw_len - in->z.avail_in;
	if (r == Z_STREAM_END)
		in->inside = false;
	else if (r != Z_OK && r != Z_BUF_ERROR)
		return err_set(e, EBADMSG, "gzip data is damaged%s%s", in->z.msg ? ": " : "",
			       in->z.msg ? in->z.msg : "");
	return (ssize_t)(n - in->z.avail_out);
}

static ssize_t take_xz(struct input *in, char *to, size_t n, struct err *e)
{
	lzma_ret r;

	in->x.next_in = in->raw + in->raw_at;
	in->x.avail_in = in->raw_len - in->raw_at;
	in->x.next_out = (uint8_t *)to;
	in->x.avail_out = n;
	r = lzma_code(&in->x, in->raw_end ? LZMA_FINISH : LZMA_RUN);
	in->raw_at = in->raw_len - in->x.avail_in;
	if (r == LZMA_STREAM_END)
		in->inside = false;
	else if (r == LZMA_MEMLIMIT_ERROR)
		return err_set(e, EFBIG, "xz data needs more memory than is allowed");
	else if (r != LZMA_OK && r != LZMA_BUF_ERROR)
		return err_set(e, EBADMSG, "xz data is damaged");
	return (ssize_t)(n - in->x.avail_out);
}

static ssize_t take(struct input *in, char *to, size_t n, struct err *e)
{
	if (in->form == GZIP)
		return take_gzip(in, to, n, e);
	if (in->form == XZ)
		return take_xz(in, to, n, e);
	return take_plain(in, to, n);
}

/* Adds text behind @len; sets @end when there is no more. */
static int text_fill(struct input *in, struct err *e)
{
	if (in->room - in->len < RAW_SIZE + 1) {
		in->room = in->room ? 2 * in->room : 4 * RAW_SIZE;
		in->buf = realloc(in->buf, in->room);
		if (!in->buf)
			abort();
	}
	for (;;) {
		ssize_t got;
		int r;

		if (in->raw_at == in->raw_len && !in->raw_end) {
			r = raw_fill(in, e);
			if (r < 0)
				return r;
		}
		if (!in->known) {
			r = form_detect(in, e);
			if (r < 0)
				return r;
		}
		got = take(in, in->buf + in->len, RAW_SIZE, e);
		if (got < 0)
			return (int)got;
		in->len += (size_t)got;
		if (got)
			return 0;
		if (in->raw_end && in->raw_at == in->raw_len)
			break;
	}
	if (in->inside)
		return err_set(e, EBADMSG, "compressed data ends early");
	in->end = true;
	return 0;
}

static char *line_finish(struct input *in, size_t n, size_t *out_n)
{
	char *line = in->buf + in->at, *p;

	if (n && line[n - 1] == '\r')
		n--;
	line[n] = '\0';
	for (p = line; (p = memchr(p, '\0', n - (size_t)(p - line))); p++)
		*p = '?';
	*out_n = n;
	in->line_no++;
	return line;
}

int input_line(struct input *in, char **line, size_t *n, struct err *e)
{
	for (;;) {
		char *nl = NULL;
		size_t have;
		int r;

		if (in->len > in->at + in->searched)
			nl = memchr(in->buf + in->at + in->searched, '\n',
				    in->len - in->at - in->searched);
		have = nl ? (size_t)(nl - in->buf) - in->at : in->len - in->at;
		if (have > INPUT_LINE_MAX)
			return err_set(e, EFBIG, "line %llu is longer than %u bytes",
				       (unsigned long long)in->line_no + 1, INPUT_LINE_MAX);
		if (nl || (in->end && have)) {
			*line = line_finish(in, have, n);
			in->at += have + (nl != NULL);
			in->searched = 0;
			return 1;
		}
		if (in->end)
			return 0;
		in->searched = have;
		if (in->at) {
			memmove(in->buf, in->buf + in->at, have);
			in->at = 0;
			in->len = have;
		}
		r = text_fill(in, e);
		if (r < 0)
			return r;
	}
}

int input_rest(struct input *in, struct text *out, struct err *e)
{
	for (;;) {
		int r;

		text_put(out, in->buf + in->at, in->len - in->at);
		in->at = in->len = in->searched = 0;
		if (in->end)
			return 0;
		if (out->len > INPUT_TEXT_MAX)
			return err_set(e, EFBIG, "the input is longer than %u bytes",
				       INPUT_TEXT_MAX);
		r = text_fill(in, e);
		if (r < 0)
			return r;
	}
}
