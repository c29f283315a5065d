/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds of a tree whose Makefile only pretends: it "compiles" by copying, puts a
 * release into a bzImage's head, and knows the options that its file Kconfig names.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/check.h"
#include "base/file.h"
#include "base/proc.h"
#include "kernel/kernel.h"

static const char makefile[] =
	"C = $(or $(KCONFIG_CONFIG),$(O)/.config)\n"
	"tinyconfig:\n\techo CONFIG_TINY=y > $(C)\n"
	"olddefconfig:\n\tgrep -F -f $(CURDIR)/Kconfig $(C) > $(C).new; mv $(C).new $(C)\n"
	"$(O)/mm.o: mm.c\n\t@grep -qv broken mm.c || { echo 'mm.c:1: error: broken' >&2; exit 1; }\n"
	"\t@grep -qv full mm.c || { echo 'cc: No space left on device' >&2; exit 1; }\n"
	"\tcp mm.c $@\n\techo mm >> $(O)/compiled\n"
	"$(O)/fs.o: fs.c\n\tcp fs.c $@\n\techo fs >> $(O)/compiled\n"
	"bzImage: $(O)/mm.o $(O)/fs.o\n\tmkdir -p $(O)/arch/x86/boot\n"
	"\t{ cat head; echo $(KBUILD_BUILD_TIMESTAMP); cat $(O)/mm.o $(O)/fs.o; } > "
	"$(O)/arch/x86/boot/bzImage\n";

struct tree {
	char *dir, *repo, *cache, *fragment;
	struct kernel_source from;
	const char *configs[2];
};

static void put(const char *folder, const char *name, const void *bytes, size_t n)
{
	_free_ char *path = path_join(folder, name);
	struct err e = {};

	assert_int_equal(file_write(AT_FDCWD, path, bytes, n, &e), 0);
}

static void git(const struct tree *t, const char *const *args)
{
	const char *argv[20] = { "git", "-C", t->repo, "-c", "user.name=a", "-c", "user.email=a@b" };
	_proc_ struct proc p = { .argv = argv };
	struct err e = {};

	for (size_t n = 7; *args; n++)
		argv[n] = *args++;
	if (proc_ok(&p, &e) < 0)
		fail_msg("%s", e.text);
}

static void commit(const struct tree *t, const char *mm, const char *tag)
{
	put(t->repo, "mm.c", mm, strlen(mm));
	git(t, ARGV("add", "-A"));
	git(t, ARGV("commit", "-qm", tag));
	git(t, ARGV("tag", tag));
}

static void tree_make(struct tree *t)
{
	char head[2048] = {};

	*t = (struct tree){ .dir = text_copy("/tmp/krobot-build-XXXXXX") };
	assert_non_null(mkdtemp(t->dir));
	t->repo = path_join(t->dir, "repo");
	t->cache = path_join(t->dir, "cache");
	t->fragment = path_join(t->dir, "fragment");
	assert_int_equal(mkdir(t->repo, 0755), 0);
	memcpy(head + 0x202, "HdrS", 4);
	head[0x206] = 0x0f;
	head[0x207] = 2;
	head[0x20f] = 2;
	strcpy(head + 0x400, "6.1.0-pretended (x)");
	put(t->repo, "head", head, sizeof(head));
	put(t->repo, "Makefile", makefile, strlen(makefile));
	put(t->repo, "Kconfig", "CONFIG_TINY=\nCONFIG_A=\n", 23);
	put(t->repo, "fs.c", "fs\n", 3);
	put(t->dir, "fragment", "CONFIG_A=y\n", 11);
	git(t, ARGV("init", "-q"));
	commit(t, "one\n", "v1");
	commit(t, "two\n", "v2");
	t->configs[0] = "tinyconfig";
	t->configs[1] = t->fragment;
	t->from = (struct kernel_source){ .cache = t->cache, .tree = t->repo, .configs = t->configs,
					  .n_configs = 2, .jobs = 1 };
}

static void tree_release(struct tree *t)
{
	struct err e = {};

	assert_int_equal(dir_remove(t->dir, &e), 0);
	free(t->dir);
	free(t->repo);
	free(t->cache);
	free(t->fragment);
}

static int prepare(struct tree *t, const char *name, struct kernel *k, struct err *e)
{
	*k = (struct kernel)KERNEL_NONE;
	*e = (struct err){};
	t->from.name = name;
	return kernel_prepare(k, &t->from, e);
}

static void ready(struct tree *t, const char *name, struct kernel *k)
{
	struct err e;
	int r = prepare(t, name, k, &e);

	if (r != KERNEL_READY)
		fail_msg("%s %s", e.text, k->why ? k->why : "");
}

static char *content(const char *path)
{
	_text_ struct text t = {};
	struct err e = {};

	if (file_read(AT_FDCWD, path, 1 << 20, &t, &e) < 0)
		fail_msg("%s", e.text);
	return text_format("%s", t.len > 2048 ? t.p + 2048 : text_str(&t));
}

/* What was compiled so far, in the one build folder. */
static char *compiled(const struct tree *t)
{
	_proc_ struct proc p = { .argv = ARGV("find", t->cache, "-name", "compiled") };
	struct err e = {};

	assert_int_equal(proc_ok(&p, &e), 0);
	assert_true(p.out.len > 1);
	p.out.p[p.out.len - 1] = '\0';
	return content(p.out.p);
}

