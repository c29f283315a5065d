/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A mail as text (RFC 5322), for a spool folder or for SMTP.  What goes in may
 * be hostile (a commit's subject, an author's name): whatever it is, the mail
 * has the headers that are meant and no others, its header is ASCII, and it
 * reads back as what went in, with control characters made visible.
 *
 * The body stays 7bit where it is ASCII with lines that SMTP bears; else it is
 * UTF-8 in quoted-printable, in which only those bytes are encoded that must be.
 *
 * Lines end in \n; who sends it makes \r\n of that.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

struct mail_person {
	const char *name;	/* NULL or "": none */
	const char *address;	/* local@domain */
};

struct mail_header {
	const char *name, *value;	/* the name is ours; the value any text */
};

struct mail {
	struct mail_person from;
	const char *reply_to;		/* an address; NULL: none */
	const struct mail_person *to, *cc;
	size_t n_to, n_cc;
	const char *subject;
	const char *message_id;		/* without < > */
	const char *in_reply_to;	/* without < >; NULL: no reply */
	const char *const *references;	/* without < >, oldest first */
	size_t n_references;
	int64_t date_secs;		/* since 1970 */
	const struct mail_header *extra;
	size_t n_extra;
	const char *body;
};

/*
 * Appends the mail to @out.  EINVAL: nobody to send to, or an address or an id
 * that is none.  "Auto-Submitted: auto-generated" (RFC 3834) is always there, so
 * that nobody's automaton answers.
 */
_must_check_ int mail_write(const struct mail *m, struct text *out, struct err *e);

/*
 * An id that is given to a mail before it is sent, and that stays the same each
 * time it is tried: "20261201021500.0123456789abcdef@host". @random is drawn by
 * the caller; @host is made good if it is no host name.
 */
void mail_put_id(struct text *out, int64_t secs, uint64_t random, const char *host);

/* local@domain in ASCII, dots and letters as RFC 5321 has them without quotes. */
bool mail_address_ok(const char *address);

/* The same for the text between < and > of a Message-ID, which may be odder. */
bool mail_id_ok(const char *id);

/*
 * Takes "Name <a@b>", "\"Name, X\" <a@b>", "<a@b>" or "a@b" apart; @name is ""
 * if there is none.  Both are the caller's.  False if the address is none.
 */
bool mail_person_parse(const char *text, size_t n, char **name, char **address);

/* "Name <a@b>" for people, made visible; not for a header. */
void mail_put_person(struct text *out, const char *name, const char *address);

/*
 * Appends the header's text unfolded and its encoded words decoded (RFC 2047).
 * Their bytes are taken as UTF-8 whatever charset they name; NULs are dropped.
 * What comes out is hostile still.
 */
void mail_decode_header(struct text *out, const char *value, size_t n);
