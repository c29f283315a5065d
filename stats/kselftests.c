/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's selftests: groups of programs, each with cases in a form of its
 * own.  The harness speaks TAP, with what a program printed behind '#':
 *
 *	# selftests: net: pmtu.sh
 *	# TEST: ipv4: PMTU exceptions                                         [ OK ]
 *	ok 16 selftests: net: pmtu.sh
 *
 * A case's name is GROUP.PROGRAM.SECTION.CASE.  Sections are headings, which hold
 * for the lines as deep behind '#' as they are, or deeper.
 */
#include <ctype.h>
#include <string.h>

#include "parser/verdict.h"

#define SECTIONS 4

struct state {
	struct verdicts seen;
	char *group, *test;
	bool made;			/* the group's make has a result */
	char *section[SECTIONS];
	size_t depth[SECTIONS];		/* how many '#' stand before the heading */
	char *heading;			/* a line that may turn out to be one */
	bool blank;			/* the line before was empty behind its '#' */
	size_t banner;			/* how many '#' the line before was made of */
	bool empty;			/* the section has no case yet */
	bool announced;			/* the section is a case whose result follows */
	char *running;			/* case that is under way, for results without a name */
	struct spread nsec_per_msg;
	char *nsec_group;
	char *stress;			/* test_vmalloc.sh: what kind of run */
	struct group workers;		/* and how often each of its cases was seen */
	struct {			/* kmod.sh: one run of a case */
		char *name;
		const char *last;
		bool failed;
	} run;
};

static void set(char **to, struct span s)
{
	free(*to);
	*to = text_format("%.*s", SPANF(s));
}

static void clear(char **to)
{
	free(*to);
	*to = NULL;
}

static void sections_clear(struct state *s, size_t from)
{
	for (size_t i = from; i < SECTIONS; i++)
		clear(&s->section[i]);
}

static void section_set(struct state *s, size_t level, size_t depth, struct span name)
{
	sections_clear(s, level);
	set(&s->section[level], span_trim(name));
	s->depth[level] = depth;
	s->empty = true;
}

static void put_name(struct text *out, struct span s)
{
	if (!s.n)
		return;
	if (out->len)
		text_putc(out, '.');
	verdict_name(s, out);
}

/* GROUP.PROGRAM.SECTION.CASE; no name: the section itself. */
static void put(struct parse *p, size_t depth, struct span name, const char *result)
{
	struct state *s = p->state;
	_text_ struct text full = {};

	if (!s->group)
		return;
	text_puts(&full, s->group);
	if (s->test)
		text_printf(&full, ".%s", s->test);
	for (size_t i = 0; i < SECTIONS; i++)
		if (s->section[i] && s->depth[i] <= depth)
			put_name(&full, span_of(s->section[i]));
	put_name(&full, name);
	s->empty = false;
	verdict_put(p, &s->seen, text_str(&full), result);
}

static void put_make(struct parse *p, const char *result)
{
	struct state *s = p->state;
	_free_ char *name = s->group ? text_format("%s.make", s->group) : NULL;

	if (!name || s->made)
		return;
	s->made = true;
	verdict_put(p, &s->seen, name, result);
}

/* LKP takes the last check of a run for all. */
static void run_end(struct parse *p)
{
	struct state *s = p->state;

	if (s->run.name && s->run.last)
		put(p, 1, span_of(s->run.name), s->run.failed && !p->lkp ? "fail" : s->run.last);
	clear(&s->run.name);
	s->run.last = NULL;
	s->run.failed = false;
}

static void group_set(struct state *s, struct span name)
{
	name = span_trim(name);
	name.n = strcspn(name.p, "'\" ") < name.n ? strcspn(name.p, "'\" ") : name.n;
	if (s->group && span_is(name, s->group))
		return;
	set(&s->group, name);
	s->made = false;
}

