/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Raw output as lines: from a descriptor or from memory, plain, gzip or xz (told
 * by the first bytes, whatever the name).  Memory is bounded by the longest line.
 *
 * "\n" and "\r\n" end a line; a last line without either counts.  A NUL in a line
 * becomes '?', so that no text behind it is lost and no number is read short.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

#define INPUT_LINE_MAX (16U << 20)
#define INPUT_TEXT_MAX (256U << 20)

struct input;

/* @fd stays the caller's. */
struct input *input_fd(int fd);

/* @bytes must live as long as the input. */
struct input *input_memory(const void *bytes, size_t n);

/*
 * 1 and a line that is a C string, may be written to and lives until the next
 * call; 0 at the end; -errno: a read failed, compressed data is damaged or ends
 * early, a line is longer than INPUT_LINE_MAX.
 */
_must_check_ int input_line(struct input *in, char **line, size_t *n, struct err *e);

/* The whole rest into @out, for formats that are no lines (JSON). */
_must_check_ int input_rest(struct input *in, struct text *out, struct err *e);

/* Number of the line last returned, from 1. */
uint64_t input_line_number(const struct input *in);

void input_free(struct input *in);
DEFINE_CLEANUP(struct input, input)
#define _input_ _cleanup_(input_freep)
