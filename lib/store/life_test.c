/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verdicts, findings, bisections, the ledger of mails, the queue. */
#include <math.h>

#include "base/check.h"
#include "store/bisection.h"
#include "store/db.h"
#include "store/finding.h"
#include "store/ledger.h"
#include "store/queue.h"

#define OK(call) do { if ((call) != 0) fail_msg("%s: %s", #call, e.text); } while (0)

static struct store *memory(void)
{
	struct store *s = NULL;
	struct err e;

	OK(store_open(&s, ":memory:", &e));
	return s;
}

static const struct store_why why = { "krobot", "seen", 0, 100 };

static const struct store_sighting here = {
	.tree = "mm", .branch = "mm-unstable", .base = "aaa", .head = "bbb", .machine = "box",
	.mode = "host", .test = "t", .params = "{\"test\":\"t\"}", .metric = "t.ns", .group = "t",
	.change = 0.4, .low = 0.3, .high = NAN, .seen_ns = 99,
};

static int64_t opened(struct store *s)
{
	int64_t id = 0;
	struct err e;

	OK(store_finding_see(s, &here, &why, &id, &e));
	return id;
}

static void walk(struct store *s, int64_t id, const enum finding_state *to, size_t n)
{
	struct err e;

	for (size_t i = 0; i < n; i++)
		OK(store_finding_move(s, id, to[i], &why, &e));
}

TEST(verdicts_are_about_what_was_run)
{
	static const struct store_sample sample = { "t.ns", .value = 1 };
	struct store_verdict v = {
		.params = "{\"test\":\"t\"}", .test = "t", .machine = "box", .mode = "host",
		.metric = "t.ns", .base = "aaa", .head = "bbb", .verdict = "unsure",
		.reason = "noise", .change = 0.1, .low = NAN, .high = NAN, .p = 0.5, .noise = 0.01,
		.drift = 0, .boots_base = 3, .boots_head = 4, .made_ns = 7,
	};
	struct store_run run = {
		.kernel.name = "aaa", .machine.name = "box", .boot = { "b", .mode = "host" },
		.job = { .test = "t", .params = "{\"test\":\"t\"}" }, .dir = "/r/1",
		.state = "ok", .sample = &sample, .n_samples = 1,
	};
	_store_ struct store *s = memory();
	_store_verdicts_ struct store_verdicts out = {}, none = {};
	int64_t id;
	struct err e;

	OK(store_add_run(s, &run, NULL, &e));
	assert_int_equal(store_add_verdict(s, &v, &id, &e), -ENOENT);
	run.kernel.name = "bbb";
	run.dir = "/r/2";
	OK(store_add_run(s, &run, NULL, &e));
	OK(store_add_verdict(s, &v, &id, &e));
	v.verdict = "regression";
	v.made_ns = 8;
	OK(store_add_verdict(s, &v, &id, &e));
	v.verdict = "splendid";
	assert_int_equal(store_add_verdict(s, &v, NULL, &e), -EINVAL);
	OK(store_verdicts(s, &(struct store_verdict_filter){ .job = "t" }, &out, &e));
	assert_int_equal(out.n, 2);
	assert_int_equal(out.row[0].id, id);
	assert_string_equal(out.row[0].verdict, "regression");
	assert_string_equal(out.row[1].verdict, "unsure");
	assert_true(out.row[0].change == 0.1 && isnan(out.row[0].low) && out.row[0].drift == 0);
	assert_int_equal(out.row[0].boots_head, 4);
	OK(store_verdicts(s, &(struct store_verdict_filter){ .head = "aaa" }, &none, &e));
	assert_int_equal(none.n, 0);
}

