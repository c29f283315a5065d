/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/record.h"
#include "flow/origin.h"

static const struct {
	const char *key;
	size_t at;
} texts[] = {
	{ "uuid", offsetof(struct origin, uuid) },
	{ "session", offsetof(struct origin, session) },
	{ "label", offsetof(struct origin, label) },
	{ "job_name", offsetof(struct origin, job_name) },
	{ "job", offsetof(struct origin, job) },
	{ "test", offsetof(struct origin, test) },
	{ "program_hash", offsetof(struct origin, program_hash) },
	{ "mode", offsetof(struct origin, mode) },
	{ "kernel", offsetof(struct origin, kernel) },
	{ "commit", offsetof(struct origin, commit) },
	{ "subject", offsetof(struct origin, subject) },
	{ "config", offsetof(struct origin, config) },
	{ "compiler", offsetof(struct origin, compiler) },
	{ "warmed", offsetof(struct origin, warmed) },
};

static char **field(const struct origin *o, size_t i)
{
	return (char **)((char *)o + texts[i].at);
}

int origin_read(struct origin *o, int dir, struct err *e)
{
	_record_ struct record r = {};
	uint64_t profile = 0, warmup = 0;
	int k;

	*o = (struct origin){};
	if ((k = record_read(&r, dir, ORIGIN_FILE, e)) < 0)
		return k;
	for (size_t i = 0; i < COUNT(texts); i++)
		*field(o, i) = text_copy(record_get(&r, texts[i].key));
	if (!o->uuid || !o->job || !o->test)
		return err_set(e, EINVAL, "origin: no %s",
			       !o->uuid ? "uuid" : !o->job ? "job" : "test");
	if ((k = record_get_u64(&r, "position", &o->position, e)) < 0)
		return err_in(e, "origin");
	if (record_get(&r, "profile") && (k = record_get_u64(&r, "profile", &profile, e)) < 0)
		return err_in(e, "origin");
	if (record_get(&r, "warmup") && (k = record_get_u64(&r, "warmup", &warmup, e)) < 0)
		return err_in(e, "origin");
	if (record_get(&r, "committed_secs") &&
	    (k = record_get_u64(&r, "committed_secs", &o->committed_secs, e)) < 0)
		return err_in(e, "origin");
	o->profile = profile;
	o->warmup = warmup;
	return 0;
}

int origin_write(const struct origin *o, int dir, struct err *e)
{
	_record_ struct record r = {};

	for (size_t i = 0; i < COUNT(texts); i++)
		if (*field(o, i))
			record_add(&r, texts[i].key, *field(o, i));
	record_add_u64(&r, "position", o->position);
	if (o->profile)
		record_add_u64(&r, "profile", 1);
	if (o->warmup)
		record_add_u64(&r, "warmup", 1);
	if (o->committed_secs)
		record_add_u64(&r, "committed_secs", o->committed_secs);
	return record_write(&r, dir, ORIGIN_FILE, e);
}

void origin_release(struct origin *o)
{
	for (size_t i = 0; i < COUNT(texts); i++)
		free(*field(o, i));
	*o = (struct origin){};
}
