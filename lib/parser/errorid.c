/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <string.h>

#include "parser/errorid.h"
#include "parser/rewrite.h"
#include "parser/scan.h"

#define PTR "([0-9a-f]+|\\(_*ptrval_*\\))"
#define COPY "\\.(isra|constprop|part)\\.[0-9]+"

/* Lines become more alike step by step. */
static const struct step {
	const char *pattern, *with;
	bool once;
	const char *any;	/* nothing to do unless the line has one of these; NULL: look */
} plain_steps[] = {
	{ "\\b[3-9]\\.[0-9]+[-a-z0-9.]+", "#", false, "." },			/* kernel version */
	{ "\\b[1-9][0-9]-[A-Z][a-z]+-[0-9]{4}\\b", "#", false, "-" },	/* date */
	{ "\\b0x[0-9a-f]+\\b", "#", false, "x" },
	{ "\\b[a-f0-9]{40}\\b", "#", false },				/* commit */
	{ "\\b[0-9][0-9.]*", "#", false },
	{ "#x\\b", "0x", false, "#" },
	{ "[\\\"$]", "~", false, "\\\"$" },
	{ "[ \t]", " ", false, "\t" },
	{ "  +", " ", false },
	{ "([^a-zA-Z0-9]) ", "\\1", false },
	{ " ([^a-zA-Z])", "\\1", false },
	{ "^ ", "", false },
	{ " ", "_", false },
	{ "[-_.,;:#!*[(]+$", "", true },
}, before_steps[] = {
	{ " \\]$", "", false, "]" },
	{ "(/tmp)?/?kbuild/src/[^/]+/", "", false, "/" },
	{ COPY, "", false, "." },
	{ "\\b(bcache|blkext|btt|dasd|drbd|fd|hd|jsfd|lloop|loop|md|mdp|mmc|nbd|nd_blk|nfhd|nullb|"
	  "nvme|pmem|ramdisk|scm|sd|simdisk|sr|ubd|ubiblock|virtblk|xsysace|zram)[0-9]+",
	  "\\1#", false },
	{ "\\b[0-9a-f]{8}\\b", "#", false },
	{ "\\b[0-9a-f]{16}\\b", "#", false },
	{ "(=)[0-9a-f]+\\b", "\\1#", false, "=" },
	{ "[+/]0x[0-9a-f]+\\b", "", false, "+/" },
	{ "[+/][0-9a-f]+\\b", "", false, "+/" },
	{ " \\(Tainted:.+\\)", "", false, "T" },
}, after_steps[] = {
	{ "([a-z]:)[0-9]+\\b", "\\1", false },				/* file.c:123 */
	{ "#:\\[<#>\\]\\[<#>\\]", "", false, "<" },	/* RIP: 0010:[<...>] */
	{ "RIP:#:", "RIP:", false },
	{ "[^/a-zA-Z0-9_]\\w[0-9]+\\W", "#", false },
	{ "\\W\\w[0-9]+[^/a-zA-Z0-9_]", "#", false },
};

/*
 * Kernel messages of which a part is the name.  PART: group 1 is name and
 * pattern.  PARTS: groups 1 and 2 together are the name, 2 is the pattern.
 * KEEP_BOTH: the same, both are in the pattern.  REST: group 1 is the name, the
 * pattern is made of it.  WHOLE: the line is the name after the rewriting by @what
 * and @with, the pattern is made of the line.
 */
