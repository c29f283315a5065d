/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/check.h"
#include "base/file.h"
#include "net/spool.h"

/* Files in the folder; the last one's name. */
static size_t files(const char *box, const char *folder, char name[300])
{
	_free_ char *path = path_join(box, folder);
	DIR *d = opendir(path);
	struct dirent *entry;
	size_t n = 0;

	assert_non_null(d);
	while ((entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		n++;
		snprintf(name, 300, "%s/%s", path, entry->d_name);
	}
	closedir(d);
	return n;
}

TEST(a_mail_lies_there_once)
{
	char dir[] = "/tmp/krobot-spool-XXXXXX", name[300], moved[400];
	_text_ struct text got = {};
	_free_ char *box = NULL;
	struct err e = {};

	assert_non_null(mkdtemp(dir));
	box = path_join(dir, "a/box");
	assert_int_equal(spool_put(box, "1.2@host", "Subject: x\n\ny\n", &e), 0);
	assert_int_equal(spool_put(box, "1.2@host", "Subject: x\n\ny\n", &e), 1);
	assert_int_equal(files(box, "new", name), 1);
	assert_int_equal(file_read(AT_FDCWD, name, 1000, &got, &e), 0);
	assert_string_equal(text_str(&got), "Subject: x\n\ny\n");
	/* Read by a mail program, which moved and renamed it. */
	snprintf(moved, sizeof(moved), "%s/cur/%s:2,S", box, path_base(name));
	assert_int_equal(rename(name, moved), 0);
	assert_int_equal(spool_put(box, "1.2@host", "Subject: x\n\ny\n", &e), 1);
	assert_int_equal(files(box, "new", name), 0);
	assert_int_equal(files(box, "tmp", name), 0);
	assert_int_equal(dir_remove(dir, &e), 0);
}

TEST(an_odd_id_stays_in_the_folder)
{
	static const char *const ids[] = {
		"../../x@h", "/etc/passwd", "a:2,S@h", ".", "", "a/b", "a_b",
	};
	char dir[] = "/tmp/krobot-spool-XXXXXX", name[300];
	_free_ char *longest = mem_zero(2000, 1);
	struct err e = {};

	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < COUNT(ids); i++)
		assert_int_equal(spool_put(dir, ids[i], "x", &e), 0);
	memset(longest, 'a', 1999);
	assert_int_equal(spool_put(dir, longest, "x", &e), 0);
	assert_int_equal(files(dir, "new", name), COUNT(ids) + 1);
	assert_int_equal(files(dir, "tmp", name), 0);
	assert_int_equal(dir_remove(dir, &e), 0);
}

TEST(no_folder_is_an_error)
{
	struct err e = {};

	assert_true(spool_put("/proc/none", "1@h", "x", &e) < 0);
	assert_non_null(strstr(e.text, "/proc/none"));
}
