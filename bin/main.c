/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "cmd.h"

/* An errno that nothing below returns, so that it can mean "usage". */
#define USAGE_CODE 4095

static const struct cmd *const cmds[] = {
	&cmd_bisect,
	&cmd_bisect_step,
	&cmd_build,
	&cmd_expand,
	&cmd_qualify,
	&cmd_run,
	&cmd_compare,
	&cmd_test,
	&cmd_trend,
	&cmd_log,
	&cmd_show,
	&cmd_explain,
	&cmd_import,
	&cmd_parse,
	&cmd_doctor,
	NULL
};

int usage_err(struct err *e, const char *fmt, ...)
{
	va_list ap;

	e->code = USAGE_CODE;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	return -USAGE_CODE;
}

static void usage(FILE *out)
{
	fprintf(out, "usage: krobot COMMAND [OPTION]... [ARGUMENT]...\n\n");
	for (size_t i = 0; cmds[i]; i++)
		fprintf(out, "  %-11s %s\n", cmds[i]->name, cmds[i]->help);
	fprintf(out, "\n`krobot COMMAND -h` tells more; krobot(1) tells all.\n");
}

/* scdoc gives meaning to these characters. */
static void scd_text(const char *s)
{
	for (; *s; s++) {
		if (strchr("\\_*#[]|<", *s))
			putchar('\\');
		putchar(*s);
	}
}

/* The manual's part that follows from the tables: krobot(1) is made with it. */
static void manual(void)
{
	for (size_t i = 0; cmds[i]; i++) {
		const struct cmd *c = cmds[i];

		printf("*krobot %s* ", c->name);
		scd_text(c->args);
		printf("\n\t");
		scd_text(c->help);
		printf(".\n\n");
		for (const struct opt *o = c->opts; o && o->name; o++) {
			putchar('\t');
			if (o->letter)
				printf("*-%c*, ", o->letter);
			printf("*--%s*", o->name);
			if (o->arg)
				printf("=_%s_", o->arg);
			printf("\n\t\t");
			scd_text(o->help);
			printf("\n\n");
		}
	}
}

static int run(const struct cmd *c, int argc, char **argv, struct err *e)
{
	static const struct opt none[] = { OPT_END };
	char line[200];
	int first;

	snprintf(line, sizeof(line), "krobot %s %s", c->name, c->args);
	first = opt_parse(argc, argv, c->opts ? c->opts : none, line, e);
	if (first == OPT_HELP)
		return EXIT_SAME;
	if (first < 0) {
		e->code = USAGE_CODE;
		return -USAGE_CODE;
	}
	return c->run(argc - first, argv + first, e);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		if (argc == 3 && !strcmp(argv[2], "--scd"))
			manual();
		else
			usage(stdout);
		return fflush(stdout) ? EXIT_TROUBLE : EXIT_SAME;
	}
	for (size_t i = 0; cmds[i]; i++) {
		struct err e = {};
		int r;

		if (strcmp(argv[1], cmds[i]->name))
			continue;
		r = run(cmds[i], argc - 1, argv + 1, &e);
		if (r >= 0 && fflush(stdout) == 0)
			return r;
		if (r >= 0)
			err_sys(&e, "writing the output");
		fprintf(stderr, "krobot %s: %s\n", argv[1], e.text);
		return e.code == USAGE_CODE ? EXIT_USAGE : EXIT_TROUBLE;
	}
	fprintf(stderr, "krobot: no command '%s'; `krobot help` lists them\n", argv[1]);
	return EXIT_USAGE;
}
