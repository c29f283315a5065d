/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>

#include "base/check.h"
#include "base/file.h"
#include "kernel/config.h"

static int parse(struct config *c, const char *text, struct err *e)
{
	return config_parse(c, text, strlen(text), "f", e);
}

TEST(a_later_line_wins)
{
	_config_ struct config c = {};
	_text_ struct text t = {};
	struct err e = {};

	assert_int_equal(parse(&c, "# about\n\nCONFIG_A=y\nCONFIG_B=\"x # y\"\n", &e), 0);
	assert_int_equal(parse(&c, "# CONFIG_A is not set\nCONFIG_C=8 # optional\n", &e), 0);
	config_print(&c, &t);
	assert_string_equal(text_str(&t),
			    "# CONFIG_A is not set\nCONFIG_B=\"x # y\"\nCONFIG_C=8\n");
}

TEST(what_is_no_option_is_refused_with_its_line)
{
	static const char *const bad[] = { "\nB=y", "\nCONFIG_A", "\nCONFIG_A=", "\nCONFIG-A=y" };

	for (size_t i = 0; i < COUNT(bad); i++) {
		_config_ struct config c = {};
		struct err e = {};

		assert_int_equal(parse(&c, bad[i], &e), -EINVAL);
		assert_string_equal(e.text, "f: line 2: not an option");
	}
}

TEST(what_did_not_take_is_named)
{
	_config_ struct config c = {};
	_free_ char *missing = NULL;
	struct err e = {};

	assert_int_equal(parse(&c, "CONFIG_A=y\nCONFIG_B=m\nCONFIG_C=n\nCONFIG_D=y # optional\n"
			       "# CONFIG_E is not set\n", &e), 0);
	assert_null(config_missing(&c, "CONFIG_A=y\nCONFIG_B=m\n# CONFIG_C is not set\n"));
	missing = config_missing(&c, "CONFIG_B=y\nCONFIG_E=y\n");
	assert_string_equal(missing, "CONFIG_A=y became n, CONFIG_B=m became y, CONFIG_E=n became y");
}

TEST(with_no_names_it_is_the_built_in_one)
{
	_config_ struct config c, own;
	struct err e = {};

	assert_int_equal(config_read(&c, NULL, 0, &e), 0);
	assert_string_equal(c.base_target, "tinyconfig");
	assert_true(c.n > 50);
	assert_int_equal(config_read(&own, (const char *const[]){ "defconfig", "vm" }, 2, &e), 0);
	assert_string_equal(own.base_target, "defconfig");
	assert_int_equal(own.n, c.n);
}

TEST(a_base_that_is_a_file)
{
	char path[] = "/tmp/krobot-config-XXXXXX";
	_close_ int fd = mkstemp(path);
	_config_ struct config c, bad;
	struct err e = {};

	assert_int_equal(write(fd, "CONFIG_A=y\n", 11), 11);
	assert_int_equal(config_read(&c, (const char *const[]){ path }, 1, &e), 0);
	assert_null(c.base_target);
	assert_string_equal(text_str(&c.base_text), "CONFIG_A=y\n");
	assert_int_equal(config_read(&bad, (const char *const[]){ "tinyconfig", "/no/file" }, 2, &e),
			 -ENOENT);
	unlink(path);
}
