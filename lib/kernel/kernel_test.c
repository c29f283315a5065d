/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "base/check.h"
#include "base/file.h"
#include "base/proc.h"
#include "kernel/image.h"
#include "kernel/kernel.h"

static char *scratch(void)
{
	char *dir = text_copy("/tmp/krobot-kernel-XXXXXX");

	assert_non_null(mkdtemp(dir));
	return dir;
}

static void put_u32(char *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (char)(v >> 8 * i);
}

/* A bzImage as far as its header goes, around @payload. */
static void make_bzimage(struct text *t, const char *release, const void *payload, size_t n)
{
	char head[2048] = {};

	head[0x1f1] = 3;
	memcpy(head + 0x202, "HdrS", 4);
	head[0x206] = 0x0f;
	head[0x207] = 2;
	head[0x20f] = 2;	/* 0x200 + 512: where the text is */
	snprintf(head + 0x400, 100, "%s (someone) #1", release);
	put_u32(head + 0x248, 16);
	put_u32(head + 0x24c, (uint32_t)n);
	text_put(t, head, sizeof(head));
	text_put(t, "0123456789abcdef", 16);
	text_put(t, payload, n);
}

TEST(a_bzimage_tells_its_release_and_gives_what_is_inside)
{
	_proc_ struct proc gzip = { .argv = ARGV("gzip", "-c"), .in = "vmlinux", .in_len = 7 };
	_text_ struct text t = {}, inside = {};
	_free_ char *release = NULL;
	struct err e = {};

	assert_int_equal(proc_ok(&gzip, &e), 0);
	make_bzimage(&t, "6.1.0-krobot", gzip.out.p, gzip.out.len);
	assert_int_equal(image_release(t.p, t.len, &release, &e), 0);
	assert_string_equal(release, "6.1.0-krobot");
	assert_int_equal(image_extract(t.p, t.len, &inside, &e), 0);
	assert_string_equal(text_str(&inside), "vmlinux");
	assert_false(image_is_pvh(inside.p, inside.len));
	assert_int_equal(image_extract(t.p, t.len - 1, &inside, &e), -EBADMSG);
}

TEST(what_is_no_kernel_is_refused)
{
	_text_ struct text t = {};
	char *release;
	struct err e = {};

	assert_int_equal(image_release("text", 4, &release, &e), -EINVAL);
	make_bzimage(&t, "\033[2J", "", 0);
	assert_int_equal(image_release(t.p, t.len, &release, &e), -EINVAL);
}

TEST(a_file_is_prepared_once_and_kept)
{
	_free_ char *dir = scratch(), *image = path_join(dir, "bzImage");
	_kernel_ struct kernel a = KERNEL_NONE, b = KERNEL_NONE;
	struct kernel_source from = { .name = image, .cache = dir };
	struct stat first, second;
	_text_ struct text t = {};
	struct err e = {};

	make_bzimage(&t, "6.12.1", "?", 1);
	assert_int_equal(file_write(AT_FDCWD, image, t.p, t.len, &e), 0);
	assert_int_equal(kernel_prepare(&a, &from, &e), KERNEL_READY);
	assert_string_equal(a.release, "6.12.1");
	assert_int_equal(a.n_modules, 0);
	assert_int_equal(stat(a.image, &first), 0);
	assert_int_equal(kernel_prepare(&b, &from, &e), KERNEL_READY);
	assert_string_equal(a.image, b.image);
	assert_string_equal(a.id, b.id);
	assert_int_equal(stat(b.image, &second), 0);
	assert_int_equal(first.st_ino, second.st_ino);
	assert_int_equal(dir_remove(dir, &e), 0);
}

TEST(names_that_are_nothing_say_so)
{
	_free_ char *dir = scratch();
	_kernel_ struct kernel k = KERNEL_NONE;
	struct kernel_source from = { .name = "debian:../../etc", .cache = dir };
	struct err e = {};

	assert_int_equal(kernel_prepare(&k, &from, &e), -EINVAL);
	assert_string_equal(e.text,
			    "kernel debian:../../etc: '../../etc' is not a package's name");
	assert_int_equal(dir_remove(dir, &e), 0);
}

static void make_entry(const char *cache, const char *key, time_t used)
{
	_cache_entry_ struct cache_entry x = CACHE_ENTRY_NONE;
	_record_ struct record info = {};
	_free_ char *file = NULL, *at = NULL;
	char bytes[8192];
	struct err e = {};

	memset(bytes, 'x', sizeof(bytes));
	assert_int_equal(cache_open(&x, cache, key, &info, &e), 1);
	file = path_join(x.folder, "image");
	at = path_join(x.folder, CACHE_INFO);
	assert_int_equal(file_write(AT_FDCWD, file, bytes, sizeof(bytes), &e), 0);
	record_add(&info, "image", "image");
	assert_int_equal(cache_done(&x, &info, &e), 0);
	assert_int_equal(utimensat(AT_FDCWD, at, (struct timespec[]){ { used, 0 }, { used, 0 } }, 0),
			 0);
}

static bool is_there(const char *cache, const char *key)
{
	_free_ char *path = text_format("%s/kernels/%s/info", cache, key);

	return access(path, F_OK) == 0;
}

TEST(the_cache_drops_what_was_not_used_for_longest_but_nothing_in_use)
{
	_free_ char *dir = scratch();
	_cache_entry_ struct cache_entry x = CACHE_ENTRY_NONE;
	_record_ struct record info = {};
	struct err e = {};

	make_entry(dir, "old", 1000);
	make_entry(dir, "older", 500);
	make_entry(dir, "new", 2000);
	assert_int_equal(cache_trim(dir, 1 << 20, &e), 0);
	assert_true(is_there(dir, "older"));
	assert_int_equal(cache_trim(dir, 30000, &e), 0);
	assert_false(is_there(dir, "older"));
	assert_true(is_there(dir, "old") && is_there(dir, "new"));
	assert_int_equal(cache_open(&x, dir, "old", &info, &e), 0);
	assert_int_equal(cache_trim(dir, 0, &e), 0);
	assert_true(is_there(dir, "old"));
	assert_false(is_there(dir, "new"));
	assert_int_equal(dir_remove(dir, &e), 0);
}

TEST(a_maker_that_was_killed_leaves_nothing_that_counts)
{
	_free_ char *dir = scratch();
	_cache_entry_ struct cache_entry x = CACHE_ENTRY_NONE, y = CACHE_ENTRY_NONE;
	_record_ struct record info = {};
	_free_ char *half = NULL;
	struct err e = {};

	assert_int_equal(cache_open(&x, dir, "key", &info, &e), 1);
	half = path_join(x.folder, "half");
	assert_int_equal(file_write(AT_FDCWD, half, "x", 1, &e), 0);
	cache_entry_release(&x);	/* as the kernel does for the killed */
	assert_int_equal(cache_open(&y, dir, "key", &info, &e), 1);
	assert_int_equal(access(half, F_OK), -1);
	assert_int_equal(dir_remove(dir, &e), 0);
}
