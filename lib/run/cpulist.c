/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "run/cpulist.h"

void cpulist_add(struct cpulist *l, unsigned int cpu)
{
	l->bits[cpu / 64] |= 1ULL << cpu % 64;
}

bool cpulist_has(const struct cpulist *l, unsigned int cpu)
{
	return cpu < CPULIST_MAX && l->bits[cpu / 64] >> cpu % 64 & 1;
}

unsigned int cpulist_count(const struct cpulist *l)
{
	unsigned int n = 0;

	for (size_t i = 0; i < CPULIST_MAX / 64; i++)
		n += (unsigned int)__builtin_popcountll(l->bits[i]);
	return n;
}

unsigned int cpulist_next(const struct cpulist *l, unsigned int from)
{
	for (; from < CPULIST_MAX; from = (from / 64 + 1) * 64) {
		uint64_t rest = l->bits[from / 64] >> from % 64;

		if (rest)
			return from + (unsigned int)__builtin_ctzll(rest);
	}
	return CPULIST_MAX;
}

static bool number(const char **p, unsigned int *out)
{
	char *end;
	unsigned long v;

	if (**p < '0' || **p > '9')
		return false;
	v = strtoul(*p, &end, 10);
	*p = end;
	*out = (unsigned int)v;
	return v < CPULIST_MAX;
}

bool cpulist_parse(struct cpulist *l, const char *text)
{
	const char *p = text;
	unsigned int first, last;

	while (*p && *p != '\n') {
		if (!number(&p, &first))
			return false;
		last = first;
		if (*p == '-' && (p++, !number(&p, &last) || last < first))
			return false;
		for (; first <= last; first++)
			cpulist_add(l, first);
		if (*p == ',' && p[1] >= '0' && p[1] <= '9')
			p++;
		else if (*p && *p != '\n')
			return false;
	}
	return true;
}

void cpulist_print(const struct cpulist *l, struct text *out)
{
	const char *comma = "";

	cpulist_each(cpu, l) {
		unsigned int last = cpu;

		while (cpulist_has(l, last + 1))
			last++;
		text_printf(out, last > cpu ? "%s%u-%u" : "%s%u", comma, cpu, last);
		comma = ",";
		cpu = last;
	}
}
