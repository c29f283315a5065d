/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The little of ERB that LKP's include/ uses: lines `% if`, `% unless`,
 * `% elsif`, `% else`, `% end`, and `<%= expression %>`.
 */
#pragma once

#include "job/expr.h"

bool template_is(const char *text);

/* Keeps the number of lines, so that places in what comes out are the file's. */
_must_check_ int template_fill(struct arena *a, const char *text, const char *file,
			       const struct expr_scope *scope, struct text *out, struct err *e);
