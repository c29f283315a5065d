/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/check.h"
#include "base/file.h"
#include "kernel/candidates.h"

#include "kernel/repo_test.h"

static void list(struct candidates *c, const char *tree, const char *good, const char *bad,
		 const char *const *paths)
{
	struct candidates_query q = { .tree = tree, .good = good, .bad = bad, .paths = paths };
	struct err e = {};

	if (candidates_list(c, &q, &e) < 0)
		fail_msg("%s", e.text);
}

static void assert_subjects(const struct candidates *c, const char *want)
{
	_text_ struct text got = {};

	for (size_t i = 0; i < c->n; i++)
		text_printf(&got, "%s%s", i ? " " : "", c->v[i].subject);
	assert_string_equal(text_str(&got), want);
}

static void assert_refused(const char *tree, const char *good, const char *bad,
			   const char *const *paths, const char *why)
{
	_candidates_ struct candidates c = {};
	struct candidates_query q = { .tree = tree, .good = good, .bad = bad, .paths = paths };
	struct err e = {};

	assert_true(candidates_list(&c, &q, &e) < 0);
	if (!strstr(e.text, why))
		fail_msg("'%s' does not say '%s'", e.text, why);
}

TEST(a_line_of_commits_is_listed_oldest_first)
{
	_repo_ struct repo r = repo_make();
	_candidates_ struct candidates c = {};

	for (int i = 0; i < 5; i++)
		repo_commit(&r, "file", (char[]){ (char)('a' + i), '\0' });
	list(&c, r.path, "HEAD~4", "HEAD", NULL);
	assert_subjects(&c, "b c d e");
	assert_int_equal(c.v[0].parents, 1);
	assert_string_equal(c.v[0].author, "An Author <author@example.org>");
	assert_true(c.v[0].committed > 1000000000);
	assert_string_equal(c.bad, c.v[3].id);
}

TEST(no_ref_and_no_file_of_the_tree_changes)
{
	_repo_ struct repo r = repo_make();
	_candidates_ struct candidates c = {};
	_free_ char *before = NULL, *after = NULL;

	repo_commit(&r, "file", "a");
	repo_commit(&r, "file", "b");
	repo_write(&r, "file", "not committed");
	before = repo_git(&r, ARGV("for-each-ref"));
	list(&c, r.path, "HEAD^", "HEAD", NULL);
	after = repo_git(&r, ARGV("for-each-ref"));
	assert_string_equal(before, after);
	free(after);
	after = repo_git(&r, ARGV("status", "--porcelain"));
	assert_string_equal(after, " M file\n");
}

TEST(merges_are_one_candidate_and_then_a_line_of_their_own)
{
	_repo_ struct repo r = repo_make();
	_candidates_ struct candidates c = {}, in = {};
	struct err e = {};

	repo_commit(&r, "file", "base");
	free(repo_git(&r, ARGV("checkout", "-q", "-b", "side")));
	repo_commit(&r, "side", "s1");
	repo_commit(&r, "side", "s2");
	free(repo_git(&r, ARGV("checkout", "-q", "main")));
	repo_commit(&r, "file", "m1");
	free(repo_git(&r, ARGV("merge", "-q", "--no-ff", "-m", "merge", "side")));
	repo_commit(&r, "file", "m2");
	list(&c, r.path, "HEAD~3", "HEAD", NULL);
	assert_subjects(&c, "m1 merge m2");
	assert_int_equal(c.v[1].parents, 2);
	if (candidates_inside(&in, r.path, c.v[1].id, 2, &e) < 0)
		fail_msg("%s", e.text);
	assert_subjects(&in, "s1 s2 merge");
	assert_string_equal(in.good, c.good);
	assert_string_equal(in.bad, c.v[1].id);
	assert_true(candidates_inside(&in, r.path, c.v[0].id, 2, &e) == -EINVAL);
	assert_true(candidates_inside(&in, r.path, c.v[1].id, 3, &e) == -EINVAL);
	assert_true(candidates_inside(&in, r.path, c.v[1].id, 1, &e) == -EINVAL);
}

TEST(an_octopus_has_a_line_for_each_branch)
{
	_repo_ struct repo r = repo_make();
	_candidates_ struct candidates c = {}, two = {}, three = {};
	struct err e = {};

	repo_commit(&r, "file", "base");
	free(repo_git(&r, ARGV("checkout", "-q", "-b", "x")));
	repo_commit(&r, "x", "x1");
	free(repo_git(&r, ARGV("checkout", "-q", "-b", "y", "main")));
	repo_commit(&r, "y", "y1");
	repo_commit(&r, "y", "y2");
	free(repo_git(&r, ARGV("checkout", "-q", "main")));
	repo_commit(&r, "file", "m1");
	free(repo_git(&r, ARGV("merge", "-q", "-m", "octopus", "x", "y")));
	list(&c, r.path, "main~2", "main", NULL);
	assert_subjects(&c, "m1 octopus");
	assert_int_equal(c.v[1].parents, 3);
	assert_int_equal(candidates_inside(&two, r.path, "main", 2, &e), 0);
	assert_subjects(&two, "x1 octopus");
	assert_int_equal(candidates_inside(&three, r.path, "main", 3, &e), 0);
	assert_subjects(&three, "y1 y2 octopus");
}

