/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>

#include "base/check.h"
#include "job/node.h"
#include "job/revise.h"

static struct node *load(struct arena *a, const char *text)
{
	struct node_docs docs;
	struct err e = {};

	if (node_load(a, &(struct node_text){ text, strlen(text), "t" }, &docs, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(docs.n, 1);
	return docs.doc[0];
}

static void json_is(struct arena *a, const struct node *n, const char *want)
{
	_text_ struct text t = {};

	node_print_json(n, &t);
	assert_string_equal(text_str(&t), want);
}

TEST(plain_words_mean_what_yaml_1_1_says)
{
	static const struct {
		const char *plain;
		enum node_kind kind;
		const char *text;
	} rows[] = {
		{ "", NODE_NULL, "" }, { "~", NODE_NULL, "" }, { "Null", NODE_NULL, "" },
		{ "yes", NODE_BOOL, "true" }, { "Off", NODE_BOOL, "false" },
		{ "y", NODE_TEXT, "y" }, { "n", NODE_TEXT, "n" }, { "5", NODE_INT, "5" },
		{ "010", NODE_INT, "8" }, { "08", NODE_TEXT, "08" }, { "0x1f", NODE_INT, "31" },
		{ "0b101", NODE_INT, "5" }, { "1_000", NODE_INT, "1000" }, { "+5", NODE_INT, "5" },
		{ "-0", NODE_INT, "0" }, { "1:30", NODE_INT, "90" }, { "1:30:00", NODE_INT, "5400" },
		{ "1:60", NODE_TEXT, "1:60" }, { "1.50", NODE_FLOAT, "1.5" },
		{ "5.", NODE_FLOAT, "5.0" }, { "1.5e+3", NODE_FLOAT, "1500.0" },
		{ "1e3", NODE_TEXT, "1e3" }, { "50%", NODE_TEXT, "50%" }, { "1.2.3", NODE_TEXT, "1.2.3" },
		{ "12345678901234567890", NODE_TEXT, "12345678901234567890" },
		{ "2024-01-01", NODE_TEXT, "2024-01-01" }, { "-", NODE_TEXT, "-" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		_text_ struct text t = {};

		assert_int_equal(scalar_kind(rows[i].plain, &t), rows[i].kind);
		assert_string_equal(text_str(&t), rows[i].text);
	}
}

TEST(what_is_printed_loads_as_the_same_tree)
{
	_arena_ struct arena a = {};
	_text_ struct text t = {};
	struct node *n = load(&a, "a: [1, 'x: y', ~, {b: \"\\u00e9 \\\" \\x01\"}]\nc: 1.5\nd: yes\n");

	node_print(n, &t);
	assert_true(node_equal(n, load(&a, text_str(&t))));
	json_is(&a, n, "{\"a\":[\"1\",\"x: y\",null,{\"b\":\"\xc3\xa9 \\\" \\u0001\"}],"
		"\"c\":\"1.5\",\"d\":\"true\"}");
}

TEST(anchors_are_copied_and_merged)
{
	_arena_ struct arena a = {};
	struct node *n = load(&a, "a: &x {k: 1, l: 2}\nb:\n  l: 3\n  <<: *x\nc: *x\n");

	json_is(&a, node_get(n, "b"), "{\"k\":\"1\",\"l\":\"3\"}");
	assert_ptr_not_equal(node_get(n, "a"), node_get(n, "c"));
}

TEST(hostile_texts_are_refused_with_line_and_column)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "a: 1\na: 2\n", "t:2:1: the key 'a' stands in line 1 already" },
		{ "a: &x\n  b: *x\n", "t:2:6: '*x' stands within what it stands for" },
		{ "a: *y\n", "t:1:4: no '&y' before '*y'" },
		{ "a:\n\tb: 1\n", "t:2:1: a tab in the indentation; YAML wants spaces" },
		{ "a: b\xff\n", "t:1:5: the byte 0xff is not UTF-8" },
		{ "a: \"\x01\"\n", "t:1:5: the control character 0x01" },
		{ "a: \"\\0\"\n", "t:1:4: a NUL character" },
		{ "[a]: 1\n", "t:1:1: a key must be a word" },
		{ "a: b: c\n", "t:1:5: mapping values are not allowed in this context" },
		{ "a: [b", "t:2:1: did not find expected ',' or ']' while parsing a flow sequence" },
		{ "a: \"b", "t:1:6: found unexpected end of stream while scanning a quoted scalar" },
		{ "<<: 5\n", "t:1:1: '<<' takes a map or a file's name" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		_arena_ struct arena a = {};
		struct node_docs docs;
		struct err e = {};

		assert_int_equal(node_load(&a, &(struct node_text){ rows[i].text,
			strlen(rows[i].text), "t" }, &docs, &e), -EINVAL);
		assert_string_equal(e.text, rows[i].want);
	}
}

static void refused(const struct text *t, const char *why)
{
	_arena_ struct arena a = {};
	struct node_docs docs;
	struct err e = {};

	assert_int_equal(node_load(&a, &(struct node_text){ t->p, t->len, "t" }, &docs, &e),
			 -EINVAL);
	assert_non_null(strstr(e.text, why));
}

TEST(bombs_and_towers_are_refused)
{
	_text_ struct text deep = {}, bomb = {}, wide = {};

	for (int i = 0; i < 10000; i++)
		text_putc(&deep, '[');
	refused(&deep, "nested deeper than");
	text_puts(&bomb, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
	for (int i = 1; i < 20; i++)
		text_printf(&bomb, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d]\n", i, i, i - 1, i - 1, i - 1,
			    i - 1);
	refused(&bomb, "more than 20000 values");
	for (int i = 0; i < 5000; i++)
		text_printf(&wide, "k%d: 1\n", i);
	refused(&wide, "more than 1000 keys");
}

TEST(maps_are_laid_over_maps)
{
	static const struct {
		const char *map, *over, *want;
	} rows[] = {
		{ "{a: {x: 1}, b: 2}", "{a: {y: 1}}", "{\"a\":{\"y\":\"1\"},\"b\":\"2\"}" },
		{ "{a: {x: 1}}", "{a.y: 2, c.d.e: 3}",
		  "{\"a\":{\"x\":\"1\",\"y\":\"2\"},\"c\":{\"d\":{\"e\":\"3\"}}}" },
		{ "{a: [1, 2]}", "{a+: 3}", "{\"a\":[\"1\",\"2\",\"3\"]}" },
		{ "{a: [1, 2]}", "{a+: [2, 3]}", "{\"a\":[\"1\",\"2\",\"3\"]}" },
		{ "{a: 1}", "{a+: 2, b+: 5}", "{\"a\":[\"1\",\"2\"],\"b\":\"5\"}" },
		{ "{a: {x: 1}}", "{a+: {y: 2}}", "{\"a\":{\"x\":\"1\",\"y\":\"2\"}}" },
		{ "{a: [1, 2], b: {x: 1, y: 2}}", "{a-: 1, b-: [x]}",
		  "{\"a\":[\"2\"],\"b\":{\"y\":\"2\"}}" },
		{ "{a: 1, b: {x: 1}, c: [1]}", "{a-: , b.x-: , c-: 1, d-: }",
		  "{\"b\":null,\"c\":null}" },
		{ "{need_k: A, need_memory: 1G}", "{need_k: [B, C], need_memory: 2G}",
		  "{\"need_k\":[\"A\",\"B\",\"C\"],\"need_memory\":\"2G\"}" },
		{ "{if role a.b: {x: 1}}", "{}", "{\"if role a.b\":{\"x\":\"1\"}}" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		_arena_ struct arena a = {};
		struct node *map = load(&a, rows[i].map);
		struct err e = {};

		assert_int_equal(revise(&a, map, load(&a, rows[i].over), true, &e), 0);
		json_is(&a, map, rows[i].want);
	}
}

TEST(defaults_do_not_replace)
{
	_arena_ struct arena a = {};
	struct node *map = load(&a, "{a: 1, mon-: , need_k: A}");
	struct err e = {};

	assert_int_equal(revise(&a, map, load(&a, "{a: 2, b: 3, mon: , need_k: B}"), false, &e), 0);
	json_is(&a, map, "{\"a\":\"1\",\"b\":\"3\",\"need_k\":[\"A\",\"B\"]}");
	assert_int_equal(revise(&a, map, load(&a, "{a.x: 2}"), true, &e), -EINVAL);
	assert_string_equal(e.text, "t:1:2: 'a.x': 'a' holds a value, not a map");
}
