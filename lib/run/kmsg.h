/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel says between two moments, from /dev/kmsg, in the form in
 * which dmesg prints it: "[   12.345678] text".
 */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

struct kmsg {
	int fd;			/* readable when there is more; -1: none can be had */
	int file;
	uint64_t kept;		/* bytes */
};

#define KMSG_NONE { .fd = -1, .file = -1 }
#define KMSG_MAX_BYTES (16U << 20)

/*
 * Opens @device behind its last message, and the file that takes what comes.
 * A device that is absent or forbidden is no error: the file then says why, in
 * a line that starts with '#'.
 */
_must_check_ int kmsg_open(struct kmsg *k, const char *device, int dir, const char *name,
			   struct err *e);

/* Moves the messages that have come. */
_must_check_ int kmsg_take(struct kmsg *k, struct err *e);

/* The same, and then the file is on disk. */
_must_check_ int kmsg_end(struct kmsg *k, struct err *e);

/*
 * Appends one message as read from the device ("LEVEL,SEQ,USECS,FLAGS;text"
 * and further lines) to @out; false if it is none.
 */
bool kmsg_format(struct text *out, const char *message, size_t n);

void kmsg_release(struct kmsg *k);
#define _kmsg_ _cleanup_(kmsg_release)
