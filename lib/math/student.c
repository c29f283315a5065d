/* SPDX-License-Identifier: GPL-2.0-or-later */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "math/student.h"

double student_log_below(double t, double df)
{
	return pt(t, df, 1, 1);
}

double student_quantile(double p, double df)
{
	return qt(p, df, 1, 0);
}
