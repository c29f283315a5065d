/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Against a real server on loopback; skipped where there is no aiosmtpd. */
#include <fcntl.h>

#include "base/check.h"
#include "base/file.h"
#include "base/proc.h"
#include "net/sink.h"
#include "net/smtp.h"

#define START(s, ...) do {						\
	if (!sink_start((s), (const char *const[]){ __VA_ARGS__ __VA_OPT__(,) NULL }))	\
		skip();							\
} while (0)

static struct smtp server(const struct sink *s)
{
	return (struct smtp){ .url = s->url, .from = "krobot@example.org", .timeout_secs = 20 };
}

static const char content[] = "Subject: x\n\nline\n.\n..two\nend\n";

TEST(a_mail_arrives_as_it_was)
{
	_sink_ struct sink s;
	_text_ struct text got = {};
	struct smtp_recipient to[] = { { "a@example.org" }, { "b@example.org" } };
	struct err e = {};

	START(&s);
	struct smtp c = server(&s);

	if (smtp_send(&c, content, to, 2, &e))
		fail_msg("%s", e.text);
	assert_int_equal(to[0].end, SMTP_SENT);
	assert_int_equal(to[1].end, SMTP_SENT);
	assert_int_equal(sink_mails(&s, &got), 1);
	assert_string_equal(text_str(&got), "rcpt a@example.org\nrcpt b@example.org\n\n"
			    "Subject: x\r\n\r\nline\r\n.\r\n..two\r\nend\r\n");
	/* Nobody is left to send to: no connection, no second mail. */
	assert_int_equal(smtp_send(&c, content, to, 2, &e), 0);
	assert_int_equal(sink_mails(&s, NULL), 1);
}

TEST(each_recipient_has_his_own_end)
{
	_sink_ struct sink s;
	_text_ struct text got = {};
	struct smtp_recipient to[] = { { "refuse-a@example.org" }, { "b@example.org" },
				       { "busy-c@example.org" }, { "d@example.org" } };
	struct err e = {};

	START(&s);
	struct smtp c = server(&s);

	assert_int_equal(smtp_send(&c, content, to, 4, &e), 0);
	assert_int_equal(to[0].end, SMTP_REFUSED);
	assert_string_equal(to[0].reply, "550 5.1.1 no such user");
	assert_int_equal(to[1].end, SMTP_SENT);
	assert_int_equal(to[2].end, SMTP_WAITING);
	assert_string_equal(to[2].reply, "450 4.2.0 busy, later");
	assert_int_equal(to[3].end, SMTP_SENT);
	assert_int_equal(sink_mails(&s, &got), 1);
	assert_non_null(strstr(got.p, "rcpt b@example.org\nrcpt d@example.org\n\n"));
}

TEST(nobody_is_taken)
{
	_sink_ struct sink s;
	struct smtp_recipient to[] = { { "refuse-a@example.org" }, { "busy-b@example.org" } };
	struct err e = {};

	START(&s);
	struct smtp c = server(&s);

	assert_int_equal(smtp_send(&c, content, to, 2, &e), 0);
	assert_int_equal(to[0].end, SMTP_REFUSED);
	assert_int_equal(to[1].end, SMTP_WAITING);
	assert_int_equal(sink_mails(&s, NULL), 0);
}

TEST(the_answer_to_the_text_counts_for_all)
{
	static const struct {
		const char *content;
		enum smtp_end end;
		const char *reply;
	} rows[] = {
		{ "X-Test: refuse\n\nx\n", SMTP_REFUSED, "554 5.7.1 I do not like it" },
		{ "X-Test: defer\n\nx\n", SMTP_WAITING, "451 4.7.1 later" },
	};
	_sink_ struct sink s;

	START(&s);
	struct smtp c = server(&s);

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct smtp_recipient to[] = { { "a@example.org" }, { "refuse-b@example.org" } };
		struct err e = {};

		assert_int_equal(smtp_send(&c, rows[i].content, to, 2, &e), 0);
		assert_int_equal(to[0].end, rows[i].end);
		assert_string_equal(to[0].reply, rows[i].reply);
		assert_int_equal(to[1].end, SMTP_REFUSED);
		assert_string_equal(to[1].reply, "550 5.1.1 no such user");
	}
	assert_int_equal(sink_mails(&s, NULL), 0);
}

TEST(a_sender_that_is_refused_is_an_answer)
{
	_sink_ struct sink s;
	struct smtp_recipient to = { "a@example.org" };
	struct err e = {};

	START(&s);
	struct smtp c = server(&s);

	c.from = "blocked@example.org";
	assert_int_equal(smtp_send(&c, content, &to, 1, &e), 0);
	assert_int_equal(to.end, SMTP_REFUSED);
	assert_string_equal(to.reply, "550 sender blocked");
}

TEST(a_lost_connection_is_tried_again)
{
	_sink_ struct sink s;
	struct smtp_recipient to[] = { { "a@example.org" }, { "refuse-b@example.org" } };
	struct err e = {};

	START(&s);
	struct smtp c = server(&s);

	/* The server has it, but nobody told us. */
	(void)!smtp_send(&c, "X-Test: vanish\n\nx\n", to, 2, &e);
	assert_int_equal(to[0].end, SMTP_WAITING);
	assert_int_equal(to[1].end, SMTP_REFUSED);
	assert_int_equal(sink_mails(&s, NULL), 1);
}