TEST(a_finding_tells_its_story)
{
	static const enum finding_state to[] = { FINDING_CONFIRMED, FINDING_BISECTING };
	struct store_why blamed = { "krobot", "bisected", 0, 200 };
	struct store_blame blame = { "ccc", "mm: faster", "p1", 0.97 };
	_store_ struct store *s = memory();
	_store_findings_ struct store_findings out = {};
	int64_t id = opened(s), joined = 0;
	const struct store_finding *f;
	struct err e;

	walk(s, id, to, 2);
	assert_int_equal(store_finding_blame(s, id, &blame, &blamed, &joined, &e), 0);
	assert_int_equal(store_finding(s, id, &out, &e), 0);
	f = out.row;
	assert_int_equal(f->state, FINDING_BLAMED);
	assert_string_equal(f->culprit, "ccc");
	assert_string_equal(f->culprit_subject, "mm: faster");
	assert_string_equal(f->patch_id, "p1");
	assert_true(f->confidence == 0.97);
	assert_int_equal(f->n_sightings, 1);
	assert_string_equal(f->sighting[0].metric, "t.ns");
	assert_true(f->sighting[0].change == 0.4 && isnan(f->sighting[0].high));
	assert_int_equal(f->n_events, 4);
	assert_int_equal(f->event[0].from, FINDING_SUSPECTED);
	assert_int_equal(f->event[0].to, FINDING_SUSPECTED);
	assert_int_equal(f->event[3].from, FINDING_BISECTING);
	assert_int_equal(f->event[3].to, FINDING_BLAMED);
	assert_string_equal(f->event[3].why, "bisected");
	assert_int_equal(f->event[3].at_ns, 200);
	assert_int_equal(store_finding(s, id + 1, &out, &e), 1);
}

/* Every pair of states: what the table allows happens and is recorded, the rest is refused. */
TEST(only_legal_steps_are_taken)
{
	unsigned int legal = 0;

	for (unsigned int from = 0; from < FINDING_STATES; from++) {
		for (unsigned int to = 0; to < FINDING_STATES; to++) {
			_store_ struct store *s = memory();
			_store_findings_ struct store_findings out = {};
			int64_t id = opened(s);
			struct err e;
			int ret;

			OK(db_exec(s, &e, "UPDATE finding SET state = ?1", "t",
				   finding_word(from)));
			ret = store_finding_move(s, id, to, &why, &e);
			assert_int_equal(ret, finding_may(from, to) ? 0 : -EPERM);
			assert_int_equal(store_finding(s, id, &out, &e), 0);
			assert_int_equal(out.row[0].state, ret ? from : to);
			assert_int_equal(out.row[0].n_events, ret ? 1 : 2);
			legal += !ret;
		}
	}
	assert_int_equal(legal, 25);
	assert_false(finding_may(FINDING_SUSPECTED, FINDING_REPORTED));
	assert_false(finding_may(FINDING_CONFIRMED, FINDING_REPORTED));
	assert_true(finding_may(FINDING_REPORTED, FINDING_FIXED));
}

TEST(a_refusal_says_what_is_possible)
{
	_store_ struct store *s = memory();
	int64_t id = opened(s);
	struct err e;

	assert_int_equal(store_finding_move(s, id, FINDING_REPORTED, &why, &e), -EPERM);
	assert_string_equal(e.text, "finding 1 is suspected; it cannot become reported, "
			    "only: confirmed, invalid");
	assert_int_equal(store_finding_move(s, 77, FINDING_FIXED, &why, &e), -ENOENT);
}

TEST(the_same_range_and_group_is_one_finding)
{
	struct store_sighting other_metric = here, other_group = here, other_range = here;
	_store_ struct store *s = memory();
	_store_findings_ struct store_findings out = {};
	int64_t id = opened(s), got;
	struct err e;

	other_metric.metric = "t.ops";
	assert_int_equal(store_finding_see(s, &other_metric, &why, &got, &e), 1);
	assert_int_equal(got, id);
	assert_int_equal(store_finding_see(s, &here, &why, &got, &e), 1);
	other_group.group = "u";
	other_group.metric = "u.ns";
	OK(store_finding_see(s, &other_group, &why, &got, &e));
	other_range.head = "ddd";
	OK(store_finding_see(s, &other_range, &why, &got, &e));
	OK(store_findings(s, FINDING_STATES, &out, &e));
	assert_int_equal(out.n, 3);
	assert_int_equal(out.row[2].id, id);
	assert_int_equal(out.row[2].n_sightings, 2);
}

