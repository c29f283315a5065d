/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A mail's headers and parts, as much as patches need (RFC 5322, 2045, 2046). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

#define MIME_PARTS_MOST	64
#define MIME_DEPTH_MOST	6

struct mime_part {
	struct text body;		/* transfer encoding undone; may hold anything */
	char charset[40];		/* "" if none is given; letters, digits, -_. only */
	bool attachment;		/* by its disposition or name */
	bool mail;			/* a mail for itself (message/rfc822) */
};

struct mime {
	struct mime_part part[MIME_PARTS_MOST];	/* those that may be text, in order */
	size_t n;
};

/* Splits the bytes of one mail; never fails: what is no mail is a part as it stands. */
void mime_parse(struct mime *m, const char *bytes, size_t n);
void mime_release(struct mime *m);
#define _mime_ _cleanup_(mime_release)

/* Where the body begins; 0 if there are no headers. */
size_t mime_body(const char *bytes, size_t n);

/* The unfolded value of header @name, "" if there is none. Caller frees. */
char *mime_header(const char *bytes, size_t n, const char *name);

/* Length of the line at @p with its newline. */
size_t mime_line(const char *p, const char *end);
