/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/check.h"
#include "parser/verdict.h"

static void name_is(const char *text, const char *want)
{
	_text_ struct text t = {};

	verdict_name(span_of(text), &t);
	assert_string_equal(text_str(&t), want);
}

TEST(any_text_becomes_a_name)
{
	name_is("Check success of execveat(5, '../execveat', 0)...",
		"Check_success_of_execveat_5_'../execveat'_0");
	name_is("ipv4: PMTU exceptions - nexthop objects",
		"ipv4_PMTU_exceptions_-_nexthop_objects");
	name_is("  (x)  ", "x");
	name_is("", "");
}

static int demo_line(struct parse *p, char *line, struct err *e)
{
	verdict_put(p, p->state, line, "pass");
	return LINE_KNOWN;
}

static void demo_release(void *state)
{
	verdicts_release(state);
}

static const struct parser demo = {
	.name = "demo",
	.line = demo_line,
	.state_size = sizeof(struct verdicts),
	.release = demo_release,
};

TEST(a_case_counts_once)
{
	_input_ struct input *in = input_memory("a\nb\na\n", 6);
	_parse_ struct parse p = { .out_fd = -1 };
	struct err e = {};

	assert_int_equal(parse_run(&p, &demo, in, &e), 0);
	assert_string_equal(text_str(&p.out), "a.pass: 1\nb.pass: 1\n");
}
