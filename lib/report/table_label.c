/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Labels cut to a width such that what differs still does. */
#include <stdlib.h>
#include <string.h>

#include "report/table.h"

/* How a label is cut; tried in this order until all are different. */
enum cut { CUT_END, CUT_START, CUT_MIDDLE, CUT_NUMBER, CUTS };

/*
 * The start of the next whole character, for text that is valid UTF-8. Columns are
 * counted in bytes: a label with wide letters comes out narrower, never wider.
 */
static size_t char_start(const char *s, size_t i)
{
	while (i && ((unsigned char)s[i] & 0xc0) == 0x80)
		i--;
	return i;
}

static char *label_cut(const char *s, size_t width, enum cut how, size_t i)
{
	size_t len = strlen(s), head, tail;

	if (len <= width && how != CUT_NUMBER)
		return text_copy(s);
	switch (how) {
	case CUT_END:
		return text_format("%.*s..", (int)char_start(s, width - 2), s);
	case CUT_START:
		return text_format("..%s", s + char_start(s, len - (width - 2)));
	case CUT_MIDDLE:
		head = char_start(s, (width - 2) / 2);
		tail = char_start(s, len - (width - 2 - (width - 2) / 2));
		return text_format("%.*s..%s", (int)head, s, s + tail);
	default:
		head = char_start(s, len < width - 5 ? len : width - 5);
		return text_format("%.*s~%zu", (int)head, s, i + 1);
	}
}

static bool collide(char **cut, char **whole, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			if (!strcmp(cut[i], cut[j]) && strcmp(whole[i], whole[j]))
				return true;
	return false;
}

char **table_cut_labels(const char *const *label, size_t n, size_t width)
{
	char **whole = mem_zero(n, sizeof(*whole)), **cut = mem_zero(n, sizeof(*cut));

	for (size_t i = 0; i < n; i++) {
		_text_ struct text t = {};

		text_put_visible(&t, label[i], strlen(label[i]), true);
		whole[i] = text_steal(&t);
	}
	for (enum cut how = CUT_END; how < CUTS; how++) {
		for (size_t i = 0; i < n; i++) {
			free(cut[i]);
			cut[i] = label_cut(whole[i], width, how, i);
		}
		if (!collide(cut, whole, n))
			break;
	}
	for (size_t i = 0; i < n; i++)
		free(whole[i]);
	free(whole);
	return cut;
}