TEST(what_was_called_invalid_stays_so)
{
	_store_ struct store *s = memory();
	_store_findings_ struct store_findings out = {};
	int64_t id = opened(s), got;
	struct err e;

	OK(store_finding_move(s, id, FINDING_INVALID, &why, &e));
	assert_int_equal(store_finding_see(s, &here, &why, &got, &e), 1);
	assert_int_equal(got, id);
	OK(store_findings(s, FINDING_INVALID, &out, &e));
	assert_int_equal(out.n, 1);
	assert_int_equal(out.row[0].n_sightings, 1);
}

TEST(one_finding_per_change_whatever_tree)
{
	static const enum finding_state to[] = { FINDING_CONFIRMED, FINDING_BISECTING };
	struct store_sighting elsewhere = here;
	struct store_blame first = { "ccc", "mm: faster", "p1", 0.97 };
	struct store_blame again = { "c2c", "mm: faster", "p1", 0.99 };
	_store_ struct store *s = memory();
	_store_findings_ struct store_findings out = {}, list = {};
	int64_t a = opened(s), b, joined = 0;
	struct err e;

	elsewhere.tree = "next";
	elsewhere.base = "a2a";
	elsewhere.head = "b2b";
	OK(store_finding_see(s, &elsewhere, &why, &b, &e));
	walk(s, a, to, 2);
	walk(s, b, to, 2);
	OK(store_finding_blame(s, a, &first, &why, &joined, &e));
	OK(store_finding_move(s, a, FINDING_REPORTED, &why, &e));
	assert_int_equal(store_finding_blame(s, b, &again, &why, &joined, &e), 1);
	assert_int_equal(joined, a);
	OK(store_findings(s, FINDING_STATES, &list, &e));
	assert_int_equal(list.n, 1);
	assert_int_equal(list.row[0].n_sightings, 2);
	assert_int_equal(list.row[0].state, FINDING_REPORTED);
	assert_string_equal(list.row[0].culprit, "ccc");
	assert_non_null(strstr(list.row[0].event[list.row[0].n_events - 1].why,
			       "finding 2 is the same"));
	assert_int_equal(store_finding(s, b, &out, &e), 0);
	assert_int_equal(out.row[0].same_as, a);
	assert_int_equal(store_finding_move(s, b, FINDING_FIXED, &why, &e), -EEXIST);
	assert_int_equal(store_finding_join(s, a, a, &why, &e), -EINVAL);
	/* A further sighting of the joined range finds the one that is left. */
	elsewhere.metric = "t.more";
	assert_int_equal(store_finding_see(s, &elsewhere, &why, &b, &e), 1);
	assert_int_equal(b, a);
}

TEST(a_bisection_goes_on_where_it_was)
{
	struct store_bisection b = {
		.repository = "/git", .good = "aaa", .bad = "bbb", .params = "{}", .metric = "t.ns",
		.memory = "start", .opened_ns = 5,
	};
	struct store_bisection_step step = { 6, "abc", "measured", 1.25, "boot 1" };
	_store_ struct store *s = memory();
	_store_bisections_ struct store_bisections out = {}, open = {};
	int64_t id;
	struct err e;

	OK(store_bisection_open(s, &b, &id, &e));
	OK(store_bisection_add(s, id, &step, "half", &e));
	step = (struct store_bisection_step){ 7, "abd", "skipped", NAN, "does not build" };
	OK(store_bisection_add(s, id, &step, NULL, &e));
	assert_int_equal(store_bisection_add(s, 99, &step, NULL, &e), -ENOENT);
	OK(store_bisections(s, 0, "open", &open, &e));
	assert_int_equal(open.n, 1);
	assert_string_equal(open.row[0].memory, "half");
	assert_int_equal(open.row[0].n_steps, 2);
	assert_true(open.row[0].step[0].value == 1.25 && isnan(open.row[0].step[1].value));
	assert_string_equal(open.row[0].step[1].what, "skipped");
	OK(store_bisection_end(s, id, "found", "abc", 0.98, 9, &e));
	OK(store_bisections(s, id, NULL, &out, &e));
	assert_string_equal(out.row[0].culprit, "abc");
	assert_true(out.row[0].confidence == 0.98);
	assert_int_equal(out.row[0].changed_ns, 9);
	assert_int_equal(store_bisection_end(s, 99, "found", NULL, NAN, 9, &e), -ENOENT);
}

