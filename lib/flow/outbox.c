/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "flow/outbox.h"
#include "net/spool.h"

#define SECOND INT64_C(1000000000)
#define CLAIM (15 * 60 * SECOND)	/* longer than any try takes */
#define DAY (24 * 3600 * SECOND)

static const char *const ends[] = {
	[SMTP_WAITING] = "waiting", [SMTP_SENT] = "sent", [SMTP_REFUSED] = "refused",
};

static void set(const char **field, const char *text)
{
	free((char *)*field);
	*field = text_copy(text);
}

static enum smtp_end end_of(const char *state)
{
	for (unsigned int i = 0; i < COUNT(ends); i++)
		if (!strcmp(ends[i], state))
			return i;
	return SMTP_WAITING;
}

/* The ends of one try go into @mail; an error is one of the server. */
static int try_server(const struct outbox *o, struct store_mail *mail, struct err *e)
{
	_free_ struct smtp_recipient *to = mem_zero(mail->n_recipients, sizeof(*to));
	int ret;

	for (size_t i = 0; i < mail->n_recipients; i++) {
		to[i].address = mail->recipient[i].address;
		to[i].end = end_of(mail->recipient[i].state);
	}
	ret = smtp_send(o->server, mail->content, to, mail->n_recipients, e);
	for (size_t i = 0; i < mail->n_recipients; i++) {
		set(&mail->recipient[i].state, ends[to[i].end]);
		if (to[i].reply[0])
			set(&mail->recipient[i].reply, to[i].reply);
		else if (ret < 0 && to[i].end == SMTP_WAITING)
			set(&mail->recipient[i].reply, e->text);
	}
	return ret;
}

static int try_spool(const struct outbox *o, struct store_mail *mail, struct err *e)
{
	int ret = spool_put(o->spool, mail->message_id, mail->content, e);

	for (size_t i = 0; ret >= 0 && i < mail->n_recipients; i++) {
		set(&mail->recipient[i].state, "sent");
		set(&mail->recipient[i].reply, "in the spool folder");
	}
	return ret < 0 ? ret : 0;
}

static void count_end(const struct store_mail *mail, struct outbox_count *count)
{
	unsigned int n[COUNT(ends)] = {};

	for (size_t i = 0; i < mail->n_recipients; i++)
		n[end_of(mail->recipient[i].state)]++;
	if (n[SMTP_WAITING])
		count->waiting++;
	else if (n[SMTP_SENT])
		count->sent++;
	else
		count->refused++;
}

/* One mail. 1: somebody else has it. */
static int try_one(struct store *s, const struct outbox *o, struct store_mail *mail,
		   int64_t now_ns, struct outbox_count *count, struct err *e)
{
	int64_t next = now_ns + (int64_t)smtp_wait_secs((unsigned int)mail->tries + 1) * SECOND;
	int ret = store_mail_claim(s, mail->id, now_ns, now_ns + CLAIM, e);
	struct err storing;

	if (ret)
		return ret;
	ret = o->server ? try_server(o, mail, e) : try_spool(o, mail, e);
	count_end(mail, count);
	if (store_mail_result(s, mail, now_ns, next, &storing) < 0) {
		*e = storing;
		return -e->code;
	}
	return ret < 0 ? err_in(e, "mail %s", mail->key) : 0;
}

/* The reports' limit; a mail of which a part was sent already is not a further one. */
static int room(struct store *s, const struct outbox *o, int64_t now_ns, int64_t *left,
		struct err *e)
{
	int64_t sent;

	if (store_mails_sent(s, now_ns - DAY, &sent, e) < 0)
		return -e->code;
	*left = (int64_t)(o->per_day ? o->per_day : OUTBOX_PER_DAY) - sent;
	return 0;
}

int outbox_send(struct store *s, const struct outbox *o, int64_t now_ns,
		struct outbox_count *count, struct err *e)
{
	_store_mails_ struct store_mails due = {};
	size_t i = 0;
	int ret;

	*count = (struct outbox_count){};
	if (!o->server && !o->spool)
		return err_set(e, EINVAL, "neither a server nor a spool folder for mails");
	ret = store_mails_due(s, now_ns, &due, e);
	for (; ret >= 0 && i < due.n; i++) {
		int64_t left = 0;

		ret = room(s, o, now_ns, &left, e);
		if (ret < 0)
			break;
		if (left <= 0 && !due.row[i].sent_ns)
			count->held++;
		else
			ret = try_one(s, o, &due.row[i], now_ns, count, e);
	}
	/* The others are left in peace: they would fare no better. */
	count->held += (unsigned int)(due.n - i);
	return ret < 0 ? ret : 0;
}
