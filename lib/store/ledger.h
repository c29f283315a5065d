/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ledger of mails.  A mail is written here whole, with its Message-ID, and
 * on the disk before anything is sent; each try sends these same bytes.  So a
 * crash at any point costs at most a repetition under the same Message-ID, which
 * mail programs and archives take as one.
 *
 * Texts in these structs are borrowed where a struct goes in; lists that come out
 * own theirs.
 */
#pragma once

#include "store/store.h"

struct store_mail_recipient {
	const char *address;
	const char *state;		/* waiting sent refused */
	const char *reply;		/* what the server said last */
};

struct store_mail {
	int64_t id;
	const char *key;		/* what it is for: "finding 3 report" */
	const char *message_id;	/* without < > */
	int64_t finding;	/* 0: none */
	const char *content;
	const char *state;		/* waiting sent refused */
	int64_t tries, next_ns, made_ns;
	int64_t sent_ns;	/* 0: not yet */
	struct store_mail_recipient *recipient;
	size_t n_recipients;
};

struct store_mails {
	struct store_mail *row;
	size_t n;
};

void store_mails_release(struct store_mails *m);
#define _store_mails_ _cleanup_(store_mails_release)

/*
 * Writes it down: key, message_id, finding, content, made_ns and the recipients'
 * addresses count.  Returns 1 if there is a mail with this key already; @id is
 * that one's then, and nothing is changed.
 */
_must_check_ int store_mail_add(struct store *s, const struct store_mail *mail, int64_t *id,
				struct err *e);

/* Waiting mails whose time has come, oldest first. */
_must_check_ int store_mails_due(struct store *s, int64_t now_ns, struct store_mails *out,
				 struct err *e);

/* All, newest first; @state NULL: in every state; @finding 0: of every finding. */
_must_check_ int store_mails(struct store *s, const char *state, int64_t finding,
			     struct store_mails *out, struct err *e);

/*
 * Takes it for one try: nobody else gets it before @until_ns. Counts the try.
 * Returns 1 if somebody else was first.
 */
_must_check_ int store_mail_claim(struct store *s, int64_t id, int64_t now_ns, int64_t until_ns,
				  struct err *e);

/*
 * How a try ended, for each recipient of @mail (its state and reply).  While one
 * waits, the mail waits until @next_ns.
 */
_must_check_ int store_mail_result(struct store *s, const struct store_mail *mail, int64_t now_ns,
				   int64_t next_ns, struct err *e);

/* How many were sent since then: for a limit per day. */
_must_check_ int store_mails_sent(struct store *s, int64_t since_ns, int64_t *n, struct err *e);
