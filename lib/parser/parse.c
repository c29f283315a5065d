/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "metric/line.h"
#include "parser/parse.h"

#define FLUSH_AT 65536

static int flush(struct parse *p, struct err *e)
{
	size_t at = 0;

	while (p->out_fd >= 0 && at < p->out.len) {
		ssize_t n = write(p->out_fd, p->out.p + at, p->out.len - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, "writing the output");
		at += (size_t)n;
	}
	if (p->out_fd >= 0)
		p->out.len = 0;
	return 0;
}

static void keep_failure(struct parse *p, const struct err *e)
{
	if (!p->failed.code)
		p->failed = *e;
}

/* The name into p->full, with what no name may have replaced. */
_printf_(2, 0)
static struct span name_make(struct parse *p, const char *fmt, va_list ap)
{
	struct text *t = &p->full;

	t->len = 0;
	text_vprintf(t, fmt, ap);
	for (size_t i = 0; i < t->len; i++)
		if ((unsigned char)t->p[i] <= 0x20 || t->p[i] == 0x7f)
			t->p[i] = '_';
	return (struct span){ text_str(t), t->len };
}

static bool name_check(struct parse *p, struct span name)
{
	struct err e = {};

	if (metric_name_ok(name.p, name.n))
		return true;
	err_set(&e, EINVAL, "a metric's name is %s", name.n > METRIC_NAME_MAX ?
		"too long" : name.n ? "not printable" : "empty");
	keep_failure(p, &e);
	return false;
}

void emit_plain(struct parse *p, struct span name, struct span number)
{
	struct err e = {};
	double v;

	p->n_emitted++;
	if (p->series) {
		if (series_add(p->series, name, number, &e) < 0)
			keep_failure(p, &e);
		return;
	}
	if (!p->lkp && !span_number(number, &v)) {
		err_set(&e, EINVAL, "'%.*s' is no number", (int)(number.n < 40 ? number.n : 40),
			number.p);
		keep_failure(p, &e);
		return;
	}
	if (!name_check(p, name))
		return;
	text_put(&p->out, name.p, name.n);
	text_put(&p->out, ": ", 2);
	text_put(&p->out, number.p, number.n);
	text_putc(&p->out, '\n');
}

void emit_as(struct parse *p, struct span number, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	emit_plain(p, name_make(p, fmt, ap), number);
	va_end(ap);
}

void put_ruby_float(struct text *out, double v)
{
	char digits[32], *point, *exp;
	int e;

	if (!isfinite(v)) {
		text_puts(out, isnan(v) ? "NaN" : v < 0 ? "-Infinity" : "Infinity");
		return;
	}
	for (int n = 0; n <= 16; n++) {
		snprintf(digits, sizeof(digits), "%.*e", n, v);
		if (strtod(digits, NULL) == v)
			break;
	}
	exp = strchr(digits, 'e');
	e = atoi(exp + 1);
	point = strchr(digits, '.');
	if (e >= 16 || e < -4) {
		text_printf(out, "%.*s%se%+03d", (int)(exp - digits), digits, point ? "" : ".0", e);
		return;
	}
	/* As many decimals as the digits need, at least one. */
	e = (point ? (int)(exp - point) - 1 : 0) - e;
	text_printf(out, "%.*f", e < 1 ? 1 : e, v);
}

static void put_value(struct parse *p, struct span name, double value, bool fraction)
{
	struct err e = {};

	p->n_emitted++;
	if (p->series) {
		if (series_add_value(p->series, name, value, &e) < 0)
			keep_failure(p, &e);
		return;
	}
	if (!name_check(p, name))
		return;
	if (!p->lkp && !isfinite(value)) {
		metric_put_null(&p->out, name.p, "no finite number");
		return;
	}
	text_put(&p->out, name.p, name.n);
	text_put(&p->out, ": ", 2);
	if (p->lkp && (fraction || !isfinite(value)))
		put_ruby_float(&p->out, value);
	else
		metric_put_number(&p->out, value);
	text_putc(&p->out, '\n');
}

void emit_number(struct parse *p, double value, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_value(p, name_make(p, fmt, ap), value, false);
	va_end(ap);
}

void emit_float(struct parse *p, double value, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_value(p, name_make(p, fmt, ap), value, true);
	va_end(ap);
}

