/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/patchmail.h"
#include "kernel/repo_test.h"

#define DIFF						\
	"diff --git a/file b/file\n"			\
	"--- a/file\n"					\
	"+++ b/file\n"					\
	"@@ -1,3 +1,3 @@\n"				\
	" one\n"					\
	"-two\n"					\
	"+zwei = \"2\"; /* a=b */\n"			\
	" three\n"

#define MAGIC "From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\n"

#define REPLY						\
	"From: Rita Replier <rita@example.org>\n"	\
	"To: list@example.org\n"			\
	"Date: Tue, 2 Jan 2024 03:04:05 +0000\n"	\
	"Subject: Re: [bug] it is slow\n"

static void parse(struct patchmail *m, const char *mail)
{
	struct err e = {};

	if (patchmail_parse(m, mail, strlen(mail), "mail", &e) < 0 || patchmail_identify(m, &e) < 0)
		fail_msg("%s", e.text);
}

static void assert_nothing(const char *mail)
{
	_patchmail_ struct patchmail m = {};
	struct err e = {};

	assert_int_equal(patchmail_parse(&m, mail, strlen(mail), "mail", &e), -EINVAL);
	assert_string_equal(e.text, "mail: there is no patch in it");
}

static struct repo start(void)
{
	struct repo r = repo_make();

	repo_write(&r, "file", "one\ntwo\nthree\n");
	free(repo_git(&r, ARGV("add", "file")));
	free(repo_git(&r, ARGV("commit", "-q", "-m", "base")));
	return r;
}

/* Gives every patch to `git am`; "author <email>|subject" of the last. */
static void assert_am(const struct patchmail *m, const char *want)
{
	_repo_ struct repo r = start();
	_free_ char *log = NULL, *file = NULL;

	for (size_t i = 0; i < m->n; i++) {
		repo_write(&r, "mail", m->v[i].mail);
		free(repo_git(&r, ARGV("am", "-q", "mail")));
	}
	log = repo_git(&r, ARGV("log", "-1", "--format=%an <%ae>|%s"));
	log[strcspn(log, "\n")] = '\0';
	assert_string_equal(log, want);
	file = repo_git(&r, ARGV("show", "HEAD:file"));
	assert_string_equal(file, "one\nzwei = \"2\"; /* a=b */\nthree\n");
}

static void assert_mail(const char *mail, const char *want)
{
	_patchmail_ struct patchmail m = {};
	_free_ char *who = NULL;

	parse(&m, mail);
	assert_int_equal(m.n, 1);
	who = text_format("%s <%s>|%s", m.v[0].author, m.v[0].email, m.v[0].subject);
	assert_string_equal(who, want);
	assert_am(&m, want);
}

TEST(a_plain_patch_mail_keeps_its_message)
{
	_patchmail_ struct patchmail m = {};
	const char *mail = "From: Jane Doe <jane@example.org>\nSubject: [PATCH v2] mm: be quick\n"
		"Date: Tue, 2 Jan 2024 03:04:05 +0000\n\nBecause it was slow.\n\n"
		"Signed-off-by: Jane Doe <jane@example.org>\n---\n file | 2 +-\n\n" DIFF "-- \n2.39\n";

	assert_mail(mail, "Jane Doe <jane@example.org>|mm: be quick");
	parse(&m, mail);
	assert_non_null(strstr(m.v[0].mail, "Because it was slow."));
	assert_null(strstr(m.v[0].mail, "2.39"));
	assert_string_equal(m.v[0].sender, "jane@example.org");
}

TEST(after_scissors_the_pasted_mail_is_the_patch)
{
	assert_mail(REPLY "\nDoes this help?\n\n------ 8< ------\n" MAGIC
		    "From: Jane Doe <jane@example.org>\nDate: Mon, 1 Jan 2024 00:00:00 +0000\n"
		    "Subject: [PATCH] mm: be quick\n\nBecause.\n---\n" DIFF "-- \n2.39.5\n\nregards\n",
		    "Jane Doe <jane@example.org>|mm: be quick");
}

TEST(after_scissors_an_empty_line_may_come_first)
{
	assert_mail(REPLY "\nTry.\n-- >8 --\n\n" MAGIC "From: Jane Doe <jane@example.org>\n"
		    "Subject: [PATCH] mm: be quick\n\nBecause.\n\n" DIFF,
		    "Jane Doe <jane@example.org>|mm: be quick");
}

TEST(a_diff_in_the_conversation_before_scissors_is_not_the_patch)
{
	assert_mail(REPLY "\nNot this:\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
		    "but:\n-- 8< --\nSubject: mm: be quick\n\nBecause.\n---\n" DIFF,
		    "Rita Replier <rita@example.org>|mm: be quick");
}

