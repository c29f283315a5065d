/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The value of an expression; Ruby's rules for what it has in common with it. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "job/syntax.h"

#define TEXT_MAX (64U << 10)

struct eval {
	struct arena *a;
	const struct expr_scope *scope;
};

static const struct expr_method methods[] = {
	{ "to_i", 0 }, { "to_s", 0 }, { "to_f", 0 }, { "upcase", 0 }, { "downcase", 0 },
	{ "strip", 0 }, { "nil?", 0 }, { "empty?", 0 }, { "size", 0 }, { "length", 0 },
	{ "floor", 0 }, { "ceil", 0 }, { "round", 0 }, { "min", 0 }, { "max", 0 },
	{ "first", 0 }, { "last", 0 }, { "include?", 1 }, { "start_with?", 1 },
	{ "end_with?", 1 }, { "key?", 1 }, { "match?", 1 },
};

const struct expr_method *expr_method_find(const char *name)
{
	for (size_t i = 0; i < COUNT(methods); i++)
		if (!strcmp(methods[i].name, name))
			return &methods[i];
	return NULL;
}

static int eval(struct eval *v, const struct expr *x, const struct node **out, struct err *e);

bool expr_true(const struct node *v)
{
	return !node_absent(v);
}

void expr_print(const struct node *v, struct text *out)
{
	if (v->kind == NODE_NULL)
		return;
	if (node_scalar(v))
		text_puts(out, v->text);
	else
		node_print(v, out);
}

static const struct node *value(struct eval *v, const struct expr *x, enum node_kind kind,
				const char *text)
{
	struct node *n = node_make(v->a, kind, &x->at);

	n->text = text;
	return n;
}

static const struct node *boolean(struct eval *v, const struct expr *x, bool yes)
{
	return value(v, x, NODE_BOOL, yes ? "true" : "false");
}

static const struct node *nothing(struct eval *v, const struct expr *x)
{
	return value(v, x, NODE_NULL, NULL);
}

static const struct node *integer(struct eval *v, const struct expr *x, long long n)
{
	return value(v, x, NODE_INT, arena_format(v->a, "%lld", n));
}

static const struct node *real(struct eval *v, const struct expr *x, double d)
{
	char s[40];

	for (int precision = 1; precision <= 17; precision++) {
		snprintf(s, sizeof(s), "%.*g", precision, d);
		if (strtod(s, NULL) == d)
			break;
	}
	return value(v, x, NODE_FLOAT,
		     arena_format(v->a, "%s%s", s, strpbrk(s, ".en") ? "" : ".0"));
}

static bool is_number(const struct node *n)
{
	return n->kind == NODE_INT || n->kind == NODE_FLOAT;
}

static const char *kind_name(const struct node *n)
{
	static const char *const names[] = {
		[NODE_NULL] = "nothing", [NODE_TEXT] = "a text", [NODE_INT] = "a number",
		[NODE_FLOAT] = "a number", [NODE_BOOL] = "true or false", [NODE_LIST] = "a list",
		[NODE_MAP] = "a map",
	};

	return names[n->kind];
}

/* The job's own keys, `job` for all of them, then what the host says. */
static const struct node *name_value(struct eval *v, const struct expr *x)
{
	const struct expr_scope *s = v->scope;
	const struct job_host *h = s->host;
	const struct node *n;

	if (!strcmp(x->name, "___"))
		return s->self ? s->self : nothing(v, x);
	if (!strcmp(x->name, "job") || !strcmp(x->name, "self"))
		return s->job;
	n = node_get(s->job, x->name);
	if (!n)
		n = node_get(s->more, x->name);
	if (n)
		return n;
	if (h && !strcmp(x->name, "nr_cpu"))
		return integer(v, x, (long long)h->nr_cpu);
	if (h && !strcmp(x->name, "nr_node"))
		return integer(v, x, (long long)h->nr_node);
	if (h && !strcmp(x->name, "memory") && h->memory_text)
		return value(v, x, NODE_TEXT, arena_text(v->a, h->memory_text));
	if (h && !strcmp(x->name, "arch") && h->arch)
		return value(v, x, NODE_TEXT, arena_text(v->a, h->arch));
	for (size_t i = 0; h && i < h->n_extra; i++)
		if (!strcmp(x->name, h->extra[i].key))
			return value(v, x, NODE_TEXT, arena_text(v->a, h->extra[i].value));
	return nothing(v, x);
}

