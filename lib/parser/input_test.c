/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <sys/wait.h>

#include "base/check.h"
#include "parser/input.h"

/* The lines of @bytes, each between bars; or the error. */
static void lines_are(const void *bytes, size_t size, const char *want)
{
	_input_ struct input *in = input_memory(bytes, size);
	_text_ struct text got = {};
	struct err e = {};
	size_t n;
	char *line;
	int r;

	while ((r = input_line(in, &line, &n, &e)) > 0) {
		assert_int_equal(strlen(line), n);
		text_printf(&got, "|%s|", line);
	}
	if (r < 0)
		text_printf(&got, "!%s", e.text);
	assert_string_equal(text_str(&got), want);
}

#define LINES(bytes, want) lines_are(bytes, sizeof(bytes) - 1, want)

TEST(lines_end_with_or_without_carriage_return)
{
	LINES("a\nb\r\n\nc", "|a||b||||c|");
	LINES("", "");
	LINES("\n", "||");
	LINES("a\rb\n", "|a\rb|");
}

TEST(nothing_behind_a_nul_is_lost_and_no_number_read_short)
{
	LINES("x: 12\0" "3\n", "|x: 12?3|");
}

static const unsigned char hello_gz[] =
	"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\xe7\x02\x00\x20\x30\x3a\x36"
	"\x06\x00\x00\x00";

TEST(gzip_is_read_by_its_first_bytes)
{
	lines_are(hello_gz, 26, "|hello|");
}

TEST(gzip_members_follow_each_other)
{
	unsigned char twice[52];

	memcpy(twice, hello_gz, 26);
	memcpy(twice + 26, hello_gz, 26);
	lines_are(twice, 52, "|hello||hello|");
}

TEST(compressed_data_that_ends_early_is_an_error)
{
	for (size_t n = 6; n < 26; n++) {
		_input_ struct input *in = input_memory(hello_gz, n);
		struct err e = {};
		size_t len;
		char *line;
		int r;

		while ((r = input_line(in, &line, &len, &e)) > 0)
			;
		assert_int_equal(r, -EBADMSG);
		assert_string_equal(e.text, "compressed data ends early");
	}
	LINES("\xfd" "7zXZ\0", "!compressed data ends early");
}

TEST(damaged_data_is_an_error)
{
	unsigned char bad[26];

	memcpy(bad, hello_gz, 26);
	bad[12] ^= 0x55;
	for (size_t i = 18; i < 26; i++)
		bad[i] = 0xee;
	{
		_input_ struct input *in = input_memory(bad, 26);
		struct err e = {};
		size_t len;
		char *line;
		int r;

		while ((r = input_line(in, &line, &len, &e)) > 0)
			;
		assert_int_equal(r, -EBADMSG);
		assert_non_null(strstr(e.text, "gzip data is damaged"));
	}
}

TEST(a_line_of_a_megabyte_is_a_line)
{
	size_t n = 1U << 20;
	_free_ char *bytes = mem_zero(n, 1);
	_input_ struct input *in = NULL;
	struct err e = {};
	size_t len;
	char *l;

	memset(bytes, 'a', n);
	bytes[n / 2] = '\n';
	in = input_memory(bytes, n);
	assert_int_equal(input_line(in, &l, &len, &e), 1);
	assert_int_equal(len, n / 2);
	assert_int_equal(input_line(in, &l, &len, &e), 1);
	assert_int_equal(len, n / 2 - 1);
	assert_int_equal(input_line(in, &l, &len, &e), 0);
}

TEST(a_line_without_end_is_refused_with_its_number)
{
	size_t n = INPUT_LINE_MAX + 10;
	_free_ char *bytes = mem_zero(n, 1);
	_input_ struct input *in = NULL;
	struct err e = {};
	size_t len;
	char *l;

	memset(bytes, 'a', n);
	bytes[0] = '\n';
	in = input_memory(bytes, n);
	assert_int_equal(input_line(in, &l, &len, &e), 1);
	assert_int_equal(input_line(in, &l, &len, &e), -EFBIG);
	assert_non_null(strstr(e.text, "line 2 is longer"));
}

TEST(a_pipe_gives_its_bytes_in_pieces)
{
	_input_ struct input *in = NULL;
	struct err e = {};
	int fd[2];
	size_t len;
	char *l;

	assert_int_equal(pipe(fd), 0);
	if (!fork()) {
		for (size_t i = 0; i < 26; i++)
			if (write(fd[1], hello_gz + i, 1) != 1)
				_exit(1);
		_exit(0);
	}
	close(fd[1]);
	in = input_fd(fd[0]);
	assert_int_equal(input_line(in, &l, &len, &e), 1);
	assert_string_equal(l, "hello");
	assert_int_equal(input_line(in, &l, &len, &e), 0);
	close(fd[0]);
	assert_true(wait(NULL) > 0);
}