/* Lines of make, and of those who called it. */
static bool make_line(struct parse *p, const char *line)
{
	struct state *s = p->state;
	struct span a, b;

	if (scan(line, "%*make: Entering directory %*/tools/testing/selftests/%s", &a) ||
	    scan(line, "make[%n]: Entering directory %*/tools/testing/selftests/%s", &b, &a)) {
		group_set(s, a);
		return true;
	}
	if (scan(line, "%* make %*TARGETS=%w %*", &a) || scan(line, "%* make %*-C %w", &a) ||
	    scan(line, "%* make -C %w", &a)) {
		const char *base = memrchr(a.p, '/', a.n);

		if (strstr(line, "TARGETS=") || !base)
			group_set(s, a);
		return true;
	}
	if ((strstr(line, "recipe for target") && strstr(line, "failed")) ||
	    scan(line, "%*make%*: *** %*Error %n%*", &a) ||
	    scan(line, "Makefile:%n: *** %*Stop.", &a)) {
		if (scan(line, "%*/tools/testing/selftests/%w/%*", &a) && !s->group)
			group_set(s, a);
		put_make(p, "fail");
		return true;
	}
	if (strstr(line, "TAP version 13"))
		put_make(p, "pass");
	return false;
}

static void test_begin(struct parse *p, struct span group, struct span test)
{
	struct state *s = p->state;

	run_end(p);
	group_set(s, group);
	set(&s->test, span_trim(test));
	sections_clear(s, 0);
	s->announced = false;
	clear(&s->heading);
	clear(&s->running);
}

static void test_end(struct parse *p, struct span group, struct span test, const char *result)
{
	struct state *s = p->state;
	_free_ char *name = text_format("%.*s.%.*s", SPANF(group), SPANF(test));

	run_end(p);
	verdict_put(p, &s->seen, name, result);
	clear(&s->test);
	sections_clear(s, 0);
}

/* "ok 1 selftests: net: tls # SKIP" */
static bool harness_line(struct parse *p, const char *line)
{
	struct span n, group, test, rest;
	bool good;

	if (scan(line, "# selftests: %w: %s", &group, &test)) {
		test_begin(p, group, test);
		return true;
	}
	good = scan(line, "ok %n selftests: %w: %w%s", &n, &group, &test, &rest);
	if (!good && !scan(line, "not ok %n selftests: %w: %w%s", &n, &group, &test, &rest))
		return false;
	test_end(p, group, test,
		 memmem(rest.p, rest.n, "# SKIP", 6) ? "skip"
		 : good				     ? "pass"
						     : "fail");
	return true;
}

/* "ok 4 - name # SKIP why"; a name that is missing is that of the case under way. */
static bool tap_line(struct parse *p, const char *body, size_t depth)
{
	struct state *s = p->state;
	const char *result = "pass", *hash;
	struct span n, name, why = { "", 0 };

	if (scan(body, "not ok %n%s", &n, &name))
		result = "fail";
	else if (!scan(body, "ok %n%s", &n, &name))
		return false;
	if (strstr(name.p, "selftests:"))
		return false;
	hash = memmem(name.p, name.n, "# ", 2);
	if (hash) {
		if (text_starts(hash, "# SKIP")) {
			result = "skip";
			why = span_trim(span_of(hash + 6));
		}
		name.n = (size_t)(hash - name.p);
	}
	name = span_trim(name);
	if (span_starts(name, "- "))
		name = (struct span){ name.p + 2, name.n - 2 };
	if (span_ends(name, ": Passed"))
		name.n -= 8;
	if (!name.n)
		name = s->running ? span_of(s->running) : why;
	put(p, depth, name, result);
	return true;
}

/*
 * How scripts show what belongs together where no word tells: the line that is a
 * heading.  The rest have no headings, or say so (headings[] below).
 */
