/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "workload/place.h"
#include "workload/rate.h"

#define STEADY		3	/* intervals in a row ... */
#define STEADY_WITHIN	0.02	/* ... whose rates differ by no more than this share */
#define INTERVALS_MAX	1000000
#define PATIENCE_NS	10000000000	/* a window without an operation is made so much longer */

struct rate_options rate_options;
const char *const rate_modes[] = { "process", "thread", NULL };

/* Counters at one moment. CPU time is only read at an interval's ends. */
struct reading {
	uint64_t ns, ops, cpu_ns;
};

static struct {
	struct reading begin, end;		/* of the window */
	uint64_t *ops_begin, *ops_end;		/* of each task */
	double *interval;			/* rates */
	size_t n_intervals;
	unsigned int step;			/* 2: every second task counts */
	uint64_t started_ns;
	uint64_t steal[2], ticks[2];		/* of the machine, before and after */
	double delayed_ops, delayed_ns, plain_ops, plain_ns;	/* CPU ns, under alternate */
} seen;

static struct reading read_counters(const struct crew *c, uint64_t *each)
{
	struct reading r = {};
	struct timespec cpu;

	for (unsigned int i = 0; i < c->n; i += seen.step) {
		uint64_t ops = atomic_load_explicit(&c->task[i]->ops, memory_order_relaxed);

		if (each)
			each[i] = ops;
		r.ops += ops;
		if (clock_gettime(c->task[i]->cpu_clock, &cpu) == 0)
			r.cpu_ns += (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
	}
	r.ns = clock_raw_ns();
	return r;
}

static double rate_between(const struct reading *a, const struct reading *b)
{
	return (double)(b->ops - a->ops) / ((double)(b->ns - a->ns) / 1e9);
}

/* Ticks of all CPUs, and those that the hypervisor kept: the eighth number of "cpu ". */
static void read_steal(uint64_t *steal, uint64_t *ticks)
{
	_fclose_ FILE *f = fopen("/proc/stat", "re");
	unsigned long long v[8] = {};

	*steal = *ticks = 0;
	if (!f || fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2],
			 &v[3], &v[4], &v[5], &v[6], &v[7]) != 8)
		return;
	for (size_t i = 0; i < COUNT(v); i++)
		*ticks += v[i];
	*steal = v[7];
}

static bool is_steady(const double *rate)
{
	double low = rate[0], high = rate[0];

	for (int i = 1; i < STEADY; i++) {
		low = fmin(low, rate[i]);
		high = fmax(high, rate[i]);
	}
	return high - low <= STEADY_WITHIN * high;
}

static bool warm_up(struct crew *c)
{
	uint64_t step = rate_options.interval_ms * 1000000, begin = clock_raw_ns();
	uint64_t least = (uint64_t)(rate_options.warmup * 1e9);
	uint64_t most = least + rate_options.runtime * 250000000;
	struct reading now, last = read_counters(c, NULL);
	double rate[STEADY] = {};

	for (int n = 0; least && clock_raw_ns() - begin < most; n++) {
		if (!crew_sleep(c, step))
			return false;
		now = read_counters(c, NULL);
		rate[n % STEADY] = rate_between(&last, &now);
		last = now;
		if (n + 1 >= STEADY && clock_raw_ns() - begin >= least && is_steady(rate))
			break;
	}
	return true;
}

static void note_interval(const struct reading *a, const struct reading *b, bool delayed)
{
	double ops = (double)(b->ops - a->ops), ns = (double)(b->cpu_ns - a->cpu_ns);

	if (seen.n_intervals < INTERVALS_MAX) {
		GROW(seen.interval, seen.n_intervals);
		seen.interval[seen.n_intervals++] = rate_between(a, b);
	}
	*(delayed ? &seen.delayed_ops : &seen.plain_ops) += ops;
	*(delayed ? &seen.delayed_ns : &seen.plain_ns) += ns;
}

static void watch(struct crew *c)
{
	uint64_t end, step = rate_options.interval_ms * 1000000;
	bool delayed = rate_options.cpu_delay && !rate_options.alternate;
	struct reading last, now;

	crew_delay(c, delayed ? rate_options.cpu_delay : 0);
	if (!crew_wait_begin(c))
		return;
	seen.started_ns = clock_raw_ns();
	if (!warm_up(c))
		return;
	read_steal(&seen.steal[0], &seen.ticks[0]);
	seen.begin = last = read_counters(c, seen.ops_begin);
	end = seen.begin.ns + rate_options.runtime * 1000000000;
	do {
		if (rate_options.alternate) {
			delayed = !delayed;
			crew_delay(c, delayed ? rate_options.cpu_delay : 0);
		}
		if (!crew_sleep(c, step))
			return;
		now = read_counters(c, seen.ops_end);
		note_interval(&last, &now, delayed);
		last = now;
	} while (now.ns < end || (now.ops == seen.begin.ops && now.ns < end + PATIENCE_NS) ||
		 (rate_options.alternate && seen.n_intervals % 2));
	seen.end = now;
	read_steal(&seen.steal[1], &seen.ticks[1]);
	crew_stop(c);
}

static double spread(const double *v, size_t n)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	for (size_t i = 0; i < n; i++)
		squares += pow(v[i] - sum / (double)n, 2);
	return 100 * sqrt(squares / (double)(n - 1)) / (sum / (double)n);
}

