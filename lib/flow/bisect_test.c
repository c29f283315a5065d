/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <sys/wait.h>

#include "flow/bisect.h"
#include "kernel/repo_test.h"
#include "store/bisection.h"

/*
 * main:  base - m1 - m2 - m3 - merge - m4 - m5 - m6
 *                  \                /
 * side:             s1 - s2 - s3 - s4
 */
struct world {
	struct repo repo;
	struct store *store;
	char db[96];
	FILE *out;
	char *printed;
	size_t printed_len;
	char culprit[COMMIT_NAME_SIZE];	/* "": none */
	char no_build[COMMIT_NAME_SIZE], no_boot[COMMIT_NAME_SIZE];
	char same[2][COMMIT_NAME_SIZE];	/* these two are one build */
	double change;
	unsigned int boots, fail_at, lose_every;
	bool kill;
};

static void commits(struct world *w, const char *prefix, int from, int to)
{
	for (int i = from; i <= to; i++) {
		_free_ char *name = text_format("%s%d", prefix, i);

		repo_commit(&w->repo, prefix, name);
		free(repo_git(&w->repo, ARGV("tag", name)));
	}
}

static void world_make(struct world *w)
{
	struct err e = {};

	*w = (struct world){ .repo = repo_make(), .change = 1.1 };
	commits(w, "m", 0, 1);
	free(repo_git(&w->repo, ARGV("checkout", "-q", "-b", "side")));
	commits(w, "s", 1, 4);
	free(repo_git(&w->repo, ARGV("checkout", "-q", "main")));
	commits(w, "m", 2, 3);
	free(repo_git(&w->repo, ARGV("merge", "-q", "--no-ff", "-m", "merge", "side")));
	free(repo_git(&w->repo, ARGV("tag", "merge")));
	commits(w, "m", 4, 6);
	snprintf(w->db, sizeof(w->db), "%s/krobot.db", w->repo.path);
	assert_int_equal(store_open(&w->store, w->db, &e), 0);
	w->out = open_memstream(&w->printed, &w->printed_len);
}

static void world_drop(struct world *w)
{
	fclose(w->out);
	free(w->printed);
	store_free(w->store);
	repo_remove(&w->repo);
}

static void name(struct world *w, const char *tag, char id[COMMIT_NAME_SIZE])
{
	struct err e = {};

	if (plumb_commit(w->repo.path, tag, id, &e) < 0)
		fail_msg("%s", e.text);
}

static bool has(struct world *w, const char *commit)
{
	_proc_ struct proc p = {};
	struct err e = {};

	if (!*w->culprit)
		return false;
	assert_int_equal(plumb_run(&p, w->repo.path, ARGV("merge-base", "--is-ancestor",
							  w->culprit, commit), &e), 0);
	return p.status == 0;
}

static int fake_prepare(void *arg, const char *commit, struct text *build,
			struct measurement *m, struct err *e)
{
	struct world *w = arg;

	(void)e;
	if (!strcmp(commit, w->no_build)) {
		text_puts(&m->why, "error: no such thing");
		return MEASURE_NO_BUILD;
	}
	text_puts(build, !strcmp(commit, w->same[1]) ? w->same[0] : commit);
	return MEASURE_DONE;
}

static int fake_boot(void *arg, const char *commit, struct measurement *m, struct err *e)
{
	struct world *w = arg;

	w->boots++;
	if (w->boots == w->fail_at && w->kill)
		raise(SIGKILL);
	if (w->boots == w->fail_at)
		return err_set(e, ENOSPC, "the disk is full");
	if (w->lose_every && w->boots % w->lose_every == 0)
		return MEASURE_LOST;
	if (!strcmp(commit, w->no_boot))
		return MEASURE_NO_BOOT;
	m->direction = 1;
	m->value = 1000 * (has(w, commit) ? w->change : 1) + (w->boots % 2 ? 2 : -2);
	return MEASURE_DONE;
}

