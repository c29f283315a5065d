/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/check.h"
#include "job/expr.h"

static const char yaml[] =
	"fs: ext4\nempty:\nn: 5\nsize: 16M\nl: [a, 1]\nm: {key: x, deep: {d: 2.5}}\nvm-x: {test: t}\n";

/* The value of @text as "#{}" has it, "nil" for none, the error's text for an error. */
static char *value_of(const char *text)
{
	struct place_at at = { "f", 3, 7 };
	struct job_host host = { .nr_cpu = 96, .nr_node = 2, .memory_text = (char[]){ "128G" },
				 .extra = { { (char[]){ "brand" }, (char[]){ "Xeon" } } },
				 .n_extra = 1 };
	_arena_ struct arena a = {};
	_text_ struct text t = {};
	struct node_docs docs;
	struct expr_scope scope = { .host = &host };
	const struct expr *x;
	const struct node *v;
	struct err e = {};

	assert_int_equal(node_load(&a, &(struct node_text){ yaml, sizeof(yaml) - 1, "job" },
				   &docs, &e), 0);
	scope.job = docs.doc[0];
	scope.self = node_get(docs.doc[0], "fs");
	if (expr_parse(&a, text, strlen(text), &at, &x, &e) < 0 ||
	    expr_eval(&a, x, &scope, &v, &e) < 0)
		return text_copy(e.text);
	if (v->kind == NODE_NULL)
		return text_copy("nil");
	expr_print(v, &t);
	return text_steal(&t);
}

struct row {
	const char *text, *want;
};

static void rows_check(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		_free_ char *got = value_of(rows[i].text);

		if (strcmp(got, rows[i].want))
			fail_msg("%s: '%s' instead of '%s'", rows[i].text, got, rows[i].want);
	}
}

TEST(values_are_as_ruby_has_them)
{
	static const struct row rows[] = {
		{ "1 + 2 * 3", "7" }, { "(1 + 2) * 3", "9" }, { "7 / 2", "3" }, { "-7 / 2", "-4" },
		{ "-7 % 3", "2" }, { "7 / 2.0", "3.5" }, { "6 / 2.0", "3.0" }, { "1_000", "1000" },
		{ "nr_cpu / nr_node", "48" }, { "memory", "128G" }, { "brand", "Xeon" },
		{ "'a' + \"b#{n + 1}\\n\"", "ab6\n" }, { "'a\\n'", "a\\n" }, { "'ab' * 2", "abab" },
		{ "fs.upcase", "EXT4" }, { "size.to_i * 2", "32" }, { "'3.7'.to_f.round", "4" },
		{ "l[0]", "a" }, { "l[-1]", "1" }, { "l[9]", "nil" }, { "l.size", "2" },
		{ "[3, n, 4].max", "5" }, { "m.deep.d", "2.5" }, { "m['key']", "x" },
		{ "job['vm-x']['test']", "t" }, { "job['nr_cpu']", "96" }, { "none", "nil" },
		{ "___", "ext4" }, { "", "nil" }, { "1; 2", "2" }, { "true && 'x'", "x" },
		{ "nil || 'y'", "y" }, { "false or not nil", "true" },
	};

	rows_check(rows, COUNT(rows));
}

TEST(comparison_and_patterns)
{
	static const struct row rows[] = {
		{ "fs == 'ext4'", "true" }, { "fs != \"ext4\"", "false" }, { "n == '5'", "false" },
		{ "n == 5.0", "true" }, { "n <= 5 && n >= 5 && !(n < 5) && !(n > 5)", "true" },
		{ "'a' < 'b'", "true" }, { "fs =~ /^ext\\d$/", "true" }, { "fs !~ /btr|xfs/", "true" },
		{ "/EXT/i =~ fs", "true" }, { "fs =~ /EXT/", "false" }, { "none =~ /x/", "false" },
		{ "fs =~ /(?:e|x)+?t/", "true" }, { "%w(xfs ext4).include? fs", "true" },
		{ "l.include?('b')", "false" }, { "fs.start_with?('ex')", "true" },
		{ "none.nil?", "true" }, { "empty.nil?", "true" }, { "l.empty? ? 1 : 2", "2" },
		{ "m.key?('key')", "true" }, { "fs.match?(/^ex/) && !fs.match?(/xf/)", "true" },
	};

	rows_check(rows, COUNT(rows));
}

TEST(choices)
{
	static const struct row rows[] = {
		{ "fs == 'ext4' ? '1n': '4n'", "1n" }, { "n > 9 ? 1 : n > 3 ? 2 : 3", "2" },
		{ "if fs == 'xfs'\n 1\nelsif n == 5\n 2\nelse\n 3\nend", "2" },
		{ "if false then 1 end", "nil" }, { "unless false\n 1\nend", "1" },
		{ "case fs\nwhen 'btrfs' then 4\nwhen 'x', /ext/ then 5\nelse 6\nend", "5" },
		{ "case fs when 'btrfs' then 4 else 6 end", "6" },
		{ "case 'JBOD'\nwhen 'JBOD'\nwhen /^raid/\n 'x'\nelse 'y'\nend", "nil" },
		{ "case\nwhen n > 9 then 1\nwhen n > 4 then 2\nend", "2" },
		{ "1 if n == 5", "1" }, { "1 unless n == 5", "nil" },
	};

	rows_check(rows, COUNT(rows));
}

TEST(what_is_not_known_is_refused_with_its_place)
{
	static const struct row rows[] = {
		{ "1 +", "f:3:10: the expression ends where a value is expected" },
		{ "fs ==\n  )", "f:4:3: ')' where a value is expected" },
		{ "'a", "f:3:7: the text has no end" },
		{ "`ls`", "f:3:7: '`' is not known in expressions" },
		{ "$x", "f:3:7: '$' is not known in expressions" },
		{ "n.times", "f:3:9: a number has no 'times'" },
		{ "none.test", "f:3:12: nothing has no 'test'" },
		{ "n > 'a'", "f:3:9: a number '>' a text: these do not compare" },
		{ "n / 0", "f:3:9: a division by zero" },
		{ "fs =~ /(/", "f:3:13: the pattern is wrong" },
		{ "fs =~ /a{1,1000}/", "f:3:13: too large a count in the pattern" },
		{ "fs =~ /(a{2}){3}/", "f:3:13: a count of a group is not known in patterns" },
		{ "fs =~ /(a)\\1/", "f:3:13: this escape is not known in patterns" },
		{ "fs =~ /(?=a)/", "f:3:13: '(?' is not known in patterns" },
		{ "fs =~ fs", "f:3:10: '=~' wants a pattern: /.../" },
		{ "9223372036854775807 + 1", "f:3:7: '9223372036854775807' where a number is expected" },
		{ "999999999999999999 * 999999999999999999", "f:3:26: too large a number" },
		{ "'xxxxxxxxxx' * 100000000", "f:3:20: too long a text" },
		{ "system('ls')", "f:3:13: '(' where the end of the line is expected" },
		{ "n = 1", "f:3:9: '=' is not known in expressions" },
		{ "if 1 then 2", "f:3:18: the expression ends where 'end' is expected" },
	};

	rows_check(rows, COUNT(rows));
}
