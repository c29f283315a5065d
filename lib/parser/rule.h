/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The simplest parser is a table: a template (parser/scan.h) and the names under
 * which what it took is printed.
 *
 *	static const struct rule rules[] = {
 *		{ "Elapsed Time %n (%n)", { "elapsed_time", "elapsed_time_stddev" } },
 *	};
 *
 * A name of NULL prints nothing for that capture.
 */
#pragma once

#include "parser/parse.h"

#define RULE_NAMES 4

struct rule {
	const char *template;
	const char *name[RULE_NAMES];
};

/* The first rule that matches prints; LINE_UNKNOWN if none does. */
int rules_apply(struct parse *p, const struct rule *rules, size_t n, const char *line);

#define RULES_APPLY(p, rules, line) rules_apply((p), (rules), COUNT(rules), (line))
