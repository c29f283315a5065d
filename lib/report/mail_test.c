/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/check.h"
#include "report/mail.h"

static const struct mail_person maintainer = { "Andrew Example", "akpm@example.org" };

static const struct mail plain = {
	.from = { "krobot", "krobot@example.com" },
	.to = &maintainer,
	.n_to = 1,
	.subject = "[mm] 0123456789: t.ns +12.5% regression",
	.message_id = "20240101000000.00000000000000ff@example.com",
	.date_secs = 1704067199,
	.body = "Hello,\n\nnothing.\n",
};

static const char *written(const struct mail *m, struct text *t)
{
	struct err e;

	if (mail_write(m, t, &e) < 0)
		fail_msg("%s", e.text);
	return text_str(t);
}

TEST(a_plain_mail_is_plain)
{
	_text_ struct text t = {};

	assert_string_equal(written(&plain, &t),
		"Date: Sun, 31 Dec 2023 23:59:59 +0000\n"
		"From: krobot <krobot@example.com>\n"
		"To: Andrew Example <akpm@example.org>\n"
		"Subject: [mm] 0123456789: t.ns +12.5% regression\n"
		"Message-ID: <20240101000000.00000000000000ff@example.com>\n"
		"Auto-Submitted: auto-generated\n"
		"MIME-Version: 1.0\n"
		"Content-Type: text/plain; charset=us-ascii\n"
		"Content-Transfer-Encoding: 7bit\n"
		"\n"
		"Hello,\n\nnothing.\n");
}

TEST(people_are_folded_quoted_and_encoded)
{
	static const struct mail_person cc[] = {
		{ NULL, "linux-mm@kvack.org" },
		{ "O'Neil, Jane \"JO\"", "jane@example.org" },
		{ "Jürgen Müller", "jm@example.org" },
		{ "", "linux-kernel@vger.kernel.org" },
	};
	_text_ struct text t = {};
	struct mail m = plain;

	m.cc = cc;
	m.n_cc = COUNT(cc);
	assert_non_null(strstr(written(&m, &t),
		"\nCc: linux-mm@kvack.org, \"O'Neil, Jane \\\"JO\\\"\" <jane@example.org>,\n"
		" =?UTF-8?Q?J=C3=BCrgen_M=C3=BCller?= <jm@example.org>,\n"
		" linux-kernel@vger.kernel.org\nSubject:"));
}

TEST(a_reply_names_what_it_answers)
{
	static const char *const references[] = { "first@example.org", "patch+v2.1@example.org" };
	_text_ struct text t = {};
	struct mail m = plain;

	m.in_reply_to = references[1];
	m.references = references;
	m.n_references = 2;
	assert_non_null(strstr(written(&m, &t), "\nIn-Reply-To: <patch+v2.1@example.org>\n"
			       "References: <first@example.org> <patch+v2.1@example.org>\n"));
}

/* The value of a header as a reader sees it; fails unless it is there exactly once. */
static char *header(const char *mail, const char *name)
{
	_text_ struct text out = {};
	const char *end = strstr(mail, "\n\n"), *found = NULL;
	size_t n = strlen(name);

	for (const char *p = mail; p < end; p = strchr(p, '\n') + 1) {
		if (strncmp(p, name, n) || p[n] != ':')
			continue;
		assert_null(found);
		found = p + n + 1;
	}
	assert_non_null(found);
	end = found;
	do
		end = strchr(end, '\n') + 1;
	while (*end == ' ');
	mail_decode_header(&out, found + strspn(found, " "),
			   (size_t)(end - found) - strspn(found, " ") - 1);
	return text_steal(&out);
}

