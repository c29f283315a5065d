/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/applies.h"
#include "kernel/repo_test.h"

#define HUNK(from, to) \
	"diff --git a/file b/file\n--- a/file\n+++ b/file\n@@ -1,3 +1,3 @@\n one\n" \
	"-" from "\n+" to "\n three\n"

#define MAIL(subject, diff) \
	"From: Jane Doe <jane@example.org>\nSubject: [PATCH] " subject "\n\nBecause.\n---\n" diff

static struct repo start(void)
{
	struct repo r = repo_make();

	repo_write(&r, "file", "one\ntwo\nthree\n");
	free(repo_git(&r, ARGV("add", "file")));
	free(repo_git(&r, ARGV("commit", "-q", "-m", "base")));
	return r;
}

static void add(struct patchmail *m, const char *mail)
{
	struct err e = {};

	if (patchmail_parse(m, mail, strlen(mail), "mail", &e) < 0 || patchmail_identify(m, &e) < 0)
		fail_msg("%s", e.text);
}

static int try_on(struct applied *a, const struct repo *tree, const char *base,
		  const struct patchmail *m, const struct repo *ours)
{
	struct err e = {};
	int r = applies_try(a, tree->path, base, m, ours->path, &e);

	if (r < 0)
		fail_msg("%s", e.text);
	return r;
}

TEST(a_stack_applies_in_order_and_the_tree_is_not_touched)
{
	_repo_ struct repo tree = start(), ours = start();
	_patchmail_ struct patchmail m = {};
	_applied_ struct applied a = {}, again = {};
	_free_ char *status = NULL, *objects = NULL, *after = NULL;
	struct err e = {};

	repo_write(&tree, "file", "one\nbeing edited\nthree\n");
	objects = repo_git(&tree, ARGV("count-objects", "-v"));
	add(&m, MAIL("first", HUNK("two", "zwei")));
	add(&m, MAIL("second", HUNK("zwei", "deux")));
	assert_int_equal(try_on(&a, &tree, "HEAD", &m, &ours), APPLIES_ALL);
	assert_int_equal(a.n, 2);
	assert_int_equal(strlen(a.commit), 40);
	assert_null(a.why);
	status = repo_git(&tree, ARGV("status", "--porcelain"));
	assert_string_equal(status, " M file\n");
	after = repo_git(&tree, ARGV("count-objects", "-v"));
	assert_string_equal(objects, after);
	assert_int_equal(applies_try(&again, tree.path, "HEAD", &m, ours.path, &e), APPLIES_ALL);
	assert_string_equal(a.commit, again.commit);
}

TEST(the_files_are_what_git_apply_takes)
{
	_repo_ struct repo tree = start(), ours = start();
	_patchmail_ struct patchmail m = {};
	_applied_ struct applied a = {};
	_free_ char *diff = NULL, *hash = NULL;

	add(&m, MAIL("first", HUNK("two", "zwei")));
	assert_int_equal(try_on(&a, &tree, "HEAD", &m, &ours), APPLIES_ALL);
	free(repo_git(&tree, ARGV("apply", "--index", a.patch_file[0])));
	diff = repo_git(&tree, ARGV("diff", "--cached", "--shortstat"));
	assert_string_equal(diff, " 1 file changed, 1 insertion(+), 1 deletion(-)\n");
	hash = repo_git(&tree, ARGV("write-tree"));
	hash[strcspn(hash, "\n")] = '\0';
	assert_string_equal(hash, a.tree_hash);
}

TEST(a_patch_that_does_not_apply_says_which_and_why)
{
	_repo_ struct repo tree = start(), ours = start();
	_patchmail_ struct patchmail m = {};
	_applied_ struct applied a = {};

	add(&m, MAIL("first", HUNK("two", "zwei")));
	add(&m, MAIL("second", HUNK("quatre", "deux")));
	assert_int_equal(try_on(&a, &tree, "HEAD", &m, &ours), APPLIES_NOT);
	assert_int_equal(a.failed, 1);
	assert_non_null(strstr(a.why, "mail: error: patch failed: file:1"));
	assert_non_null(strstr(a.why, "patch does not apply"));
}

TEST(a_patch_that_is_in_already_is_told_as_such)
{
	_repo_ struct repo tree = start(), ours = start();
	_patchmail_ struct patchmail m = {};
	_applied_ struct applied a = {};

	add(&m, MAIL("first", HUNK("zero", "two")));
	assert_int_equal(try_on(&a, &tree, "HEAD", &m, &ours), APPLIES_NOT);
	assert_non_null(strstr(a.why, "already"));
}

TEST(a_patch_and_its_revert_change_nothing)
{
	_repo_ struct repo tree = start(), ours = start();
	_patchmail_ struct patchmail m = {};
	_applied_ struct applied a = {};

	add(&m, MAIL("first", HUNK("two", "zwei")));
	add(&m, MAIL("second", HUNK("zwei", "two")));
	assert_int_equal(try_on(&a, &tree, "HEAD", &m, &ours), APPLIES_NOTHING_NEW);
}

TEST(a_patch_cannot_leave_the_tree)
{
	_repo_ struct repo tree = start(), ours = start();
	_patchmail_ struct patchmail m = {};
	_applied_ struct applied a = {};

	add(&m, "diff --git a/../../out b/../../out\nnew file mode 100644\n"
		"--- /dev/null\n+++ b/../../out\n@@ -0,0 +1 @@\n+x\n");
	assert_int_equal(try_on(&a, &tree, "HEAD", &m, &ours), APPLIES_NOT);
	assert_non_null(strstr(a.why, "invalid path"));
}

TEST(a_base_that_is_not_there_is_an_error)
{
	_repo_ struct repo tree = start(), ours = start();
	_patchmail_ struct patchmail m = {};
	_applied_ struct applied a = {};
	struct err e = {};

	add(&m, MAIL("first", HUNK("two", "zwei")));
	assert_int_equal(applies_try(&a, tree.path, "v9.9", &m, ours.path, &e), -ENOENT);
	assert_non_null(strstr(e.text, "'v9.9' is no commit"));
}

TEST(a_commit_is_taken_back_on_the_tip_where_that_applies)
{
	_repo_ struct repo tree = start(), ours = start();
	_patchmail_ struct patchmail m = {}, none = {};
	_applied_ struct applied a = {}, again = {};
	_free_ char *want = NULL;
	struct err e = {};

	want = repo_git(&tree, ARGV("rev-parse", "HEAD^{tree}"));
	want[strcspn(want, "\n")] = '\0';
	repo_write(&tree, "file", "one\nslow\nthree\n");
	free(repo_git(&tree, ARGV("commit", "-q", "-a", "-m", "slow")));
	assert_int_equal(applies_revert(tree.path, "HEAD", &m, &e), 0);
	assert_int_equal(try_on(&a, &tree, "HEAD", &m, &ours), APPLIES_ALL);
	assert_string_equal(a.tree_hash, want);

	repo_write(&tree, "file", "one\nslow but nicer\nthree\n");
	free(repo_git(&tree, ARGV("commit", "-q", "-a", "-m", "nicer")));
	assert_int_equal(try_on(&again, &tree, "HEAD", &m, &ours), APPLIES_NOT);
	assert_non_null(strstr(again.why, "revert of "));
	assert_int_equal(applies_revert(tree.path, "HEAD~2", &none, &e), -EINVAL);
	assert_non_null(strstr(e.text, "no parent"));
}
