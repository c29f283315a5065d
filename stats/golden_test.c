/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The golden cases (golden/PARSER/CASE.in with CASE.out or CASE.err), and what must
 * not matter: how lines end, whether the last one does, compression.  Every metric
 * that comes out of them has an entry in the dictionary.  And what must not hurt:
 * texts that no program would write.
 */
#include <dirent.h>
#include <fcntl.h>
#include <zlib.h>

#include "all.h"
#include "base/check.h"
#include "base/file.h"
#include "metric/dictionary.h"
#include "metric/line.h"

/* Runs it; the output, or the error's text. */
static void run(const struct parser *k, const struct text *in, bool lkp, struct text *out)
{
	_input_ struct input *input = input_memory(text_str(in), in->len);
	_parse_ struct parse p = { .out_fd = -1, .lkp = lkp };
	struct err e = {};

	if (parse_run(&p, k, input, &e) < 0)
		text_printf(out, "%s: %s\n", k->name, e.text);
	else
		text_put(out, text_str(&p.out), p.out.len);
}

static void must_give(const struct parser *k, const char *what, const struct text *in,
		      const struct text *want)
{
	_text_ struct text got = {};

	run(k, in, false, &got);
	if (strcmp(text_str(&got), text_str(want)))
		fail_msg("%s %s:\n--- wanted\n%s--- got\n%s", k->name, what, text_str(want),
			 text_str(&got));
}

static void with_carriage_returns(const struct text *in, struct text *out)
{
	for (size_t i = 0; i < in->len; i++) {
		if (in->p[i] == '\n')
			text_putc(out, '\r');
		text_putc(out, in->p[i]);
	}
}

static void compressed(const struct text *in, struct text *out)
{
	size_t room = in->len + 1000;
	_free_ Bytef *buf = mem_zero(room, 1);
	z_stream z = { .next_in = (Bytef *)in->p, .avail_in = (uInt)in->len, .next_out = buf,
		       .avail_out = (uInt)room };

	assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	text_put(out, buf, room - z.avail_out);
	deflateEnd(&z);
}

static void one_case(const struct parser *k, const char *path)
{
	_free_ char *stem = text_copy(path), *out = NULL, *err = NULL;
	_text_ struct text in = {}, want = {}, cr = {}, gz = {}, cut = {};
	struct err e = {};

	stem[strlen(stem) - 3] = '\0';
	out = text_format("%s.out", stem);
	err = text_format("%s.err", stem);
	if (file_read(AT_FDCWD, path, 1U << 24, &in, &e) < 0 ||
	    file_read(AT_FDCWD, access(err, R_OK) ? out : err, 1U << 24, &want, &e) < 0)
		fail_msg("%s", e.text);
	must_give(k, path, &in, &want);
	with_carriage_returns(&in, &cr);
	must_give(k, "with carriage returns", &cr, &want);
	compressed(&in, &gz);
	must_give(k, "compressed", &gz, &want);
	if (in.len && in.p[in.len - 1] == '\n') {
		text_put(&cut, in.p, in.len - 1);
		must_give(k, "without the last newline", &cut, &want);
	}
}

static int is_input(const struct dirent *d)
{
	return text_ends(d->d_name, ".in");
}

