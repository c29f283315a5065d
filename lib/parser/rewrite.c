/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <string.h>

#include "parser/rewrite.h"

bool lazy_match(struct lazy_regex *r, const char *s, size_t from, regmatch_t m[REWRITE_GROUPS])
{
	if (!r->ready) {
		int bad = regcomp(&r->re, r->pattern, REG_EXTENDED);

		assert(!bad);
		r->ready = true;
	}
	m[0] = (regmatch_t){ (regoff_t)from, (regoff_t)strlen(s) };
	return !regexec(&r->re, s, REWRITE_GROUPS, m, REG_STARTEND | (from ? REG_NOTBOL : 0));
}

void lazy_free(struct lazy_regex *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (r[i].ready)
			regfree(&r[i].re);
}

static void put_replacement(struct text *out, const char *s, const char *with, const regmatch_t *m)
{
	for (const char *w = with; *w; w++) {
		const regmatch_t *g;

		if (*w != '\\' || w[1] < '1' || w[1] > '3') {
			text_putc(out, *w);
			continue;
		}
		g = &m[*++w - '0'];
		if (g->rm_so >= 0)
			text_put(out, s + g->rm_so, (size_t)(g->rm_eo - g->rm_so));
	}
}

void text_rewrite(struct text *t, struct lazy_regex *r, const char *with, bool all)
{
	regmatch_t m[REWRITE_GROUPS];
	struct text out = {};
	size_t at = 0;

	while (at < t->len && lazy_match(r, text_str(t), at, m)) {
		text_put(&out, t->p + at, (size_t)m[0].rm_so - at);
		put_replacement(&out, t->p, with, m);
		if (m[0].rm_eo == m[0].rm_so) {
			if ((size_t)m[0].rm_eo < t->len)
				text_putc(&out, t->p[m[0].rm_eo]);
			m[0].rm_eo++;
		}
		at = (size_t)m[0].rm_eo;
		if (!all)
			break;
	}
	if (!at && !out.len)
		return;
	if (at < t->len)
		text_put(&out, t->p + at, t->len - at);
	text_release(t);
	*t = out;
}
