/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "run/sysfile.h"

#define FILE_MAX (64U << 20)

bool sysfile_read(int root, const char *path, struct text *out)
{
	size_t before = out->len;
	struct err ignored;

	if (file_read(root, path, FILE_MAX, out, &ignored) == 0)
		return true;
	if (out->p)
		out->p[before] = '\0';
	out->len = before;
	return false;
}

int64_t sysfile_number(int root, const char *path)
{
	_text_ struct text t = {};
	char *end;
	long long v;

	if (!sysfile_read(root, path, &t))
		return -1;
	v = strtoll(text_str(&t), &end, 10);
	return end == text_str(&t) || v < 0 ? -1 : v;
}

static bool is_there(int root, const char *path)
{
	return faccessat(root, path, R_OK, 0) == 0;
}

/* "policy12" for the stem "policy". */
static bool fits(const char *name, const char *stem)
{
	size_t n = strlen(stem);

	return !strncmp(name, stem, n) && isdigit((unsigned char)name[n]) &&
	       !name[n + strspn(name + n, "0123456789")];
}

void sysfile_each(int root, const char *pattern, void (*fn)(const char *path, void *arg),
		  void *arg)
{
	const char *star = strchr(pattern, '*');
	_free_ char *folder = NULL;
	_text_ struct text stem = {};
	struct dirent **list = NULL;
	int n;

	if (!star) {
		if (is_there(root, pattern))
			fn(pattern, arg);
		return;
	}
	text_put(&stem, pattern, (size_t)(star - pattern));
	folder = path_folder(text_str(&stem));
	n = scandirat(root, folder, &list, NULL, versionsort);
	for (int i = 0; i < n; i++) {
		_free_ char *path = text_format("%s/%s%s", folder, list[i]->d_name, star + 1);

		if (fits(list[i]->d_name, path_base(text_str(&stem))) && is_there(root, path))
			fn(path, arg);
		free(list[i]);
	}
	free(list);
}