TEST(paths_leave_out_what_does_not_touch_them)
{
	_repo_ struct repo r = repo_make();
	_candidates_ struct candidates c = {};

	repo_commit(&r, "mm", "a");
	repo_commit(&r, "mm", "b");
	repo_commit(&r, "doc", "c");
	repo_commit(&r, "mm", "d");
	repo_commit(&r, "*", "e");
	list(&c, r.path, "HEAD~4", "HEAD", ARGV("mm"));
	assert_subjects(&c, "b d");
	assert_refused(r.path, "HEAD~4", "HEAD", ARGV("nothing"), "touches these paths");
	/* A path is a name and no pattern. */
	candidates_release(&c);
	list(&c, r.path, "HEAD~4", "HEAD", ARGV("*"));
	assert_subjects(&c, "e");
}

TEST(good_must_be_an_ancestor_and_another_commit)
{
	_repo_ struct repo r = repo_make();

	repo_commit(&r, "file", "a");
	free(repo_git(&r, ARGV("checkout", "-q", "-b", "side")));
	repo_commit(&r, "side", "s");
	free(repo_git(&r, ARGV("checkout", "-q", "main")));
	repo_commit(&r, "file", "b");
	assert_refused(r.path, "side", "main", NULL, "not an ancestor");
	assert_refused(r.path, "side", "main", NULL, "they parted at");
	assert_refused(r.path, "main", "main^", NULL, "not an ancestor");
	assert_refused(r.path, "main", "main", NULL, "the same commit");
	free(repo_git(&r, ARGV("checkout", "-q", "--orphan", "alone")));
	repo_commit(&r, "other", "z");
	assert_refused(r.path, "alone", "main", NULL, "no common history");
}

TEST(names_that_are_no_commits_are_refused)
{
	_repo_ struct repo r = repo_make();

	repo_commit(&r, "file", "a");
	assert_refused(r.path, "nowhere", "main", NULL, "'nowhere' is no commit");
	assert_refused(r.path, "--output=x", "main", NULL, "is no commit");
	assert_refused(r.path, "main\n\033[2J", "main", NULL, "main\\x0a\\x1b[2J");
	assert_refused("/nonexistent", "main", "main", NULL, "No such file");
}

TEST(a_hostile_subject_is_made_visible)
{
	_repo_ struct repo r = repo_make();
	_candidates_ struct candidates c = {};

	repo_commit(&r, "file", "a");
	repo_commit(&r, "file", "\033[2Jgone\r\xe2\x80\xae");
	list(&c, r.path, "HEAD^", "HEAD", NULL);
	assert_string_equal(c.v[0].subject, "\\x1b[2Jgone\\x0d\\xe2\\x80\\xae");
}

TEST(too_many_commits_are_refused)
{
	_repo_ struct repo r = repo_make();
	_candidates_ struct candidates c = {};
	struct candidates_query q = { .tree = r.path, .good = "HEAD~3", .bad = "HEAD", .max = 2 };
	struct err e = {};

	for (int i = 0; i < 4; i++)
		repo_commit(&r, "file", (char[]){ (char)('a' + i), '\0' });
	assert_int_equal(candidates_list(&c, &q, &e), -E2BIG);
}

TEST(the_same_change_elsewhere_has_the_same_patch_id)
{
	_repo_ struct repo r = repo_make();
	char a[COMMIT_NAME_SIZE], b[COMMIT_NAME_SIZE], other[COMMIT_NAME_SIZE];
	struct err e = {};

	repo_commit(&r, "file", "a");
	repo_commit(&r, "file", "b");
	free(repo_git(&r, ARGV("checkout", "-q", "-b", "stable", "main^")));
	repo_commit(&r, "unrelated", "u");
	free(repo_git(&r, ARGV("cherry-pick", "main")));
	assert_int_equal(candidate_patch_id(r.path, "main", a, &e), 0);
	assert_int_equal(candidate_patch_id(r.path, "stable", b, &e), 0);
	assert_int_equal(candidate_patch_id(r.path, "stable^", other, &e), 0);
	assert_int_equal(strlen(a), 40);
	assert_string_equal(a, b);
	assert_string_not_equal(a, other);
}