/* Calls @fn for each case; returns how many. */
static size_t each_case(const struct parser *k, void (*fn)(const struct parser *, const char *))
{
	_free_ char *dir = text_format("%s/stats/golden/%s", getenv("SOURCE"), k->name);
	struct dirent **list;
	int n = scandir(dir, &list, is_input, alphasort);

	for (int i = 0; i < n; i++) {
		_free_ char *path = path_join(dir, list[i]->d_name);

		fn(k, path);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return n < 0 ? 0 : (size_t)n;
}

TEST(cases_give_their_output_however_lines_end)
{
	for (size_t i = 0; i < COUNT(all_parsers); i++)
		each_case(all_parsers[i], one_case);
}

TEST(every_parser_has_a_case)
{
	for (size_t i = 0; i < COUNT(all_parsers); i++)
		if (!each_case(all_parsers[i], one_case))
			fail_msg("golden/%s has no case", all_parsers[i]->name);
}

static void names_known(const struct parser *k, const char *path)
{
	_text_ struct text in = {}, got = {};
	char *save = NULL;
	struct err e = {};

	if (file_read(AT_FDCWD, path, 1U << 24, &in, &e) < 0)
		fail_msg("%s", e.text);
	run(k, &in, false, &got);
	for (char *l = strtok_r(got.p, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		struct metric_line m;
		enum metric_kind kind = metric_line_parse(l, &m);
		_free_ char *full = NULL;

		if (kind != METRIC_SAMPLE && kind != METRIC_NULL)
			continue;
		full = text_starts(m.name, "krobot.") ? text_copy(m.name) :
			text_format("%s.%s", k->name, m.name);
		if (!dictionary_find(full))
			fail_msg("%s: %s is not in the dictionary", path, full);
	}
}

TEST(every_metric_is_in_the_dictionary)
{
	for (size_t i = 0; i < COUNT(all_parsers); i++)
		each_case(all_parsers[i], names_known);
}

TEST(empty_in_nothing_out)
{
	struct text none = {};

	for (size_t i = 0; i < COUNT(all_parsers); i++) {
		for (int lkp = 0; lkp < 2; lkp++) {
			_text_ struct text got = {};

			run(all_parsers[i], &none, lkp, &got);
			if (got.len)
				fail_msg("%s prints %s", all_parsers[i]->name, got.p);
		}
	}
}

/* Output lines are metric lines whatever came in. */
static void output_is_clean(const struct parser *k, const struct text *in)
{
	_text_ struct text got = {};
	char *save = NULL;

	run(k, in, false, &got);
	if (text_starts(text_str(&got), k->name))
		return;
	for (char *l = got.len ? strtok_r(got.p, "\n", &save) : NULL; l;
	     l = strtok_r(NULL, "\n", &save)) {
		_free_ char *copy = text_copy(l);
		struct metric_line m;

		if (metric_line_parse(l, &m) == METRIC_NONE)
			fail_msg("%s printed '%s'", k->name, copy);
	}
}

static void hostile(const struct parser *k, const char *bytes, size_t n)
{
	_text_ struct text in = {}, ignored = {};

	text_put(&in, bytes, n);
	output_is_clean(k, &in);
	run(k, &in, true, &ignored);
}

/* A case's text with each number in it replaced. */
static void one_hostile_case(const struct parser *k, const char *path)
{
	static const char *const numbers[] = {
		"1,234",   "1.000.000", "18446744073709551616",
		"-1",	   "nan",	"0x10",
		"1e999",   "",		"%s%n",
		"\033[2J", "\xff\xfe",	"a: b",
	};
	_text_ struct text in = {};
	struct err e = {};

	if (file_read(AT_FDCWD, path, 1U << 24, &in, &e) < 0)
		fail_msg("%s", e.text);
	for (size_t v = 0; v < COUNT(numbers); v++) {
		_text_ struct text bad = {};

		for (size_t i = 0; i < in.len;) {
			size_t n = strspn(in.p + i, "0123456789");

			if (n)
				text_puts(&bad, numbers[v]);
			else
				text_putc(&bad, in.p[i]);
			i += n ? n : 1;
		}
		hostile(k, text_str(&bad), bad.len);
	}
	for (size_t cut = in.len; cut > 1; cut = cut * 2 / 3)
		hostile(k, in.p + (in.len - cut) / 2, cut);
}

TEST(changed_numbers_and_cut_texts_do_no_harm)
{
	for (size_t i = 0; i < COUNT(all_parsers); i++)
		each_case(all_parsers[i], one_hostile_case);
}

TEST(long_lines_and_binary_do_no_harm)
{
	const size_t n = 1U << 20;
	_free_ char *bytes = mem_zero(n, 1);

	for (size_t i = 0; i < COUNT(all_parsers); i++) {
		memset(bytes, '7', n);
		hostile(all_parsers[i], bytes, n);
		for (size_t k = 0; k < n; k++)
			bytes[k] = "a: 1 "[k % 5];
		hostile(all_parsers[i], bytes, n);
		for (size_t k = 0; k < n / 16; k++)
			bytes[k] = (char)(k * 2654435761u >> 11);
		hostile(all_parsers[i], bytes, n / 16);
	}
}
