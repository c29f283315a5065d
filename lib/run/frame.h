/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an agent that is a virtual machine's first process says to its host, as
 * frames on a one-way stream of bytes:
 *
 *	"KRB1"  type  0 0 0  length  crc32  payload
 *	4       1     3      4       4      length bytes; integers little endian
 *
 * The checksum covers type, zeros, length and payload.  In their order:
 *
 *	HELLO	facts of the boot, as a record (run/facts.h)
 *	RUN	"K": the plan with number K is started; its result folder follows
 *	FOLDER	"path", FILE "path" and then DATA: bytes of that file
 *	RAN	"K": the folder is whole; or "K error"
 *	TROUBLE	what the machinery could not do; no further frame but END
 *	END	"N": number of plans done.  A stream without it was cut off.
 *
 * A reader believes nothing: a broken checksum ends the stream, paths that lead
 * out of the folder are refused.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

enum frame_type {
	FRAME_HELLO = 'H',
	FRAME_RUN = 'R',
	FRAME_FOLDER = 'd',
	FRAME_FILE = 'f',
	FRAME_DATA = 'D',
	FRAME_RAN = 'r',
	FRAME_TROUBLE = 'T',
	FRAME_END = 'E',
};

#define FRAME_HEAD	16
#define FRAME_MAX	(256U << 10)	/* bytes of a payload */

/* The name under which a guest finds the stream's port, and the host makes it. */
#define FRAME_PORT	"org.krobot.result"

/* CRC-32 as in zlib and Ethernet (polynomial 0xEDB88320), going on from @crc; 0 at first. */
uint32_t frame_crc(uint32_t crc, const void *bytes, size_t n);

/* Asserts that @n fits. */
void frame_put(struct text *out, enum frame_type type, const void *bytes, size_t n);

_must_check_ int frame_write(int fd, enum frame_type type, const void *bytes, size_t n,
			     struct err *e);

/* Sends all below @path, a folder: FOLDER, FILE and DATA; no links, no devices. */
_must_check_ int frame_write_folder(int fd, const char *path, struct err *e);

struct frame {
	enum frame_type type;
	const char *bytes;	/* borrowed from the buffer; no NUL at the end */
	size_t n;
};

/*
 * Takes the frame at the start of @p.  Returns how many bytes it had, 0 when
 * more are needed, or -EBADMSG when it is none.
 */
_must_check_ long frame_take(struct frame *f, const char *p, size_t n, struct err *e);

/* Whether @path names something below a folder: "a", "a/b", no "..", at most 8 deep. */
bool frame_path_ok(const char *path, size_t n);
