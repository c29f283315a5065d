/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "base/value.h"
#include "job/resolve.h"

enum as { AS_WRITTEN, AS_COUNT, AS_SECONDS };

/* LKP's names whose values its scripts want as plain numbers. */
static const struct {
	const char *key;
	enum as as;
} known[] = {
	{ "runtime", AS_SECONDS }, { "testtime", AS_SECONDS }, { "duration", AS_SECONDS },
	{ "period", AS_SECONDS }, { "idle_time", AS_SECONDS }, { "iterations", AS_COUNT },
	{ "loops", AS_COUNT }, { "samples", AS_COUNT },
};

static enum as as_what(const char *key, const char *kind)
{
	if (kind)	/* krobot's own tests read "300s" themselves */
		return !strcmp(kind, "count") ? AS_COUNT : AS_WRITTEN;
	if (text_starts(key, "nr_"))
		return AS_COUNT;
	for (size_t i = 0; i < COUNT(known); i++)
		if (!strcmp(known[i].key, key))
			return known[i].as;
	return AS_WRITTEN;
}

/* "32x", "16d", "256fpd": digits and a word that only says what they count. */
static size_t counted(const char *s)
{
	size_t n = strspn(s, "0123456789"), letters = 0;

	while (islower((unsigned char)s[n + letters]))
		letters++;
	return letters && !s[n + letters] ? n : 0;
}

const char *value_resolve(struct arena *a, const char *key, const char *kind, const char *value,
			  const struct job_host *host)
{
	enum as as = as_what(key, kind);
	bool size = kind && !strcmp(kind, "size");
	struct err none = {};
	uint64_t n;

	if (!value)
		return NULL;
	if (host && (as == AS_COUNT || size) && text_ends(value, "%") &&
	    value_percent(value, size ? host->memory : host->nr_cpu, &n, &none) == 0)
		return arena_format(a, "%llu", (unsigned long long)n);
	if (as == AS_SECONDS && value_time(value, &n, &none) == 0)
		return arena_format(a, "%llu", (unsigned long long)n);
	if (as == AS_COUNT && counted(value))
		return arena_text_n(a, value, counted(value));
	return value;
}
