/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ledger and server together; skipped where there is no aiosmtpd. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "base/check.h"
#include "base/file.h"
#include "flow/outbox.h"
#include "net/sink.h"

#define OK(call) do { if ((call) != 0) fail_msg("%s: %s", #call, e.text); } while (0)
#define SECOND INT64_C(1000000000)
#define HOUR (3600 * SECOND)

/* Writes a mail down as a report would; @draw is another Message-ID each time. */
static int write_down(struct store *s, const char *key, int draw, const char *more,
		      const char *const *to, size_t n, struct err *e)
{
	_free_ char *id = text_format("%s.%d@krobot.example", key, draw);
	_free_ char *content = text_format("Message-ID: <%s>\nSubject: x\n%s\nbody\n", id, more);
	struct store_mail_recipient recipient[4] = {};
	struct store_mail mail = {
		.key = key, .message_id = id, .content = content, .made_ns = 1,
		.recipient = recipient, .n_recipients = n,
	};
	int64_t number;

	for (size_t i = 0; i < n; i++)
		recipient[i].address = to[i];
	return store_mail_add(s, &mail, &number, e);
}

static struct store *memory(void)
{
	struct store *s = NULL;
	struct err e;

	OK(store_open(&s, ":memory:", &e));
	return s;
}

TEST(a_spool_folder_has_each_mail_once)
{
	static const char *const to[] = { "a@example.org" };
	char dir[] = "/tmp/krobot-outbox-XXXXXX";
	_store_ struct store *s = memory();
	struct outbox_count count;
	struct outbox o = { .spool = dir };
	_store_mails_ struct store_mails sent = {};
	struct err e;

	assert_non_null(mkdtemp(dir));
	OK(write_down(s, "one", 1, "", to, 1, &e));
	OK(outbox_send(s, &o, 10, &count, &e));
	assert_int_equal(count.sent, 1);
	OK(outbox_send(s, &o, 20, &count, &e));
	assert_int_equal(count.sent, 0);
	OK(store_mails(s, "sent", 0, &sent, &e));
	assert_int_equal(sent.n, 1);
	assert_string_equal(sent.row[0].recipient[0].reply, "in the spool folder");
	OK(dir_remove(dir, &e));
	o.spool = NULL;
	assert_int_equal(outbox_send(s, &o, 30, &count, &e), -EINVAL);
}

TEST(who_was_busy_is_asked_again_later)
{
	static const char *const to[] = { "a@example.org", "busy-b@example.org",
					  "refuse-c@example.org" };
	_store_ struct store *s = memory();
	_sink_ struct sink sink;
	_text_ struct text got = {};
	struct outbox_count count;
	_store_mails_ struct store_mails mails = {};
	struct err e;

	if (!sink_start(&sink, (const char *const[]){ NULL }))
		skip();
	struct smtp server = { .url = sink.url, .from = "k@example.org", .timeout_secs = 20 };
	struct outbox o = { .server = &server };

	OK(write_down(s, "one", 1, "", to, 3, &e));
	for (int i = 0; i < 3; i++) {
		OK(outbox_send(s, &o, 10 + i, &count, &e));	/* too early but for the first */
		assert_int_equal(count.waiting, i == 0);
	}
	assert_int_equal(sink_mails(&sink, NULL), 1);
	OK(outbox_send(s, &o, 10 + 301 * SECOND, &count, &e));
	assert_int_equal(count.waiting, 1);
	assert_int_equal(sink_mails(&sink, &got), 1);	/* who has it does not get it again */
	assert_non_null(strstr(got.p, "rcpt a@example.org\n\nMessage-ID: <one.1@"));
	OK(store_mails(s, "waiting", 0, &mails, &e));
	assert_int_equal(mails.n, 1);
	assert_int_equal(mails.row[0].tries, 2);
	assert_int_equal(mails.row[0].next_ns, 10 + (301 + 600) * SECOND);
	assert_string_equal(mails.row[0].recipient[0].state, "sent");
	assert_string_equal(mails.row[0].recipient[1].reply, "450 4.2.0 busy, later");
	assert_string_equal(mails.row[0].recipient[2].state, "refused");
	assert_string_equal(mails.row[0].recipient[2].reply, "550 5.1.1 no such user");
}

TEST(a_server_that_is_not_there_loses_nothing)
{
	static const char *const to[] = { "a@example.org" };
	struct smtp server = { .url = "smtp://127.0.0.1:1", .from = "k@example.org",
			       .timeout_secs = 5 };
	struct outbox o = { .server = &server };
	_store_ struct store *s = memory();
	struct outbox_count count;
	_store_mails_ struct store_mails mails = {};
	struct err e;

	OK(write_down(s, "one", 1, "", to, 1, &e));
	OK(write_down(s, "two", 1, "", to, 1, &e));
	assert_int_equal(outbox_send(s, &o, 10, &count, &e), -ECONNREFUSED);
	assert_non_null(strstr(e.text, "mail one: smtp://127.0.0.1:1: "));
	assert_int_equal(count.waiting, 1);
	assert_int_equal(count.held, 1);
	OK(store_mails(s, "waiting", 0, &mails, &e));
	assert_int_equal(mails.n, 2);
	assert_non_null(strstr(mails.row[1].recipient[0].reply, "smtp://127.0.0.1:1: "));
}

