/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/clock.h"
#include "workload/crew.h"
#include "workload/selftest.h"

#define BATCH	2000000u
#define BATCHES	20

static volatile uint64_t sink;

/* The loop of a workload that does nothing. */
static void empty(struct task *t)
{
	task_loop(t) {
		if (done_ == BATCH)
			break;
	}
}

static void draw(struct task *t)
{
	uint64_t state = t->id, sum = 0;

	for (unsigned int i = 0; i < BATCH; i++)
		sum += crew_below(&state, 1000);
	sink = sum;
}

static void look(struct task *t)
{
	for (unsigned int i = 0; i < BATCH / 100; i++)
		sink = clock_raw_ns();
}

static const struct {
	const char *name;
	void (*batch)(struct task *t);
	double ops;
} parts[] = {
	{ "frame_ns_per_op", empty, BATCH },
	{ "random_ns", draw, BATCH },
	{ "clock_ns", look, BATCH / 100 },
};

static int work(struct task *t, struct err *e)
{
	for (size_t k = 0; k < COUNT(parts); k++) {
		t->number[k] = 1e300;
		for (int b = 0; b < BATCHES; b++) {
			uint64_t from = clock_ns(CLOCK_THREAD_CPUTIME_ID);
			double ns;

			parts[k].batch(t);
			ns = (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - from) / parts[k].ops;
			t->number[k] = ns < t->number[k] ? ns : t->number[k];
		}
	}
	return 0;
}

int selftest_run(struct err *e)
{
	_crew_ struct crew c = { .n = 1, .work = work };
	int r = crew_run(&c, e);

	for (size_t k = 0; r == 0 && k < COUNT(parts); k++)
		printf("%s: %.4g\n", parts[k].name, c.task[0]->number[k]);
	return r;
}