static struct store_mail_recipient three[] = {
	{ .address = "a@x.example" }, { .address = "b@x.example" }, { .address = "c@x.example" },
};

static int64_t written(struct store *s, const char *key)
{
	_free_ char *message_id = text_format("%s@host", key);
	struct store_mail m = {
		.key = key, .message_id = message_id,
		.content = "Subject: x\n\nbody\n", .made_ns = 10,
		.recipient = three, .n_recipients = 3,
	};
	int64_t id;
	struct err e;

	OK(store_mail_add(s, &m, &id, &e));
	return id;
}

static struct store_mails due(struct store *s, int64_t now)
{
	struct store_mails out = {};
	struct err e;

	OK(store_mails_due(s, now, &out, &e));
	return out;
}

static void answer(struct store_mail *m, size_t i, const char *state, const char *reply)
{
	db_free(m->recipient[i].state);
	db_free(m->recipient[i].reply);
	m->recipient[i].state = text_copy(state);
	m->recipient[i].reply = text_copy(reply);
}

TEST(a_mail_is_made_once)
{
	_store_ struct store *s = memory();
	_store_mails_ struct store_mails out = {};
	struct store_mail again = { .key = "k", .message_id = "other@host", .content = "other",
				    .recipient = three, .n_recipients = 1 };
	int64_t id = written(s, "k"), got = 0;
	struct err e;

	assert_int_equal(store_mail_add(s, &again, &got, &e), 1);
	assert_int_equal(got, id);
	out = due(s, 10);
	assert_int_equal(out.n, 1);
	assert_string_equal(out.row[0].message_id, "k@host");
	assert_string_equal(out.row[0].content, "Subject: x\n\nbody\n");
	assert_int_equal(out.row[0].n_recipients, 3);
	again.n_recipients = 0;
	assert_int_equal(store_mail_add(s, &again, &got, &e), -EINVAL);
}

TEST(one_try_at_a_time)
{
	_store_ struct store *s = memory();
	int64_t id = written(s, "k");
	_store_mails_ struct store_mails early = due(s, 9), first = due(s, 10), taken = {},
		later = {};
	struct err e;

	assert_int_equal(early.n, 0);
	assert_int_equal(first.n, 1);
	OK(store_mail_claim(s, id, 10, 60, &e));
	assert_int_equal(store_mail_claim(s, id, 10, 60, &e), 1);
	taken = due(s, 59);
	assert_int_equal(taken.n, 0);
	later = due(s, 60);	/* who took it died */
	assert_int_equal(later.n, 1);
	assert_int_equal(later.row[0].tries, 1);
}

TEST(each_recipient_has_his_own_end)
{
	_store_ struct store *s = memory();
	_store_mails_ struct store_mails m = {}, again = {}, none = {}, sent = {};
	int64_t id = written(s, "k"), n;
	struct err e;

	m = due(s, 10);
	answer(&m.row[0], 0, "sent", "250 ok");
	answer(&m.row[0], 1, "refused", "550 no such user");
	answer(&m.row[0], 2, "waiting", "450 busy");
	OK(store_mail_result(s, &m.row[0], 20, 500, &e));
	none = due(s, 499);
	assert_int_equal(none.n, 0);
	again = due(s, 500);
	assert_int_equal(again.n, 1);
	assert_string_equal(again.row[0].recipient[1].reply, "550 no such user");
	assert_string_equal(again.row[0].recipient[2].state, "waiting");
	OK(store_mails_sent(s, 20, &n, &e));
	assert_int_equal(n, 1);
	answer(&again.row[0], 0, "refused", "late and wrong");	/* what is sent stays sent */
	answer(&again.row[0], 2, "sent", "250 ok");
	OK(store_mail_result(s, &again.row[0], 510, 0, &e));
	OK(store_mails(s, "sent", 0, &sent, &e));
	assert_int_equal(sent.n, 1);
	assert_int_equal(sent.row[0].id, id);
	assert_int_equal(sent.row[0].sent_ns, 20);
	assert_string_equal(sent.row[0].recipient[0].reply, "250 ok");
	OK(store_mails_sent(s, 21, &n, &e));
	assert_int_equal(n, 0);
}

