/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <sys/stat.h>

#include "base/check.h"
#include "base/file.h"
#include "target/target.h"

/* A stand-in for the agent: what crosses is argv in and status and stderr out. */
static void agent_make(const char *folder, const char *script)
{
	_free_ char *path = path_join(folder, "krobot-agent");
	struct err e = {};

	assert_int_equal(file_write(AT_FDCWD, path, script, strlen(script), &e), 0);
	assert_int_equal(chmod(path, 0755), 0);
}

static void plan_make(const char *path)
{
	static const char plan[] = "version 1\ntest t\nprogram /bin/true\n";
	struct err e = {};

	assert_int_equal(file_write(AT_FDCWD, path, plan, strlen(plan), &e), 0);
}

TEST(the_agent_gets_plan_result_and_state)
{
	char folder[] = "/tmp/target a-XXXXXX";
	_target_ struct target t = {};
	_free_ char *plan = NULL;
	_text_ struct text said = {};
	struct err e = {};

	assert_non_null(mkdtemp(folder));
	plan = path_join(folder, "plan");
	plan_make(plan);
	agent_make(folder, "#!/bin/sh\necho \"$#|$1|$2|$3|$4\" >> \"$(dirname \"$0\")/said\"\n");
	assert_int_equal(target_local(&t, folder, "/st ate", &e), 0);
	assert_int_equal(target_boot(&t, &e), 0);
	assert_int_equal(target_run(&t, plan, "/re;sult", &e), 0);
	free(steal(plan));
	plan = path_join(folder, "said");
	assert_int_equal(file_read(AT_FDCWD, plan, 4096, &said, &e), 0);
	assert_true(text_starts(text_str(&said), "2|sweep|/st ate||\n4|run|"));
	assert_non_null(strstr(text_str(&said), "/plan|/re;sult|/st ate\n"));
	assert_int_equal(dir_remove(folder, &e), 0);
}

TEST(a_failing_agent_is_quoted_and_a_sweep_follows)
{
	char folder[] = "/tmp/target-XXXXXX";
	_target_ struct target t = {};
	_free_ char *plan = NULL, *swept = NULL;
	struct err e = {};

	assert_non_null(mkdtemp(folder));
	plan = path_join(folder, "plan");
	swept = path_join(folder, "swept");
	plan_make(plan);
	agent_make(folder, "#!/bin/sh\n[ $1 = run ] || { touch \"$(dirname \"$0\")/swept\"; exit 0; }\n"
		   "echo 'disk is full' >&2; exit 128\n");
	assert_int_equal(target_local(&t, folder, folder, &e), 0);
	assert_true(target_run(&t, plan, folder, &e) < 0);
	assert_non_null(strstr(e.text, "disk is full"));
	assert_int_equal(access(swept, F_OK), 0);
	assert_int_equal(dir_remove(folder, &e), 0);
}

TEST(without_an_agent_there_is_no_target)
{
	_target_ struct target t = {};
	struct err e = {};

	assert_int_equal(target_local(&t, "/no/such/folder", "/tmp", &e), -ENOENT);
	assert_string_equal(e.text, "/no/such/folder/krobot-agent: No such file or directory");
}
