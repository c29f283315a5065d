/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/check.h"
#include "parser/rule.h"

static const struct rule rules[] = {
	{ "Run %n of %n: %n ms", { NULL, NULL, "ms" } },
	{ "Elapsed %n (%n)", { "elapsed", "elapsed_stddev" } },
};

static int demo_line(struct parse *p, char *line, struct err *e)
{
	return RULES_APPLY(p, rules, line);
}

static const struct parser demo = { .name = "demo", .line = demo_line };

TEST(a_table_is_a_parser)
{
	static const char text[] =
		"Run 1 of 2: 7.5 ms\nchatter\nElapsed 28.094 (0.18)\nElapsed x (1)\n";
	_input_ struct input *in = input_memory(text, strlen(text));
	_parse_ struct parse p = { .out_fd = -1 };
	struct err e = {};

	assert_int_equal(parse_run(&p, &demo, in, &e), 0);
	assert_string_equal(text_str(&p.out), "ms: 7.5\nelapsed: 28.094\nelapsed_stddev: 0.18\n");
	assert_true(p.n_unknown == 2 && p.first_unknown == 2);
}
