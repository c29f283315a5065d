/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who gets a mail, and why.  People are gathered from several sources, each
 * with its reason; then the policy decides once: who asked to be left alone,
 * and how many are enough.  Nobody is silently left out: who is dropped stays
 * in the list with the reason for that, too.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "report/mail.h"

/* In the order in which the cap takes them. */
enum recipient_role {
	RECIPIENT_AUTHOR,
	RECIPIENT_TREE,		/* what the tree's owner configured: its list */
	RECIPIENT_COMMITTER,
	RECIPIENT_MAINTAINER,
	RECIPIENT_LIST,
	RECIPIENT_TAG,		/* named in the commit: Reviewed-by and the like */
	RECIPIENT_REVIEWER,
	RECIPIENT_OTHER,	/* guessed from history */
};

struct recipient {
	char *name;		/* "" if not known */
	char *address;
	enum recipient_role role;	/* the first in the order above that applies */
	char *reason;		/* all of them: "wrote the commit; maintainer of X" */
	char *dropped;		/* why there is no mail; NULL: there is one */
};

struct recipients {
	struct recipient *row;
	size_t n;
};

void recipients_release(struct recipients *r);
#define _recipients_ _cleanup_(recipients_release)

/*
 * Adds one, or a reason to the one with this address.  What is no address is
 * kept as dropped.
 */
void recipients_add(struct recipients *r, enum recipient_role role, const char *name,
		    const char *address, const char *reason);

/* "Name <a@b>" as in a configuration or a commit. */
void recipients_add_person(struct recipients *r, enum recipient_role role, const char *text,
			   size_t n, const char *reason);

/* People in the tags at the end of a commit's message; stable@ is never taken. */
void recipients_add_tags(struct recipients *r, const char *message);

/* Output of scripts/get_maintainer.pl with roles. Lines that are not understood are skipped. */
void recipients_add_get_maintainer(struct recipients *r, const char *text, size_t n);

struct recipients_policy {
	size_t cap;			/* 0: RECIPIENTS_CAP */
	const char *opt_out;		/* text of .get_maintainer.ignore; NULL: none */
	const char *const *only_to;	/* "Name <a@b>": nobody else gets it */
	size_t n_only_to;
};

#define RECIPIENTS_CAP 12

/* Sorts by role and marks who is dropped; only_to is added. Call it once, at the end. */
void recipients_decide(struct recipients *r, const struct recipients_policy *policy);

/* Those who get it, for mail_write(): To is the author (or else the first), Cc the rest. */
struct recipients_mail {
	struct mail_person *to, *cc;	/* the texts are borrowed from the recipients */
	size_t n_to, n_cc;
};

void recipients_put(const struct recipients *r, struct recipients_mail *out);
void recipients_mail_release(struct recipients_mail *m);

/* A line each: "to", "cc" or "--", the person, the reason. */
void recipients_explain(const struct recipients *r, struct text *out);