static int start(struct world *w, struct bisection_opts o, struct bisection *b, struct err *e)
{
	const struct bisect_measure measure = { fake_prepare, fake_boot, w };

	o.tree = w->repo.path;
	o.good = "m0";
	o.bad = "m6";
	o.params = "{}";
	o.out = w->out;
	return bisection_run(w->store, &o, &measure, b, e);
}

static int run(struct world *w, struct bisection_opts o, struct bisection *b)
{
	struct err e = {};
	int r = start(w, o, b, &e);

	if (r < 0)
		fail_msg("%s", e.text);
	fflush(w->out);
	return r;
}

static void found(struct world *w, const struct bisection *b, const char *tag, const char *parent)
{
	char id[COMMIT_NAME_SIZE];

	name(w, tag, id);
	assert_string_equal(b->first, id);
	assert_string_equal(b->last, id);
	assert_true(b->confidence >= 0.9);
	name(w, parent, id);
	assert_string_equal(b->parent, id);
}

TEST(each_commit_is_found_on_the_line_and_inside_the_merge)
{
	static const char *const culprits[][2] = {
		{ "m1", "m0" }, { "m2", "m1" }, { "m3", "m2" }, { "m6", "m5" }, { "s1", "m1" },
		{ "s3", "s2" }, { "s4", "s3" },
	};

	for (size_t i = 0; i < COUNT(culprits); i++) {
		struct bisection b;
		struct world w;

		world_make(&w);
		name(&w, culprits[i][0], w.culprit);
		assert_int_equal(run(&w, (struct bisection_opts){}, &b), BISECTION_CULPRIT);
		found(&w, &b, culprits[i][0], culprits[i][1]);
		assert_int_equal(b.boots, w.boots);
		world_drop(&w);
	}
}

TEST(a_merge_whose_branch_is_good_is_to_blame_itself)
{
	struct bisection b;
	struct world w;

	world_make(&w);
	name(&w, "merge", w.culprit);
	assert_int_equal(run(&w, (struct bisection_opts){}, &b), BISECTION_CULPRIT);
	found(&w, &b, "merge", "m3");
	world_drop(&w);
}

TEST(no_difference_is_not_reproduced)
{
	struct bisection b;
	struct world w;

	world_make(&w);
	assert_int_equal(run(&w, (struct bisection_opts){}, &b), BISECTION_NOT_REPRODUCED);
	world_drop(&w);
}

TEST(what_does_not_build_or_boot_beside_the_culprit_leaves_a_set)
{
	char id[COMMIT_NAME_SIZE];
	struct bisection b;
	struct world w;

	world_make(&w);
	name(&w, "m5", w.culprit);
	name(&w, "m5", w.no_build);
	name(&w, "m4", w.no_boot);
	assert_int_equal(run(&w, (struct bisection_opts){}, &b), BISECTION_SET);
	name(&w, "m4", id);
	assert_string_equal(b.first, id);
	name(&w, "m6", id);
	assert_string_equal(b.last, id);
	assert_non_null(strstr(w.printed, "does not build: error: no such thing"));
	world_drop(&w);
}

TEST(an_end_that_does_not_build_is_untestable)
{
	struct bisection b;
	struct world w;

	world_make(&w);
	name(&w, "m0", w.no_build);
	assert_int_equal(run(&w, (struct bisection_opts){}, &b), BISECTION_UNTESTABLE);
	assert_int_equal(w.boots, 0);
	world_drop(&w);
}

TEST(the_same_build_is_neither_booted_nor_blamed)
{
	struct bisection b;
	struct world w;

	world_make(&w);
	name(&w, "m2", w.culprit);
	name(&w, "m2", w.same[0]);
	name(&w, "m3", w.same[1]);
	assert_int_equal(run(&w, (struct bisection_opts){}, &b), BISECTION_CULPRIT);
	found(&w, &b, "m2", "m1");
	world_drop(&w);
}

