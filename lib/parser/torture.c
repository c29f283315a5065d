/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "parser/torture.h"

static const struct {
	const char *word, *result;
} results[] = {
	{ "SUCCESS", "pass" }, { "FAILURE", "fail" }, { "RCU_HOTPLUG", "rcu_hotplug" },
	{ "LOCK_HOTPLUG", "lock_hotplug" },
};

static void put(struct parse *p, const char *result)
{
	struct torture *t = p->state;

	if (*t->type)
		emit_number(p, 1, "%s%s.%s", t->hotplug ? "cpuhotplug-" : "", t->type, result);
	*t->type = '\0';
}

int torture_line(struct parse *p, char *line, struct err *e)
{
	struct torture *t = p->state;
	struct span type, word, onoff, rest;
	double v;

	if (scan(line, "%*] %s-torture:--- Start of test: %s", &type, &rest)) {
		put(p, "unknown");
		if (type.n >= sizeof(t->type))
			return LINE_UNKNOWN;
		memcpy(t->type, type.p, type.n);
		t->type[type.n] = '\0';
		t->hotplug = scan(rest.p, "%* onoff_interval=%n %*", &onoff) &&
			span_number(onoff, &v) && v > 0;
		return LINE_KNOWN;
	}
	if (!scan(line, "%*] %s-torture:--- End of test: %w: %*", &type, &word))
		return LINE_UNKNOWN;
	for (size_t i = 0; i < COUNT(results); i++)
		if (span_is(word, results[i].word))
			put(p, results[i].result);
	return LINE_KNOWN;
}

int torture_end(struct parse *p, struct err *e)
{
	put(p, "unknown");
	return 0;
}
