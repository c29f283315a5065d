/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "parser/percpu.h"

bool percpu_header(struct percpu *t, const char *line)
{
	const char *s = line + strspn(line, " \t");

	if (strncmp(s, "CPU", 3) || s[3] < '0' || s[3] > '9')
		return false;
	percpu_release(t);
	for (; !strncmp(s, "CPU", 3); s += strspn(s, " \t")) {
		unsigned int cpu = (unsigned int)strtoul(s + 3, NULL, 10);

		GROW(t->cpu, t->n);
		t->cpu[t->n++] = cpu;
		s += strcspn(s, " \t");
	}
	return true;
}

/* The next word if it is a number. */
static bool number_next(const char **s, struct span *out)
{
	const char *p = *s + strspn(*s, " \t");
	size_t n = strspn(p, "0123456789");

	if (!n || (p[n] && p[n] != ' ' && p[n] != '\t'))
		return false;
	*out = (struct span){ p, n };
	*s = p + n;
	return true;
}

const char *percpu_skip(const struct percpu *t, const char *rest)
{
	struct span v;
	size_t n = 0;

	while (n < t->n && number_next(&rest, &v))
		n++;
	return n ? rest : NULL;
}

const char *percpu_row(struct parse *p, const struct percpu *t, const char *rest, const char *name)
{
	uint64_t sum = 0, w;
	struct span v;
	size_t n = 0;

	for (; n < t->n && number_next(&rest, &v); n++) {
		if (p->lkp || t->n <= PERCPU_MAX)
			emit_as(p, v, "CPU%u.%s", t->cpu[n], name);
		if (span_u64(v, &w))
			sum += w;
	}
	/* One number alone may be a total without CPUs ("ERR: 0"). */
	if (n) {
		_free_ char *total = text_format("%llu", (unsigned long long)sum);

		emit_as(p, span_of(total), "%s", name);
	}
	return n ? rest : NULL;
}

void percpu_release(struct percpu *t)
{
	free(t->cpu);
	*t = (struct percpu){};
}
