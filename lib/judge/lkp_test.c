/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/file.h"
#include "judge/lkp.h"

#define V(...) { (double[]){ __VA_ARGS__ }, sizeof((double[]){ __VA_ARGS__ }) / sizeof(double), \
		 sizeof((double[]){ __VA_ARGS__ }) / sizeof(double) }

TEST(ranges_that_are_clear_of_each_others_medians_differ)
{
	static const struct lkp_options o;
	struct lkp_values low = V(10, 11, 12), high = V(12.5, 13, 14), over = V(11.5, 11.9, 20);
	struct lkp_stat s;

	assert_true(lkp_changed("test.ns", high, low, &o, &s));
	assert_true(fabs(s.ratio - 13. / 11) < 1e-12);
	assert_false(lkp_changed("test.ns", over, low, &o, &s));
	/* More runs only widen ranges: what was a change is none any more. */
	struct lkp_values wide = V(12.5, 13, 14, 13, 10.9);

	assert_false(lkp_changed("test.ns", wide, low, &o, &s));
}

TEST(metrics_are_sorted_by_their_names)
{
	assert_true(lkp_is_failure("dmesg.WARNING:at_mm/rmap.c"));
	assert_true(lkp_is_failure("xfstests.generic.001.fail"));
	assert_true(lkp_is_failure("xfstests.generic.001.pass"));
	assert_false(lkp_is_failure("fio.latency.fail_count"));
	assert_false(lkp_is_failure("vm-scalability.time.elapsed_time"));
	assert_true(lkp_is_monitor("proc-vmstat.numa_hit"));
	assert_false(lkp_is_monitor("vm-scalability.median"));
	assert_true(lkp_is_absolute("vm-scalability.stddev%"));
	assert_false(lkp_is_absolute("vm-scalability.median"));
}

/* ---- What the original answers, where its cases are at hand ---- */

struct fixture {
	char name[200];
	double v[2][40];
	size_t n[2];
	bool more, none;
	double gap, variance;
	double want[4];		/* ratio, delta, mean_a, mean_b */
	char interval[100];
};

static void values_add(struct fixture *f, int side, const char *s)
{
	while (*s && f->n[side] < 40) {
		char *end;
		double x = strtod(s, &end);

		if (end == s) {
			s++;
			continue;
		}
		f->v[side][f->n[side]++] = x;
		s = end;
	}
}

static void want_add(struct fixture *f, const char *line)
{
	static const char *const keys[] = { "ratio:", "delta:", "mean_a:", "mean_b:" };

	for (size_t i = 0; i < COUNT(keys); i++)
		if (!strncmp(line, keys[i], strlen(keys[i])))
			f->want[i] = atof(line + strlen(keys[i]));
	if (!strncmp(line, "interval: \"", 11))
		snprintf(f->interval, sizeof(f->interval), "%.*s", (int)strcspn(line + 11, "\""),
			 line + 11);
}

static void option_add(struct fixture *f, const char *line)
{
	f->more |= !strncmp(line, "more: true", 10);
	if (!strncmp(line, "gap:", 4))
		f->gap = atof(line + 4);
	if (!strncmp(line, "variance:", 9))
		f->variance = atof(line + 9);
}

/* The name up to the colon that ends it; values behind it or on lines of their own. */
static void matrix_line(struct fixture *f, int side, char *line)
{
	char *colon = strrchr(line, ':');

	if (*line == '-') {
		values_add(f, side, line + 1);
		return;
	}
	if (!colon)
		return;
	*colon = '\0';
	if (*line == '"') {
		line++;
		line[strcspn(line, "\"")] = '\0';
	}
	snprintf(f->name, sizeof(f->name), "%s", line);
	values_add(f, side, colon + 1);
}

static void fixture_read(struct fixture *f, char *text)
{
	char *line, section = ' ';

	while ((line = strsep(&text, "\n"))) {
		if (*line && !isspace((unsigned char)*line)) {
			section = !strncmp(line, "matrix_a", 8) ? 'a' :
				!strncmp(line, "matrix_b", 8) ? 'b' : line[0];
			f->none |= !strncmp(line, "expected: {}", 12);
			continue;
		}
		line += strspn(line, " ");
		if (section == 'a' || section == 'b')
			matrix_line(f, section == 'b', line);
		else if (section == 'o')
			option_add(f, line);
		else if (section == 'e')
			want_add(f, line);
	}
}

static void fixture_check(const struct fixture *f)
{
	struct lkp_options o = { .gap = f->gap, .variance = f->variance, .more = f->more };
	struct lkp_values a = { f->v[0], f->n[0], f->n[0] }, b = { f->v[1], f->n[1], f->n[1] };
	_text_ struct text t = {};
	struct lkp_stat s;

	assert_true(f->n[0] && f->n[1]);
	assert_int_equal(lkp_changed(f->name, a, b, &o, &s), !f->none);
	if (f->none)
		return;
	assert_true(fabs(s.ratio - f->want[0]) < 1e-9);
	assert_true(fabs(s.delta - f->want[1]) < 1e-6);
	assert_true(s.median_a == f->want[2] && s.median_b == f->want[3]);
	lkp_put_interval(&s, &t);
	assert_string_equal(text_str(&t), f->interval);
}

TEST(decisions_are_those_of_the_original)
{
	static const char *const files[] = {
		"cpu_usage", "dmesg_padding_overwritten", "fxmark_big_improvement",
		"fxmark_small_diff", "significant_change",
	};

	for (size_t i = 0; i < COUNT(files); i++) {
		const char *shared = getenv("SHARED");
		_free_ char *path = text_format("%s/lkp/changed_stats/%s.yaml",
						shared ? shared : "", files[i]);
		_text_ struct text t = {};
		struct fixture f = {};
		struct err e = {};

		if (access(path, R_OK))
			skip();
		assert_int_equal(file_read(AT_FDCWD, path, 1 << 20, &t, &e), 0);
		fixture_read(&f, t.p);
		fixture_check(&f);
	}
}