void emit_null(struct parse *p, const char *reason, const char *fmt, ...)
{
	struct span name;
	va_list ap;

	if (p->lkp)
		return;
	va_start(ap, fmt);
	name = name_make(p, fmt, ap);
	va_end(ap);
	p->n_emitted++;
	if (name_check(p, name))
		metric_put_null(&p->out, name.p, reason);
}

void emit_time(struct parse *p, struct span seconds)
{
	p->n_emitted++;
	if (p->lkp)
		text_printf(&p->out, "time: %.*s\n", SPANF(seconds));
}

void emit_verbatim(struct parse *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (p->lkp)
		text_vprintf(&p->out, fmt, ap);
	va_end(ap);
}

void emit_invalid(struct parse *p, const char *reason)
{
	if (p->lkp)
		return;
	p->n_emitted++;
	text_puts(&p->out, "krobot.invalid: 1 ");
	text_put_visible(&p->out, reason, strnlen(reason, METRIC_REASON_MAX), true);
	text_putc(&p->out, '\n');
}

static void note_unknown(struct parse *p, const char *line, size_t n)
{
	_text_ struct text t = {};

	if (!p->n_unknown++)
		p->first_unknown = p->line_no;
	if (!p->list_unknown)
		return;
	text_put_visible(&t, line, n < 200 ? n : 200, true);
	log_line("%s: line %llu is not known: %s", p->parser->name,
		 (unsigned long long)p->line_no, text_str(&t));
}

static int one_line(struct parse *p, char *line, size_t n, struct err *e)
{
	_text_ struct text copy = {};
	int r;

	/* A parser may cut the line, and the report should show it whole. */
	if (p->list_unknown)
		text_put(&copy, line, n);
	r = p->parser->line(p, line, e);
	if (r >= 0 && p->failed.code) {
		*e = p->failed;
		r = -e->code;
	}
	if (r < 0)
		return err_in(e, "line %llu", (unsigned long long)p->line_no);
	p->n_lines++;
	if (r == LINE_UNKNOWN && line[strspn(line, " \t")])
		note_unknown(p, p->list_unknown ? text_str(&copy) : "", copy.len);
	return p->out.len < FLUSH_AT ? 0 : flush(p, e);
}

static int all_lines(struct parse *p, struct input *in, struct err *e)
{
	for (;;) {
		char *line;
		size_t n;
		int r = input_line(in, &line, &n, e);

		if (r <= 0)
			return r;
		p->line_no = input_line_number(in);
		r = one_line(p, line, n, e);
		if (r < 0)
			return r;
	}
}

static int whole_text(struct parse *p, struct input *in, struct err *e)
{
	_text_ struct text t = {};
	int r = input_rest(in, &t, e);

	if (r < 0)
		return r;
	p->n_lines = t.len > 0;
	return p->parser->text(p, &t, e);
}

static int finish(struct parse *p, struct err *e)
{
	const struct parser *k = p->parser;

	if (k->end && k->end(p, e) < 0)
		return -e->code;
	if (p->failed.code) {
		*e = p->failed;
		return -e->code;
	}
	if (!p->lkp && p->n_lines && !p->n_emitted && k->expects)
		return err_set(e, ENODATA, "nothing found that this parser knows; it expects %s",
			       k->expects);
	if (p->series)
		series_print(p->series, &p->out);
	if (k->strict && p->n_unknown && !p->lkp) {
		text_printf(&p->out, "krobot.unknown_lines: %llu\n",
			    (unsigned long long)p->n_unknown);
		if (p->out_fd >= 0)
			log_line("%s: %llu lines not known, the first is line %llu", k->name,
				 (unsigned long long)p->n_unknown,
				 (unsigned long long)p->first_unknown);
	}
	return flush(p, e);
}

int parse_run(struct parse *p, const struct parser *k, struct input *in, struct err *e)
{
	int r;

	p->parser = k;
	p->state = mem_zero(1, k->state_size);
	if (k->series && !p->lkp)
		p->series = series_new(k->name);
	r = k->text ? whole_text(p, in, e) : all_lines(p, in, e);
	return r < 0 ? r : finish(p, e);
}

void parse_release(struct parse *p)
{
	if (p->state && p->parser->release)
		p->parser->release(p->state);
	free(p->state);
	series_free(p->series);
	text_release(&p->out);
	text_release(&p->full);
	*p = (struct parse){};
}
