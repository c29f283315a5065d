/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/swap.h>

#include "run/swap.h"
#include "run/sysfile.h"

#define PREFIX "swap:"

bool swap_is_name(const char *name)
{
	return text_starts(name, PREFIX) && strstr(name, ":/");
}

static const char *path_of(const char *name)
{
	return strstr(name, ":/") + 1;
}

static bool is_this_machine(int root)
{
	struct stat mine, given;

	return stat("/", &mine) == 0 && fstat(root, &given) == 0 &&
	       mine.st_dev == given.st_dev && mine.st_ino == given.st_ino;
}

/* The first line holds headings.  Blanks in paths stand there as \040: not taken. */
void swap_list(int root, struct text *names)
{
	_text_ struct text t = {};
	char *save = NULL, *line;

	if (!is_this_machine(root) || !sysfile_read(root, "proc/swaps", &t) || !t.len)
		return;
	for (line = strtok_r(t.p, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		_free_ char *path = NULL;
		int priority;

		if (sscanf(line, "%ms %*s %*s %*s %d", &path, &priority) == 2 && *path == '/' &&
		    !strchr(path, '\\'))
			text_printf(names, PREFIX "%d:%s\n", priority, path);
	}
}

bool swap_is_on(int root, const char *name)
{
	_free_ char *end = text_format(":%s\n", path_of(name));
	_text_ struct text names = {};

	swap_list(root, &names);
	return strstr(text_str(&names), end) != NULL;
}

int swap_set(int root, const char *name, bool on, struct err *e)
{
	int priority = atoi(name + strlen(PREFIX));
	int flags = priority < 0 ? 0 : SWAP_FLAG_PREFER | (priority & SWAP_FLAG_PRIO_MASK);
	const char *path = path_of(name);

	if (swap_is_on(root, name) == on)
		return 0;
	if (!is_this_machine(root))
		return err_set(e, ENOENT, "%s: not of this machine", name);
	if ((on ? swapon(path, flags) : swapoff(path)) < 0)
		return err_sys(e, "%s of %s", on ? "swapon" : "swapoff", path);
	return 0;
}
