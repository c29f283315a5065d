/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/record.h"
#include "run/plan.h"

/* What a plan may hold: more is a mistake or an attack. */
#define LINES_MAX	10000
#define SECS_MAX	(100ULL * 365 * 86400)
#define INTERVAL_MIN_NS	1000000ULL

enum kind { TEXT, NUMBER, WORDS, PAIRS };

static const struct {
	const char *key;
	enum kind kind;
	size_t at;
} fields[] = {
	{ "test", TEXT, offsetof(struct plan, test) },
	{ "program", TEXT, offsetof(struct plan, program) },
	{ "arg", WORDS, offsetof(struct plan, args) },
	{ "param", PAIRS, offsetof(struct plan, params) },
	{ "env", PAIRS, offsetof(struct plan, env) },
	{ "deadline_secs", NUMBER, offsetof(struct plan, deadline_secs) },
	{ "grace_secs", NUMBER, offsetof(struct plan, grace_secs) },
	{ "out_max_bytes", NUMBER, offsetof(struct plan, out_max_bytes) },
	{ "set", PAIRS, offsetof(struct plan, set) },
	{ "job", TEXT, offsetof(struct plan, job) },
};

void plan_init(struct plan *p)
{
	*p = (struct plan){
		.grace_secs = PLAN_GRACE_SECS,
		.out_max_bytes = PLAN_OUT_MAX_BYTES,
	};
}

void plan_list_add(struct plan_list *l, const char *value)
{
	GROW(l->v, l->n);
	l->v[l->n++] = text_copy(value);
}

void plan_list_addf(struct plan_list *l, const char *fmt, ...)
{
	_text_ struct text t = {};
	va_list ap;

	va_start(ap, fmt);
	text_vprintf(&t, fmt, ap);
	va_end(ap);
	plan_list_add(l, text_str(&t));
}

void plan_monitor_add(struct plan *p, const char *name, uint64_t interval_ns)
{
	GROW(p->monitors, p->n_monitors);
	p->monitors[p->n_monitors++] = (struct plan_monitor){ text_copy(name), interval_ns };
}

static int parse_number(const char *value, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(value, &end, 10);
	return errno || end == value || *end || !strchr("0123456789", *value) ? -1 : 0;
}

/*
 * "NAME interval_secs=N", where N may have a fraction; a second without it.
 * The name becomes a file's name, so that it may not lead elsewhere.
 */
static int read_monitor(struct plan *p, const char *value, struct err *e)
{
	static const char key[] = " interval_secs=";
	size_t n = strcspn(value, " ");
	_free_ char *name = text_format("%.*s", (int)n, value);
	double secs = 1;
	char *end;

	if (!*name || *name == '.' || strchr(name, '/'))
		return err_set(e, EINVAL, "monitor '%s': not a name", value);
	if (value[n]) {
		if (!text_starts(value + n, key))
			return err_set(e, EINVAL, "monitor '%s': not 'NAME interval_secs=N'", value);
		value += n + strlen(key);
		secs = strtod(value, &end);
		if (end == value || *end || !(secs * 1e9 >= INTERVAL_MIN_NS && secs <= 86400))
			return err_set(e, EINVAL, "monitor %s: interval '%s' is not between 1 ms and a day",
				       name, value);
	}
	plan_monitor_add(p, name, (uint64_t)(secs * 1e9 + 0.5));
	return 0;
}

static int read_pair(struct plan_list *l, const char *key, const char *value, struct err *e)
{
	const char *equals = strchr(value, '=');

	if (!equals || equals == value)
		return err_set(e, EINVAL, "%s '%s' is not NAME=VALUE", key, value);
	plan_list_add(l, value);
	return 0;
}

static int read_text(char **field, const char *key, const char *value, struct err *e)
{
	if (*field)
		return err_set(e, EINVAL, "'%s' comes twice", key);
	if (!*value)
		return err_set(e, EINVAL, "'%s' is empty", key);
	*field = text_copy(value);
	return 0;
}

