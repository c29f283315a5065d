/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/record.h"
#include "run/ending.h"
#include "run/kmsg.h"
#include "run/sysfile.h"
#include "run/trouble.h"

#define STATUS_SKIP 77
#define REASON_MAX 300

static char *visible(const char *s, size_t n)
{
	_text_ struct text t = {};

	text_put_visible(&t, s, n < REASON_MAX ? n : REASON_MAX, true);
	return text_steal(&t);
}

/* What follows @mark at the start of a line; NULL if no line has it. */
static char *find_marked(const char *map, size_t n, const char *mark)
{
	const char *end = map + n;
	size_t len = strlen(mark);

	for (const char *p = map; (p = memmem(p, (size_t)(end - p), mark, len)); p++) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		if (p > map && p[-1] != '\n')
			continue;
		for (p += len; p < (nl ? nl : end) && *p == ' '; p++)
			;
		return visible(p, (size_t)((nl ? nl : end) - p));
	}
	return NULL;
}

static char *find_invalid(int dir)
{
	_close_ int fd = openat(dir, RESULT_STDOUT, O_RDONLY | O_CLOEXEC);
	off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	char *map, *found;

	if (size <= 0)
		return NULL;
	map = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return NULL;
	found = find_marked(map, (size_t)size, "krobot.invalid: 1");
	munmap(map, (size_t)size);
	return found;
}

/* The last line that says something; a shell's trace of itself does not. */
static char *last_line(int dir, const char *name)
{
	_close_ int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	char buf[4096];
	off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	off_t from = size > (off_t)sizeof(buf) ? size - (off_t)sizeof(buf) : 0;
	ssize_t n = fd < 0 ? 0 : pread(fd, buf, sizeof(buf), from);

	while (n > 0) {
		const char *nl = memrchr(buf, '\n', (size_t)n), *line = nl ? nl + 1 : buf;
		size_t len = (size_t)(buf + n - line);

		if (len && !(len > 2 && line[0] == '+' && line[1] == ' '))
			return visible(line, len);
		n = nl ? nl - buf : 0;
	}
	return NULL;
}

static void judge_status(const struct ending *end, struct result_exit *x)
{
	_free_ char *words = last_line(end->dir, RESULT_STDERR);

	if (!words)
		words = last_line(end->dir, RESULT_STDOUT);
	if (x->status == STATUS_SKIP) {
		x->state = RUN_SKIPPED;
		x->reason = words ? steal(words) : text_copy("it did not say why");
		return;
	}
	x->state = RUN_FAILED;
	if (x->signal != RESULT_ABSENT)
		x->reason = text_format("killed by signal %d (%s)", (int)x->signal,
					strsignal((int)x->signal));
	else
		x->reason = text_format("exit status %d%s%s", (int)x->status, words ? ": " : "",
					words ? words : "");
}

void ending_judge(const struct ending *end, struct result_exit *x)
{
	_free_ char *invalid = NULL;

	if (!end->started)
		return;
	if (WIFSIGNALED(end->status))
		x->signal = (uint64_t)WTERMSIG(end->status);
	else
		x->status = (uint64_t)WEXITSTATUS(end->status);
	invalid = find_invalid(end->dir);
	if (end->timed_out) {
		x->state = RUN_TIMEOUT;
		x->reason = text_format("not done after %" PRIu64 " s", end->plan->deadline_secs);
	} else if (end->cut) {
		x->state = RUN_FAILED;
		x->reason = text_format("more than %" PRIu64 " bytes on %s",
					end->plan->out_max_bytes, end->cut);
	} else if (invalid) {
		x->state = RUN_INVALID;
		x->reason = steal(invalid);
	} else if (end->status != 0) {
		judge_status(end, x);
	} else {
		x->state = RUN_OK;
	}
}

uint64_t ending_taint(int root)
{
	int64_t bits = sysfile_number(root, "proc/sys/kernel/tainted");

	return bits < 0 ? 0 : (uint64_t)bits;
}

static void change_state(struct result_exit *x, const char *text, enum trouble_effect effect)
{
	_free_ char *said = visible(text, strlen(text)), *before = steal(x->reason);

	if (x->state == RUN_OK || (x->state != RUN_TIMEOUT && effect == TROUBLE_FAILED))
		x->state = effect == TROUBLE_FAILED ? RUN_FAILED : RUN_INVALID;
	x->reason = text_format("%s%sthe kernel: %s", before ? before : "", before ? "; " : "", said);
}

int ending_add_trouble(struct result_exit *x, int dir, int root, uint64_t taint, struct err *e)
{
	_record_ struct record found = {};
	_text_ struct text log = {};
	enum trouble_effect worst;
	uint64_t now = ending_taint(root);
	const char *text;

	if (file_read(dir, RESULT_KMSG, KMSG_MAX_BYTES + 4096, &log, e) < 0)
		return -e->code;
	text = trouble_scan(text_str(&log), log.len, &found, &worst);
	if (text && worst != TROUBLE_NOTE)
		change_state(x, text, worst);
	if (now != taint)
		record_addf(&found, "taint", "%" PRIu64 " -> %" PRIu64, taint, now);
	return found.n ? record_write(&found, dir, RESULT_TROUBLE, e) : 0;
}
