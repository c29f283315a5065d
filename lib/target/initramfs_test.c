/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/check.h"
#include "base/proc.h"
#include "target/initramfs.h"

static void fill(struct initramfs *i)
{
	initramfs_file(i, "/init", 0755, "#!", 2);
	initramfs_device(i, "/dev/console", 0600, 5, 1);
	initramfs_file(i, "/a/b/c", 0644, "12345", 5);
	initramfs_file(i, "/a/b/d", 0644, NULL, 0);
	initramfs_link(i, "/bin/sh", "busybox");
	initramfs_folder(i, "/tmp");
	initramfs_end(i);
}

/* As another program reads it; cpio prints a device's number where files have a size. */
TEST(cpio_lists_what_was_put)
{
	_initramfs_ struct initramfs i = {};
	_proc_ struct proc p = { .argv = ARGV("cpio", "-itv", "--quiet") };
	_text_ struct text got = {};
	struct err e = {};

	fill(&i);
	p.in = i.bytes.p;
	p.in_len = i.bytes.len;
	if (proc_run(&p, &e) == -ENOENT)
		skip();
	assert_int_equal(p.status, 0);
	for (char *save, *line = strtok_r(p.out.p, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char mode[11], size[16], name[32], to[32] = "";
		int major = -1;

		if (line[0] == 'c')
			assert_int_equal(sscanf(line, "%10s %*d root root %d, %15s %*s %*d %*d %31s",
						mode, &major, size, name), 4);
		else
			assert_true(sscanf(line, "%10s %*d root root %15s %*s %*d %*d %31s -> %31s",
					   mode, size, name, to) >= 3);
		text_printf(&got, "%s %d %s %s %s\n", mode, major, size, name, to);
	}
	assert_string_equal(text_str(&got),
		"-rwxr-xr-x -1 2 init \n" "drwxr-xr-x -1 0 dev \n" "crw------- 5 1 dev/console \n"
		"drwxr-xr-x -1 0 a \n" "drwxr-xr-x -1 0 a/b \n" "-rw-r--r-- -1 5 a/b/c \n"
		"-rw-r--r-- -1 0 a/b/d \n" "drwxr-xr-x -1 0 bin \n"
		"lrwxrwxrwx -1 7 bin/sh busybox\n" "drwxr-xr-x -1 0 tmp \n");
}

TEST(the_same_calls_give_the_same_bytes)
{
	_initramfs_ struct initramfs a = {}, b = {};

	fill(&a);
	fill(&b);
	assert_int_equal(a.bytes.len, b.bytes.len);
	assert_memory_equal(a.bytes.p, b.bytes.p, a.bytes.len);
	assert_int_equal(a.bytes.len % 4, 0);
}

TEST(a_file_that_is_not_there)
{
	_initramfs_ struct initramfs i = {};
	struct err e = {};

	assert_int_equal(initramfs_copy(&i, "/x", "/no/such/file", &e), -ENOENT);
	assert_string_equal(e.text, "/no/such/file: No such file or directory");
	assert_int_equal(initramfs_copy(&i, "/x", "/", &e), -EINVAL);
	assert_int_equal(i.bytes.len, 0);
}
