/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records: the plain text form of everything that crosses between krobot and
 * its agent and of what lies in a result folder (plan, facts, journal, exit).
 *
 *	# comment
 *	key value to the end of the line
 *
 * A key may come several times; order is kept.  In values \n, \t, \\ and \xHH
 * stand for the bytes, so that a value may hold anything but NUL.  A format of
 * ours, because the agent has libc alone.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

struct record_line {
	char *key, *value;
};

struct record {
	struct record_line *line;
	size_t n;
};

#define RECORD_MAX_BYTES (16U << 20)

/* Adds the lines of @text; @name stands in errors ("plan: line 3: ..."). */
_must_check_ int record_parse(struct record *r, const char *text, size_t n, const char *name,
			      struct err *e);
_must_check_ int record_read(struct record *r, int dir, const char *path, struct err *e);

/* Replaces the file as file_write() does. */
_must_check_ int record_write(const struct record *r, int dir, const char *path, struct err *e);
void record_print(const struct record *r, struct text *out);

void record_add(struct record *r, const char *key, const char *value);
void record_addf(struct record *r, const char *key, const char *fmt, ...) _printf_(3, 4);
void record_add_u64(struct record *r, const char *key, uint64_t value);

/* First value of @key, or NULL. Borrowed. */
const char *record_get(const struct record *r, const char *key);

/* 0 or -errno; ENOENT when absent, EINVAL when not a number. */
_must_check_ int record_get_u64(const struct record *r, const char *key, uint64_t *out,
				struct err *e);

void record_release(struct record *r);
#define _record_ _cleanup_(record_release)

/* One line, escaped and with its newline: for files that are appended to. */
void record_put_line(struct text *out, const char *key, const char *value);
