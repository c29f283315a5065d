/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One mode or two?  Two normal distributions of the same spread, fitted by
 * expectation and maximisation (Dempster, Laird and Rubin 1977), against one, by
 * the Bayesian information criterion (Schwarz 1978).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define MODES_FEWEST	20	/* values below which two are never seen */

struct modes {
	bool two;
	double bic;		/* one's less two's; two is true from 10 on */
	double low, high;	/* where they lie; both the mean if there is one */
	double share_high;	/* of the values; 0 if there is one */
	double spread;		/* within a mode */
};

struct modes modes_find(const double *v, size_t n);
