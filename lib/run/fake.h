/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests: a folder that stands in for a machine's "/", with such files of
 * /proc and /sys as the test puts there.
 */
#pragma once

#include <fcntl.h>
#include <string.h>

#include "base/check.h"
#include "base/file.h"

struct fake {
	char path[40];
	int root;
};

static inline void fake_open(struct fake *f)
{
	/* In memory where that can be: some tests sync to disk hundreds of times. */
	strcpy(f->path, access("/dev/shm", W_OK) == 0 ? "/dev/shm/fake-XXXXXX" :
	       "/tmp/fake-XXXXXX");
	assert_non_null(mkdtemp(f->path));
	f->root = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(f->root >= 0);
}

static inline void fake_put(const struct fake *f, const char *path, const char *text)
{
	_free_ char *whole = path_join(f->path, path), *folder = path_folder(whole);
	struct err e = {};
	FILE *file;

	assert_int_equal(dir_make(folder, &e), 0);
	file = fopen(whole, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static inline void fake_close(struct fake *f)
{
	struct err e = {};

	close(f->root);
	assert_int_equal(dir_remove(f->path, &e), 0);
}
