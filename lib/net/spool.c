/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "net/spool.h"

#define NAME_BYTES 180

/* The id as a file's name: no slash, no colon (flags stand behind one), no dot in front. */
static char *file_name(const char *message_id)
{
	struct text name = {};
	uint64_t hash = 0xcbf29ce484222325u;	/* FNV-1a: ids that look alike now */

	for (const char *p = message_id; *p; p++) {
		hash = (hash ^ (unsigned char)*p) * 0x100000001b3u;
		if (name.len < NAME_BYTES)
			text_putc(&name, isalnum((unsigned char)*p) || strchr("-_@+", *p) ||
				  (*p == '.' && name.len) ? *p : '_');
	}
	if (!name.len)
		text_putc(&name, '_');
	text_printf(&name, ".%08x", (unsigned int)(hash ^ hash >> 32));
	return text_steal(&name);
}

/* In this folder, with flags or without? */
static int holds(const char *dir, const char *name, struct err *e)
{
	size_t n = strlen(name);
	struct dirent *entry;
	DIR *d = opendir(dir);
	int found = 0;

	if (!d)
		return err_sys(e, "%s", dir);
	while (!found && (entry = readdir(d)))
		found = !strncmp(entry->d_name, name, n) &&
			(!entry->d_name[n] || entry->d_name[n] == ':');
	closedir(d);
	return found;
}

static int sync_folder(const char *dir, struct err *e)
{
	_close_ int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 || fsync(fd) < 0 ? err_sys(e, "%s", dir) : 0;
}

int spool_put(const char *maildir, const char *message_id, const char *content, struct err *e)
{
	_free_ char *name = file_name(message_id), *tmp = path_join(maildir, "tmp");
	_free_ char *new = path_join(maildir, "new"), *cur = path_join(maildir, "cur");
	_free_ char *from = path_join(tmp, name), *to = path_join(new, name);
	int ret;

	if (dir_make(tmp, e) < 0 || dir_make(new, e) < 0 || dir_make(cur, e) < 0)
		return -e->code;
	ret = holds(new, name, e);
	if (!ret)
		ret = holds(cur, name, e);
	if (ret)
		return ret;
	if (file_write(AT_FDCWD, from, content, strlen(content), e) < 0)
		return -e->code;
	if (rename(from, to) < 0)
		return err_sys(e, "%s", to);
	return sync_folder(new, e);
}