enum style {
	WORDS,
	SILENT,			/* nothing that is printed is a case */
	PLAIN,			/* each line that is not indented */
	AFTER_BLANK,		/* the line behind an empty one */
	UNDERLINED,		/* the line above "-----" */
	BANNER,			/* between lines of '#', the longer the higher */
	FAMILY,			/* "ipv4", "ipv6" */
	FAMILY_ONLY,		/* the same; " ok" behind noise is the family's */
	TESTS,			/* "TEST: heading" without a result */
	JOIN,			/* TAP at the end repeats all */
};

static const struct {
	const char *script;
	enum style style;
} styles[] = {
	{ "veth.sh", SILENT }, { "fib_tests.sh", PLAIN }, { "vrf-xfrm-tests.sh", AFTER_BLANK },
	{ "fib_nexthops.sh", UNDERLINED }, { "test_vxlan_mdb.sh", UNDERLINED },
	{ "fcnal-test.sh", BANNER }, { "udpgro.sh", FAMILY }, { "udpgro_fwd.sh", FAMILY_ONLY },
	{ "nft_concat_range.sh", TESTS }, { "mptcp_connect.sh", JOIN }, { "mptcp_join.sh", JOIN },
};

static enum style style_of(const struct state *s)
{
	for (size_t i = 0; s->test && i < COUNT(styles); i++)
		if (!strcmp(s->test, styles[i].script))
			return styles[i].style;
	return WORDS;
}

static const struct {
	const char *word, *result;
} words[] = {
	{ "OK", "pass" },	{ "PASS", "pass" }, { "FAIL", "fail" }, { "SKIP", "skip" },
	{ "XFAIL", "skip" },	{ "ok", "pass" },   { "Pass", "pass" }, { "fail", "fail" },
	{ "FAILED", "fail" },	{ "Fail", "fail" }, { "skip", "skip" }, { "SKIPPED", "skip" },
	{ "SKIPPING", "skip" },
};

static const char *result_of(struct span w)
{
	w = span_trim(w);
	for (size_t i = 0; i < COUNT(words); i++)
		if (span_is(w, words[i].word))
			return words[i].result;
	return NULL;
}

/*
 * Forms of a case's result: %s or %w is the name and the word.  Of two captures
 * @name says which is the name, of one the word is all: the section's result.
 */
static const struct form {
	const char *template;
	int name, word;
} forms[] = {
	{ "[%w]", -1, 0 },
	{ "TEST: %s [%w ]", 0, 1 },
	{ "TEST: %s [ %w ]", 0, 1 },
	{ "TEST: %s [%w]", 0, 1 },
	{ "TEST: %s ... %w", 0, 1 },
	{ "#%w %s:%w", 1, 2 },
	{ "[ %w ] %s", 1, 0 },
	{ "%s ... %w", 0, 1 },
	{ "%s ...%w", 0, 1 },
	{ "%w: %s", 1, 0 },
	{ "%s: %w", 0, 1 },
	{ "%s: [%w]", 0, 1 },
	{ "%s [ %w ]", 0, 1 },
	{ "%s [%w]", 0, 1 },
	{ "%w", -2, 0 },
};

/* Something random that a script puts into its names ("ns1-KktxxkSo"). */
static void plain_namespaces(struct text *t)
{
	size_t to = 0;

	for (size_t i = 0; i < t->len; i++) {
		size_t n = 0;

		if (t->p[i] == '-' && to > 2 && isdigit((unsigned char)t->p[to - 1]) &&
		    t->p[to - 2] == 's' && t->p[to - 3] == 'n')
			while (n < 8 && isalnum((unsigned char)t->p[i + 1 + n]))
				n++;
		if (n == 8 && !isalnum((unsigned char)t->p[i + 9]))
			i += 8;
		else
			t->p[to++] = t->p[i];
	}
	t->len = to;
	if (t->p)
		t->p[to] = '\0';
}

