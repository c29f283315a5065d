/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parser/rule.h"

static size_t captures(const char *template)
{
	size_t n = 0;

	for (const char *t = template; *t; t++)
		if (*t == '%' && *++t != '%' && *t != '*')
			n++;
	return n;
}

int rules_apply(struct parse *p, const struct rule *rules, size_t n, const char *line)
{
	struct span got[SCAN_MAX];

	for (size_t i = 0; i < n; i++) {
		size_t n_got = captures(rules[i].template);

		if (!scan_spans(line, rules[i].template, got))
			continue;
		for (size_t k = 0; k < n_got && k < RULE_NAMES; k++)
			if (rules[i].name[k])
				emit_as(p, got[k], "%s", rules[i].name[k]);
		return LINE_KNOWN;
	}
	return LINE_UNKNOWN;
}
