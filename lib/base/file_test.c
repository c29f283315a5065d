/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <sys/stat.h>

#include "base/check.h"
#include "base/file.h"

static char *temp(void)
{
	char *d = text_copy("/tmp/krobot-file-XXXXXX");

	assert_non_null(mkdtemp(d));
	return d;
}

TEST(what_is_written_is_read)
{
	_free_ char *d = temp(), *deep = path_join(d, "a/b"), *f = path_join(deep, "f");
	_text_ struct text got = {};
	struct err e = {};

	assert_int_equal(dir_make(deep, &e), 0);
	assert_int_equal(dir_make(deep, &e), 0);
	assert_int_equal(file_write(AT_FDCWD, f, "one", 3, &e), 0);
	assert_int_equal(file_write(AT_FDCWD, f, "two\0!", 5, &e), 0);
	assert_int_equal(file_read(AT_FDCWD, f, 100, &got, &e), 0);
	assert_int_equal(got.len, 5);
	assert_memory_equal(got.p, "two\0!", 5);
	assert_int_equal(file_read(AT_FDCWD, f, 4, &got, &e), -EFBIG);
	assert_int_equal(dir_remove(d, &e), 0);
	assert_int_equal(access(d, F_OK), -1);
}

TEST(removal_follows_no_link)
{
	_free_ char *d = temp(), *out = temp(), *f = path_join(out, "keep"), *l = path_join(d, "l");
	struct err e = {};

	assert_int_equal(file_write(AT_FDCWD, f, "x", 1, &e), 0);
	assert_int_equal(symlink(out, l), 0);
	assert_int_equal(dir_remove(d, &e), 0);
	assert_int_equal(access(f, F_OK), 0);
	assert_int_equal(dir_remove(out, &e), 0);
	assert_int_equal(dir_remove(out, &e), 0);
}

TEST(paths)
{
	_free_ char *a = path_join("x", "y"), *b = path_join("x", "/y"), *c = path_folder("a/b/c"),
		    *d = path_folder("f"), *r = path_folder("/f");

	assert_string_equal(a, "x/y");
	assert_string_equal(b, "/y");
	assert_string_equal(c, "a/b");
	assert_string_equal(d, ".");
	assert_string_equal(r, "/");
	assert_string_equal(path_base("a/b"), "b");
}
