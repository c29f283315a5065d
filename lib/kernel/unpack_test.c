/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/check.h"
#include "base/proc.h"
#include "kernel/unpack.h"

/* Some megabytes that do not shrink to nothing. */
static void fill(struct text *t)
{
	unsigned int x = 1;

	for (int i = 0; i < 500000; i++) {
		x = x * 1103515245u + 12345u;
		text_printf(t, "%u ", x >> 20);
	}
}

static void check_form(const char *const *argv)
{
	_text_ struct text plain = {}, back = {};
	_proc_ struct proc p = { .argv = argv };
	struct err e = {};
	int r;

	fill(&plain);
	p.in = plain.p;
	p.in_len = plain.len;
	r = proc_run(&p, &e);
	if (r == -ENOENT)
		skip();
	assert_int_equal(p.status, 0);
	assert_true(p.out.len < plain.len);
	text_put(&p.out, "\0\0\1", 3);	/* what stands behind it is left alone */
	assert_int_equal(unpack(p.out.p, p.out.len, plain.len, &back, &e), 0);
	assert_int_equal(back.len, plain.len);
	assert_memory_equal(back.p, plain.p, plain.len);
	text_release(&back);
	back = (struct text){};
	assert_int_equal(unpack(p.out.p, p.out.len, plain.len / 2, &back, &e), -EFBIG);
	text_release(&back);
	back = (struct text){};
	assert_int_equal(unpack(p.out.p, p.out.len / 2, plain.len, &back, &e), -EBADMSG);
}

TEST(gzip)
{
	check_form(ARGV("gzip", "-c"));
}

TEST(xz_as_kernels_have_it)
{
	check_form(ARGV("xz", "--check=crc32", "--x86", "--lzma2=dict=32MiB", "-c"));
}

TEST(lzma)
{
	check_form(ARGV("xz", "--format=lzma", "-c"));
}

TEST(zstd_with_a_large_window)
{
	check_form(ARGV("zstd", "-q", "--long=27", "-c"));
}

TEST(lz4_legacy)
{
	check_form(ARGV("lz4", "-l", "-q", "-c"));
}

TEST(another_form_is_an_answer)
{
	_text_ struct text out = {};
	struct err e = {};

	assert_int_equal(unpack("BZh9", 4, 100, &out, &e), 1);
	assert_int_equal(unpack("", 0, 100, &out, &e), 1);
	assert_int_equal(out.len, 0);
}