TEST(lost_boots_are_repeated_and_counted)
{
	struct bisection b;
	struct world w;

	world_make(&w);
	w.lose_every = 3;
	name(&w, "s2", w.culprit);
	assert_int_equal(run(&w, (struct bisection_opts){}, &b), BISECTION_CULPRIT);
	found(&w, &b, "s2", "s1");
	assert_int_equal(b.lost, w.boots / 3);
	assert_int_equal(b.boots + b.lost, w.boots);
	world_drop(&w);
}

TEST(a_machinery_that_loses_all_boots_is_trouble)
{
	struct bisection b;
	struct err e = {};
	struct world w;

	world_make(&w);
	w.lose_every = 1;
	assert_int_equal(start(&w, (struct bisection_opts){}, &b, &e), -EIO);
	world_drop(&w);
}

TEST(a_forecast_over_the_budget_is_refused_after_the_ends)
{
	struct bisection b;
	struct world w;

	world_make(&w);
	name(&w, "m2", w.culprit);
	assert_int_equal(run(&w, (struct bisection_opts){ .budget = 7 }, &b), BISECTION_BUDGET);
	assert_int_equal(w.boots, 6);
	/* With more it goes on and does not boot the ends again. */
	assert_int_equal(run(&w, (struct bisection_opts){ .budget = 60, .resume = true }, &b),
			 BISECTION_CULPRIT);
	found(&w, &b, "m2", "m1");
	assert_int_equal(b.boots, w.boots);
	world_drop(&w);
}

TEST(exact_values_need_a_boot_a_step)
{
	struct bisection b;
	struct world w;

	world_make(&w);
	name(&w, "m5", w.culprit);
	w.change = 2;
	assert_int_equal(run(&w, (struct bisection_opts){ .exact = true }, &b),
			 BISECTION_CULPRIT);
	found(&w, &b, "m5", "m4");
	assert_in_range(b.boots, 6, 6 + 8);
	assert_non_null(strstr(w.printed, "one a step"));
	world_drop(&w);
}

TEST(nothing_to_resume_is_said)
{
	struct bisection b;
	struct err e = {};
	struct world w;

	world_make(&w);
	assert_int_equal(start(&w, (struct bisection_opts){ .resume = true }, &b, &e), -ENOENT);
	world_drop(&w);
}

/* In a process of its own, which the @k-th boot kills. */
static void start_killed(struct world *w, unsigned int k)
{
	pid_t pid;
	int status;

	store_free(w->store);
	w->boots = 0;
	pid = fork();
	if (!pid) {
		struct bisection b;
		struct err e = {};

		if (store_open(&w->store, w->db, &e) < 0)
			_exit(1);
		w->kill = true;
		w->fail_at = k;
		_exit(start(w, (struct bisection_opts){}, &b, &e) < 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	w->boots = k - 1;
}

TEST(killed_at_any_boot_it_goes_on_to_the_same_answer)
{
	struct bisection whole, b;
	struct world w;
	struct err e = {};

	world_make(&w);
	name(&w, "s3", w.culprit);
	assert_int_equal(run(&w, (struct bisection_opts){}, &whole), BISECTION_CULPRIT);
	for (unsigned int k = 1; k <= whole.boots; k++) {
		start_killed(&w, k);
		assert_int_equal(store_open(&w.store, w.db, &e), 0);
		assert_int_equal(run(&w, (struct bisection_opts){ .resume = true }, &b),
				 BISECTION_CULPRIT);
		found(&w, &b, "s3", "s2");
		assert_int_equal(b.boots, whole.boots);
		assert_int_equal(w.boots, whole.boots);
	}
	world_drop(&w);
}

TEST(trouble_leaves_it_open)
{
	_store_bisections_ struct store_bisections open = {};
	struct bisection b;
	struct err e = {};
	struct world w;

	world_make(&w);
	name(&w, "m2", w.culprit);
	w.fail_at = 4;
	assert_int_equal(start(&w, (struct bisection_opts){}, &b, &e), -ENOSPC);
	assert_int_equal(store_bisections(w.store, 0, "open", &open, &e), 0);
	assert_int_equal(open.n, 1);
	assert_int_equal(open.row[0].n_steps, 3);
	world_drop(&w);
}