TEST(after_scissors_a_subject_alone_keeps_the_replier)
{
	assert_mail(REPLY "\nTry.\n---8<--- cut ---8<---\nSubject: mm: be quick\n\nBecause.\n" DIFF,
		    "Rita Replier <rita@example.org>|mm: be quick");
}

TEST(without_scissors_an_answer_is_talk_up_to_the_diff)
{
	_patchmail_ struct patchmail m = {};
	const char *mail = REPLY "\nOn Monday you wrote:\n> diff --git a/x b/x\n> --- a/x\n\n"
		"From: is how I would start\n\nWhat about:\n\n" DIFF;

	assert_mail(mail, "Rita Replier <rita@example.org>|it is slow");
	parse(&m, mail);
	assert_null(strstr(m.v[0].mail, "What about"));
}

TEST(without_git_the_diff_begins_at_its_file_names)
{
	assert_mail(REPLY "\n--- a word about it\n\n--- a/file\n+++ b/file\n@@ -1,3 +1,3 @@\n one\n"
		    "-two\n+zwei = \"2\"; /* a=b */\n three\n",
		    "Rita Replier <rita@example.org>|it is slow");
}

TEST(a_new_file_begins_at_dev_null)
{
	_patchmail_ struct patchmail m = {};

	parse(&m, REPLY "\nA new one:\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n");
	assert_non_null(strstr(m.v[0].mail, "\n\n--- /dev/null\n"));
}

TEST(quoted_printable_is_undone)
{
	assert_mail("From: =?utf-8?q?Ren=C3=A9?= <rene@example.org>\n"
		    "Subject: =?utf-8?q?=5BPATCH=5D_mm=3A_be_sch=C3=B6n?=\n"
		    "Content-Type: text/plain; charset=utf-8\n"
		    "Content-Transfer-Encoding: quoted-printable\n\nBecause =\nof it.\n---\n"
		    "diff --git a/file b/file\n--- a/file\n+++ b/file\n@@ -1,3 +1,3 @@\n one\n-two\n"
		    "+zwei =3D \"2\"; /* a=\n=3Db */\n three\n--=20\n2.39\n",
		    "René <rene@example.org>|mm: be schön");
}

TEST(base64_is_undone)
{
	assert_mail("From: Jane Doe <jane@example.org>\nSubject: [PATCH] mm: be quick\n"
		    "Content-Type: text/plain; charset=\"UTF-8\"\n"
		    "Content-Transfer-Encoding: base64\n\n"
		    "V2h5LgotLS0KZGlmZiAtLWdpdCBhL2ZpbGUgYi9maWxlCi0tLSBhL2ZpbGUKKysrIGIvZmlsZQpA\n"
		    "QCAtMSwzICsxLDMgQEAKIG9uZQotdHdvCit6d2VpID0gIjIiOyAvKiBhPWIgKi8KIHRocmVlCg==\n",
		    "Jane Doe <jane@example.org>|mm: be quick");
}

TEST(the_charset_is_kept_for_git_to_convert)
{
	assert_mail(REPLY "Content-Type: text/plain; charset=iso-8859-1\n"
		    "Content-Transfer-Encoding: 8bit\n\n-- 8< --\nFrom: Ren\xe9 <rene@example.org>\n"
		    "Subject: mm: be quick\n\nBecause.\n---\n" DIFF,
		    "René <rene@example.org>|mm: be quick");
}

TEST(carriage_returns_of_the_transport_do_no_harm)
{
	_text_ struct text crlf = {};

	for (const char *p = REPLY "\nTry.\n-- 8< --\n" MAGIC "From: Jane Doe <jane@example.org>\n"
	     "Subject: mm: be quick\n\nBecause.\n---\n" DIFF; *p; p++) {
		if (*p == '\n')
			text_putc(&crlf, '\r');
		text_putc(&crlf, *p);
	}
	assert_mail(text_str(&crlf), "Jane Doe <jane@example.org>|mm: be quick");
}

#define PARTS REPLY "MIME-Version: 1.0\n" \
	"Content-Type: multipart/mixed;\n boundary=\"xyz\"\n\nnot shown\n"

TEST(of_several_parts_the_first_text_with_a_diff_counts)
{
	assert_mail(PARTS "--xyz\nContent-Type: multipart/alternative; boundary=in\n\n"
		    "--in\nContent-Type: text/plain\n\nTry.\n-- 8< --\nSubject: mm: be quick\n\nB.\n---\n"
		    DIFF "\n--in\nContent-Type: text/html\n\n<p>" DIFF "\n--in--\n--xyz\n\nfooter of the list\n"
		    "--xyz--\n" DIFF, "Rita Replier <rita@example.org>|mm: be quick");
}