TEST(subjects_read_back)
{
	static const struct { const char *subject, *read; } rows[] = {
		{ "plain", "plain" },
		{ "  two  blanks ", "two blanks" },
		{ "mm: größere Seiten für Müller", NULL },
		{ "日本語の件名がとても長いので、複数の符号化語に分けなければなりません。そうですね。", NULL },
		{ "looks encoded =?UTF-8?Q?=41?= but is not", NULL },
		{ "a word of many letters "
		  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		  "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
		  NULL },
		{ "a title of so many short words that it must be folded more than once so that no "
		  "line is longer than people and programs like to see it in the end", NULL },
		{ "evil\r\nBcc: all@example.org\r\n\r\nbody", "evil Bcc: all@example.org body" },
		{ "evil\nBcc: a@b\n c", "evil Bcc: a@b c" },
		{ "bell\a and \x1b[31mred", "bell\\x07 and \\x1b[31mred" },
		{ "broken \xff\xc3 bytes", "broken \\xff\\xc3 bytes" },
		{ "", "" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		_text_ struct text t = {};
		_free_ char *got = NULL;
		struct mail m = plain;

		m.subject = rows[i].subject;
		got = header(written(&m, &t), "Subject");
		assert_string_equal(got, rows[i].read ? rows[i].read : rows[i].subject);
		for (const char *p = t.p, *end; p < strstr(t.p, "\n\n"); p = end + 1) {
			end = strchr(p, '\n');
			assert_true(end - p <= 78);
		}
	}
}

TEST(a_name_adds_no_header)
{
	struct mail_person evil = { "x\nBcc: all@example.org\n\n<a@b>, \"", "a@example.org" };
	_free_ char *to = NULL;
	_text_ struct text t = {};
	struct mail m = plain;

	m.to = &evil;
	to = header(written(&m, &t), "To");
	assert_null(strstr(t.p, "\nBcc"));
	assert_string_equal(to, "\"x Bcc: all@example.org <a@b>, \\\"\" <a@example.org>");
}

TEST(addresses_and_ids_are_checked)
{
	static const char *const bad[] = {
		"", "a", "a@", "@b", "a b@c.org", "a@b\n.org", "a@b>,c@d", "a..b@c.org", ".a@b.org",
		"a@b@c", "a@-b.org", "a@b_c.org", "\"a\"@b.org", "ü@b.org", "a@[1.2.3.4]",
	};
	struct mail m = plain;
	_text_ struct text t = {};
	struct err e;

	for (size_t i = 0; i < COUNT(bad); i++) {
		struct mail_person to = { "x", bad[i] };

		if (mail_address_ok(bad[i]))
			fail_msg("taken: %s", bad[i]);
		m.to = &to;
		assert_int_equal(mail_write(&m, &t, &e), -EINVAL);
	}
	assert_true(mail_address_ok("git+x_y@sub.example-1.org"));
	assert_true(mail_address_ok("root@localhost"));
	m = plain;
	m.in_reply_to = "a@b>\nBcc: <c@d";
	assert_int_equal(mail_write(&m, &t, &e), -EINVAL);
	m = plain;
	m.n_to = 0;
	assert_int_equal(mail_write(&m, &t, &e), -EINVAL);
	assert_int_equal(t.len, 0);
}

TEST(people_are_taken_apart)
{
	static const struct { const char *text, *name, *address; } rows[] = {
		{ "a@b.org", "", "a@b.org" },
		{ " <a@b.org> ", "", "a@b.org" },
		{ "A B <a@b.org>", "A B", "a@b.org" },
		{ "\"B, A \\\"x\\\"\" <a@b.org>", "B, A \"x\"", "a@b.org" },
		{ "A (the b) <a@b.org>", "A (the b)", "a@b.org" },
		{ "A <a@b.org", NULL, NULL },
		{ "A <>", NULL, NULL },
		{ "", NULL, NULL },
		{ ">", NULL, NULL },
		{ "A a@b.org", NULL, NULL },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		_free_ char *name = NULL, *address = NULL;
		bool ok = mail_person_parse(rows[i].text, strlen(rows[i].text), &name, &address);

		assert_int_equal(ok, rows[i].address != NULL);
		if (!ok)
			continue;
		assert_string_equal(name, rows[i].name);
		assert_string_equal(address, rows[i].address);
	}
}

TEST(a_body_is_encoded_only_where_it_must_be)
{
	_text_ struct text t = {}, u = {}, v = {};
	_free_ char *wide = mem_zero(1200, 1);
	struct mail m = plain;

	m.body = "a = b\n1.5 \xc2\xb1 2%  \n.\nno end";
	assert_string_equal(strstr(written(&m, &t), "Content-Type"),
		"Content-Type: text/plain; charset=utf-8\n"
		"Content-Transfer-Encoding: quoted-printable\n"
		"\n"
		"a =3D b\n1.5 =C2=B1 2% =20\n.\nno end\n");
	memset(wide, '7', 1199);
	m.body = wide;
	assert_non_null(strstr(written(&m, &u), "quoted-printable\n\n7777"));
	for (const char *p = strstr(u.p, "\n\n") + 2, *end; (end = strchr(p, '\n')); p = end + 1)
		assert_true(end - p <= 76);
	m.body = "bell \a, return \r, torn \xe2\x82\n";
	assert_non_null(strstr(written(&m, &v),
			       "7bit\n\nbell \\x07, return \\x0d, torn \\xe2\\x82\n"));
}

TEST(encoded_words_of_others_are_read)
{
	static const struct { const char *in, *out; } rows[] = {
		{ "=?utf-8?B?TcO8bGxlcg==?= x", "Müller x" },
		{ "=?utf-8?q?a?=\n =?utf-8?q?_b?= c", "a b c" },
		{ "x =?utf-8?q?=41=00?=", "x A" },
		{ "=?utf-8?q?open", "=?utf-8?q?open" },
		{ "=?x?", "=?x?" },
		{ "=?utf-8?X?a?=", "=?utf-8?X?a?=" },
		{ "a\n\tb ", "a b" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		_text_ struct text t = {};

		mail_decode_header(&t, rows[i].in, strlen(rows[i].in));
		assert_string_equal(text_str(&t), rows[i].out);
	}
}

TEST(an_id_is_unique_by_its_number)
{
	_text_ struct text a = {}, b = {};

	mail_put_id(&a, 1704067199, 255, "host.example.org");
	assert_string_equal(text_str(&a), "20231231235959.00000000000000ff@host.example.org");
	mail_put_id(&b, 0, 1, "bad host\n");
	assert_string_equal(text_str(&b), "19700101000000.0000000000000001@localhost.invalid");
	assert_true(mail_id_ok(text_str(&b)));
}
