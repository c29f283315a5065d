/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One mail to one server.  STARTTLS is required unless the server is this
 * machine's loopback; the login comes from a netrc file, never from an argument.
 *
 * Each recipient has his own end: one that is refused does not take the mail from
 * the others, and one that the server cannot take now (4xx) is tried again later.
 * Where the connection is lost after the text went out nobody knows whether it
 * arrived; the recipients keep waiting, and the next try has the same Message-ID.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct smtp {
	const char *url;	/* "smtp://host:587", "smtps://host" */
	const char *from;	/* envelope's sender: an address */
	const char *netrc;	/* file with the login; NULL: no login */
	const char *ca_file;	/* certificates to trust; NULL: the system's */
	bool tls_always;	/* also on loopback */
	uint64_t timeout_secs;	/* for all of it; 0: 120 */
};

struct smtp_recipient {
	const char *address;
	enum smtp_end {
		SMTP_WAITING,	/* try again later */
		SMTP_SENT,	/* the server took it */
		SMTP_REFUSED,	/* it never will */
	} end;
	char reply[200];	/* what the server said last, visible; "" if nothing */
};

/*
 * Sends @content (lines end in \n) to all of @to that are SMTP_WAITING.  0: the
 * server answered, see the recipients.  -errno: no server, no TLS, no login; the
 * recipients that had no answer wait.  EINVAL: the URL or an address is none.
 */
_must_check_ int smtp_send(const struct smtp *server, const char *content,
			   struct smtp_recipient *to, size_t n, struct err *e);

/* How long to wait after so many tries: 5 minutes, doubling up to 8 hours. */
uint64_t smtp_wait_secs(unsigned int tries);