TEST(an_attached_diff_takes_the_headers_of_its_mail)
{
	assert_mail(PARTS "--xyz\nContent-Type: text/plain\n\nSee the attachment.\n"
		    "--xyz\nContent-Type: text/x-patch; name=fix.patch\n"
		    "Content-Disposition: attachment; filename=fix.patch\n"
		    "Content-Transfer-Encoding: 7bit\n\n" DIFF "--xyz--\n",
		    "Rita Replier <rita@example.org>|it is slow");
}

TEST(an_attached_patch_mail_keeps_its_author)
{
	assert_mail(PARTS "--xyz\nContent-Type: text/plain\n\nSee the attachment.\n"
		    "--xyz\nContent-Type: application/octet-stream; name=\"0001-fix.patch\"\n"
		    "Content-Disposition: attachment\n\n" MAGIC "From: Jane Doe <jane@example.org>\n"
		    "Subject: [PATCH] mm: be quick\n\nBecause.\n---\n" DIFF "--xyz--\n",
		    "Jane Doe <jane@example.org>|mm: be quick");
}

TEST(a_removed_line_of_two_dashes_is_no_signature)
{
	_patchmail_ struct patchmail m = {};

	parse(&m, REPLY "\ndiff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,3 +1,2 @@\n a\n-- \n b\n"
	      "@@ -9 +8 @@\n-x\n+y\n-- \ndiff --git a/not b/not\n");
	assert_non_null(strstr(m.v[0].mail, "+y\n"));
	assert_null(strstr(m.v[0].mail, "a/not"));
}

TEST(a_bare_patch_file_has_no_sender)
{
	_patchmail_ struct patchmail m = {};

	parse(&m, DIFF);
	assert_null(m.v[0].sender);
	assert_am(&m, "unknown <unknown@localhost>|Patch from mail");
}

TEST(a_file_of_format_patch_is_a_series)
{
	_repo_ struct repo r = start(), to = start();
	_patchmail_ struct patchmail m = {};
	_free_ char *mails = NULL, *log = NULL;
	struct err e = {};

	repo_commit(&r, "file", "second");
	repo_commit(&r, "file", "third");
	mails = repo_git(&r, ARGV("format-patch", "--stdout", "--cover-letter", "-2"));
	assert_int_equal(patchmail_parse(&m, mails, strlen(mails), "mbox", &e), 0);
	assert_int_equal(patchmail_identify(&m, &e), 0);
	assert_int_equal(m.n, 2);
	assert_int_equal(m.v[1].part, 2);
	assert_int_equal(m.v[1].parts, 2);
	assert_int_equal(patchmail_order(&m, &e), 0);
	for (size_t i = 0; i < m.n; i++) {
		repo_write(&to, "mail", m.v[i].mail);
		free(repo_git(&to, ARGV("am", "-q", "mail")));
	}
	log = repo_git(&to, ARGV("log", "-2", "--format=%an|%s"));
	assert_string_equal(log, "An Author|third\nAn Author|second\n");
}

/* A mailbox of parts in the order given, e.g. "21". */
static int series(struct patchmail *m, const char *order, struct err *e)
{
	_text_ struct text t = {};
	int r;

	for (const char *k = order; *k; k++)
		text_printf(&t, "From jane@example.org Tue Jan  2 03:04:05 2024\nFrom: Jane <j@example.org>\n"
			    "Subject: [PATCH v3 %c/3] part %c\n\n" DIFF "\n\n", *k, *k);
	r = patchmail_parse(m, text_str(&t), t.len, "mbox", e);
	if (r == 0)
		r = patchmail_identify(m, e);
	return r < 0 ? r : patchmail_order(m, e);
}

TEST(a_series_is_put_in_order)
{
	_patchmail_ struct patchmail m = {};
	struct err e = {};

	assert_int_equal(series(&m, "312", &e), 0);
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(m.v[i].part, i + 1);
}

TEST(a_missing_or_double_part_is_told)
{
	_patchmail_ struct patchmail a = {}, b = {};
	struct err e = {};

	assert_int_equal(series(&a, "31", &e), -EINVAL);
	assert_non_null(strstr(e.text, "part 2 of 3 is missing"));
	assert_int_equal(series(&b, "1232", &e), -EINVAL);
	assert_non_null(strstr(e.text, "part 2 of 3 is there twice"));
}

