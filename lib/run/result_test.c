/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>

#include "base/check.h"
#include "base/file.h"
#include "base/text.h"
#include "run/result.h"

static int folder_open(char *folder)
{
	assert_non_null(mkdtemp(folder));
	return open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

TEST(an_exit_record_comes_back)
{
	char folder[] = "/tmp/result-XXXXXX";
	_close_ int dir = folder_open(folder);
	_result_exit_ struct result_exit a, b;
	struct err e = {};

	result_exit_init(&a);
	result_exit_init(&b);
	a.state = RUN_FAILED;
	a.reason = text_copy("exit status 3");
	a.status = 3;
	a.wall_ns = 0;
	assert_false(result_is_complete(folder));
	assert_int_equal(result_exit_write(&a, dir, &e), 0);
	assert_true(result_is_complete(folder));
	assert_int_equal(result_exit_read(&b, dir, &e), 0);
	assert_int_equal(dir_remove(folder, &e), 0);
	assert_int_equal(b.state, RUN_FAILED);
	assert_string_equal(b.reason, "exit status 3");
	assert_int_equal(b.status, 3);
	assert_int_equal(b.wall_ns, 0);
	assert_true(b.signal == RESULT_ABSENT);
	assert_true(b.steal_ns == RESULT_ABSENT);
}

TEST(no_exit_record_is_a_lost_run)
{
	char folder[] = "/tmp/result-XXXXXX";
	_close_ int dir = folder_open(folder);
	_result_exit_ struct result_exit x;
	struct err e = {};

	assert_int_equal(result_exit_read(&x, dir, &e), 0);
	assert_int_equal(x.state, RUN_LOST);
	assert_int_equal(rmdir(folder), 0);
}

TEST(a_broken_exit_record_is_an_error)
{
	static const char *const texts[] = { "", "state lost\n", "state good\n", "status 0\n",
					     "state ok\nwall_ns x\n", "state\n" };

	for (size_t i = 0; i < COUNT(texts); i++) {
		char folder[] = "/tmp/result-XXXXXX";
		_close_ int dir = folder_open(folder);
		_result_exit_ struct result_exit x;
		struct err e = {};

		assert_int_equal(file_write(dir, "exit", texts[i], strlen(texts[i]), &e), 0);
		assert_true(result_exit_read(&x, dir, &e) < 0);
		assert_int_equal(dir_remove(folder, &e), 0);
	}
}

TEST(every_state_has_a_name_of_its_own)
{
	for (int s = 0; s < RUN_STATES; s++)
		assert_int_equal(run_state_parse(run_state_name(s)), s);
	assert_int_equal(run_state_parse("fine"), RUN_STATES);
}
