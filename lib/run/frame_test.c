/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/check.h"
#include "base/file.h"
#include "run/frame.h"

TEST(the_checksum_is_the_well_known_one)
{
	assert_int_equal(frame_crc(0, "123456789", 9), 0xCBF43926u);
	assert_int_equal(frame_crc(frame_crc(0, "1234", 4), "56789", 5), 0xCBF43926u);
}

TEST(what_was_put_is_taken)
{
	_text_ struct text t = {};
	struct err e = {};
	struct frame f;
	long n;

	frame_put(&t, FRAME_HELLO, "who", 3);
	frame_put(&t, FRAME_END, "", 0);
	n = frame_take(&f, t.p, t.len, &e);
	assert_int_equal(n, FRAME_HEAD + 3);
	assert_int_equal(f.type, FRAME_HELLO);
	assert_memory_equal(f.bytes, "who", 3);
	assert_int_equal(frame_take(&f, t.p + n, t.len - (size_t)n, &e), FRAME_HEAD);
	assert_int_equal(f.type, FRAME_END);
}

TEST(a_cut_frame_waits_and_a_changed_one_is_refused)
{
	_text_ struct text t = {};
	struct err e = {};
	struct frame f;

	frame_put(&t, FRAME_DATA, "12345", 5);
	for (size_t n = 0; n < t.len; n++)
		assert_int_equal(frame_take(&f, t.p, n, &e), 0);
	for (size_t i = 0; i < t.len; i++) {
		long r;

		t.p[i] ^= 1;
		r = frame_take(&f, t.p, t.len, &e);
		/* a longer length is no frame yet; all else is seen */
		assert_true(r == -EBADMSG || (r == 0 && i >= 8 && i < 12));
		t.p[i] ^= 1;
	}
}

TEST(paths_stay_below_their_folder)
{
	static const char *const good[] = { "exit", "monitors/vmstat", "a/b/c", "a..b" };
	static const char *const bad[] = { "", "/etc", "a/", "a//b", "..", "a/..", "../a", "a/../b",
					   ".hidden", "1/2/3/4/5/6/7/8/9" };

	for (size_t i = 0; i < COUNT(good); i++)
		assert_true(frame_path_ok(good[i], strlen(good[i])));
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_false(frame_path_ok(bad[i], strlen(bad[i])));
	assert_false(frame_path_ok("a\0b", 3));
}

TEST(a_folder_is_sent_with_what_is_below_it)
{
	char dir[] = "/tmp/krobot-frame-XXXXXX";
	_free_ char *sub = NULL, *file = NULL, *link = NULL;
	_text_ struct text got = {}, seen = {};
	_close_ int out = memfd_create("out", 0);
	struct err e = {};
	struct frame f;
	char buf[4096];
	ssize_t n;
	long r;

	assert_non_null(mkdtemp(dir));
	sub = path_join(dir, "sub");
	file = path_join(sub, "file");
	link = path_join(dir, "link");
	assert_int_equal(mkdir(sub, 0755), 0);
	assert_int_equal(file_write(AT_FDCWD, file, "text", 4, &e), 0);
	assert_int_equal(symlink("/etc/passwd", link), 0);
	assert_int_equal(frame_write_folder(out, dir, &e), 0);
	n = pread(out, buf, sizeof(buf), 0);
	text_put(&got, buf, (size_t)n);
	for (size_t at = 0; at < got.len; at += (size_t)r) {
		r = frame_take(&f, got.p + at, got.len - at, &e);
		assert_true(r > 0);
		text_printf(&seen, "%c %.*s\n", (int)f.type, (int)f.n, f.bytes);
	}
	assert_string_equal(text_str(&seen), "d sub\nf sub/file\nD text\n");
	assert_int_equal(dir_remove(dir, &e), 0);
}