/* `job['arch']`, also of what only the host says. */
static const struct node *index_value(struct eval *v, const struct expr *x,
				      const struct node *of, const struct node *key)
{
	struct expr name = *x;
	long long i;

	if (of->kind == NODE_LIST && key->kind == NODE_INT) {
		i = strtoll(key->text, NULL, 10);
		i += i < 0 ? (long long)of->n : 0;
		return i >= 0 && (size_t)i < of->n ? of->item[i].value : nothing(v, x);
	}
	if (of->kind != NODE_MAP || !node_scalar(key) || !key->text)
		return nothing(v, x);
	if (of == v->scope->job) {
		name.name = key->text;
		return name_value(v, &name);
	}
	return node_find(of, key->text) ? node_get(of, key->text) : nothing(v, x);
}

static const struct node *cased(struct eval *v, const struct expr *x, const char *s,
				int (*change)(int))
{
	char *copy = arena_text(v->a, s);

	for (char *p = copy; *p; p++)
		*p = (char)change((unsigned char)*p);
	return value(v, x, NODE_TEXT, copy);
}

static const struct node *stripped(struct eval *v, const struct expr *x, const char *s)
{
	size_t n;

	s += strspn(s, " \t\r\n");
	n = strlen(s);
	while (n && strchr(" \t\r\n", s[n - 1]))
		n--;
	return value(v, x, NODE_TEXT, arena_text_n(v->a, s, n));
}

static const struct node *to_text(struct eval *v, const struct expr *x, const struct node *of)
{
	_text_ struct text t = {};

	expr_print(of, &t);
	return value(v, x, NODE_TEXT, arena_text_n(v->a, text_str(&t), t.len));
}

static bool includes(const struct node *of, const struct node *what)
{
	for (size_t i = 0; i < of->n; i++) {
		if (of->kind == NODE_LIST && node_equal(of->item[i].value, what))
			return true;
		if (of->kind == NODE_MAP && node_scalar(what) && what->text &&
		    !strcmp(of->item[i].key, what->text))
			return true;
	}
	return of->kind == NODE_TEXT && what->kind == NODE_TEXT && strstr(of->text, what->text);
}

static const struct node *extreme(struct eval *v, const struct expr *x, const struct node *of,
				  bool largest)
{
	const struct node *best = of->n ? of->item[0].value : nothing(v, x);

	for (size_t i = 1; i < of->n; i++) {
		const struct node *n = of->item[i].value;
		bool more = is_number(n) && is_number(best) ?
			    strtod(n->text, NULL) > strtod(best->text, NULL) :
			    n->text && best->text && strcmp(n->text, best->text) > 0;

		if (more == largest)
			best = n;
	}
	return best;
}

static int number_method(struct eval *v, const struct expr *x, const struct node *of,
			 const struct node **out, struct err *e)
{
	double d = of->text ? strtod(of->text, NULL) : 0;

	if (!strcmp(x->name, "to_f")) {
		*out = real(v, x, isfinite(d) ? d : 0);
		return 0;
	}
	if (!strcmp(x->name, "floor"))
		d = floor(d);
	else if (!strcmp(x->name, "ceil"))
		d = ceil(d);
	else if (!strcmp(x->name, "round"))
		d = round(d);
	if (!(fabs(d) < 1e18))
		return node_err(&x->at, e, "too large a number");
	*out = integer(v, x, (long long)d);
	return 0;
}

static int container_method(struct eval *v, const struct expr *x, const struct node *of,
			    const struct node **out, struct err *e)
{
	size_t n = of->kind == NODE_TEXT ? strlen(of->text) : of->n;

	if (node_scalar(of) && of->kind != NODE_TEXT)
		return node_err(&x->at, e, "%s has no '%s'", kind_name(of), x->name);
	if (!strcmp(x->name, "empty?"))
		*out = boolean(v, x, !n);
	else if (!strcmp(x->name, "size") || !strcmp(x->name, "length"))
		*out = integer(v, x, (long long)n);
	else if (of->kind != NODE_LIST)
		return node_err(&x->at, e, "%s has no '%s'", kind_name(of), x->name);
	else if (!strcmp(x->name, "first"))
		*out = of->n ? of->item[0].value : nothing(v, x);
	else if (!strcmp(x->name, "last"))
		*out = of->n ? of->item[of->n - 1].value : nothing(v, x);
	else
		*out = extreme(v, x, of, !strcmp(x->name, "max"));
	return 0;
}

