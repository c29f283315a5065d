/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Maildir as the end of the way: mails that may not leave the machine lie
 * there to be read or sent by hand.  The file is named by the Message-ID, so that
 * a mail that is put there again (after a crash) is there once.
 */
#pragma once

#include "base/err.h"

/*
 * Makes the Maildir if need be; the mail is on the disk when this returns.
 * Returns 1 if it was there before, read or unread.
 */
_must_check_ int spool_put(const char *maildir, const char *message_id, const char *content,
			   struct err *e);
