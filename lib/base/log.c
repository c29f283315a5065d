/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"

static struct {
	bool shown;
	char what[64];
	unsigned int first;
	uint64_t since_ns;
} progress;

static void wipe(void)
{
	if (progress.shown)
		fputs("\r\033[K", stderr);
	progress.shown = false;
}

void log_line(const char *fmt, ...)
{
	_text_ struct text t = {};
	va_list ap;

	va_start(ap, fmt);
	text_vprintf(&t, fmt, ap);
	va_end(ap);
	text_putc(&t, '\n');
	wipe();
	fputs(text_str(&t), stderr);
}

void log_progress(const char *what, unsigned int k, unsigned int n)
{
	uint64_t now = clock_mono_ns();
	unsigned int done, left = 0;

	if (!isatty(STDERR_FILENO))
		return;
	if (!progress.since_ns) {
		progress.since_ns = now;
		progress.first = k;
	}
	snprintf(progress.what, sizeof(progress.what), "%s", what);
	done = k - progress.first;
	if (done)
		left = (unsigned int)((double)(now - progress.since_ns) / 1e9 / done * (n - k));
	fprintf(stderr, "\r\033[K%s: %u of %u", progress.what, k, n);
	if (done && k < n)
		fprintf(stderr, ", %u:%02u left", left / 60, left % 60);
	fflush(stderr);
	progress.shown = true;
}

void log_progress_end(void)
{
	wipe();
	progress.since_ns = 0;
}

bool log_has_color(int fd)
{
	const char *no = getenv("NO_COLOR");

	return isatty(fd) && !(no && *no);
}
