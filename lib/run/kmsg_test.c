/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>

#include "base/check.h"
#include "base/file.h"
#include "run/kmsg.h"

TEST(a_message_becomes_a_line_as_dmesg_prints_it)
{
	static const struct {
		const char *message, *line;
	} cases[] = {
		{ "6,123,12345678,-;hello\n SUBSYSTEM=pci\n", "[   12.345678] hello\n" },
		{ "4,1,5,c;no end", "[    0.000005] no end\n" },
		{ "6,123,123456789012345,-,caller=T1;a;b\n", "[123456789.012345] a;b\n" },
		{ "6,1,1,-;\n", "[    0.000001] \n" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		_text_ struct text t = {};

		assert_true(kmsg_format(&t, cases[i].message, strlen(cases[i].message)));
		assert_string_equal(text_str(&t), cases[i].line);
	}
}

TEST(what_is_no_message_gives_no_line)
{
	static const char *const bad[] = { "", "hello", ";", "x,y,z;a", "6,1;a" };

	for (size_t i = 0; i < COUNT(bad); i++) {
		_text_ struct text t = {};

		assert_false(kmsg_format(&t, bad[i], strlen(bad[i])));
		assert_int_equal(t.len, 0);
	}
}

TEST(a_device_that_is_not_there_is_said_so)
{
	char folder[] = "/tmp/kmsg-XXXXXX";
	_kmsg_ struct kmsg k = KMSG_NONE;
	_text_ struct text t = {};
	struct err e = {};
	int dir;

	assert_non_null(mkdtemp(folder));
	dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(kmsg_open(&k, "/no/such/device", dir, "kmsg", &e), 0);
	assert_int_equal(kmsg_end(&k, &e), 0);
	assert_int_equal(file_read(dir, "kmsg", 1000, &t, &e), 0);
	assert_string_equal(text_str(&t), "# /no/such/device: No such file or directory\n");
	close(dir);
	assert_int_equal(dir_remove(folder, &e), 0);
}
