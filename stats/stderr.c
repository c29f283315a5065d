/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a test wrote to stderr: each kind of line once, by a name without numbers. */
#include <string.h>

#include "parser/nameset.h"
#include "parser/oops.h"

struct state {
	struct errorid *ids;
	struct nameset seen;
	struct text id;
};

/* Lines that say nothing is wrong, or say it without telling what. */
static const char *const harmless[] = {
	"Error:",
	"Terminated",
	"Events disabled",
	"Events enabled",
	"perf_event_attr:",
	"%*mcelog: no process found",
	"Extracting templates from packages: %*",
	"/bin/dmesg | grep -i perf may provide additional information.",
	"[ perf record: %*",
	"[%*dumping %*",
	"Warning: Permanently added %*",
	"--%*--",
	"~~%*~~",
	"+ %*",
	"rmmod: ERROR: Module %* is in use",
};

/* The fields of perf's dump of an event: "  sample_freq      1000003" */
static bool is_attribute(const char *line)
{
	struct span name, value;

	if (strncmp(line, "  ", 2))
		return false;
	return scan(line, "%w %w", &name, &value) || scan(line, "{ %s } %w", &name, &value);
}

static bool is_harmless(const char *line)
{
	if (is_attribute(line))
		return true;
	for (size_t i = 0; i < COUNT(harmless); i++)
		if (scan(line, harmless[i]))
			return true;
	return false;
}

static int stderr_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;

	line_cut(line, OOPS_LINE_MAX);
	if (!line[strspn(line, " \t")] || is_harmless(line))
		return LINE_KNOWN;
	if (!s->ids)
		s->ids = errorid_new();
	errorid_plain(s->ids, line, &s->id);
	if (!s->id.len || s->id.len > 400)
		return LINE_UNKNOWN;
	if (!nameset_add(&s->seen, text_str(&s->id)))
		return LINE_KNOWN;
	emit_verbatim(p, "# %s\n", line);
	emit_number(p, 1, "%s", text_str(&s->id));
	emit_verbatim(p, "\n");
	return LINE_KNOWN;
}

static int stderr_end(struct parse *p, struct err *e)
{
	struct state *s = p->state;

	if (s->seen.n)
		emit_number(p, 1, "has_stderr");
	return 0;
}

static void stderr_release(void *state)
{
	struct state *s = state;

	errorid_free(s->ids);
	nameset_clear(&s->seen);
	text_release(&s->id);
}

PARSER(stderr) = {
	.name = "stderr", .state_size = sizeof(struct state), .line = stderr_line,
	.end = stderr_end, .release = stderr_release,
};
