/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One JSON object a session; sessions of a run follow each other and are averaged. */
#include "parser/json.h"

static const struct {
	const char *section, *name;
} rows[] = {
	{ "sum_sent", "tcp.sender.bps" },
	{ "sum_received", "tcp.receiver.bps" },
	{ "sum", "udp.bps" },
};

struct totals {
	struct spread v[COUNT(rows)], retransmits;
};

static void totals_clear(struct totals *t)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		spread_clear(&t->v[i]);
	spread_clear(&t->retransmits);
}

static void session(struct parse *p, const json_t *j, struct totals *t)
{
	const json_t *why = json_object_get(j, "error");
	const json_t *udp = json_path(j, "end", "sum", "bits_per_second", NULL);
	const json_t *again = json_path(j, "end", "sum_sent", "retransmits", NULL);

	if (json_is_string(why))
		emit_invalid(p, json_string_value(why));
	for (size_t i = 0; i < COUNT(rows); i++) {
		const json_t *v = json_path(j, "end", rows[i].section, "bits_per_second", NULL);

		/* An UDP session has sums of its own; what it "sent" is the same twice. */
		if (json_is_number(v) && (!udp || v == udp))
			spread_add(&t->v[i], json_number_value(v));
	}
	if (!udp && json_is_number(again))
		spread_add(&t->retransmits, json_number_value(again));
}

static int iperf_text(struct parse *p, struct text *text, struct err *e)
{
	_cleanup_(totals_clear) struct totals t = {};
	size_t at = 0;
	int r;

	for (;;) {
		_json_ json_t *j = NULL;

		r = json_next(p, text, &at, &j, e);
		if (r <= 0)
			break;
		session(p, j, &t);
	}
	if (r < 0)
		return r;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (t.v[i].n)
			emit_float(p, spread_mean(&t.v[i]), "%s", rows[i].name);
	if (t.retransmits.n && !p->lkp)
		emit_number(p, spread_mean(&t.retransmits), "tcp.retransmits");
	return 0;
}

PARSER(iperf) = {
	.name = "iperf", .text = iperf_text, .expects = "JSON with bits_per_second under end",
};
