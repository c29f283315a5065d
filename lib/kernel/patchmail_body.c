/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "kernel/patchmail_body.h"
#include "kernel/patchmail_mime.h"

static bool begins(const char *p, size_t n, const char *with)
{
	size_t len = strlen(with);

	return n >= len && !memcmp(p, with, len);
}

bool patch_is_magic_from(const char *p, size_t n)
{
	if (!begins(p, n, "From ") || n < 46 || p[45] != ' ')
		return false;
	for (size_t i = 5; i < 45; i++)
		if (!strchr("0123456789abcdef", p[i]) || !p[i])
			return false;
	return true;
}

/* Dashes and spaces around 8< or >8, with little other text ("cut here"). */
static bool is_scissors(const char *p, size_t n)
{
	size_t dashes = 0, other = 0;
	bool mark = false;

	for (size_t i = 0; i < n; i++) {
		if (i + 1 < n && ((p[i] == '8' && p[i + 1] == '<') || (p[i] == '>' && p[i + 1] == '8'))) {
			mark = true;
			i++;
		} else if (p[i] == '-') {
			dashes++;
		} else if (!strchr(" \t\r\n", p[i])) {
			other++;
		}
	}
	return mark && dashes >= 2 && 2 * other <= dashes + 2 && n < 200 && *p != '>' && *p != '+';
}

static bool is_diff_start(const char *p, size_t n, const char *end)
{
	if (begins(p, n, "diff --git "))
		return true;
	return (begins(p, n, "--- a/") || begins(p, n, "--- /dev/null")) &&
	       begins(p + n, (size_t)(end - p) - n, "+++ ");
}

static const char *diff_start(const char *p, const char *end)
{
	for (size_t len; p < end; p += len) {
		len = mime_line(p, end);
		if (is_diff_start(p, len, end))
			return p;
	}
	return NULL;
}

/* "@@ -3,7 +3,8 @@": the lines that follow; false if it is none. */
static bool hunk_counts(const char *p, size_t n, unsigned long count[2])
{
	char line[80], *at = line;

	if (!begins(p, n, "@@ -"))
		return false;
	memset(line, 0, sizeof(line));
	memcpy(line, p, n < sizeof(line) ? n : sizeof(line) - 1);
	for (int i = 0; i < 2; i++) {
		at = strchr(at, i ? '+' : '-');
		if (!at)
			return false;
		strtoul(at + 1, &at, 10);
		count[i] = 1;
		if (*at == ',')
			count[i] = strtoul(at + 1, &at, 10);
	}
	return true;
}

/* In a hunk the first character says what a line is, whatever follows. */
static void hunk_take(char kind, unsigned long count[2])
{
	if (kind != '+' && kind != '\\' && count[0])
		count[0]--;
	if (kind != '-' && kind != '\\' && count[1])
		count[1]--;
}

/*
 * A "-- " within a hunk removes a line "- "; outside it begins a signature.  Scissors
 * too end the diff there.
 */
static const char *diff_end(const char *p, const char *end)
{
	unsigned long count[2] = { 0, 0 };

	for (size_t len; p < end; p += len) {
		len = mime_line(p, end);
		if (count[0] || count[1])
			hunk_take(*p, count);
		else if (!hunk_counts(p, len, count) &&
			 (begins(p, len, "-- \n") || begins(p, len, "-- \r\n") ||
			  (len == 3 && begins(p, len, "-- ")) || is_scissors(p, len)))
			return p;
	}
	return end;
}

/* After the last scissors line before @end, or the first; NULL if there is none. */
static const char *after_scissors(const char *p, const char *end, bool first)
{
	const char *found = NULL;

	for (size_t len; p < end && !(first && found); p += len) {
		len = mime_line(p, end);
		if (is_scissors(p, len))
			found = p + len;
	}
	return found;
}

/* Empty lines, then a line as git format-patch begins with. */
static const char *skip_magic_from(const char *p, const char *diff)
{
	const char *q = p;

	while (q < diff && (*q == '\n' || *q == '\r'))
		q++;
	return patch_is_magic_from(q, (size_t)(diff - q)) ? q + mime_line(q, diff) : p;
}

bool patch_find(const char *text, size_t n, bool chat, struct patch_place *out)
{
	const char *end = text + n, *diff = diff_start(text, end), *message = text;
	const char *cut = diff ? after_scissors(text, diff, false) : NULL;
	const char *late = diff && !cut ? after_scissors(diff_end(diff, end), end, true) : NULL;

	/* A diff in the conversation, then a scissors line and the one that is meant. */
	if (late && diff_start(late, end)) {
		diff = diff_start(late, end);
		cut = after_scissors(late, diff, false);
		cut = cut ? cut : late;
	}
	if (!diff)
		return false;
	if (cut)
		message = cut;
	else if (chat)
		message = diff;
	*out = (struct patch_place){
		.message = (size_t)(skip_magic_from(message, diff) - text),
		.diff = (size_t)(diff - text), .end = (size_t)(diff_end(diff, end) - text),
		.scissors = cut,
	};
	return true;
}
