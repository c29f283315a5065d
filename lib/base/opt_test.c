/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdbool.h>
#include "base/check.h"
#include "base/opt.h"

static bool verbose;
static uint64_t runtime;
static const char *db;
static struct opt_list sets;

static const struct opt opts[] = {
	{ 'v', "verbose", OPT_FLAG, &verbose, NULL, "say more" },
	{ 0, "runtime", OPT_TIME, &runtime, "TIME", "how long" },
	{ 'd', "db", OPT_TEXT, &db, "FILE", "results" },
	{ 's', "set", OPT_LIST, &sets, "K", "some" },
	OPT_END
};

static int run(struct err *e, int argc, ...)
{
	char *argv[8] = { (char *)"x" };
	va_list ap;

	va_start(ap, argc);
	for (int i = 1; i <= argc; i++)
		argv[i] = va_arg(ap, char *);
	va_end(ap);
	verbose = false, runtime = 10, db = "def", sets.n = 0;
	return opt_parse(argc + 1, argv, opts, "x [OPTION]... FILE", e);
}

TEST(short_long_and_rest)
{
	struct err e = {};

	assert_int_equal(run(&e, 5, "-v", "--runtime=5m", "-d", "a.db", "rest"), 5);
	assert_true(verbose && runtime == 300);
	assert_string_equal(db, "a.db");
}

TEST(options_may_follow_and_repeat)
{
	struct err e = {};

	assert_int_equal(run(&e, 5, "a", "-s", "x", "b", "--set=y"), 4);
	assert_int_equal(sets.n, 2);
	assert_string_equal(sets.v[1], "y");
}

TEST(defaults_stay)
{
	struct err e = {};

	assert_int_equal(run(&e, 0), 1);
	assert_true(!verbose && runtime == 10);
}

TEST(complaints_name_the_option)
{
	struct err e = {};

	assert_int_equal(run(&e, 1, "--runtime=fast"), -EINVAL);
	assert_string_equal(e.text, "--runtime: 'fast' is not a time");
	assert_int_equal(run(&e, 1, "--nope"), -EINVAL);
	assert_string_equal(e.text, "unknown option --nope");
	assert_int_equal(run(&e, 1, "--db"), -EINVAL);
	assert_string_equal(e.text, "--db needs a value");
}
