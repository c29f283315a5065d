/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From runs to units of repetition: what enters a comparison as one value.
 * A boot's runs are averaged, its first ones left out as warm-up.
 */
#pragma once

#include "judge/verdict.h"

struct unit {
	double value;		/* mean of the runs used */
	double squares;		/* squared differences of the runs from it */
	unsigned int runs;
	uint32_t boot;
	int64_t order;		/* of its first run used */
	bool b;			/* the side */
};

struct units {
	enum verdict_unit kind;
	struct unit *v;		/* in order of time */
	size_t n, n_a, n_b;
	unsigned int boots_a, boots_b;
};

/*
 * @warmup runs are left out of each boot and side that has more.  With UNIT_AUTO
 * the boots that the sides have say what the comparison is of.
 */
void units_make(struct units *u, const struct verdict_case *c, enum verdict_unit kind,
		unsigned int warmup);
void units_release(struct units *u);
#define _units_ _cleanup_(units_release)
