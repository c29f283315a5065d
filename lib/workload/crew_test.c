/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <sys/wait.h>

#include "base/check.h"
#undef skip	/* cmocka's; ours is meant */
#include "base/clock.h"
#include "workload/crew.h"
#include "workload/place.h"
#include "workload/workload.h"

#define TASKS	3
#define ROUNDS	1000

WORKLOAD(.name = "crew_test");

/* The defaults, as main() of a workload sets them. */
static void place_default(void)
{
	struct err e = {};

	for (size_t i = 0; i < place_n_params; i++)
		if (place_params[i].kind != PARAM_COUNT)
			*(const char **)place_params[i].value = place_params[i].fallback;
	assert_int_equal(place_open(&e), 0);
}

static const struct crew kinds[] = { {}, { .threads = true }, { .child = true } };

#define each_kind(c)								\
	for (size_t k_ = 0; k_ < COUNT(kinds) && (place_default(), true); k_++)	\
		for (struct crew c = kinds[k_], *once_ = &c; once_; once_ = NULL)

static int count(struct task *t, struct err *e)
{
	for (int i = 0; i < ROUNDS; i++)
		task_did(t, 1);
	t->number[0] = t->id;
	return 0;
}

TEST(a_crew_leaves_its_counts)
{
	each_kind(c) {
		struct err e = {};

		c.n = TASKS;
		c.work = count;
		assert_int_equal(crew_run(&c, &e), 0);
		for (unsigned int i = 0; i < TASKS; i++) {
			assert_int_equal(atomic_load(&c.task[i]->ops), ROUNDS);
			assert_true(c.task[i]->number[0] == i);
			assert_true(c.task[i]->ended_ns > c.task[i]->began_ns);
		}
		assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
		crew_release(&c);
	}
}

static int fail_in_setup(struct task *t, struct err *e)
{
	return t->id == 1 ? skip(e, "no such thing for task %u", t->id) : 0;
}

TEST(what_one_task_cannot_set_up_none_begins)
{
	each_kind(c) {
		struct err e = {};

		c.n = TASKS;
		c.setup = fail_in_setup;
		c.work = count;
		assert_int_equal(crew_run(&c, &e), -WORKLOAD_SKIP);
		assert_string_equal(e.text, "no such thing for task 1");
		for (unsigned int i = 0; i < TASKS; i++)
			assert_int_equal(atomic_load(&c.task[i]->ops), 0);
		crew_release(&c);
	}
}

/* The others loop until they are told to stop: an error tells them. */
static int fail_or_loop(struct task *t, struct err *e)
{
	if (t->id == 2)
		return err_set(e, EIO, "task %u broke", t->id);
	task_loop(t)
		;
	return 0;
}

TEST(an_error_stops_the_others)
{
	each_kind(c) {
		struct err e = {};

		c.n = TASKS;
		c.work = fail_or_loop;
		assert_int_equal(crew_run(&c, &e), -EIO);
		assert_string_equal(e.text, "task 2 broke");
		crew_release(&c);
	}
}

static int die_or_loop(struct task *t, struct err *e)
{
	if (t->id == 0)
		raise(SIGKILL);
	task_loop(t)
		;
	return 0;
}

TEST(a_killed_task_takes_the_others_along)
{
	struct crew c = { .n = TASKS, .work = die_or_loop };
	struct err e = {};

	place_default();
	assert_int_equal(crew_run(&c, &e), -EIO);
	assert_non_null(strstr(e.text, "task 0 was killed by signal 9"));
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	crew_release(&c);
}

static int loop(struct task *t, struct err *e)
{
	task_loop(t)
		;
	return 0;
}

/* Sees the counters move, then ends it. */
static void watch(struct crew *c)
{
	if (!crew_wait_begin(c))
		return;
	while (!atomic_load(&c->task[0]->ops))
		if (!crew_sleep(c, 1000000))
			return;
	crew_stop(c);
}

TEST(the_watcher_sees_counters_and_stops_the_tasks)
{
	each_kind(c) {
		struct err e = {};

		c.n = TASKS;
		c.work = loop;
		c.watch = watch;
		assert_int_equal(crew_run(&c, &e), 0);
		assert_true(atomic_load(&c.task[0]->ops) > 0);
		crew_release(&c);
	}
}

static int delayed(struct task *t, struct err *e)
{
	uint64_t from = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	for (int i = 0; i < 10; i++)
		task_did(t, 2);
	t->number[0] = (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - from);
	return 0;
}

TEST(a_delay_is_cpu_time_of_each_operation)
{
	struct crew c = { .n = 1, .work = delayed, .delay_ns = 100000 };
	struct err e = {};

	place_default();
	assert_int_equal(crew_run(&c, &e), 0);
	assert_true(c.task[0]->number[0] >= 20 * 100000.0);
	crew_release(&c);
}

TEST(random_numbers_cover_their_range_evenly)
{
	uint64_t seed = crew_seed(1), again = seed, other = crew_seed(2), seen[16] = {};
	unsigned int equal = 0;
	double chi = 0;

	for (int i = 0; i < 16000; i++) {
		uint64_t v = crew_below(&seed, 16);

		assert_int_equal(v, crew_below(&again, 16));
		equal += v == crew_below(&other, 16);
		seen[v]++;
	}
	for (int i = 0; i < 16; i++)
		chi += ((double)seen[i] - 1000) * ((double)seen[i] - 1000) / 1000;
	assert_true(chi < 45);		/* 15 degrees of freedom: one in ten thousand is above */
	assert_true(equal > 850 && equal < 1150);	/* one in 16, five standard deviations */
}
