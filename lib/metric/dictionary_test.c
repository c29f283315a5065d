/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>

#include "base/check.h"
#include "base/file.h"
#include "base/text.h"
#include "metric/dictionary.h"

TEST(an_exact_name_wins_over_patterns)
{
	const struct dictionary_entry *d = dictionary_find("proc-vmstat.pgfault");

	assert_non_null(d);
	assert_string_equal(d->pattern, "proc-vmstat.pgfault");
	assert_int_equal(d->fold, FOLD_DELTA);
}

TEST(the_more_literal_pattern_wins)
{
	assert_string_equal(dictionary_find("vm-scalability.stddev%")->pattern,
			    "vm-scalability.stddev*");
	assert_string_equal(dictionary_find("vm-scalability.median_fault_stddev%")->pattern,
			    "vm-scalability.median_*_stddev*");
	assert_string_equal(dictionary_find("numa-vmstat.node0.nr_free_pages")->pattern,
			    "numa-vmstat.*.nr_*");
	assert_string_equal(dictionary_find("blogbench.throughput")->pattern, "*.throughput");
}

TEST(gauges_are_means_and_counters_deltas)
{
	static const struct {
		const char *name;
		enum metric_fold fold;
	} want[] = {
		{ "proc-vmstat.nr_free_pages", FOLD_MEAN },
		{ "proc-vmstat.nr_dirtied", FOLD_DELTA },
		{ "proc-vmstat.thp_fault_alloc", FOLD_DELTA },
		{ "numa-vmstat.node1.numa_hit", FOLD_DELTA },
		{ "numa-vmstat.node1.nr_written", FOLD_DELTA },
		{ "interrupts.CPU3.LOC:Local_timer_interrupts", FOLD_DELTA },
		{ "softirqs.RCU", FOLD_DELTA },
		{ "meminfo.MemFree", FOLD_MEAN },
		{ "vmstat.system.cs", FOLD_MEAN },
		{ "proc-stat.btime", FOLD_LAST },
	};

	for (size_t i = 0; i < COUNT(want); i++) {
		const struct dictionary_entry *d = dictionary_find(want[i].name);

		assert_non_null(d);
		if (d->fold != want[i].fold)
			fail_msg("%s is %s", want[i].name, metric_fold_word(d->fold));
	}
}

TEST(a_name_of_no_test_is_undocumented)
{
	assert_null(dictionary_find("nobody.knows"));
	assert_null(dictionary_find(""));
	assert_null(dictionary_find("*"));
}

TEST(every_row_is_reached_by_its_own_text)
{
	size_t i = 0;

	for (const struct dictionary_entry *d; (d = dictionary_row(i)); i++) {
		_free_ char *name = text_copy(d->pattern);
		const struct dictionary_entry *found;

		for (char *p = name; *p; p++)
			if (*p == '*')
				*p = '~';
		found = dictionary_find(name);
		if (found != d)
			fail_msg("%s is hidden by %s", d->pattern, found ? found->pattern : "?");
	}
	assert_true(i > 300);
}

/* "fio\..+_iops: 1" to the name "fio.x_iops"; false for what is no simple pattern. */
static bool sample_name(const char *line, struct text *name, double *sign)
{
	const char *end = strrchr(line, ':');

	if (!end)
		return false;
	*sign = strtod(end + 1, NULL);
	for (const char *p = line; p < end; p++) {
		if (strchr("()|[]^$?{}", *p))
			return false;
		if (*p == '\\') {
			text_putc(name, *++p);
		} else if (*p == '.' && (p[1] == '+' || p[1] == '*')) {
			text_putc(name, 'x');
			p++;
		} else {
			text_putc(name, *p);
		}
	}
	return name->len > 0;
}

/* Where LKP's table has a run time as better when longer, or the like. */
static bool differs_by_intent(const char *name)
{
	static const char *const names[] = {
		"pts.", "fwq.fwq.", "chromeswap.", "stress-ng.x_per_item",
	};

	for (size_t i = 0; i < COUNT(names); i++)
		if (text_starts(name, names[i]))
			return true;
	return false;
}

static size_t table_check(const char *path)
{
	_text_ struct text t = {};
	struct err e = {};
	char *save = NULL;
	size_t n = 0;

	if (file_read(AT_FDCWD, path, 1U << 20, &t, &e) < 0)
		return 0;
	for (char *l = strtok_r(t.p, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		_text_ struct text name = {};
		const struct dictionary_entry *d;
		double sign;

		if (!sample_name(l, &name, &sign) || differs_by_intent(text_str(&name)))
			continue;
		d = dictionary_find(text_str(&name));
		if (!d)
			fail_msg("%s is undocumented", text_str(&name));
		if (d->better != (sign > 0 ? BETTER_HIGHER : BETTER_LOWER))
			fail_msg("%s is better %s by %s", text_str(&name),
				 metric_better_word(d->better), d->pattern);
		n++;
	}
	return n;
}

/* Tables of directions that are kept outside of the project. */
TEST(directions_agree_with_those_of_lkp)
{
	const char *shared = getenv("SHARED");
	_free_ char *perf =
		text_format("%s/lkp/etc/index-perf-all.yaml", shared ? shared : "../shared");
	_free_ char *late =
		text_format("%s/lkp/etc/index-latency-all.yaml", shared ? shared : "../shared");
	size_t n = table_check(perf) + table_check(late);

	if (!n)
		skip();
	assert_true(n > 120);
}

static size_t counters_check(const char *path)
{
	_text_ struct text t = {};
	struct err e = {};
	char *save = NULL;
	size_t n = 0;

	if (file_read(AT_FDCWD, path, 1U << 20, &t, &e) < 0)
		return 0;
	for (char *l = strtok_r(t.p, "\n", &save); l; l = strtok_r(NULL, "\n", &save), n++) {
		bool whole = !strchr("._", l[strlen(l) - 1]);
		_free_ char *name = text_format("%s%s", l, whole ? "" : "x");
		const struct dictionary_entry *d;

		if (text_starts(name, "softirq."))
			continue;	/* softirqs here */
		d = dictionary_find(name);
		if (!d || d->fold != FOLD_DELTA)
			fail_msg("%s is no counter", name);
	}
	return n;
}

TEST(counters_are_those_of_lkp)
{
	const char *shared = getenv("SHARED");
	_free_ char *path =
		text_format("%s/lkp/etc/event-counter-prefixes", shared ? shared : "../shared");

	if (!counters_check(path))
		skip();
}
