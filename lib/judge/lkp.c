/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/lkp.h"
#include "math/sum.h"

#define MOST_RATIO	5
#define TRIM_SHIFT	5	/* of 32 values and more, one of each 32 is cut at each end, */
#define TRIM_MOST	3	/* but never more */

/* What does not come from a test but from what watches it; reported: LKP shows it. */
static const struct {
	const char *prefix;
	bool reported, performance;
} monitors[] = {
	{ "boot-meminfo.", true, false }, { "boot-memory.", false, false },
	{ "boot-slabinfo.", true, true }, { "boot-time.", true, true },
	{ "buddyinfo.", false, false }, { "cpuidle.", true, false },
	{ "diskstats.", false, false }, { "energy.", false, true },
	{ "interrupts.", false, false }, { "iostat.", true, true },
	{ "latency_stats.", false, false }, { "lock_stat.", true, false },
	{ "max_iostat.", false, false }, { "meminfo.", true, false },
	{ "mpstat.", true, false }, { "numa-meminfo.", true, false },
	{ "numa-numastat.", true, false }, { "numa-vmstat.", true, false },
	{ "pagetypeinfo.", false, false }, { "perf-c2c.", false, false },
	{ "perf-profile.", true, false }, { "perf-sched.", true, false },
	{ "perf-stat.", true, true }, { "pmeter.", true, true },
	{ "proc-vmstat.", true, true }, { "sched_debug.", true, false },
	{ "slabinfo.", false, false }, { "softirqs.", false, false },
	{ "time.", true, true }, { "turbostat.", true, false },
	{ "uptime.", true, false }, { "vmstat.", true, true },
	{ "zoneinfo.", false, false },
};

/* A change is worth showing if the larger value reaches @most and the medians differ by @delta. */
static const struct {
	const char *pattern;
	double most, delta;
} floors[] = {
	{ "*.time.elapsed_time*", 10, 5 }, { "*.time.file_system_[io]*puts", 10000, 5000 },
	{ "*.time.*voluntary_context_switches", 1000, 500 },
	{ "*.time.m*_page_faults", 1000, 500 },
	{ "*.time.socket_messages_*", 10000, 5000 }, { "*.time.swaps", 1000, 500 },
	{ "*.time.system_time", 10, 5 }, { "*.time.user_time", 10, 5 },
	{ "*vmstat.*nr_*", 100, 50 }, { "interrupts.*", 100, 50 },
	{ "perf-profile.*", 1, 0 }, { "proc-vmstat.allocstall", 100, 50 },
	{ "proc-vmstat.compact_*", 100, 50 }, { "proc-vmstat.pgmigrate_fail", 100, 50 },
	{ "vmstat.cpu.sy", 50, 25 }, { "vmstat.cpu.*", 10, 5 }, { "vmstat.io.*", 100, 50 },
	{ "vmstat.system.*", 100, 50 }, { "iostat*", 1, 0 }, { "*info.*", 0, 100 },
	{ "proc-vmstat*", 1000, 0 }, { "*meminfo*", 1000, 0 }, { "softirqs*", 10000, 0 },
	{ "lock_stat.*time*", 0, 1000 }, { "lock_stat.*", 0, 10000 },
};

static int monitor_of(const char *name)
{
	for (size_t i = 0; i < COUNT(monitors); i++)
		if (text_starts(name, monitors[i].prefix))
			return (int)i;
	return -1;
}

bool lkp_is_monitor(const char *name)
{
	return monitor_of(name) >= 0;
}

bool lkp_is_absolute(const char *name)
{
	return text_starts(name, "perf-profile") || text_ends(name, "%");
}

static bool is_log(const char *name)
{
	return text_starts(name, "dmesg.") || text_starts(name, "kmsg.") ||
		text_starts(name, "stderr.") || text_starts(name, "last_state");
}

/* The name's last part says how it ended: ".fail", ".warnings" but not ".fail_count". */
static bool ends_badly(const char *name)
{
	static const char *const words[] = { ".error", ".warn", ".fail" };

	for (size_t i = 0; i < COUNT(words); i++)
		for (const char *p = name; (p = strstr(p, words[i])); p++)
			if (p > name && !strchr(p + strlen(words[i]), '_'))
				return true;
	return false;
}

bool lkp_is_failure(const char *name)
{
	if (strstr(name, ".time.") || strstr(name, ".timestamp:") || strstr(name, ".bootstage:"))
		return false;
	return is_log(name) || ends_badly(name) || text_ends(name, ".pass") ||
		strstr(name, "killed_by") ||
		(text_starts(name, "kmemleak.") && strstr(name, "unreferenced_object."));
}

