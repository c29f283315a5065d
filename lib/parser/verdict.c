/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "parser/verdict.h"

void verdict_name(struct span s, struct text *out)
{
	size_t begin = out->len;
	bool gap = false;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if ((unsigned char)c <= ' ' || strchr("(),:;\"[]{}`|", c)) {
			gap = true;
			continue;
		}
		if (gap && out->len > begin)
			text_putc(out, '_');
		gap = false;
		text_putc(out, c);
	}
	while (out->len > begin && strchr("._", out->p[out->len - 1]))
		out->len--;
	if (out->p)
		out->p[out->len] = '\0';
}

void verdict_put(struct parse *p, struct verdicts *v, const char *name, const char *result)
{
	if (nameset_add(&v->seen, name))
		emit_number(p, 1, "%s.%s", name, result);
}

void verdicts_release(struct verdicts *v)
{
	nameset_clear(&v->seen);
}
