/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every workload's program does: read the parameters, answer questions
 * about itself, run, and end with a status that says how it went.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/value.h"
#include "workload/place.h"
#include "workload/selftest.h"
#include "workload/workload.h"

#define EXIT_SKIP	77

/* ---- Parameters ---- */

static const struct param *find_in(const struct param *p, size_t n, const char *name, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(p[i].name) == len && !strncmp(p[i].name, name, len))
			return &p[i];
	return NULL;
}

static int set_choice(const struct param *p, const char *text, struct err *e)
{
	for (const char *const *c = p->choices; *c; c++) {
		if (!strcmp(*c, text)) {
			*(const char **)p->value = *c;
			return 0;
		}
	}
	return err_set(e, EINVAL, "%s: '%s' is none of its values", p->name, text);
}

static int set_number(const struct param *p, const char *text, struct err *e)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || *end || !isfinite(v) || v < 0)
		return err_set(e, EINVAL, "%s: '%s' is not a number", p->name, text);
	*(double *)p->value = v;
	return 0;
}

static uint64_t cpus_online(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (uint64_t)n : 1;
}

static int set(const struct param *p, const char *text, struct err *e)
{
	uint64_t v;
	int r;

	switch (p->kind) {
	case PARAM_TEXT:
		*(const char **)p->value = text;
		return 0;
	case PARAM_CHOICE:
		return set_choice(p, text, e);
	case PARAM_NUMBER:
		return set_number(p, text, e);
	case PARAM_SIZE:
		r = value_size(text, &v, e);
		break;
	case PARAM_TIME:
		r = value_time(text, &v, e);
		break;
	case PARAM_COUNT:
	default:
		r = strchr(text, '%') ? value_percent(text, cpus_online(), &v, e) :
					value_count(text, &v, e);
		break;
	}
	if (r < 0)
		return err_in(e, "%s", p->name);
	if (v < p->least)
		return err_set(e, EINVAL, "%s: %s is less than %" PRIu64, p->name, text, p->least);
	if (p->most && v > p->most)
		return err_set(e, EINVAL, "%s: %s is more than %" PRIu64, p->name, text, p->most);
	*(uint64_t *)p->value = v;
	return 0;
}

static int set_all(const struct param *params, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		const char *text = getenv(params[i].name);
		int r;

		/* An empty value is LKP's way of not giving one. */
		r = set(&params[i], text && *text ? text : params[i].fallback, e);
		if (r < 0)
			return r;
	}
	return 0;
}

static int from_arguments(int argc, char **argv, struct err *e)
{
	for (int i = 1; i < argc; i++) {
		const char *eq = strchr(argv[i], '=');
		const struct param *p = NULL;
		int r;

		if (!strncmp(argv[i], "--", 2) && eq) {
			size_t len = (size_t)(eq - argv[i] - 2);

			p = find_in(workload.params, workload.n_params, argv[i] + 2, len);
			if (!p)
				p = find_in(place_params, place_n_params, argv[i] + 2, len);
		}
		if (!p)
			return err_set(e, EINVAL, "unknown argument '%s'", argv[i]);
		r = set(p, eq + 1, e);
		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- Description: lib/README.md has its form ---- */

static void describe_params(const struct param *p, size_t n)
{
	static const char *const kinds[] = { "size", "time", "count", "number", "text", "text" };

	for (size_t i = 0; i < n; i++) {
		printf("  %s: { kind: %s, default: \"%s\", help: \"%s", p[i].name, kinds[p[i].kind],
		       p[i].fallback, p[i].help);
		for (const char *const *c = p[i].choices; c && *c; c++)
			printf("%s%s", c == p[i].choices ? " (" : ", ", *c);
		printf("%s\" }\n", p[i].choices ? ")" : "");
	}
}

static void describe(void)
{
	printf("name: %s\nabout: \"%s\"\n", workload.name, workload.about);
	if (workload.kernel)
		printf("kernel: \"%s\"\n", workload.kernel);
	printf("parameters:\n");
	describe_params(workload.params, workload.n_params);
	describe_params(place_params, place_n_params);
	printf("metrics:\n");
	for (size_t i = 0; i < workload.n_metrics; i++) {
		const struct metric_decl *m = &workload.metrics[i];

		printf("  \"%s\": { unit: \"%s\", better: %s%s%s, meaning: \"%s\" }\n", m->name,
		       m->unit, m->better, m->headline ? ", headline: true" : "",
		       m->optional ? ", optional: true" : "", m->meaning);
	}
	if (workload.needs_memory)
		printf("needs: { memory: %s }\n", workload.needs_memory);
}

/* Running out of memory ends in a dead machine, not in a result: say no before. */
static int check_memory(struct err *e)
{
	uint64_t want = workload.memory ? workload.memory() : 0, have = memory_of("MemAvailable");

	if (!want || !have || want <= have - have / 10)
		return 0;
	return skip(e, "needs %" PRIu64 " MiB of memory, %" PRIu64 " MiB are available",
		    want >> 20, have >> 20);
}

static int report(int r, const struct err *e)
{
	if (r == -WORKLOAD_SKIP) {
		printf("%s\n", e->text);
		return fflush(stdout) ? EXIT_FAILURE : EXIT_SKIP;
	}
	if (r == -WORKLOAD_INVALID)
		printf("krobot.invalid: 1 %s\n", e->text);
	if (r < 0)
		fprintf(stderr, "%s: %s\n", workload.name, e->text);
	return fflush(stdout) || r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* What is asked by one word in place of parameters; false: nothing of this kind. */
static bool answer(const char *word, int *status)
{
	struct err e = {};
	int r = 0;

	if (!strcmp(word, "--describe"))
		describe();
	else if (!strcmp(word, "--selftest"))
		r = (set_all(place_params, place_n_params, &e) < 0 || place_open(&e) < 0 ||
		     selftest_run(&e) < 0) ? -e.code : 0;
	else if (strcmp(word, "--nothing"))	/* that is what a test of exec runs */
		return false;
	*status = report(r, &e);
	return true;
}

int main(int argc, char **argv)
{
	struct err e = {};
	int r;

	if (argc == 2 && answer(argv[1], &r))
		return r;
	if ((r = set_all(place_params, place_n_params, &e)) < 0 ||
	    (r = set_all(workload.params, workload.n_params, &e)) < 0 ||
	    (r = from_arguments(argc, argv, &e)) < 0 || (r = place_open(&e)) < 0 ||
	    (r = check_memory(&e)) < 0)
		return report(r, &e);
	return report(workload.run(&e), &e);
}
