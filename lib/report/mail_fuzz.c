/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whatever the texts are, the mail has exactly the headers that are meant, all
 * of short ASCII lines, and the subject reads back.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "report/mail.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const expected[] = {
	"Date", "From", "To", "Subject", "Message-ID", "In-Reply-To", "Auto-Submitted", "X-Tree",
	"MIME-Version", "Content-Type", "Content-Transfer-Encoding",
};

/* The body's start. */
static const char *check_header(const char *p, bool reply)
{
	size_t seen = 0;

	for (;; p = strchr(p, '\n') + 1) {
		const char *end = strchr(p, '\n');

		assert(end && end - p <= 400);
		if (end == p)
			break;
		for (const char *c = p; c < end; c++)
			assert((unsigned char)*c >= ' ' && (unsigned char)*c < 0x7f);
		if (*p == ' ') {
			assert(end - p > 1 && p[1] != ' ');
			continue;
		}
		if (!reply && !strcmp(expected[seen], "In-Reply-To"))
			seen++;
		assert(seen < COUNT(expected));
		assert(text_starts(p, expected[seen]) && p[strlen(expected[seen])] == ':');
		seen++;
	}
	assert(seen == COUNT(expected));
	return p + 1;
}

static void check_body(const char *p)
{
	for (; *p; p = strchr(p, '\n') + 1) {
		const char *end = strchr(p, '\n');

		assert(end && end - p <= 998);
		for (const char *c = p; c < end; c++)
			assert((*c >= ' ' && *c < 0x7f) || *c == '\t');
	}
}

/* What a reader sees in the subject has no line ends, and is stable. */
static void check_subject(const char *mail)
{
	_text_ struct text once = {};
	const char *from = strstr(mail, "\nSubject:") + 9, *end = from;

	while ((end = strchr(end, '\n')) && end[1] == ' ')
		end++;
	mail_decode_header(&once, from, (size_t)(end - from));
	for (size_t i = 0; i < once.len; i++)
		assert((unsigned char)once.p[i] >= ' ' && once.p[i] != 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_free_ char *all = mem_zero(size + 5, 1);
	const char *part[5];
	_text_ struct text t = {};
	struct err e;

	if (size)
		memcpy(all, data, size);
	for (size_t i = 0, at = 0; i < 5; i++) {
		part[i] = all + at;
		at += strlen(all + at);
		at += at < size;
	}
	struct mail_person to = { part[1], part[4] };
	struct mail_header extra = { "X-Tree", part[2] };
	struct mail m = {
		.from = { part[1], "krobot@example.org" },
		.to = &to,
		.n_to = 1,
		.subject = part[0],
		.message_id = "1@example.org",
		.in_reply_to = mail_id_ok(part[3]) ? part[3] : NULL,
		.extra = &extra,
		.n_extra = 1,
		.body = part[2],
	};

	if (mail_write(&m, &t, &e) < 0) {
		assert(!mail_address_ok(part[4]) && !t.len);
		to.address = "a@example.org";
		if (mail_write(&m, &t, &e) < 0)
			abort();
	}
	check_subject(t.p);
	check_body(check_header(t.p, m.in_reply_to != NULL));
	return 0;
}
