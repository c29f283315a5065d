/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest may be anything by the time it speaks: every frame is checked
 * against what may come now.  The exit record is written under another name
 * until the folder is whole, as a folder with it counts as whole.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "run/result.h"
#include "target/qemu_parts.h"

#define HIDDEN_EXIT ".exit"

void qemu_intake_init(struct qemu_intake *t, const struct qemu_run *run, size_t n)
{
	*t = (struct qemu_intake){ .run = run, .n = n, .dir = -1, .file = -1 };
}

static int refuse(const struct frame *f, const char *why, struct err *e)
{
	return err_set(e, EBADMSG, "the guest sent '%c' (%zu bytes): %s",
		       f->type > ' ' && f->type < 0x7f ? (int)f->type : '?', f->n, why);
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int close_file(struct qemu_intake *t, struct err *e)
{
	int r = t->file >= 0 && fsync(t->file) < 0 ? err_sys(e, "a file from the guest") : 0;

	close_one(&t->file);
	return r;
}

static int take_hello(struct qemu_intake *t, const struct frame *f, struct err *e)
{
	if (t->hello)
		return refuse(f, "it said hello before", e);
	t->hello = true;
	return record_parse(&t->facts, f->bytes, f->n, "the guest's facts", e);
}

static int take_run(struct qemu_intake *t, const struct frame *f, struct err *e)
{
	_free_ char *expected = text_format("%u", t->ran);

	if (t->running || t->ran >= t->n || f->n != strlen(expected) ||
	    memcmp(f->bytes, expected, f->n) != 0)
		return refuse(f, "not the next plan", e);
	t->k = t->ran;
	t->dir = open(t->run[t->k].result, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t->dir < 0)
		return err_sys(e, "%s", t->run[t->k].result);
	t->running = t->started = true;
	t->taken = 0;
	return 0;
}

static int take_path(struct qemu_intake *t, const struct frame *f, struct err *e)
{
	_free_ char *path = text_format("%.*s", (int)f->n, f->bytes);

	if (!t->running || !frame_path_ok(f->bytes, f->n))
		return refuse(f, "not a path of a result", e);
	if (close_file(t, e) < 0)
		return -e->code;
	if (f->type == FRAME_FOLDER)
		return mkdirat(t->dir, path, 0755) < 0 && errno != EEXIST ?
		       err_sys(e, "%s/%s", t->run[t->k].result, path) : 0;
	t->file = openat(t->dir, strcmp(path, RESULT_EXIT) ? path : HIDDEN_EXIT,
			 O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
	return t->file < 0 ? err_sys(e, "%s/%s", t->run[t->k].result, path) : 0;
}

static int take_data(struct qemu_intake *t, const struct frame *f, struct err *e)
{
	t->taken += f->n;
	if (t->file < 0 || t->taken > QEMU_INTAKE_MAX_BYTES)
		return refuse(f, t->file < 0 ? "of no file" : "too much", e);
	if (write(t->file, f->bytes, f->n) != (ssize_t)f->n)
		return err_sys(e, "writing below %s", t->run[t->k].result);
	return 0;
}

/* "K", or "K error": then there is no exit record, or one that is not to be believed. */
static int take_ran(struct qemu_intake *t, const struct frame *f, struct err *e)
{
	_free_ char *said = text_format("%.*s", (int)f->n, f->bytes);
	_free_ char *whole = text_format("%u", t->k);

	if (!t->running || !text_starts(said, whole))
		return refuse(f, "not the plan that runs", e);
	if (close_file(t, e) < 0)
		return -e->code;
	t->running = false;
	if (strcmp(said, whole) != 0) {
		_text_ struct text seen = {};

		text_put_visible(&seen, said, strlen(said), true);
		free(t->trouble);
		t->trouble = text_format("plan %s", text_str(&seen));
		unlinkat(t->dir, HIDDEN_EXIT, 0);
	} else if (renameat(t->dir, HIDDEN_EXIT, t->dir, RESULT_EXIT) < 0 || fsync(t->dir) < 0) {
		err_sys(e, "%s: the exit record", t->run[t->k].result);
		close_one(&t->dir);
		return -e->code;
	}
	close_one(&t->dir);
	t->ran++;
	return 0;
}

static int take_trouble(struct qemu_intake *t, const struct frame *f)
{
	_text_ struct text seen = {};

	text_put_visible(&seen, f->bytes, f->n, true);
	free(t->trouble);
	t->trouble = text_steal(&seen);
	return 0;
}

static int take_end(struct qemu_intake *t, const struct frame *f, struct err *e)
{
	_free_ char *expected = text_format("%u", t->ran);

	if (t->running || t->ran != t->n || f->n != strlen(expected) ||
	    memcmp(f->bytes, expected, f->n) != 0)
		return refuse(f, "an end before all plans ran", e);
	t->end = true;
	return 0;
}

static int take(struct qemu_intake *t, const struct frame *f, struct err *e)
{
	if (t->end)
		return refuse(f, "after the end", e);
	if (!t->hello && f->type != FRAME_HELLO)
		return refuse(f, "before its hello", e);
	switch (f->type) {
	case FRAME_HELLO:
		return take_hello(t, f, e);
	case FRAME_RUN:
		return take_run(t, f, e);
	case FRAME_FOLDER:
	case FRAME_FILE:
		return take_path(t, f, e);
	case FRAME_DATA:
		return take_data(t, f, e);
	case FRAME_RAN:
		return take_ran(t, f, e);
	case FRAME_TROUBLE:
		return take_trouble(t, f);
	case FRAME_END:
		return take_end(t, f, e);
	}
	return refuse(f, "there is no such frame", e);
}

int qemu_intake_take(struct qemu_intake *t, const void *bytes, size_t n, struct err *e)
{
	size_t at = 0;
	int r = 0;

	text_put(&t->buffer, bytes, n);
	while (at < t->buffer.len && r == 0) {
		struct frame f;
		long used = frame_take(&f, t->buffer.p + at, t->buffer.len - at, e);

		if (used <= 0) {
			r = (int)used;
			break;
		}
		r = take(t, &f, e);
		at += (size_t)used;
	}
	if (at)
		memmove(t->buffer.p, t->buffer.p + at, t->buffer.len - at);
	t->buffer.len -= at;
	return r;
}

void qemu_intake_release(struct qemu_intake *t)
{
	if (t->running)
		unlinkat(t->dir, HIDDEN_EXIT, 0);
	closep(&t->dir);
	closep(&t->file);
	text_release(&t->buffer);
	record_release(&t->facts);
	free(t->trouble);
}