TEST(no_server_is_an_error)
{
	struct smtp c = { .url = "smtp://127.0.0.1:1", .from = "k@example.org", .timeout_secs = 5 };
	struct smtp_recipient to = { "a@example.org" };
	struct err e = {};

	assert_int_equal(smtp_send(&c, content, &to, 1, &e), -ECONNREFUSED);
	assert_int_equal(to.end, SMTP_WAITING);
	assert_non_null(strstr(e.text, "smtp://127.0.0.1:1: "));
}

TEST(odd_arguments_are_refused)
{
	static const struct { const char *url, *from, *to; } rows[] = {
		{ "http://127.0.0.1:1", "k@example.org", "a@example.org" },
		{ "file:///etc/passwd", "k@example.org", "a@example.org" },
		{ "", "k@example.org", "a@example.org" },
		{ "smtp://127.0.0.1:1", "k@example.org>\r\nDATA", "a@example.org" },
		{ "smtp://127.0.0.1:1", "k@example.org", "a@example.org> NOTIFY=NEVER" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct smtp c = { .url = rows[i].url, .from = rows[i].from, .timeout_secs = 5 };
		struct smtp_recipient to = { rows[i].to };
		struct err e = {};

		assert_int_equal(smtp_send(&c, content, &to, 1, &e), -EINVAL);
		assert_int_equal(to.end, SMTP_WAITING);
	}
}

/* A certificate for 127.0.0.1 that nobody knows. */
static bool make_certificate(const char *dir, char **cert, char **key)
{
	_proc_ struct proc p = {};
	struct err e;

	*cert = path_join(dir, "cert.pem");
	*key = path_join(dir, "key.pem");
	p.argv = ARGV("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
		      "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
		      "-keyout", *key, "-out", *cert);
	return proc_ok(&p, &e) == 0;
}

TEST(starttls_is_used_and_its_certificate_checked)
{
	char dir[] = "/tmp/krobot-smtp-XXXXXX";
	_free_ char *cert = NULL, *key = NULL;
	_sink_ struct sink s = { .stop = -1 };
	struct smtp_recipient to = { "a@example.org" };
	struct err e = {};

	assert_non_null(mkdtemp(dir));
	if (make_certificate(dir, &cert, &key) &&
	    sink_start(&s, (const char *const[]){ "tls", cert, key, NULL })) {
		struct smtp c = server(&s);

		c.tls_always = true;
		assert_int_equal(smtp_send(&c, content, &to, 1, &e), -EACCES);
		assert_int_equal(to.end, SMTP_WAITING);
		assert_int_equal(sink_mails(&s, NULL), 0);
		c.ca_file = cert;
		assert_int_equal(smtp_send(&c, content, &to, 1, &e), 0);
		assert_int_equal(to.end, SMTP_SENT);
		assert_int_equal(sink_mails(&s, NULL), 1);
	}
	assert_int_equal(dir_remove(dir, &e), 0);
	if (!s.url)
		skip();
}

TEST(without_starttls_nothing_is_sent)
{
	_sink_ struct sink s;
	struct smtp_recipient to = { "a@example.org" };
	struct err e = {};

	START(&s);
	struct smtp c = server(&s);

	c.tls_always = true;	/* as for every server that is not on loopback */
	assert_int_equal(smtp_send(&c, content, &to, 1, &e), -EPROTO);
	assert_int_equal(to.end, SMTP_WAITING);
	assert_int_equal(sink_mails(&s, NULL), 0);
}

TEST(the_login_comes_from_netrc)
{
	static const char good[] = "machine 127.0.0.1 login robot password secret\n";
	static const char bad[] = "machine 127.0.0.1 login robot password wrong\n";
	_sink_ struct sink s;
	_free_ char *netrc = NULL;
	struct smtp_recipient to = { "a@example.org" };
	struct err e = {};

	START(&s, "login", "robot", "secret");
	struct smtp c = server(&s);

	netrc = path_join(s.dir, "netrc");
	c.netrc = netrc;
	assert_int_equal(file_write(AT_FDCWD, netrc, bad, sizeof(bad) - 1, &e), 0);
	assert_int_equal(smtp_send(&c, content, &to, 1, &e), -EACCES);
	assert_int_equal(to.end, SMTP_WAITING);
	assert_null(strstr(e.text, "wrong"));
	assert_int_equal(file_write(AT_FDCWD, netrc, good, sizeof(good) - 1, &e), 0);
	assert_int_equal(smtp_send(&c, content, &to, 1, &e), 0);
	assert_int_equal(to.end, SMTP_SENT);
}

TEST(waits_grow_and_end)
{
	assert_int_equal(smtp_wait_secs(1), 300);
	assert_int_equal(smtp_wait_secs(2), 600);
	assert_int_equal(smtp_wait_secs(5), 4800);
	assert_int_equal(smtp_wait_secs(100), 8 * 3600);
}
