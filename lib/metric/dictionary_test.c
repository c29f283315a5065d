/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/check.h"
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