static const struct message {
	const char *needle;		/* the line must have it */
	const char *pattern;
	enum { PART, PARTS, REST, KEEP_BOTH, WHOLE } way;
	const char *what, *with;
} messages[] = {
	{ "self-detected stall", "(INFO: rcu[_a-z]* self-detected stall on CPU)", PART },
	{ "detected stalls on", "(INFO: rcu[_a-z]* detected stalls on CPUs/tasks:)", PART },
	{ "related general protection", "(related general protection fault:)", PART },
	{ "__this_cpu_read", "(BUG: using __this_cpu_read\\(\\) in preemptible)", PART },
	{ "unable to handle kernel", "(BUG: unable to handle kernel)", PART },
	{ "workqueue leaked", "(BUG: workqueue leaked lock or atomic:)", PART },
	{ "scheduling while atomic", "(BUG: scheduling while atomic:)", PART },
	{ "Bad page map", "(BUG: Bad page map in process)", PART },
	{ "Bad page state", "(BUG: Bad page state in process)", PART },
	{ "Bad page cache", "(BUG: Bad page cache in process)", PART },
	{ "soft lockup", "(BUG: soft lockup - CPU#[0-9]+ stuck for [0-9]+s!.*)", PART },
	{ "BUG: spinlock", "(BUG: spinlock .* on CPU#[0-9]+)", PART },
	{ "Kill process", "(Out of memory: Kill process) [0-9]+ \\(", PART },
	{ "Writer stall state", "(Writer stall state \\w*).+ g[0-9]+ c[0-9]+ f", PART },
	{ "workqueue lockup", "(BUG: workqueue lockup - pool)", PART },
	{ "kthread starved", "(rcu_sched kthread starved) for [0-9]+ jiffies", PART },
	{ "Could not create tracefs", "(Could not create tracefs)", PART },
	{ "used greatest stack depth:", "(used greatest stack depth:)", PART },
	{ " [#", "([A-Z]+[ a-zA-Z]*): [a-f0-9]{4} \\[#[0-9]+\\] ", PART },
	{ "BUG: KASAN", "(BUG: KASAN: [-a-z_ ]+ in [a-z_]+)\\+", PART },
	{ "BUG: KFENCE", "(BUG: KFENCE: [-a-z_ ]+ in [a-z_]+)\\+", PART },
	{ "cpu clock throttled", "(cpu clock throttled)", PART },
	{ "init found.",
	  "(Kernel panic - not syncing: No (working )?init found.)  Try passing init= option",
	  PART },
	{ "still has locks held", "(BUG: ).* (still has locks held)", PARTS },
	{ "blocked for more than", "(INFO: task ).* (blocked for more than [0-9]+ seconds)",
	  PARTS },
	{ "WARNING:", "WARNING:.* at .* ([a-zA-Z.0-9_]+\\+0x)", WHOLE, ".*(at .*)",
	  "WARNING: \\1" },
	{ "UBSAN: ", "(UBSAN: .+)", REST },
	{ "smp_processor_id", "(BUG: using smp_processor_id\\(\\) in preemptible)", REST },
	{ ">] ", "^[0-9a-z]+>\\] (.+)", REST },
	{ "BUG: key ", "(BUG: key )[0-9a-f]+ (not in .data)", KEEP_BOTH },
	{ "BUG: Dentry", "(BUG: Dentry ).* (still in use) .* \\[unmount of ", KEEP_BOTH },
	{ "Corrupted low memory", "Corrupted low memory at", WHOLE,
	  "\\b[0-9a-f]+\\b( phys.*= )\\b[0-9a-f]+\\b", "#\\1#" },
	{ "kobject (",
	  "kobject "
	  "\\(" PTR "\\): tried to init an initialized object",
	  WHOLE, "kobject \\(" PTR "\\)", "kobject (#)" },
	{ "rss-counter state", "BUG: Bad rss-counter state mm:" PTR " ", WHOLE,
	  "(BUG: Bad rss-counter state mm:)" PTR " ", "\\1# " },
	{ "Bad pagetable", "Bad pagetable: [0-9a-f]+ \\[#", WHOLE,
	  "(Bad pagetable: )[0-9a-f]+ \\[#", "\\1# [#" },
	{ "INFO: Slab 0x", "INFO: Slab 0x\\(____ptrval____\\) objects=.*fp=0x.* flags=.*", WHOLE,
	  "(INFO: Slab 0x\\(____ptrval____\\) objects=.*fp=0x).* (flags=.*)", "\\1(#) \\2" },
	{ "]---", "(.*) \\]---(.*)", WHOLE, "(.*) \\]---(.*)", "\\1\\2" },
	{ "segfault at", "segfault at .* ip .* sp .* error", WHOLE, ".*",
	  "segfault at ip sp error" },
};