TEST(a_day_has_its_limit)
{
	static const char *const to[] = { "a@example.org" };
	char dir[] = "/tmp/krobot-outbox-XXXXXX";
	_store_ struct store *s = memory();
	struct outbox_count count;
	struct outbox o = { .spool = dir, .per_day = 2 };
	struct err e;

	assert_non_null(mkdtemp(dir));
	for (int i = 0; i < 5; i++) {
		char key[20];

		snprintf(key, sizeof(key), "k%d", i);
		OK(write_down(s, key, 1, "", to, 1, &e));
	}
	OK(outbox_send(s, &o, 10, &count, &e));
	assert_int_equal(count.sent, 2);
	assert_int_equal(count.held, 3);
	OK(outbox_send(s, &o, 23 * HOUR, &count, &e));
	assert_int_equal(count.sent, 0);
	assert_int_equal(count.held, 3);
	OK(outbox_send(s, &o, 25 * HOUR, &count, &e));
	assert_int_equal(count.sent, 2);
	OK(dir_remove(dir, &e));
}

/* In a child: makes the report anew, as after a crash, and sends what is due. */
static void robot(const char *db, const char *url, const char *key, int draw, int64_t now)
{
	static const char *const to[] = { "a@example.org", "b@example.org" };
	struct smtp server = { .url = url, .from = "k@example.org", .timeout_secs = 20 };
	struct outbox o = { .server = &server, .per_day = 1000 };
	_store_ struct store *s = NULL;
	struct outbox_count count;
	struct err e;

	if (store_open(&s, db, &e) < 0 || write_down(s, key, draw, "", to, 2, &e) < 0 ||
	    outbox_send(s, &o, now, &count, &e) < 0)
		_exit(1);
	store_free(steal(s));
	_exit(0);
}

/* How many mails the sink has of each Message-ID, in @n; returns how many ids there are. */
static size_t count_ids(const struct sink *sink, char id[][64], unsigned int *n, size_t max)
{
	DIR *d = opendir(sink->mails);
	struct dirent *entry;
	size_t ids = 0, i;

	assert_non_null(d);
	while ((entry = readdir(d))) {
		_text_ struct text mail = {};
		char got[64];
		struct err e;

		if (entry->d_name[0] == '.')
			continue;
		OK(file_read(dirfd(d), entry->d_name, 1 << 20, &mail, &e));
		assert_int_equal(sscanf(strstr(text_str(&mail), "Message-ID: <"),
					"Message-ID: <%63[^>]", got), 1);
		for (i = 0; i < ids && strcmp(id[i], got); i++)
			;
		assert_true(i < max);
		if (i == ids)
			strcpy(id[ids++], got);
		n[i]++;
	}
	closedir(d);
	return ids;
}

static bool runs(pid_t pid)
{
	siginfo_t info = {};

	return !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) && !info.si_pid;
}

#define KILLS 50

TEST(killed_between_the_text_and_the_ledger_no_other_message_id_is_seen)
{
	static char id[KILLS * 2][64];
	static unsigned int n[KILLS * 2];
	_sink_ struct sink sink;
	_free_ char *db = NULL;
	unsigned int killed = 0, twice = 0;
	size_t ids;

	if (!sink_start(&sink, (const char *const[]){ "slow", NULL }))
		skip();
	db = path_join(sink.dir, "krobot.db");
	for (int i = 0; i < KILLS; i++) {
		size_t before = sink_mails(&sink, NULL);
		char key[20];
		int status;
		pid_t pid;

		snprintf(key, sizeof(key), "finding-%d", i);
		for (int draw = 1; draw <= 2; draw++) {
			/* The second try comes when the first one's claim has run out. */
			int64_t now = (i * 2 + draw) * HOUR;

			pid = fork();
			if (!pid)
				robot(db, sink.url, key, draw, now);
			/* As soon as the server has the text; its answer is not out yet. */
			while (draw == 1 && sink_mails(&sink, NULL) == before && runs(pid))
				nanosleep(&(struct timespec){ .tv_nsec = 500000 }, NULL);
			if (draw == 1)
				kill(pid, SIGKILL);
			assert_int_equal(waitpid(pid, &status, 0), pid);
			killed += draw == 1 && WIFSIGNALED(status);
			assert_true(draw == 1 || status == 0);
		}
	}
	ids = count_ids(&sink, id, n, COUNT(id));
	assert_int_equal(ids, KILLS);
	for (size_t i = 0; i < ids; i++) {
		assert_non_null(strstr(id[i], ".1@"));	/* never that of the second making */
		assert_in_range(n[i], 1, 2);
		twice += n[i] == 2;
	}
	/* Else no kill came in between, and nothing was shown. */
	assert_true(killed > KILLS / 2);
	assert_true(twice > KILLS / 2);
}
