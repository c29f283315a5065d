/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a person should see while work goes on, on stderr.  Text of foreign
 * origin is made visible first (text_put_visible).  Errors are not logged:
 * they are returned (base/err.h).
 */
#pragma once

#include <stdbool.h>

#include "base/attr.h"

/* One line, whole even beside a progress line. */
void log_line(const char *fmt, ...) _printf_(1, 2);

/*
 * The progress line: rewritten in place if stderr is a terminal, else silent.
 * @k of @n things done; time left is estimated from those.
 */
void log_progress(const char *what, unsigned int k, unsigned int n);
void log_progress_end(void);

/* Colour, when @f is a terminal and NO_COLOR is unset. */
bool log_has_color(int fd);
