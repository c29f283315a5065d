/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stddef.h>

#include "job/job.h"
#include "job/node.h"

static void key_put(struct text *out, const char *key)
{
	text_puts(out, out->p && out->len && out->p[out->len - 1] != '{' ? ", " : "");
	json_put_string(out, key);
	text_puts(out, ": ");
}

static void string_put(struct text *out, const char *s)
{
	if (s)
		json_put_string(out, s);
	else
		text_puts(out, "null");
}

static void params_put(struct text *out, const char *key, const struct job_params *p)
{
	key_put(out, key);
	text_putc(out, '{');
	for (size_t i = 0; i < p->n; i++) {
		key_put(out, p->v[i].key);
		string_put(out, p->v[i].value);
	}
	text_putc(out, '}');
}

static void programs_put(struct text *out, const struct job *job)
{
	key_put(out, "programs");
	text_putc(out, '[');
	for (size_t i = 0; i < job->n_programs; i++) {
		const struct job_program *p = &job->program[i];

		text_puts(out, i ? ", {" : "{");
		key_put(out, "name");
		string_put(out, p->name);
		key_put(out, "kind");
		string_put(out, program_kind_name(p->kind));
		if (p->value) {
			key_put(out, "value");
			string_put(out, p->value);
		}
		if (p->params.n)
			params_put(out, "params", &p->params);
		if (p->by_default) {
			key_put(out, "default");
			text_puts(out, "true");
		}
		text_putc(out, '}');
	}
	text_putc(out, ']');
}

void job_print_json(const struct job *job, struct text *out)
{
	text_putc(out, '{');
	key_put(out, "name");
	string_put(out, job->name);
	key_put(out, "test");
	string_put(out, job->test);
	key_put(out, "file");
	string_put(out, job->file);
	key_put(out, "line");
	text_printf(out, "%u", job->line);
	params_put(out, "params", &job->params);
	params_put(out, "axes", &job->axes);
	params_put(out, "env", &job->env);
	programs_put(out, job);
	key_put(out, "runtime_secs");
	text_printf(out, "%llu", (unsigned long long)job->runtime_secs);
	key_put(out, "canonical");
	string_put(out, job->canonical);
	text_putc(out, '}');
}
