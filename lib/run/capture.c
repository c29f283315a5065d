/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>

#include "run/capture.h"

#define STEPS 16

int capture_open(struct capture *c, int from, int dir, const char *name, uint64_t max,
		 struct err *e)
{
	*c = (struct capture){ .from = from, .name = name, .max = max };
	c->file = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	return c->file < 0 ? err_sys(e, "%s", name) : 0;
}

static int keep(struct capture *c, const char *p, size_t n, struct err *e)
{
	if (n > c->max - c->kept) {
		n = (size_t)(c->max - c->kept);
		c->cut = true;
	}
	while (n) {
		ssize_t w = write(c->file, p, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return err_sys(e, "writing %s", c->name);
		p += w;
		n -= (size_t)w;
		c->kept += (uint64_t)w;
	}
	return 0;
}

/* 1 when bytes came, 0 when none are there. */
static int step(struct capture *c, struct err *e)
{
	char buf[65536];
	ssize_t n = read(c->from, buf, sizeof(buf));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return errno == EINTR;
	if (n < 0)
		return err_sys(e, "reading %s", c->name);
	if (!n) {
		close(c->from);
		c->from = -1;
		return 0;
	}
	return keep(c, buf, (size_t)n, e) < 0 ? -e->code : 1;
}

int capture_take(struct capture *c, struct err *e)
{
	int more = 1;

	for (int i = 0; i < STEPS && more > 0 && c->from >= 0; i++)
		more = step(c, e);
	return more < 0 ? more : 0;
}

int capture_end(struct capture *c, struct err *e)
{
	int more = 1;

	while (more > 0 && c->from >= 0 && !c->cut)
		more = step(c, e);
	if (more < 0)
		return more;
	return fsync(c->file) < 0 ? err_sys(e, "writing %s", c->name) : 0;
}

void capture_release(struct capture *c)
{
	closep(&c->from);
	closep(&c->file);
	*c = (struct capture)CAPTURE_NONE;
}
