/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Student's t distribution, @df > 0 degrees of freedom (any positive number). */
#pragma once

/* log P(T < @t). */
double student_log_below(double t, double df);

/* The t with P(T < t) = @p. */
double student_quantile(double p, double df);
