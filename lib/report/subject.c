/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "report/report.h"

const char *report_word(const struct report_row *row)
{
	bool up = row->change > 0;

	if (!row->better || (strcmp(row->better, "higher") && strcmp(row->better, "lower")))
		return "change";
	return up == !strcmp(row->better, "higher") ? "improvement" : "regression";
}

void report_put_change(struct text *out, const struct report_row *row)
{
	double percent = row->change * 100;

	if (row->absolute) {
		text_printf(out, "%+.4g", row->change);
		if (row->unit && *row->unit) {
			text_putc(out, ' ');
			text_put_visible(out, row->unit, strlen(row->unit), true);
		}
	} else if (fabs(percent) < 1) {
		text_printf(out, "%+.2f%%", percent);
	} else {
		text_printf(out, "%+.1f%%", percent);
	}
}

/* Where the name stands in a path: the N-th component, if a folder is that deep. */
static const struct { const char *start; int depth; } places[] = {
	{ "Documentation/", -1 }, { "MAINTAINERS", -1 }, { "tools/testing/", -1 },
	{ "include/", -1 }, { "samples/", -1 },
	{ "arch/", 1 }, { "drivers/", 1 }, { "fs/", 1 }, { "security/", 1 }, { "kernel/", 1 },
	{ "tools/", 1 },
};

/* The subsystem of one path; its length, 0 if it has none or says little. */
static size_t subsystem(const char *path, const char **name)
{
	int depth = 0;
	size_t n;

	for (size_t i = 0; i < COUNT(places); i++)
		if (text_starts(path, places[i].start))
			depth = places[i].depth;
	if (depth < 0)
		return 0;
	*name = path;
	n = strcspn(path, "/");
	if (depth && path[n] && strchr(path + n + 1, '/')) {
		*name = path + n + 1;
		n = strcspn(*name, "/");
	}
	return path[strcspn(path, "/")] ? n : 0;
}

/* Headers and documents, where there is nothing else: "include/linux/mm.h" is mm. */
static size_t weak_subsystem(const char *path, const char **name)
{
	static const char headers[] = "include/linux/";

	*name = path;
	if (text_starts(path, headers)) {
		*name = path + sizeof(headers) - 1;
		return strcspn(*name, "/.");
	}
	return strcspn(path, "/");
}

bool report_put_subsystem(struct text *out, const char *const *files, size_t n)
{
	const char *best = NULL, *name, *other;
	size_t best_len = 0, best_count = 0;

	for (int weak = 0; weak < 2 && !best; weak++) {
		size_t (*of)(const char *, const char **) = weak ? weak_subsystem : subsystem;

		for (size_t i = 0; i < n; i++) {
			size_t len = of(files[i], &name), count = 0;

			for (size_t k = 0; k < n && len; k++)
				count += of(files[k], &other) == len && !memcmp(name, other, len);
			if (count <= best_count)
				continue;
			best = name;
			best_len = len;
			best_count = count;
		}
	}
	if (best)
		text_put_visible(out, best, best_len, true);
	return best != NULL;
}

void report_put_subject(struct text *out, const struct report *r)
{
	_text_ struct text in = {};

	if (r->tree.name && r->tree.branch)
		text_printf(out, "[%s:%s] ", r->tree.name, r->tree.branch);
	else if (r->tree.name)
		text_printf(out, "[%s] ", r->tree.name);
	if (report_put_subsystem(&in, r->files, r->n_files))
		text_printf(out, "[%s] ", text_str(&in));
	text_printf(out, "%.10s: %s ", r->commit.id, r->headline.metric);
	report_put_change(out, &r->headline);
	text_printf(out, " %s", report_word(&r->headline));
}
