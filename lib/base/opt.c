/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "base/opt.h"
#include "base/value.h"

#define MAX_OPTS 40

#define HELP_COLUMN	29
#define HELP_WIDTH	80

/* Words of the help text, broken so that no line is wider than a terminal. */
static void put_wrapped(const char *s)
{
	int at = HELP_COLUMN;

	while (*s) {
		int n = (int)strcspn(s, " ");

		if (at > HELP_COLUMN && at + 1 + n > HELP_WIDTH) {
			printf("\n%*s", HELP_COLUMN, "");
			at = HELP_COLUMN;
		}
		at += printf("%s%.*s", at > HELP_COLUMN ? " " : "", n, s);
		s += n + (s[n] == ' ');
	}
	putchar('\n');
}

static void help(const struct opt *opts, const char *usage)
{
	printf("usage: %s\n\n", usage);
	for (const struct opt *o = opts; o->name; o++) {
		char left[64];

		snprintf(left, sizeof(left), "%c%c%s --%s%s%s", o->letter ? '-' : ' ',
			 o->letter ? o->letter : ' ', o->letter ? "," : " ", o->name,
			 o->arg ? "=" : "", o->arg ? o->arg : "");
		printf("  %-26s ", left);
		put_wrapped(o->help);
	}
}

static int take(const struct opt *o, const char *text, struct err *e)
{
	int r = 0;

	switch (o->kind) {
	case OPT_FLAG:
		*(bool *)o->value = true;
		break;
	case OPT_TEXT:
		*(const char **)o->value = text;
		break;
	case OPT_COUNT:
		r = value_count(text, o->value, e);
		break;
	case OPT_SIZE:
		r = value_size(text, o->value, e);
		break;
	case OPT_TIME:
		r = value_time(text, o->value, e);
		break;
	case OPT_LIST: {
		struct opt_list *l = o->value;

		if (l->n == COUNT(l->v))
			return err_set(e, E2BIG, "--%s: more than %zu of them", o->name, l->n);
		l->v[l->n++] = text;
		break;
	}
	}
	return r < 0 ? err_in(e, "--%s", o->name) : 0;
}

int opt_parse(int argc, char **argv, const struct opt *opts, const char *usage,
	      struct err *e)
{
	struct option longs[MAX_OPTS + 2] = { { "help", no_argument, NULL, 'h' } };
	char shorts[2 * MAX_OPTS + 5] = ":h";
	size_t n = 0, s = strlen(shorts);
	int c;

	for (const struct opt *o = opts; o->name; o++, n++) {
		if (n == MAX_OPTS)
			abort();
		longs[n + 1] = (struct option){ o->name, o->kind != OPT_FLAG, NULL, 256 + (int)n };
		if (o->letter) {
			shorts[s++] = o->letter;
			if (o->kind != OPT_FLAG)
				shorts[s++] = ':';
		}
	}

	optind = 0;
	opterr = 0;
	while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct opt *o = opts;
		int r;

		if (c == 'h') {
			help(opts, usage);
			return OPT_HELP;
		}
		if (c == ':')
			return err_set(e, EINVAL, "%s needs a value", argv[optind - 1]);
		if (c == '?')
			return err_set(e, EINVAL, "unknown option %s", argv[optind - 1]);
		while (c >= 256 ? o - opts != c - 256 : o->letter != c)
			o++;
		r = take(o, optarg, e);
		if (r < 0)
			return r;
	}
	return optind;
}
