/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON among other text: programs print messages before, between and after.
 */
#pragma once

#include <jansson.h>

#include "parser/parse.h"

/*
 * The next object of @text from *@at on, which moves behind it; other lines on
 * the way count as unknown.  1, 0 when there is no more, -errno if an object is
 * damaged or ends early.  A key that an object has twice is reported on stderr;
 * its last value counts.
 */
_must_check_ int json_next(struct parse *p, const struct text *text, size_t *at, json_t **out,
			   struct err *e);

/* As emit_float() or emit_number(), by the kind of @v; nothing if it is no number. */
void emit_json(struct parse *p, const json_t *v, const char *fmt, ...) _printf_(3, 4);

/* json_object_get() along a path of keys that ends in NULL. */
json_t *json_path(const json_t *j, ...) __attribute__((sentinel));

static inline void json_freep(json_t **j)
{
	json_decref(*j);
}
#define _json_ _cleanup_(json_freep)
