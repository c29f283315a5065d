/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "job/source.h"

/*
 * `key: {{ expression }}` is no YAML. Puts such values in quotes, in one line,
 * and keeps the number of lines.
 */
_must_check_ int braces_quote(struct source *s, struct err *e);