static void put_tasks(const struct crew *c, double secs)
{
	_free_ double *rate = mem_zero(c->n, sizeof(*rate));
	double sum = 0, first = INFINITY, last = 0, switches = 0;
	size_t n = 0;

	for (unsigned int i = 0; i < c->n; i += seen.step) {
		const struct task *t = c->task[i];

		rate[n] = (double)(seen.ops_end[i] - seen.ops_begin[i]) / secs;
		sum += rate[n++];
		first = fmin(first, (double)t->began_ns);
		last = fmax(last, (double)t->began_ns);
		switches += (double)t->switches / ((double)(t->ended_ns - t->began_ns) / 1e9);
	}
	metric(c->threads ? "per_thread_ops" : "per_process_ops", sum / (double)n);
	if (n > 1 && sum > 0)
		metric("task_spread%", spread(rate, n));
	metric("median_task_ops", median_of(rate, n));
	metric("start_skew_us", (last - first) / 1e3);
	metric("involuntary_switches", switches);
}

/* By where the tasks were at their end; one that is not bound may have been elsewhere. */
static void put_nodes(const struct crew *c, double secs)
{
	double ops[RATE_NODES] = {};
	bool some[RATE_NODES] = {};

	for (unsigned int i = 0; i < c->n && place_n_nodes() > 1; i += seen.step) {
		int node = place_node_of(c->task[i]->ran_on);

		if (node < 0 || node >= RATE_NODES)
			continue;
		some[node] = true;
		ops[node] += (double)(seen.ops_end[i] - seen.ops_begin[i]);
	}
	for (int k = 0; k < RATE_NODES; k++) {
		char name[40];

		snprintf(name, sizeof(name), "node%d_ops_per_second", k);
		if (some[k])
			metric(name, ops[k] / secs);
	}
}

static void put(const struct crew *c, double faults_per_op)
{
	double secs = (double)(seen.end.ns - seen.begin.ns) / 1e9;
	double ops = (double)(seen.end.ops - seen.begin.ops);
	double cpu = (double)(seen.end.cpu_ns - seen.begin.cpu_ns);

	metric("ops_per_second", ops / secs);
	metric("cpu_ns_per_op", cpu / ops);
	metric("ops_per_cpu_second", ops / (cpu / 1e9));
	put_tasks(c, secs);
	put_nodes(c, secs);
	for (size_t i = 0; i < seen.n_intervals; i++)
		metric("interval_ops", seen.interval[i]);
	if (seen.n_intervals > 1)
		metric("interval_spread%", spread(seen.interval, seen.n_intervals));
	metric("workload", ops);
	metric("cpu_share", cpu / 1e9 / secs / (c->n / seen.step));
	metric("faults_per_op", faults_per_op);
	if (seen.ticks[1] > seen.ticks[0])
		metric("steal_share", (double)(seen.steal[1] - seen.steal[0]) /
				      (double)(seen.ticks[1] - seen.ticks[0]));
	metric("warmup_secs", (double)(seen.begin.ns - seen.started_ns) / 1e9);
	if (rate_options.alternate && rate_options.cpu_delay && seen.plain_ops && seen.delayed_ops)
		metric("delay_effect", (seen.delayed_ns / seen.delayed_ops -
					seen.plain_ns / seen.plain_ops) /
				       (double)rate_options.cpu_delay);
}

static int check(const struct loop *l, const struct crew *c, double *faults_per_op, struct err *e)
{
	double faults = 0, ops = 0;

	for (unsigned int i = 0; i < c->n; i += seen.step) {
		faults += (double)c->task[i]->faults;
		ops += (double)atomic_load(&c->task[i]->ops);
	}
	if (!seen.end.ns || seen.end.cpu_ns <= seen.begin.cpu_ns)
		return err_set(e, EIO, "the tasks ended before the time was up");
	if (seen.end.ops == seen.begin.ops)
		return invalid(e, "no operation was done in the window; a longer runtime is needed");
	*faults_per_op = faults / ops;
	if (l->faults && faults / ops < 0.98 * l->faults)
		return invalid(e, "%.3g faults an operation, %g are what it should have",
			       faults / ops, l->faults);
	return 0;
}

static unsigned int tasks(const struct loop *l)
{
	unsigned int n = rate_options.nr_task ? (unsigned int)rate_options.nr_task : place_n_cpus();

	return (l->paired || l->opposed) && n % 2 ? n + 1 : n;
}

int rate_run(const struct loop *l, struct err *e)
{
	bool threads = !l->processes && (l->threads || !strcmp(rate_options.mode, "thread"));
	_crew_ struct crew c = { .n = tasks(l), .threads = threads, .setup = l->setup,
				 .work = l->work, .leave = l->leave, .watch = watch };
	_free_ uint64_t *begin = mem_zero(c.n, sizeof(*begin)), *end = mem_zero(c.n, sizeof(*end));
	double faults_per_op = 0;
	int r;

	seen.step = l->opposed ? 2 : 1;
	seen.ops_begin = begin;
	seen.ops_end = end;
	r = l->open ? l->open(e) : 0;
	if (r < 0 || (r = crew_run(&c, e)) < 0 || (r = check(l, &c, &faults_per_op, e)) < 0)
		return r;
	put(&c, faults_per_op);
	if (l->put)
		l->put(&c);
	free(seen.interval);
	memset(&seen, 0, sizeof(seen));
	return 0;
}

const struct loop *loop_find(const struct loop *l, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(l[i].name, name))
			return &l[i];
	return NULL;
}