TEST(a_mailbox_is_not_split_within_a_mail)
{
	_patchmail_ struct patchmail m = {};

	parse(&m, "From rita@example.org Tue Jan  2 03:04:05 2024\n" REPLY "\nSee.\n\n"
	      "From here on it is about 10:30 and no header follows.\nSo there.\n\n"
	      ">From the quoted kind\n\n-- 8< --\n\n" MAGIC "From: Jane Doe <jane@example.org>\n"
	      "Subject: mm: be quick\n\n>From me.\n---\n" DIFF "\n"
	      "From tom@example.org Tue Jan  2 03:04:06 2024\nFrom: Tom <tom@example.org>\n"
	      "Subject: other\n\nno patch\n");
	assert_int_equal(m.n, 1);
	assert_string_equal(m.v[0].author, "Jane Doe");
	assert_string_equal(m.v[0].origin, "mail, mail 1");
	assert_non_null(strstr(m.v[0].mail, "\nFrom me.\n"));
	assert_am(&m, "Jane Doe <jane@example.org>|mm: be quick");
}

TEST(a_fix_on_top_and_its_base_are_seen)
{
	_patchmail_ struct patchmail m = {};

	parse(&m, REPLY "\nCan you try this on top of the\nprevious patch?\n\n" DIFF
	      "-- \nbase-commit: 0123456789abcdef0123456789abcdef01234567\n");
	assert_true(m.v[0].on_top);
	assert_string_equal(m.v[0].base, "0123456789abcdef0123456789abcdef01234567");
	patchmail_release(&m);
	parse(&m, REPLY "\nIt sits on top of a page.\n\n" DIFF);
	assert_false(m.v[0].on_top);
	assert_null(m.v[0].base);
}

TEST(talk_without_a_diff_is_refused)
{
	assert_nothing("");
	assert_nothing(REPLY "\nNo.\n");
	assert_nothing(REPLY "\n> diff --git a/f b/f\n> --- a/f\n> +++ b/f\n");
	assert_nothing(REPLY "\n-- 8< --\nnothing follows\n");
	assert_nothing(PARTS "--xyz\nContent-Type: image/png\n\n" DIFF "--xyz--\n");
}

TEST(headers_of_a_mail_cannot_smuggle_others_in)
{
	_patchmail_ struct patchmail m = {};

	parse(&m, "From: Jane <jane@example.org>\n folded\nSubject: a\n b\nContent-Type: text/plain;\n"
	      " charset=\"utf-8\nX: y\"\n\n" DIFF);
	assert_null(strstr(m.v[0].mail, "\nX: y"));
}

TEST(only_senders_on_the_list_pass)
{
	_patchmail_ struct patchmail m = {}, file = {};

	parse(&m, "From: \"<root@example.org>\" <Rita@Example.org>\nSubject: x\n\n" DIFF);
	parse(&file, DIFF);
	assert_true(patchmail_allowed(&m, ARGV("tom@example.org", "rita@example.ORG")));
	assert_false(patchmail_allowed(&m, ARGV("root@example.org")));
	assert_false(patchmail_allowed(&m, ARGV("")));
	assert_false(patchmail_allowed(&m, NULL));
	assert_true(patchmail_allowed(&file, NULL));
}

TEST(a_maildir_is_read_in_order_and_its_other_mails_passed_over)
{
	_repo_ struct repo r = start();
	_patchmail_ struct patchmail m = {};
	_free_ char *cur = path_join(r.path, "box/cur"), *box = path_join(r.path, "box");
	struct err e = {};

	assert_int_equal(dir_make(cur, &e), 0);
	repo_write(&r, "box/cur/2:2,S", REPLY "\n" DIFF);
	repo_write(&r, "box/cur/1:2,S", REPLY "\nonly talk\n");
	repo_write(&r, "box/cur/3:2,S", DIFF);
	if (patchmail_read(&m, box, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(m.n, 2);
	assert_string_equal(m.v[0].sender, "rita@example.org");
	assert_string_equal(m.v[1].sender, "");
	assert_false(patchmail_allowed(&m, ARGV("rita@example.org")));
	assert_true(patchmail_read(&m, "/nonexistent", &e) < 0);
}

TEST(a_dash_is_stdin)
{
	_patchmail_ struct patchmail m = {};
	struct err e = {};
	int fd[2], before = dup(0);

	assert_int_equal(pipe(fd), 0);
	assert_true(write(fd[1], REPLY "\n" DIFF, strlen(REPLY "\n" DIFF)) > 0);
	close(fd[1]);
	dup2(fd[0], 0);
	close(fd[0]);
	if (patchmail_read(&m, "-", &e) < 0)
		fail_msg("%s", e.text);
	dup2(before, 0);
	close(before);
	assert_int_equal(m.n, 1);
	assert_string_equal(m.v[0].origin, "stdin");
	assert_string_equal(m.v[0].author, "Rita Replier");
}