/* The name without what is measured beside it ("net,port   3s"). */
static void case_name(const struct state *s, struct span name, struct text *out)
{
	size_t n;

	name = span_trim(name);
	n = name.n;
	while (n && name.p[n - 1] != ' ')
		n--;
	if (style_of(s) == TESTS && n && name.p[name.n - 1] == 's' &&
	    isdigit((unsigned char)name.p[n]))
		name.n = n;
	text_put(out, name.p, name.n);
}

/* The result of what was announced, or of the line above. */
static bool word_alone(struct parse *p, size_t depth, const char *result)
{
	struct state *s = p->state;
	struct span none = { "", 0 };

	if (s->announced || style_of(s) == FAMILY_ONLY)
		put(p, depth, none, result);
	else if (s->heading && (!s->section[0] || style_of(s) == FAMILY))
		put(p, depth, span_of(s->heading), result);
	else
		return false;
	return true;
}

static bool sentence(struct span s)
{
	s = span_trim(s);
	return s.n && s.n < 200 && !memchr(s.p, '\t', s.n);
}

static bool form_line(struct parse *p, const char *body, size_t depth)
{
	struct state *s = p->state;
	struct span got[SCAN_MAX];

	if (!s->test || style_of(s) == SILENT || style_of(s) == JOIN)
		return false;
	for (size_t i = 0; i < COUNT(forms); i++) {
		_text_ struct text name = {};
		const char *result;

		if (!scan_spans(body, forms[i].template, got))
			continue;
		result = result_of(got[forms[i].word]);
		if (!result)
			continue;
		/* "lkdtm: saw it: ok" is no case of its own; "FAILED: 3 / 7" sums up. */
		if (text_starts(body, "FAILED: ") ||
		    (!strcmp(forms[i].template, "%s: %w") && span_is(got[1], "ok")))
			return false;
		if (forms[i].name == -2)
			return word_alone(p, depth, result);
		if (forms[i].name >= 0) {
			if (!sentence(got[forms[i].name]))
				return false;
			case_name(s, got[forms[i].name], &name);
		}
		plain_namespaces(&name);
		put(p, depth, (struct span){ text_str(&name), name.len }, result);
		return true;
	}
	return false;
}

/*
 * Headings that are told by their words; @level: where they stand in the name,
 * @up: how much less deep than the heading the cases are.
 */
static const struct {
	const char *template;
	size_t level, up;
	bool announces;
} headings[] = {
	{ "TEST SECTION: %s", 0, 0, false },
	{ "TEST SUBSECTION: %s", 1, 0, false },
	{ "[RUN] %s", 1, 1, false },
	{ "SYSCTL: %s", 2, 0, false },
	{ "Running %s", 0, 0, false },
	{ "running %s test", 0, 0, true },
	{ "running ./%s", 0, 0, true },
	{ "running %s", 0, 0, true },
	{ "run %s test", 0, 0, true },
	{ "starting %s", 0, 0, true },
};

static bool words_heading(struct state *s, const char *body, size_t depth)
{
	struct span name, n;
	size_t level;

	if (scan(body, "Running test: %w - run #%n", &name, &n)) {
		_free_ char *both = text_format("%.*s.%.*s", SPANF(name), SPANF(n));

		section_set(s, 0, depth, span_of(both));
		return true;
	}
	for (size_t i = 0; i < COUNT(headings); i++) {
		if (!scan(body, headings[i].template, &name))
			continue;
		/* A subsection right behind another is a part of it. */
		level = headings[i].level + (headings[i].level == 1 && s->section[1] && s->empty);
		section_set(s, level, depth - (depth ? headings[i].up : 0), name);
		s->announced = headings[i].announces;
		return true;
	}
	return false;
}

/* What is switched on or off is named by the SYSCTL line behind. */
static bool banner_heading(struct state *s, const char *body)
{
	if (!*body || *body == '#')
		return false;
	if (s->banner > 70)
		section_set(s, 0, 0, span_of(body));
	else if (s->banner && !text_ends(body, " disabled") && !text_ends(body, " enabled"))
		section_set(s, 1, 0, span_of(body));
	else
		return false;
	return true;
}

