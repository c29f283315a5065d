/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of a metric: from the dictionary and from the tests that ran. */
#pragma once

#include "base/err.h"
#include "base/text.h"
#include "flow/place.h"

enum explain_answer {
	EXPLAIN_KNOWN,
	EXPLAIN_UNKNOWN,	/* nobody has described it; @out says which names are near */
};

/* Returns an explain_answer, or -errno. */
_must_check_ int explain_metric(const struct place *place, const char *name, struct text *out,
				struct err *e);