struct errorid {
	struct lazy_regex plain[COUNT(plain_steps)], before[COUNT(before_steps)];
	struct lazy_regex after[COUNT(after_steps)];
	struct lazy_regex message[COUNT(messages)], what[COUNT(messages)];
	struct lazy_regex level, caller, front, warned;
};

struct errorid *errorid_new(void)
{
	struct errorid *x = mem_zero(1, sizeof(*x));

	for (size_t i = 0; i < COUNT(plain_steps); i++)
		x->plain[i].pattern = plain_steps[i].pattern;
	for (size_t i = 0; i < COUNT(before_steps); i++)
		x->before[i].pattern = before_steps[i].pattern;
	for (size_t i = 0; i < COUNT(after_steps); i++)
		x->after[i].pattern = after_steps[i].pattern;
	for (size_t i = 0; i < COUNT(messages); i++) {
		x->message[i].pattern = messages[i].pattern;
		x->what[i].pattern = messages[i].what;
	}
	x->level.pattern = "^(kern  |user  |daemon):......: ";
	x->caller.pattern = "\\[ {0,4}[A-Z][0-9]{1,5}\\] ";
	x->front.pattern = "^[^a-zA-Z]+";
	x->warned.pattern = ".* ([a-zA-Z.0-9_]+\\+0x)";
	return x;
}

void errorid_free(struct errorid *x)
{
	if (!x)
		return;
	lazy_free(x->plain, COUNT(x->plain));
	lazy_free(x->before, COUNT(x->before));
	lazy_free(x->after, COUNT(x->after));
	lazy_free(x->message, COUNT(x->message));
	lazy_free(x->what, COUNT(x->what));
	lazy_free(&x->level, 1);
	lazy_free(&x->caller, 1);
	lazy_free(&x->front, 1);
	lazy_free(&x->warned, 1);
	free(x);
}

static void steps_apply(struct text *t, const struct step *steps, struct lazy_regex *re, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!steps[i].any || strpbrk(text_str(t), steps[i].any))
			text_rewrite(t, &re[i], steps[i].with, !steps[i].once);
}

/* What is longer is cut: names are short, and expressions on long lines slow. */
#define LINE_MAX_USED 1000

static void text_begin(struct text *t)
{
	t->len = 0;
	if (t->p)
		*t->p = '\0';
}

void errorid_plain(struct errorid *x, const char *line, struct text *id)
{
	text_begin(id);
	text_put(id, line, strnlen(line, LINE_MAX_USED));
	steps_apply(id, plain_steps, x->plain, COUNT(plain_steps));
}

static bool word_ok(struct span w)
{
	for (size_t i = 0; i < w.n; i++)
		if (!isalpha((unsigned char)w.p[i]) && !strchr("/:.()!_-", w.p[i]))
			return false;
	return true;
}

/* Length of what ends in '=' or "+0x" within a word, from @start on; 0: none. */
static size_t marked(struct span w, const char *mark, size_t *start)
{
	const char *at = memmem(w.p, w.n, mark, strlen(mark)), *from = at;

	while (at && from > w.p && (isalnum((unsigned char)from[-1]) || from[-1] == '_'))
		from--;
	if (!at || from == at)
		return 0;
	*start = (size_t)(from - w.p);
	return (size_t)(at - from) + strlen(mark);
}

static void put_word(struct text *out, const char *s, size_t n)
{
	if (n == 2 && !memcmp(s, ".*", 2) && (!out->len || text_ends(text_str(out), ".*")))
		return;
	if (out->len)
		text_putc(out, ' ');
	text_put(out, s, n);
}

/* "file.c:123" keeps the file. */
static size_t file_part(struct span w)
{
	size_t n = 0;

	while (n < w.n && (isalpha((unsigned char)w.p[n]) || strchr("/._-", w.p[n])))
		n++;
	return n + 1 < w.n && w.p[n] == ':' && isdigit((unsigned char)w.p[n + 1]) ? n + 1 : 0;
}