TEST(a_commit_is_built_and_the_checkout_stays_as_it_was)
{
	_cleanup_(tree_release) struct tree t;
	_proc_ struct proc status = {}, refs = {};
	_kernel_ struct kernel k;
	_free_ char *image = NULL, *mine = NULL, *config = NULL;
	struct err e = {};

	tree_make(&t);
	put(t.repo, "mm.c", "mine\n", 5);
	ready(&t, "v1", &k);
	assert_string_equal(k.release, "6.1.0-pretended");
	image = content(k.image);
	assert_string_equal(image, "Thu Jan 1 00:00:00 UTC 1970\none\nfs\n");
	config = content(k.config);
	assert_string_equal(config, "CONFIG_TINY=y\nCONFIG_A=y\n");
	mine = path_join(t.repo, "mm.c");
	free(steal(image));
	image = content(mine);
	assert_string_equal(image, "mine\n");
	status.argv = ARGV("git", "-C", t.repo, "status", "--porcelain");
	assert_int_equal(proc_ok(&status, &e), 0);
	assert_string_equal(text_str(&status.out), " M mm.c\n");
	refs.argv = ARGV("git", "-C", t.repo, "for-each-ref", "--format=%(refname:short)");
	assert_int_equal(proc_ok(&refs, &e), 0);
	assert_null(strstr(text_str(&refs.out), "krobot"));
}

TEST(a_neighbour_compiles_only_what_differs_and_a_known_one_nothing)
{
	_cleanup_(tree_release) struct tree t;
	_kernel_ struct kernel a, b, again;
	_free_ char *log = NULL;

	tree_make(&t);
	ready(&t, "v1", &a);
	ready(&t, "v2", &b);
	ready(&t, "v1", &again);
	assert_string_not_equal(a.id, b.id);
	assert_string_equal(a.image, again.image);
	log = compiled(&t);
	assert_string_equal(log, "mm\nfs\nmm\n");
}

TEST(patches_are_part_of_the_source)
{
	static const char good[] = "--- a/mm.c\n+++ b/mm.c\n@@ -1 +1 @@\n-one\n+patched\n";
	static const char bad[] = "--- a/mm.c\n+++ b/mm.c\n@@ -1 +1 @@\n-three\n+x\n";
	_cleanup_(tree_release) struct tree t;
	_kernel_ struct kernel k, plain, refused;
	_free_ char *name = NULL, *other = NULL, *image = NULL;
	struct err e;

	tree_make(&t);
	put(t.dir, "good.patch", good, strlen(good));
	put(t.dir, "bad.patch", bad, strlen(bad));
	name = text_format("v1+%s/good.patch", t.dir);
	other = text_format("v1+%s/bad.patch", t.dir);
	ready(&t, name, &k);
	ready(&t, "v1", &plain);
	image = content(k.image);
	assert_non_null(strstr(image, "patched\n"));
	assert_string_equal(k.commit, plain.commit);
	assert_string_not_equal(k.id, plain.id);
	assert_int_equal(prepare(&t, other, &refused, &e), KERNEL_NO_BUILD);
	assert_non_null(strstr(refused.why, "bad.patch: git apply: error: patch failed: mm.c:1"));
}

TEST(what_does_not_build_is_an_answer_and_is_remembered)
{
	_cleanup_(tree_release) struct tree t;
	_kernel_ struct kernel k, again;
	_free_ char *log = NULL;
	struct err e;

	tree_make(&t);
	commit(&t, "broken\n", "v3");
	assert_int_equal(prepare(&t, "v3", &k, &e), KERNEL_NO_BUILD);
	assert_string_equal(k.why, "mm.c:1: error: broken");
	log = content(k.log);
	assert_non_null(strstr(log, "mm.c:1: error: broken"));
	assert_int_equal(prepare(&t, "v3", &again, &e), KERNEL_NO_BUILD);
	assert_string_equal(again.log, k.log);
}

TEST(a_full_disk_is_trouble_and_is_not_remembered)
{
	_cleanup_(tree_release) struct tree t;
	_kernel_ struct kernel k;
	struct err e;

	tree_make(&t);
	commit(&t, "full\n", "v3");
	assert_int_equal(prepare(&t, "v3", &k, &e), -EIO);
	assert_non_null(strstr(e.text, "the build ended with 'No space left on device'"));
}

TEST(an_option_that_does_not_take_is_an_answer)
{
	_cleanup_(tree_release) struct tree t;
	_kernel_ struct kernel k;
	struct err e;

	tree_make(&t);
	put(t.dir, "fragment", "CONFIG_NONE=y\n", 14);
	assert_int_equal(prepare(&t, "v1", &k, &e), KERNEL_NO_BUILD);
	assert_string_equal(k.why, "CONFIG_NONE=y became n");
}

TEST(names_that_are_no_commit)
{
	_cleanup_(tree_release) struct tree t;
	_kernel_ struct kernel k, l;
	struct err e;

	tree_make(&t);
	assert_int_equal(prepare(&t, "--help", &k, &e), -ENOENT);
	assert_string_equal(e.text, "kernel --help: no such commit");
	t.from.tree = t.dir;
	assert_int_equal(prepare(&t, "v1", &l, &e), -ENOENT);
}

TEST(two_at_once_build_one_key_once)
{
	_cleanup_(tree_release) struct tree t;
	_free_ char *log = NULL;
	pid_t pids[3];

	tree_make(&t);
	for (size_t i = 0; i < COUNT(pids); i++) {
		pids[i] = fork();
		if (!pids[i]) {
			struct kernel k;
			struct err e;

			_exit(prepare(&t, "v1", &k, &e) == KERNEL_READY ? 0 : 1);
		}
	}
	for (size_t i = 0; i < COUNT(pids); i++) {
		int status;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	log = compiled(&t);
	assert_string_equal(log, "mm\nfs\n");
}