static int read_line(struct plan *p, const char *key, const char *value, struct err *e)
{
	if (!strcmp(key, "monitor"))
		return read_monitor(p, value, e);
	for (size_t i = 0; i < COUNT(fields); i++) {
		char *field = (char *)p + fields[i].at;

		if (strcmp(key, fields[i].key))
			continue;
		switch (fields[i].kind) {
		case TEXT:
			return read_text((char **)field, key, value, e);
		case WORDS:
			plan_list_add((struct plan_list *)field, value);
			return 0;
		case PAIRS:
			return read_pair((struct plan_list *)field, key, value, e);
		case NUMBER:
			if (parse_number(value, (uint64_t *)field) < 0)
				return err_set(e, EINVAL, "%s '%s' is not a number", key, value);
			return 0;
		}
	}
	return err_set(e, EINVAL, "unknown key '%s'", key);
}

static int read_record(struct plan *p, const struct record *r, struct err *e)
{
	uint64_t version;

	plan_init(p);
	if (r->n > LINES_MAX)
		return err_set(e, EFBIG, "more than %d lines", LINES_MAX);
	if (record_get_u64(r, "version", &version, e) < 0)
		return -e->code;
	if (version != PLAN_VERSION)
		return err_set(e, EPROTO, "version %" PRIu64 ", this agent knows %d", version,
			       PLAN_VERSION);
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->line[i].key, "version") &&
		    read_line(p, r->line[i].key, r->line[i].value, e) < 0)
			return -e->code;
	if (!p->test || !p->program)
		return err_set(e, EINVAL, "no '%s'", p->test ? "program" : "test");
	if (p->deadline_secs > SECS_MAX || p->grace_secs > SECS_MAX)
		return err_set(e, EINVAL, "more than a hundred years");
	return 0;
}

int plan_parse(struct plan *p, const char *text, size_t n, const char *name, struct err *e)
{
	_record_ struct record r = {};

	plan_init(p);
	if (record_parse(&r, text, n, name, e) < 0)
		return -e->code;
	return read_record(p, &r, e) < 0 ? err_in(e, "%s", name) : 0;
}

int plan_read(struct plan *p, int dir, const char *path, struct err *e)
{
	_text_ struct text t = {};

	plan_init(p);
	if (file_read(dir, path, RECORD_MAX_BYTES, &t, e) < 0)
		return -e->code;
	return plan_parse(p, text_str(&t), t.len, path, e);
}

static void put_field(struct record *r, const struct plan *p, size_t i)
{
	const char *field = (const char *)p + fields[i].at;
	const struct plan_list *l;

	switch (fields[i].kind) {
	case TEXT:
		if (*(char *const *)field)
			record_add(r, fields[i].key, *(char *const *)field);
		break;
	case NUMBER:
		record_add_u64(r, fields[i].key, *(const uint64_t *)field);
		break;
	case WORDS:
	case PAIRS:
		l = (const struct plan_list *)field;
		for (size_t k = 0; k < l->n; k++)
			record_add(r, fields[i].key, l->v[k]);
		break;
	}
}

int plan_write(const struct plan *p, int dir, const char *path, struct err *e)
{
	_record_ struct record r = {};

	record_add_u64(&r, "version", PLAN_VERSION);
	for (size_t i = 0; i < COUNT(fields); i++)
		put_field(&r, p, i);
	for (size_t i = 0; i < p->n_monitors; i++)
		record_addf(&r, "monitor", "%s interval_secs=%.9g", p->monitors[i].name,
			    (double)p->monitors[i].interval_ns / 1e9);
	return record_write(&r, dir, path, e);
}

static void list_release(struct plan_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i]);
	free(l->v);
	*l = (struct plan_list){};
}

void plan_release(struct plan *p)
{
	for (size_t i = 0; i < COUNT(fields); i++) {
		char *field = (char *)p + fields[i].at;

		if (fields[i].kind == TEXT)
			free(*(char **)field);
		else if (fields[i].kind != NUMBER)
			list_release((struct plan_list *)field);
	}
	for (size_t i = 0; i < p->n_monitors; i++)
		free(p->monitors[i].name);
	free(p->monitors);
	*p = (struct plan){};
}