static bool family_heading(struct state *s, const char *body)
{
	if (strcasecmp(body, "ipv4") && strcasecmp(body, "ipv6"))
		return false;
	section_set(s, 0, 0, span_of(body));
	clear(&s->heading);
	return true;
}

/* "no GRO                                  ok", or noise and " ok" later */
static bool family_case(struct parse *p, const char *body, size_t depth)
{
	struct state *s = p->state;
	const char *gap = strstr(body, "   ");
	const char *result = gap ? result_of(span_of(gap)) : NULL;

	if (!gap)
		return false;
	set(&s->heading, (struct span){ body, (size_t)(gap - body) });
	if (result)
		put(p, depth, span_of(s->heading), result);
	return true;
}

static bool heading_line(struct parse *p, const char *line, const char *body, size_t depth)
{
	struct state *s = p->state;
	bool indented = !strncmp(line, "#  ", 3);
	struct span name;

	switch (style_of(s)) {
	case PLAIN:
		if (indented || !depth || strstr(body, "TEST:") || text_starts(body, "Tests ") ||
		    !*body)
			return false;
		break;
	case AFTER_BLANK:
		if (!s->blank || strstr(body, "TEST:") || text_starts(body, "Tests ") || !*body)
			return false;
		break;
	case UNDERLINED:
		if (strspn(body, "-") < 5 || !s->heading)
			return false;
		section_set(s, 0, 0, span_of(s->heading));
		return true;
	case BANNER:
		return banner_heading(s, body) || words_heading(s, body, depth);
	case FAMILY:
	case FAMILY_ONLY:
		return family_heading(s, body) || family_case(p, body, depth);
	case TESTS:
		if (!scan(body, "TEST: %s", &name) || strchr(body, '['))
			return false;
		section_set(s, 0, 0, name);
		return true;
	default:
		return words_heading(s, body, depth);
	}
	section_set(s, 0, 0, span_of(body));
	return true;
}

/* kmod.sh counts the results of several checks as one of the run. */
static bool kmod_line(struct parse *p, const char *body)
{
	struct state *s = p->state;
	struct span name, n, word;

	if (scan(body, "Running test: %w - run #%n", &name, &n) && s->test &&
	    !strcmp(s->test, "kmod.sh")) {
		run_end(p);
		s->run.name = text_format("%.*s.%.*s", SPANF(name), SPANF(n));
		return true;
	}
	if (!s->run.name || !scan(body, "%w: %w!%*", &name, &word) || !result_of(word))
		return false;
	s->run.last = result_of(word);
	s->run.failed = s->run.failed || !strcmp(s->run.last, "fail");
	return true;
}

/* Figures rather than verdicts. */
static bool figure_line(struct parse *p, const char *body)
{
	struct state *s = p->state;
	struct span way, v, dev;
	double n;

	if (scan(body, "average %w latency(us):%n standard deviation:%n", &way, &v, &dev) &&
	    s->test) {
		emit_as(p, v, "%s.%s.average_%.*s_latency", s->group, s->test, SPANF(way));
		emit_as(p, dev, "%s.%s.average_%.*s_latency_stddev", s->group, s->test, SPANF(way));
		return true;
	}
	if (scan(body, "%n nsec/msg", &v) && span_number(v, &n) && s->group) {
		spread_add(&s->nsec_per_msg, n);
		if (!s->nsec_group)
			s->nsec_group = text_copy(s->group);
		return true;
	}
	return false;
}