TEST(refused_by_all_is_refused)
{
	_store_ struct store *s = memory();
	_store_mails_ struct store_mails m = {}, refused = {};
	int64_t n;
	struct err e;

	written(s, "k");
	m = due(s, 10);
	for (size_t i = 0; i < 3; i++)
		answer(&m.row[0], i, "refused", "550");
	OK(store_mail_result(s, &m.row[0], 20, 0, &e));
	OK(store_mails(s, "refused", 0, &refused, &e));
	assert_int_equal(refused.n, 1);
	assert_int_equal(refused.row[0].sent_ns, 0);
	OK(store_mails_sent(s, 0, &n, &e));
	assert_int_equal(n, 0);
}

TEST(a_reply_finds_its_finding)
{
	_store_ struct store *s = memory();
	struct store_mail m = { .key = "k", .message_id = "1@host", .content = "x", .made_ns = 1,
				.recipient = three, .n_recipients = 1 };
	int64_t id = opened(s), got, mail;
	struct err e;

	m.finding = id;
	OK(store_mail_add(s, &m, &mail, &e));
	OK(store_finding_of_mail(s, "1@host", &got, &e));
	assert_int_equal(got, id);
	assert_int_equal(store_finding_of_mail(s, "2@host", &got, &e), 1);
}

TEST(work_is_done_by_priority_and_once)
{
	static const struct store_work rows[] = {
		{ .key = "a", .kind = "build", .priority = 1, .payload = "pa", .made_ns = 1 },
		{ .key = "b", .kind = "build", .priority = 5, .payload = "pb", .made_ns = 2 },
		{ .key = "c", .kind = "mail", .priority = 9, .payload = "pc", .made_ns = 3,
		  .next_ns = 1000 },
		{ .key = "d", .kind = "build", .priority = 5, .payload = "pd", .made_ns = 4 },
	};
	static const char *const order[] = { "a", "b", "d" };
	_store_ struct store *s = memory();
	_store_works_ struct store_works none = {}, list = {};
	struct store_work raised = rows[0];
	int64_t id, first = 0;
	struct err e;

	for (size_t i = 0; i < COUNT(rows); i++)
		OK(store_queue_add(s, &rows[i], i ? &id : &first, &e));
	raised.priority = 7;
	assert_int_equal(store_queue_add(s, &raised, &id, &e), 1);
	assert_int_equal(id, first);
	for (size_t i = 0; i < COUNT(order); i++) {
		_store_works_ struct store_works w = {};

		OK(store_queue_take(s, NULL, 10, &w, &e));
		assert_string_equal(w.row[0].key, order[i]);
		assert_string_equal(w.row[0].state, "running");
		assert_int_equal(w.row[0].tries, 1);
	}
	assert_int_equal(store_queue_take(s, NULL, 10, &none, &e), 1);
	assert_int_equal(store_queue_take(s, "build", 2000, &none, &e), 1);
	OK(store_queue_end(s, first, "done", "", 11, 0, &e));
	OK(store_queue_payload(s, id + 1, "pb2", 11, &e));
	OK(store_queue_recover(s, 12, &e));	/* krobot died */
	OK(store_queue(s, "waiting", NULL, &list, &e));
	assert_int_equal(list.n, 3);
	assert_string_equal(list.row[0].key, "c");
	assert_string_equal(list.row[1].key, "b");
	assert_string_equal(list.row[1].payload, "pb2");
	OK(store_queue_forget(s, "done", 12, &e));
	OK(store_queue_add(s, &rows[0], NULL, &e));
}

TEST(branches_remember_what_was_tested)
{
	_store_ struct store *s = memory();
	_free_ char *last = NULL, *none = NULL;
	struct err e;

	OK(store_head_seen(s, "mm", "x", "aaa", 1, &e));
	assert_int_equal(store_head_seen(s, "mm", "x", "aaa", 2, &e), 1);
	assert_int_equal(store_head_last(s, "mm", "x", &none, &e), 1);
	OK(store_head_tested(s, "mm", "x", "aaa", 3, &e));
	OK(store_head_tested(s, "mm", "x", "bbb", 4, &e));
	OK(store_head_seen(s, "mm", "x", "ccc", 5, &e));
	OK(store_head_last(s, "mm", "x", &last, &e));
	assert_string_equal(last, "bbb");
}