/*
 * Words that may change become ".*"; the pattern ends behind the first function
 * ("name+0x") or "key=", which are specific enough.
 */
static void pattern_make(const char *line, struct text *out)
{
	struct span f[200];
	size_t n = split_blanks(line, f, COUNT(f)), start, len;

	text_begin(out);
	if (n == 1) {
		text_puts(out, line);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		len = marked(f[i], "+0x", &start);
		if (!len)
			len = marked(f[i], "=", &start);
		if (len) {
			put_word(out, f[i].p + start, len);
			break;
		}
		len = file_part(f[i]);
		if (len) {
			_free_ char *file = text_format("%.*s.*", (int)len, f[i].p);

			put_word(out, file, strlen(file));
		} else if (word_ok(f[i])) {
			put_word(out, f[i].p, f[i].n);
		} else {
			put_word(out, ".*", 2);
		}
	}
	if (text_ends(text_str(out), " .*"))
		out->len -= 3;
	if (out->p)
		out->p[out->len] = '\0';
}

static void text_set(struct text *t, const char *s, regmatch_t m)
{
	_free_ char *copy = text_format("%.*s", (int)(m.rm_eo - m.rm_so), s + m.rm_so);

	text_begin(t);
	text_puts(t, copy);
}

/* "WARNING:.* at .* function+0x" */
static void warning_pattern(struct errorid *x, const struct text *line, struct text *pattern)
{
	struct lazy_regex *copies = &x->before[2];
	regmatch_t m[REWRITE_GROUPS];
	_text_ struct text name = {};

	if (!lazy_match(&x->warned, text_str(line), 0, m))
		return;
	text_set(&name, text_str(line), m[1]);
	text_rewrite(&name, copies, "", true);
	pattern->len = 0;
	text_printf(pattern, "WARNING:.* at .* %s", text_str(&name));
}

static void message_apply(struct errorid *x, size_t i, const regmatch_t *m, struct text *line,
			  struct text *pattern)
{
	_free_ char *whole = text_copy(text_str(line));

	switch (messages[i].way) {
	case PART:
		text_set(line, whole, m[1]);
		text_set(pattern, whole, m[1]);
		break;
	case PARTS:
	case KEEP_BOTH:
		text_set(pattern, whole, m[2]);
		text_set(line, whole, m[1]);
		if (messages[i].way == KEEP_BOTH) {
			_free_ char *second = text_steal(pattern);

			text_printf(pattern, "%s.* %s", text_str(line), second);
			text_puts(line, second);
		} else {
			text_puts(line, text_str(pattern));
		}
		break;
	case REST:
		text_set(line, whole, m[1]);
		pattern_make(text_str(line), pattern);
		break;
	case WHOLE:
		pattern_make(whole, pattern);
		if (text_starts(messages[i].needle, "WARNING:"))
			warning_pattern(x, line, pattern);
		text_rewrite(line, &x->what[i], messages[i].with, false);
		if (text_starts(messages[i].needle, "segfault") ||
		    text_starts(messages[i].needle, "]---"))
			pattern_make(text_str(line), pattern);
		break;
	}
}

void errorid_kernel(struct errorid *x, const char *line, struct text *id, struct text *pattern)
{
	regmatch_t m[REWRITE_GROUPS];
	size_t i;

	text_begin(id);
	text_put(id, line, strnlen(line, LINE_MAX_USED));
	text_rewrite(id, &x->level, "", false);
	text_rewrite(id, &x->caller, " ", false);
	text_rewrite(id, &x->front, "", false);
	for (i = 0; i < COUNT(messages); i++)
		if (strstr(text_str(id), messages[i].needle) &&
		    lazy_match(&x->message[i], text_str(id), 0, m))
			break;
	if (i < COUNT(messages))
		message_apply(x, i, m, id, pattern);
	else
		pattern_make(text_str(id), pattern);
	steps_apply(id, before_steps, x->before, COUNT(before_steps));
	steps_apply(id, plain_steps, x->plain, COUNT(plain_steps));
	steps_apply(id, after_steps, x->after, COUNT(after_steps));
}