static int text_method(struct eval *v, const struct expr *x, const struct node *of,
		       const struct node *arg, const struct node **out, struct err *e)
{
	if (!of->text || !node_scalar(of) || (arg && arg->kind != NODE_TEXT))
		return node_err(&x->at, e, "%s has no '%s'", kind_name(of), x->name);
	if (!strcmp(x->name, "upcase"))
		*out = cased(v, x, of->text, toupper);
	else if (!strcmp(x->name, "downcase"))
		*out = cased(v, x, of->text, tolower);
	else if (!strcmp(x->name, "strip"))
		*out = stripped(v, x, of->text);
	else if (!strcmp(x->name, "start_with?"))
		*out = boolean(v, x, text_starts(of->text, arg->text));
	else
		*out = boolean(v, x, text_ends(of->text, arg->text));
	return 0;
}

static int method(struct eval *v, const struct expr *x, const struct node *of,
		  const struct node *arg, const struct node **out, struct err *e)
{
	static const char *const numbers[] = { "to_i", "to_f", "floor", "ceil", "round" };
	static const char *const containers[] = { "empty?", "size", "length", "first", "last",
						  "min", "max" };

	if (!strcmp(x->name, "nil?")) {
		*out = boolean(v, x, of->kind == NODE_NULL);
		return 0;
	}
	if (!strcmp(x->name, "to_s")) {
		*out = to_text(v, x, of);
		return 0;
	}
	if (!strcmp(x->name, "include?") || !strcmp(x->name, "key?")) {
		*out = boolean(v, x, includes(of, arg));
		return 0;
	}
	for (size_t i = 0; i < COUNT(numbers); i++)
		if (!strcmp(x->name, numbers[i]) && node_scalar(of))
			return number_method(v, x, of, out, e);
	for (size_t i = 0; i < COUNT(containers); i++)
		if (!strcmp(x->name, containers[i]))
			return container_method(v, x, of, out, e);
	return text_method(v, x, of, arg, out, e);
}

static int match(struct eval *v, const struct expr *re, const struct node *of, bool *out,
		 struct err *e)
{
	regex_t r;

	*out = false;
	if (of->kind != NODE_TEXT)
		return 0;
	if (regcomp(&r, re->pattern, re->flags))
		return node_err(&re->at, e, "the pattern is wrong");
	*out = regexec(&r, of->text, 0, NULL, 0) == 0;
	regfree(&r);
	return 0;
}

static int member(struct eval *v, const struct expr *x, const struct node **out, struct err *e)
{
	const struct node *of, *arg = NULL;
	bool yes;

	if (!strcmp(x->name, "match?") && x->arg[1]->kind == EXPR_REGEX) {
		if (eval(v, x->arg[0], &of, e) < 0 || match(v, x->arg[1], of, &yes, e) < 0)
			return -e->code;
		*out = boolean(v, x, yes);
		return 0;
	}
	if (eval(v, x->arg[0], &of, e) < 0 || (x->n > 1 && eval(v, x->arg[1], &arg, e) < 0))
		return -e->code;
	if (of->kind == NODE_MAP && node_find(of, x->name)) {
		*out = node_get(of, x->name);
		return 0;
	}
	if (expr_method_find(x->name))
		return method(v, x, of, arg, out, e);
	if (of->kind != NODE_MAP)
		return node_err(&x->at, e, "%s has no '%s'", kind_name(of), x->name);
	*out = nothing(v, x);
	return 0;
}

static bool equal(const struct node *a, const struct node *b)
{
	if (is_number(a) && is_number(b))
		return strtod(a->text, NULL) == strtod(b->text, NULL);
	return node_equal(a, b);
}

static int compare(struct eval *v, const struct expr *x, const struct node *l,
		   const struct node *r, const struct node **out, struct err *e)
{
	bool or_equal = x->name[1] == '=';
	int c;

	if (is_number(l) && is_number(r)) {
		double a = strtod(l->text, NULL), b = strtod(r->text, NULL);

		c = (a > b) - (a < b);
	} else if (l->kind == NODE_TEXT && r->kind == NODE_TEXT) {
		c = strcmp(l->text, r->text);
	} else {
		return node_err(&x->at, e, "%s '%s' %s: these do not compare", kind_name(l),
				x->name, kind_name(r));
	}
	*out = boolean(v, x, (*x->name == '<' ? c < 0 : c > 0) || (or_equal && !c));
	return 0;
}

