/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "run/kmsg.h"

#define MESSAGE_MAX 8192	/* what the kernel promises to give at once */

static int put(struct kmsg *k, const char *s, size_t n, struct err *e)
{
	static const char full[] = "# more was said than is kept\n";

	if (k->kept > KMSG_MAX_BYTES)
		return 0;
	if (k->kept + n > KMSG_MAX_BYTES) {
		s = full;
		n = strlen(full);
		k->kept = KMSG_MAX_BYTES;
	}
	k->kept += n;
	while (n) {
		ssize_t w = write(k->file, s, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return err_sys(e, "writing the kernel's messages");
		s += w;
		n -= (size_t)w;
	}
	return 0;
}

int kmsg_open(struct kmsg *k, const char *device, int dir, const char *name, struct err *e)
{
	_text_ struct text why = {};

	*k = (struct kmsg)KMSG_NONE;
	k->file = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (k->file < 0)
		return err_sys(e, "%s", name);
	k->fd = open(device, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (k->fd >= 0 && lseek(k->fd, 0, SEEK_END) >= 0)
		return 0;
	text_printf(&why, "# %s: %s\n", device, strerror(errno));
	closep(&k->fd);
	k->fd = -1;
	return put(k, why.p, why.len, e);
}

bool kmsg_format(struct text *out, const char *message, size_t n)
{
	const char *text = memchr(message, ';', n), *end;
	_free_ char *head = NULL;
	uint64_t usecs;

	if (!text || text - message > 200)
		return false;
	head = text_format("%.*s", (int)(text - message), message);
	if (sscanf(head, "%*u,%*u,%" SCNu64, &usecs) != 1)
		return false;
	text++;
	end = memchr(text, '\n', n - (size_t)(text - message));
	text_printf(out, "[%5" PRIu64 ".%06" PRIu64 "] ", usecs / 1000000, usecs % 1000000);
	text_put(out, text, (size_t)((end ? end : message + n) - text));
	text_putc(out, '\n');
	return true;
}

int kmsg_take(struct kmsg *k, struct err *e)
{
	static const char lost[] = "# messages were lost here\n";
	char buf[MESSAGE_MAX];

	while (k->fd >= 0) {
		_text_ struct text line = {};
		ssize_t n = read(k->fd, buf, sizeof(buf));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EPIPE)	/* overwritten before it was read */
			text_puts(&line, lost);
		else if (n <= 0)
			return 0;
		else if (!kmsg_format(&line, buf, (size_t)n))
			continue;
		if (put(k, line.p, line.len, e) < 0)
			return -e->code;
	}
	return 0;
}

int kmsg_end(struct kmsg *k, struct err *e)
{
	if (kmsg_take(k, e) < 0)
		return -e->code;
	return fsync(k->file) < 0 ? err_sys(e, "writing the kernel's messages") : 0;
}

void kmsg_release(struct kmsg *k)
{
	closep(&k->fd);
	closep(&k->file);
	*k = (struct kmsg)KMSG_NONE;
}
