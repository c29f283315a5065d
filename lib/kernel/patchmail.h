/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fixes as people send them: mails, mailboxes, patch files.
 *
 * What comes out is one mail for each patch in the form that `git am` and `git apply`
 * take: the headers that name the author, the message, the diff, nothing of the
 * conversation around.  git itself decodes headers and charsets (git mailinfo); done
 * here is what it does otherwise than people mean it:
 *
 * - Of a mail in parts, the first text part that holds a diff counts, else the
 *   attachments that do, one patch each; not all of them glued together.
 * - What stands before a scissors line (dashes with 8< or >8) is conversation, and a
 *   line "From <40 hex> ..." after it is dropped: git would take it for the message's
 *   first line and the replier for the author.
 * - Without scissors, an answer ("Re: ...") is conversation up to the diff; a mail that
 *   is a patch is its message up to the diff.
 * - The diff ends at a "-- " that is not within a hunk.
 * - A mailbox is split at lines that are like its first, after an empty line and before
 *   a header; not at every line that begins with "From ".
 *
 * All of it is hostile: bounded, and nothing is run on it but git's own readers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

struct patchmail_patch {
	char *mail;		/* for git am; text without NUL */
	size_t diff;		/* where in it the diff begins */
	char *sender;		/* address of the mail that brought it; NULL: a file, no mail */
	char *base;		/* the commit that a "base-commit:" names; NULL: none */
	char *origin;		/* "FILE, mail 2", for messages; visible */
	bool on_top;		/* "on top of the previous patch" is said */

	/* By patchmail_identify(): as git reads them, one line, UTF-8, as sent (hostile). */
	char *author, *email, *subject, *date;
	unsigned int part, parts;	/* [PATCH 2/3]; 0, 0: not said */
};

struct patchmail {
	struct patchmail_patch *v;
	size_t n;
};

#define PATCHMAIL_MAX_BYTES	(32U << 20)

/*
 * Adds the patches of @bytes: a mail, a mailbox, or a patch file.  Pure.
 * EINVAL: there is no patch in it, or it is beyond the bounds.
 */
_must_check_ int patchmail_parse(struct patchmail *m, const char *bytes, size_t n,
				 const char *name, struct err *e);

/*
 * Adds the patches of a file, of a Maildir or folder of patch files (in order of
 * names), or of stdin ("-"); then asks git who wrote them, and puts a numbered series
 * in its order.  EINVAL also: a part of a series is missing or there twice.
 */
_must_check_ int patchmail_read(struct patchmail *m, const char *path, struct err *e);

/* The last steps of patchmail_read(), for patches that were parsed. */
_must_check_ int patchmail_identify(struct patchmail *m, struct err *e);
_must_check_ int patchmail_order(struct patchmail *m, struct err *e);

/* Whether all senders are on the list (addresses, any case; ends in NULL); files pass. */
bool patchmail_allowed(const struct patchmail *m, const char *const *list);

void patchmail_release(struct patchmail *m);
#define _patchmail_ _cleanup_(patchmail_release)