static int integers(struct eval *v, const struct expr *x, long long a, long long b,
		    const struct node **out, struct err *e)
{
	long long n = 0;
	bool over = false;

	switch (*x->name) {
	case '+':
		over = __builtin_add_overflow(a, b, &n);
		break;
	case '-':
		over = __builtin_sub_overflow(a, b, &n);
		break;
	case '*':
		over = __builtin_mul_overflow(a, b, &n);
		break;
	default:
		if (!b)
			return node_err(&x->at, e, "a division by zero");
		over = a == INT64_MIN && b == -1;
		if (over)
			break;
		n = a / b - ((a % b != 0) && ((a < 0) != (b < 0)));	/* rounds down */
		if (*x->name == '%')
			n = a - n * b;
	}
	if (over)
		return node_err(&x->at, e, "too large a number");
	*out = integer(v, x, n);
	return 0;
}

static int reals(struct eval *v, const struct expr *x, double a, double b,
		 const struct node **out, struct err *e)
{
	double d = *x->name == '+' ? a + b : *x->name == '-' ? a - b : *x->name == '*' ? a * b :
		   *x->name == '/' ? a / b : fmod(a, b);

	if (!isfinite(d))
		return node_err(&x->at, e, "not a number comes out");
	*out = real(v, x, d);
	return 0;
}

static int texts(struct eval *v, const struct expr *x, const struct node *l,
		 const struct node *r, const struct node **out, struct err *e)
{
	_text_ struct text t = {};
	long long n;

	if (*x->name == '+' && r->kind == NODE_TEXT) {
		text_puts(&t, l->text);
		text_puts(&t, r->text);
	} else if (*x->name == '*' && r->kind == NODE_INT) {
		n = strtoll(r->text, NULL, 10);
		if (n < 0 || (n && strlen(l->text) > TEXT_MAX / (size_t)n))
			return node_err(&x->at, e, "too long a text");
		while (n--)
			text_puts(&t, l->text);
	} else {
		return node_err(&x->at, e, "a text '%s' %s: not known", x->name, kind_name(r));
	}
	if (t.len > TEXT_MAX)
		return node_err(&x->at, e, "too long a text");
	*out = value(v, x, NODE_TEXT, arena_text_n(v->a, text_str(&t), t.len));
	return 0;
}

static int arithmetic(struct eval *v, const struct expr *x, const struct node *l,
		      const struct node *r, const struct node **out, struct err *e)
{
	if (l->kind == NODE_TEXT)
		return texts(v, x, l, r, out, e);
	if (!is_number(l) || !is_number(r))
		return node_err(&x->at, e, "%s '%s' %s: not known", kind_name(l), x->name,
				kind_name(r));
	if (l->kind == NODE_INT && r->kind == NODE_INT)
		return integers(v, x, strtoll(l->text, NULL, 10), strtoll(r->text, NULL, 10),
				out, e);
	return reals(v, x, strtod(l->text, NULL), strtod(r->text, NULL), out, e);
}

static int matching(struct eval *v, const struct expr *x, const struct node **out,
		    struct err *e)
{
	bool regex_left = x->arg[0]->kind == EXPR_REGEX, yes;
	const struct expr *re = x->arg[regex_left ? 0 : 1];
	const struct node *of;

	if (re->kind != EXPR_REGEX)
		return node_err(&x->at, e, "'%s' wants a pattern: /.../", x->name);
	if (eval(v, x->arg[regex_left ? 1 : 0], &of, e) < 0 || match(v, re, of, &yes, e) < 0)
		return -e->code;
	*out = boolean(v, x, yes == (x->name[0] == '='));
	return 0;
}

static int operation(struct eval *v, const struct expr *x, const struct node **out,
		     struct err *e)
{
	const struct node *l, *r;

	if (x->name[1] == '~')
		return matching(v, x, out, e);
	if (eval(v, x->arg[0], &l, e) < 0 || eval(v, x->arg[1], &r, e) < 0)
		return -e->code;
	if (!strcmp(x->name, "==") || !strcmp(x->name, "!=")) {
		*out = boolean(v, x, equal(l, r) == (*x->name == '='));
		return 0;
	}
	if (*x->name == '<' || *x->name == '>')
		return compare(v, x, l, r, out, e);
	return arithmetic(v, x, l, r, out, e);
}

/* Whether `when test` takes the subject; without one the test itself decides. */
static int taken(struct eval *v, const struct expr *test, const struct node *subject, bool *out,
		 struct err *e)
{
	const struct node *n;

	if (!test) {
		*out = true;
		return 0;
	}
	if (subject && test->kind == EXPR_REGEX)
		return match(v, test, subject, out, e);
	if (eval(v, test, &n, e) < 0)
		return -e->code;
	*out = subject ? equal(subject, n) : expr_true(n);
	return 0;
}

