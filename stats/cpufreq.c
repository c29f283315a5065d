/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpufreq/policyN/scaling_cur_freq, each behind its path, in kHz. */
#include "parser/sample.h"

struct state {
	unsigned int policy;
	bool any;
};

static int freq_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	struct span n, rest;
	uint64_t v;

	if (sample_time(p, line))
		return LINE_KNOWN;
	if (scan(line, "%*/policy%w/%s", &n, &rest) && span_u64(n, &v) && v < 1U << 20) {
		s->policy = (unsigned int)v;
		s->any = true;
		return LINE_KNOWN;
	}
	if (!s->any || !scan(line, "%n", &n))
		return LINE_UNKNOWN;
	emit_as(p, n, "policy%u", s->policy);
	return LINE_KNOWN;
}

PARSER(cpufreq) = {
	.name = "cpufreq", .state_size = sizeof(struct state), .line = freq_line, .series = true,
	.strict = true, .expects = "the path of a policy's frequency and the number",
};
