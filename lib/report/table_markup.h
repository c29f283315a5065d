/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of any origin in HTML, SVG and Markdown. */
#pragma once

#include "base/text.h"

/* As content or attribute of HTML and SVG: &lt; and so on, control characters visible. */
void markup_put(struct text *out, const char *s);

/* In a cell of a Markdown table: what has a meaning there gets a backslash. */
void markdown_put(struct text *out, const char *s);

/* As a field of CSV (RFC 4180), quoted where needed. */
void csv_put(struct text *out, const char *s);