static int choice(struct eval *v, const struct expr *x, const struct node **out, struct err *e)
{
	const struct node *subject = NULL;
	bool yes = false;

	if (x->arg[0] && eval(v, x->arg[0], &subject, e) < 0)
		return -e->code;
	for (size_t i = 1; i + 1 < x->n; i += 2) {
		if (taken(v, x->arg[i], subject, &yes, e) < 0)
			return -e->code;
		if (yes)
			return eval(v, x->arg[i + 1], out, e);
	}
	*out = nothing(v, x);
	return 0;
}

static int joined(struct eval *v, const struct expr *x, const struct node **out, struct err *e)
{
	struct node *list = node_make(v->a, NODE_LIST, &x->at);
	_text_ struct text t = {};

	for (size_t i = 0; i < x->n; i++) {
		const struct node *n;

		if (eval(v, x->arg[i], &n, e) < 0)
			return -e->code;
		if (x->kind == EXPR_TEXT)
			expr_print(n, &t);
		else
			node_append(v->a, list, node_copy(v->a, n));
		if (t.len > TEXT_MAX)
			return node_err(&x->at, e, "too long a text");
	}
	*out = x->kind == EXPR_LIST ? list :
	       value(v, x, NODE_TEXT, arena_text_n(v->a, text_str(&t), t.len));
	return 0;
}

static int unary(struct eval *v, const struct expr *x, const struct node **out, struct err *e)
{
	const struct node *n;

	if (eval(v, x->arg[0], &n, e) < 0)
		return -e->code;
	if (x->kind == EXPR_NOT)
		*out = boolean(v, x, !expr_true(n));
	else if (!is_number(n))
		return node_err(&x->at, e, "'-' of %s", kind_name(n));
	else if (n->kind == NODE_INT)
		*out = integer(v, x, -strtoll(n->text, NULL, 10));
	else
		*out = real(v, x, -strtod(n->text, NULL));
	return 0;
}

static int logic(struct eval *v, const struct expr *x, const struct node **out, struct err *e)
{
	if (eval(v, x->arg[0], out, e) < 0)
		return -e->code;
	if (expr_true(*out) == (x->kind == EXPR_OR))
		return 0;
	return eval(v, x->arg[1], out, e);
}

static int condition(struct eval *v, const struct expr *x, const struct node **out,
		     struct err *e)
{
	const struct node *n;
	const struct expr *branch;

	if (eval(v, x->arg[0], &n, e) < 0)
		return -e->code;
	branch = x->arg[expr_true(n) ? 1 : 2];
	if (branch)
		return eval(v, branch, out, e);
	*out = nothing(v, x);
	return 0;
}

static int indexed(struct eval *v, const struct expr *x, const struct node **out, struct err *e)
{
	const struct node *of, *key;

	if (eval(v, x->arg[0], &of, e) < 0 || eval(v, x->arg[1], &key, e) < 0)
		return -e->code;
	*out = index_value(v, x, of, key);
	return 0;
}

static int in_order(struct eval *v, const struct expr *x, const struct node **out,
		    struct err *e)
{
	*out = nothing(v, x);
	for (size_t i = 0; i < x->n; i++)
		if (eval(v, x->arg[i], out, e) < 0)
			return -e->code;
	return 0;
}

static int eval(struct eval *v, const struct expr *x, const struct node **out, struct err *e)
{
	switch (x->kind) {
	case EXPR_VALUE:
		*out = x->node;
		return 0;
	case EXPR_NAME:
		*out = name_value(v, x);
		return 0;
	case EXPR_MEMBER:
		return member(v, x, out, e);
	case EXPR_INDEX:
		return indexed(v, x, out, e);
	case EXPR_LIST:
	case EXPR_TEXT:
		return joined(v, x, out, e);
	case EXPR_REGEX:
		return node_err(&x->at, e, "a pattern stands alone; write: value =~ /.../");
	case EXPR_NOT:
	case EXPR_MINUS:
		return unary(v, x, out, e);
	case EXPR_AND:
	case EXPR_OR:
		return logic(v, x, out, e);
	case EXPR_OPERATOR:
		return operation(v, x, out, e);
	case EXPR_IF:
		return condition(v, x, out, e);
	case EXPR_CASE:
		return choice(v, x, out, e);
	case EXPR_SEQUENCE:
		return in_order(v, x, out, e);
	}
	abort();
}

int expr_eval(struct arena *a, const struct expr *x, const struct expr_scope *scope,
	      const struct node **out, struct err *e)
{
	struct eval v = { a, scope };

	return eval(&v, x, out, e);
}