/* mm/test_vmalloc.sh: each worker prints all cases; the n-th of a name is worker n's. */
static bool vmalloc_line(struct parse *p, const char *line)
{
	struct state *s = p->state;
	struct span kind, name, passed, failed, usec;
	_free_ char *full = NULL;
	struct spread *seen;
	size_t worker;

	if (scan(line, "%* mm/test_vmalloc.sh %w", &kind)) {
		set(&s->stress, kind);
		group_clear(&s->workers);
		return true;
	}
	if (!s->stress)
		return false;
	if (scan(line, "Done.")) {
		emit_number(p, 1, "mm.test_vmalloc.sh.%s.pass", s->stress);
		return true;
	}
	if (!scan(line, "%*Summary: %w passed: %n failed: %n repeat: %*avg: %n usec", &name,
		  &passed, &failed, &usec))
		return false;
	full = text_format("%.*s", SPANF(name));
	seen = group_get(&s->workers, full);
	worker = seen->n;
	spread_add(seen, 1);
	if (span_is(failed, "0")) {
		emit_as(p, usec, "mm.test_vmalloc.sh.%s.worker%zu.%s.usec_per_loop", s->stress,
			worker, full);
		emit_number(p, 1, "mm.test_vmalloc.sh.%s.worker%zu.%s.pass", s->stress, worker,
			    full);
	} else {
		emit_number(p, 1, "mm.test_vmalloc.sh.%s.worker%zu.%s.fail", s->stress, worker,
			    full);
	}
	return true;
}

/* Behind the '#'s that the harness puts in front of each line, a level each. */
static const char *behind_marks(const char *line, size_t *depth)
{
	*depth = 0;
	while (*line == '#' && (line[1] == ' ' || line[1] == '\t' || !line[1])) {
		(*depth)++;
		line++;
		while (*line == ' ' || *line == '\t')
			line++;
	}
	return line;
}

static int self_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	struct span name;
	const char *body;
	size_t depth;
	bool known;

	line_cut(line, 2000);
	if (make_line(p, line) || harness_line(p, line) || vmalloc_line(p, line))
		return LINE_KNOWN;
	body = behind_marks(line, &depth);
	if (scan(body, "RUN %w ...", &name) ||
	    (text_starts(body, "[ RUN ") && scan(body, "[ RUN ] %w", &name))) {
		set(&s->running, name);
		return LINE_KNOWN;
	}
	known = tap_line(p, body, depth) || kmod_line(p, body) || figure_line(p, body) ||
		heading_line(p, line, body, depth) || form_line(p, body, depth);
	s->blank = depth && !*body;
	s->banner = depth ? strspn(body, "#") : 0;
	if (known)
		return LINE_KNOWN;
	if (s->group && !s->test && (text_starts(line, "WARN: No /proc/self/uid_map exist") ||
				     text_starts(line, "Mount flags unexpectedly changed"))) {
		put(p, 0, (struct span){ "", 0 }, *line == 'W' ? "skip" : "fail");
		return LINE_KNOWN;
	}
	/* Figures and rules are no headings. */
	if (depth && *body && !strchr(body, '=') && strspn(body, "-#") < 5)
		set(&s->heading, span_of(body));
	return LINE_UNKNOWN;
}

static int self_end(struct parse *p, struct err *e)
{
	struct state *s = p->state;

	run_end(p);
	if (s->nsec_per_msg.n)
		emit_number(p, p->lkp ? (double)(long long)spread_mean(&s->nsec_per_msg) :
			    spread_mean(&s->nsec_per_msg), "%s.nsec_per_msg", s->nsec_group);
	return 0;
}

static void self_release(void *state)
{
	struct state *s = state;

	verdicts_release(&s->seen);
	sections_clear(s, 0);
	clear(&s->group);
	clear(&s->test);
	clear(&s->heading);
	clear(&s->running);
	clear(&s->nsec_group);
	clear(&s->stress);
	clear(&s->run.name);
	spread_clear(&s->nsec_per_msg);
	group_clear(&s->workers);
}

PARSER(kselftests) = {
	.name = "kselftests",
	.state_size = sizeof(struct state),
	.line = self_line,
	.end = self_end,
	.release = self_release,
	.expects = "a line 'ok N selftests: GROUP: PROGRAM'",
};
