/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "store/db.h"
#include "store/ledger.h"

static int add(struct store *s, const struct store_mail *m, int64_t *id, struct err *e)
{
	int ret = db_number(s, id, e, "SELECT id FROM mail WHERE key = ?1", "t", m->key);

	if (ret <= 0)
		return ret < 0 ? ret : 1;
	ret = db_number(s, id, e, "INSERT INTO mail (key, message_id, finding_id, content, state,"
			" tries, next_ns, made_ns) VALUES (?1, ?2, nullif(?3, 0), ?4, 'waiting', 0,"
			" ?5, ?5) RETURNING id", "ttiti", m->key, m->message_id, m->finding,
			m->content, m->made_ns);
	for (size_t i = 0; !ret && i < m->n_recipients; i++)
		ret = db_exec(s, e, "INSERT INTO mail_recipient (mail_id, seq, address, state,"
			      " reply) VALUES (?1, ?2, ?3, 'waiting', '')", "iit", *id, (int64_t)i,
			      m->recipient[i].address);
	return ret;
}

int store_mail_add(struct store *s, const struct store_mail *mail, int64_t *id, struct err *e)
{
	int ret;

	if (!mail->n_recipients)
		return err_set(e, EINVAL, "a mail to nobody");
	ret = db_begin_safe(s, e);
	return ret < 0 ? ret : db_end(s, add(s, mail, id, e), e);
}

static int load_recipients(struct store *s, struct store_mail *m, struct err *e)
{
	_query_ sqlite3_stmt *st = NULL;
	int ret = db_query(s, &st, e, "SELECT address, state, reply FROM mail_recipient"
			   " WHERE mail_id = ?1 ORDER BY seq", "i", m->id);

	while (!ret && (ret = db_step(s, st, e)) > 0) {
		ret = 0;
		GROW(m->recipient, m->n_recipients);
		m->recipient[m->n_recipients++] = (struct store_mail_recipient){
			db_copy(st, 0), db_copy(st, 1), db_copy(st, 2)
		};
	}
	return ret;
}

#define COLUMNS "id, key, message_id, finding_id, content, state, tries, next_ns, made_ns, sent_ns"

static int take(struct store *s, sqlite3_stmt *st, struct store_mails *out, struct err *e)
{
	size_t first = out->n;
	int ret;

	while ((ret = db_step(s, st, e)) > 0) {
		GROW(out->row, out->n);
		out->row[out->n++] = (struct store_mail){
			.id = sqlite3_column_int64(st, 0),
			.key = db_copy(st, 1),
			.message_id = db_copy(st, 2),
			.finding = sqlite3_column_int64(st, 3),
			.content = db_copy(st, 4),
			.state = db_copy(st, 5),
			.tries = sqlite3_column_int64(st, 6),
			.next_ns = sqlite3_column_int64(st, 7),
			.made_ns = sqlite3_column_int64(st, 8),
			.sent_ns = sqlite3_column_int64(st, 9),
		};
	}
	for (size_t i = first; !ret && i < out->n; i++)
		ret = load_recipients(s, &out->row[i], e);
	return ret;
}

int store_mails_due(struct store *s, int64_t now_ns, struct store_mails *out, struct err *e)
{
	_query_ sqlite3_stmt *st = NULL;
	int ret = db_query(s, &st, e, "SELECT " COLUMNS " FROM mail WHERE state = 'waiting'"
			   " AND next_ns <= ?1 ORDER BY made_ns, id", "i", now_ns);

	return ret < 0 ? ret : take(s, st, out, e);
}

int store_mails(struct store *s, const char *state, int64_t finding, struct store_mails *out,
		struct err *e)
{
	_query_ sqlite3_stmt *st = NULL;
	int ret = db_query(s, &st, e, "SELECT " COLUMNS " FROM mail"
			   " WHERE (?1 IS NULL OR state = ?1) AND (?2 = 0 OR finding_id = ?2)"
			   " ORDER BY made_ns DESC, id DESC", "ni", state, finding);

	return ret < 0 ? ret : take(s, st, out, e);
}

int store_mail_claim(struct store *s, int64_t id, int64_t now_ns, int64_t until_ns, struct err *e)
{
	int64_t mine;
	int ret = db_begin_safe(s, e);

	if (ret < 0)
		return ret;
	ret = db_number(s, &mine, e, "UPDATE mail SET next_ns = ?3, tries = tries + 1 WHERE id = ?1"
			" AND state = 'waiting' AND next_ns <= ?2 RETURNING id", "iii", id, now_ns,
			until_ns);
	return db_end(s, ret, e);
}

static int put_result(struct store *s, const struct store_mail *m, int64_t now_ns,
		      int64_t next_ns, struct err *e)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < m->n_recipients; i++)
		ret = db_exec(s, e, "UPDATE mail_recipient SET state = ?3, reply = ?4"
			      " WHERE mail_id = ?1 AND seq = ?2 AND state = 'waiting'", "iitt",
			      m->id, (int64_t)i, m->recipient[i].state, m->recipient[i].reply);
	if (ret < 0)
		return ret;
	return db_exec(s, e, "UPDATE mail SET next_ns = ?3, state = CASE"
		       " WHEN EXISTS (SELECT 1 FROM mail_recipient WHERE mail_id = ?1"
		       " AND state = 'waiting') THEN 'waiting'"
		       " WHEN EXISTS (SELECT 1 FROM mail_recipient WHERE mail_id = ?1"
		       " AND state = 'sent') THEN 'sent' ELSE 'refused' END,"
		       " sent_ns = coalesce(sent_ns, (SELECT ?2 WHERE EXISTS (SELECT 1"
		       " FROM mail_recipient WHERE mail_id = ?1 AND state = 'sent')))"
		       " WHERE id = ?1", "iii", m->id, now_ns, next_ns);
}

int store_mail_result(struct store *s, const struct store_mail *mail, int64_t now_ns,
		      int64_t next_ns, struct err *e)
{
	int ret = db_begin_safe(s, e);

	return ret < 0 ? ret : db_end(s, put_result(s, mail, now_ns, next_ns, e), e);
}

int store_mails_sent(struct store *s, int64_t since_ns, int64_t *n, struct err *e)
{
	return db_number(s, n, e, "SELECT count(*) FROM mail WHERE sent_ns >= ?1", "i", since_ns);
}

void store_mails_release(struct store_mails *m)
{
	for (size_t i = 0; i < m->n; i++) {
		struct store_mail *row = &m->row[i];

		for (size_t k = 0; k < row->n_recipients; k++) {
			db_free(row->recipient[k].address);
			db_free(row->recipient[k].state);
			db_free(row->recipient[k].reply);
		}
		free(row->recipient);
		db_free(row->key);
		db_free(row->message_id);
		db_free(row->content);
		db_free(row->state);
	}
	free(m->row);
	*m = (struct store_mails){};
}