/* A test's own numbers, its time(1), and the monitors that LKP counts as such. */
static bool is_performance(const char *name)
{
	int m = monitor_of(name);

	return m < 0 || monitors[m].performance;
}

static bool is_left_out(const char *name, const struct lkp_options *o)
{
	int m = monitor_of(name);

	return !o->more && m >= 0 && !monitors[m].reported;
}

static bool is_reasonable(const char *name, double delta, double most)
{
	for (size_t i = 0; i < COUNT(floors); i++)
		if (!fnmatch(floors[i].pattern, name, 0))
			return most >= floors[i].most && delta >= floors[i].delta;
	return true;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct range {
	double min, median, max;
	size_t n;
};

static struct range range_of(struct lkp_values s, size_t trim_most)
{
	size_t n = s.n > s.runs ? s.n : s.runs, trim = n >> TRIM_SHIFT;
	_free_ double *v = mem_zero(n, sizeof(*v));

	if (s.n)
		memcpy(v, s.v, s.n * sizeof(*v));
	if (!n)
		return (struct range){};
	qsort(v, n, sizeof(*v), by_value);
	trim = trim > trim_most ? trim_most : trim;
	n -= 2 * trim;
	return (struct range){ v[trim], v[trim + n / 2], v[trim + n - 1], n };
}

/* Clear of each other's median, and that of the other's range. */
static bool is_apart(struct range a, struct range b)
{
	return (b.min > a.median && b.median > a.max) || (a.min > b.median && a.median > b.max);
}

static bool has_gap(struct range a, struct range b, double gap)
{
	return (b.min > a.max && b.min - a.max > (b.median - a.median) * gap) ||
		(a.min > b.max && a.min - b.max > (a.median - b.median) * gap);
}

static bool is_wider(struct range a, struct range b, double by)
{
	double wide_a = (a.max - a.min) * b.median, wide_b = (b.max - b.min) * a.median;

	return wide_a > by * wide_b || wide_b > by * wide_a;
}

static bool differs(const char *name, struct range a, struct range b, bool failure,
		    const struct lkp_options *o)
{
	if (o->profile > 0 && text_starts(name, "perf-profile."))
		return a.median > o->profile || b.median > o->profile;
	if (failure)
		return a.max != b.max;
	if (o->variance > 0)
		return is_wider(a, b, o->variance);
	return o->gap > 0 ? has_gap(a, b, o->gap) : is_apart(a, b);
}

static void stat_fill(struct lkp_stat *s, struct range a, struct range b, bool failure)
{
	struct range high = a.median > b.median ? a : b, low = a.median > b.median ? b : a;

	*s = (struct lkp_stat){
		failure, a.min, a.median, a.max, b.min, b.median, b.max,
		.ratio = low.median > 0 ? fmin(MOST_RATIO, high.median / low.median) : MOST_RATIO,
		.delta = high.median - low.median, .x = a.max - a.min, .z = b.max - b.min,
		.y = fmax(0, high.min - low.max),
	};
	if (a.n <= 2 && s->x < s->z)
		s->x = s->z;
}

bool lkp_changed(const char *name, struct lkp_values a, struct lkp_values b,
		 const struct lkp_options *o, struct lkp_stat *s)
{
	bool failure = lkp_is_failure(name);
	bool profile = o->profile > 0 && text_starts(name, "perf-profile.");
	size_t trim = failure ? 0 : TRIM_MOST;
	struct range ra, rb;

	if (is_left_out(name, o) || (o->variance > 0 && (a.runs < 10 || b.runs < 10)))
		return false;
	if (!failure && ((a.runs < 3 && b.runs < 3) || (!b.n && !profile)))
		return false;
	rb = range_of(b, trim);
	ra = range_of(a, trim && b.runs <= 3 ? 1 : trim);
	stat_fill(s, ra, rb, failure);
	if (!ra.n || !rb.n || !differs(name, ra, rb, failure, o))
		return false;
	if (profile)
		return true;
	return s->ratio > 1.01 && (s->ratio > 1.05 || is_performance(name)) &&
		is_reasonable(name, s->delta, fmax(s->max_a, s->max_b));
}

void lkp_put_interval(const struct lkp_stat *s, struct text *out)
{
	text_printf(out, "[ %-10.5g - %-10.5g ] -- [ %-10.5g - %-10.5g ]", s->min_a, s->max_a,
		    s->min_b, s->max_b);
}

double lkp_mean(const double *v, size_t n, double *spread)
{
	double mean = n ? sum_mean(v, n) : 0;

	*spread = n > 1 ? sqrt(sum_squares(v, n, mean) / (double)(n - 1)) : -1;
	return mean;
}
