/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "cmd.h"
#include "run/doctor.h"

static bool as_json;
static uint64_t watch_secs = 3;

static const struct opt opts[] = {
	{ 'j', "json", OPT_FLAG, &as_json, NULL, "the same as JSON" },
	{ 's', "seconds", OPT_TIME, &watch_secs, "TIME", "how long to watch steal time and load (3s)" },
	OPT_END
};

static int print_json(const struct doctor *d, struct err *e)
{
	json_t *list = json_array();
	int r;

	for (size_t i = 0; i < d->n; i++) {
		const struct doctor_line *l = &d->line[i];
		_text_ struct text value = {};

		text_put_visible(&value, l->value, strlen(l->value), true);
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s}", "check", l->name,
			"verdict", doctor_verdict_name(l->verdict), "value", text_str(&value),
			"why", l->why, "advice", l->advice));
	}
	r = json_dumpf(list, stdout, JSON_INDENT(2));
	json_decref(list);
	putchar('\n');
	return r < 0 ? err_set(e, EIO, "writing the output") : 0;
}

static const char *color(enum doctor_verdict v)
{
	static const char *const colors[] = {
		[DOCTOR_GOOD] = "\033[32m", [DOCTOR_NOTE] = "\033[33m", [DOCTOR_BAD] = "\033[31m",
		[DOCTOR_UNKNOWN] = "\033[2m",
	};

	return colors[v];
}

static void print_text(const struct doctor *d)
{
	bool colors = log_has_color(STDOUT_FILENO);

	for (size_t i = 0; i < d->n; i++) {
		const struct doctor_line *l = &d->line[i];
		_text_ struct text value = {};

		text_put_visible(&value, l->value, strlen(l->value), true);
		printf("%s%-7s%s %-14s %s\n", colors ? color(l->verdict) : "",
		       doctor_verdict_name(l->verdict), colors ? "\033[m" : "", l->name,
		       text_str(&value));
		if (l->verdict == DOCTOR_NOTE || l->verdict == DOCTOR_BAD)
			printf("        %-14s %s\n        %-14s -> %s\n", "", l->why, "",
			       l->advice);
	}
}

static int run(int argc, char **argv, struct err *e)
{
	_close_ int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_doctor_ struct doctor d = {};

	if (argc)
		return usage_err(e, "'%s': no argument is taken", argv[0]);
	if (watch_secs < 1 || watch_secs > 3600)
		return usage_err(e, "--seconds: between a second and an hour");
	if (root < 0)
		return err_sys(e, "/");
	doctor_examine(&d, root, watch_secs * 1000000000);
	if (as_json && print_json(&d, e) < 0)
		return -e->code;
	if (!as_json)
		print_text(&d);
	return doctor_any_bad(&d) ? EXIT_WORSE : EXIT_SAME;
}

const struct cmd cmd_doctor = {
	.name = "doctor",
	.args = "[--json] [--seconds TIME]",
	.help = "what of this machine will spoil numbers",
	.opts = opts,
	.run = run,
};
