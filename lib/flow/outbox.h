/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way of a mail from the ledger to its end: a spool folder, or a server if
 * one is configured.  Whatever happens in between, a mail keeps the Message-ID
 * that it was written down with.
 */
#pragma once

#include "net/smtp.h"
#include "store/ledger.h"

struct outbox {
	const char *spool;		/* Maildir; used if there is no server */
	const struct smtp *server;	/* NULL: mails stay on this machine */
	unsigned int per_day;		/* at most so many in 24 hours; 0: OUTBOX_PER_DAY */
};

#define OUTBOX_PER_DAY 20

struct outbox_count {
	unsigned int sent;	/* at their end with at least one recipient */
	unsigned int refused;	/* at their end with none */
	unsigned int waiting;	/* tried, and to be tried again */
	unsigned int held;	/* not tried: the day's limit, or the server is not there */
};

/*
 * Tries each mail whose time has come.  -errno: the spool or the server cannot be
 * used; what was not sent waits, longer each time.  @now_ns: wall clock.
 */
_must_check_ int outbox_send(struct store *s, const struct outbox *o, int64_t now_ns,
			     struct outbox_count *count, struct err *e);
