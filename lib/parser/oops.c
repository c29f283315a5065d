/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <string.h>

#include "parser/oops.h"
#include "parser/rewrite.h"

#define LOCK_LINES 30		/* how far behind a lockdep report its locks are named */
#define LOCK_WORDS 4

/*
 * Kinds of trouble.  A line is looked at with the regular expression only if it
 * has the needle, so that a long log costs little.  No expression: the needle is
 * all.  Where two kinds are in a line, the one further left counts, then the
 * earlier row.
 */
static const struct kind {
	const char *needle, *regex;
} kinds[] = {
	{ " -- System halted" },
	{ " but this task is not holding: ", " but this task is not holding: .*" },
	{ " is exiting with locks still held!" },
	{ ", with a lock still held there!",
	  " is freeing memory .*, with a lock still held there!" },
	{ " is leaving the kernel with locks still held!" },
	{ " is trying to contend lock (", " is trying to contend lock \\(.*\\) at" },
	{ " is trying to lock: ", " is trying to lock: .*" },
	{ " is trying to release lock (", " is trying to release lock \\(.*\\) at" },
	{ "32-bit relocation outside of kernel!" },
	{ "64-bit relocation outside of kernel!" },
	{ "addition on 0; use-after-free" },
	{ "Assertion failed" }, { "assertion failed" },
	{ "Assertion failure" }, { "assertion failure" },
	{ "audit: (", "audit: \\(.*\\) error: .*" },
	{ "BUG ", "BUG .* \\(.*\\): .*" },
	{ "CFI failure at ", "CFI failure at [a-zA-Z0-9_]+" },
	{ " cpu clock throttled ", "CPU[0-9]+: .* cpu clock throttled .*" },
	{ "decrement hit 0; leaking memory" },
	{ "Destination address inappropriately aligned" },
	{ "Destination address too large" },
	{ "EIP is at ", "EIP is at [a-zA-Z0-9._]+\\+0x.*/0x.*" },
	{ "EIP: ", "EIP: [a-zA-Z0-9._]+\\+0x[a-f0-9]+/0x[a-f0-9]+" },
	{ "Failed to allocate space for phdrs" },
	{ "failed to enable IOPF feature" },
	{ "genirq: Flags mismatch irq ", "genirq: Flags mismatch irq .*" },
	{ "getblk(): invalid block size ", "getblk\\(\\): invalid block size [0-9]+ requested" },
	{ "GUP no longer grows the stack" },
	{ "inconsistent {", "inconsistent \\{.*\\} -> \\{.*\\} usage\\." },
	{ "INFO: ", "INFO: .* cpu=.*" },
	{ "INFO: ", "INFO: .*detected stall.*" },
	{ "INFO: 0x", "INFO: 0x.*. First byte 0x.*" },
	{ "INFO: Object 0x", "INFO: Object 0x.*" },
	{ "INFO: Slab 0x", "INFO: Slab 0x.*" },
	{ "INFO: task ", "INFO: task .* blocked for more than .* seconds" },
	{ "INFO: trying to register non-static key", "INFO: trying to register non-static key." },
	{ "initcall ", "initcall .* returned with .*" },
	{ "Initiating system reboot" },
	{ "Initramfs unpacking failed:" },
	{ "invoked oom-killer: gfp_mask=0x" },
	{ "IP-Config: Auto-configuration of network failed" },
	{ " nobody cared", "irq .* nobody cared" },
	{ "KASAN: ", "KASAN: .*" },
	{ "Kernel BUG at" },
	{ "kernel BUG at ", "kernel BUG at .*" },
	{ "Kernel is not a valid ELF file" },
	{ "Kernel panic - not syncing: ", "Kernel panic - not syncing: .*" },
	{ "KGDB: re-enter exception: ALL breakpoints killed" },
	{ "kobject ", "kobject .*: (tried to .*|invalid kobject pointer!|must have a ktype to be "
	  "initialized properly!)" },
	{ "low stack detected by irq handler" },
	{ "Mem-Info:" },
	{ "neighbour: Destroying alive neighbour", "neighbour: Destroying alive neighbour.*" },
	{ "no CFI hash found at", "no CFI hash found at.*" },
	{ "Oops: ", "Oops: .*" },
	{ "Out of memory and no killable processes" },
	{ "Out of memory: Kill process" },
	{ "page allocation failure: order:", "page allocation failure: order:[0-9]+, mode:0x.*" },
	{ "pagealloc: memory corruption" },
	{ "pagealloc: single bit error" },
	{ "PANIC: double fault," },
	{ "PANIC: early exception" },
	{ "refcount_t: underflow; use-after-free" },
	{ "RIP: ", "RIP: [0-9a-f]{4}:[a-zA-Z0-9._]+\\+0x.*/0x.*" },
	{ "RIP: ", "RIP: [0-9a-f]{4}:\\[.*\\] [a-zA-Z0-9._]+\\+0x.*/0x.*" },
	{ "rootfs image is not initramfs (invalid magic at start of compressed archive)" },
	{ "bad frame in 32bit sigreturn", "rsyslogd.* bad frame in 32bit sigreturn" },
	{ "S0Box: more than 5 loops in s0box_interrupt" },
	{ "saturated; leaking memory" },
	{ "smp: csd: Re-sending CSD lock" },
	{ "sysctl could not get directory:" },
	{ "sysctl duplicate entry:" },
	{ "sysctl link missing during unregister:" },
	{ "sysctl table check failed:" },
	{ "sysfs: cannot create duplicate filename" },
	{ "UBSAN: ", "UBSAN: .*" },
	{ "Unknown interrupt or fault at:" },
	{ "unknown saturation event" },
	{ "WARNING: ", "WARNING: .* detected$" },
	{ "WARNING: ", "WARNING: .* lock.*" },
	{ "WARNING: ", "WARNING: .*!$" },
	{ "WARNING: at ", "WARNING: at .*" },
	{ "WARNING: bad lookup idx: ", "WARNING: bad lookup idx: .*" },
	{ "WARNING: chain_key collision" },
	{ "WARNING: CPU: ", "WARNING: CPU: [0-9]+ PID: .+ at .*" },
	{ "WARNING: dead process" },
	{ "WARNING: kernel stack" },
	{ "WARNING: stack recursion" },
	{ "WARNING: suspicious RCU usage" },
	{ "WARNING: workqueue cpumask:" },
	{ "warn_alloc_failed+0x" },
	{ "Wrong destination address" },
	{ " [#", "[a-zA-Z0-9_ #]+: [0-9a-f]{4} \\[#[0-9]+\\]" },
	{ ": BUG: ", "[a-zA-Z0-9_ -]+: BUG: .*" },
	{ "!", "[^ ]*\\.[ch]:[0-9]+ .*!$" },
	{ "] BUG: ", "\\[ *[0-9.]+\\] BUG: .*" },
	{ "[ BUG: ", "\\[ BUG: [^b].*! \\]" },
	{ "[ INFO: ", "\\[ INFO: [^i].* \\]" },
	{ "] BUG: ", "\\[ {0,4}[A-Z][0-9]{1,5}\\] BUG: .*" },
	{ "[i915]]", "\\[drm:.*\\[i915\\]\\]" },
	{ "BUG: ", "^BUG: .*" },
}, ignored[] = {
	{ " [kasan_test]", "BUG: KASAN: .* \\[kasan_test\\]" },
	{ " [kfence_test]", "BUG: KFENCE: .* \\[kfence_test\\]" },
	{ " took too long to run", "INFO: NMI handler .* took too long to run" },
	{ "INFO: Stall ended before state dump start" },
	{ "Killed process ", "Killed process [0-9]+ \\(" },
	{ "Out of memory: ", "Out of memory: .*trinity" },
	{ "Spectre V2 : WARNING: Unprivileged eBPF is enabled with eIBRS on, data leaks possible "
	  "via Spectre v2 BHB attacks" },
	{ ": page allocation failure", "trinity.*: page allocation failure" },
	{ ": page allocation stalls for", "trinity.*: page allocation stalls for" },
};

/* Functions that every trace ends in; those they called say more. */
static const char *const common_frames[] = {
	"do_one_initcall", "do_basic_setup", "kernel_init_freeable", "kernel_init", "kthread",
	"kernel_thread", "process_one_work", "notifier_call_chain",
};

struct pending {		/* a lockdep report whose locks are being collected */
	char *line;
	struct text words;
	size_t slot;		/* of the error that is reserved for it */
	unsigned int lines, found;
};

struct oops_state {
	struct errorid *ids;
	struct lazy_regex kind[COUNT(kinds)], ignore[COUNT(ignored)];
	char *previous;		/* last trace line; NULL if there is none to look at */
	bool oom;
	struct group keys;	/* texts that were taken already */
	struct pending *lock;
	size_t n_lock;
	struct text id, pattern;
};

static struct oops_state *state_get(struct oops *o)
{
	struct oops_state *s = o->state;

	if (s)
		return s;
	s = o->state = mem_zero(1, sizeof(*s));
	s->ids = errorid_new();
	for (size_t i = 0; i < COUNT(kinds); i++)
		s->kind[i].pattern = kinds[i].regex;
	for (size_t i = 0; i < COUNT(ignored); i++)
		s->ignore[i].pattern = ignored[i].regex;
	return s;
}

static bool kind_match(const struct kind *k, struct lazy_regex *re, const char *line, regmatch_t *m)
{
	const char *at = strstr(line, k->needle);

	if (!at)
		return false;
	if (k->regex)
		return lazy_match(re, line, 0, m);
	m[0].rm_so = (regoff_t)(at - line);
	m[0].rm_eo = m[0].rm_so + (regoff_t)strlen(k->needle);
	return true;
}

/* Where in the line the trouble stands. */
static bool kind_find(struct oops_state *s, const char *line, regmatch_t *best)
{
	regmatch_t m[REWRITE_GROUPS];
	bool found = false;

	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (!kind_match(&kinds[i], &s->kind[i], line, m))
			continue;
		if (!found || m[0].rm_so < best->rm_so)
			*best = m[0];
		found = true;
	}
	return found;
}

static bool is_ignored(struct oops_state *s, const char *line)
{
	regmatch_t m[REWRITE_GROUPS];

	for (size_t i = 0; i < COUNT(ignored); i++)
		if (kind_match(&ignored[i], &s->ignore[i], line, m))
			return true;
	return false;
}

bool oops_is(struct oops *o, const char *line)
{
	regmatch_t m = {};

	return kind_find(state_get(o), line, &m);
}

/* "[   12.345678]" anywhere in the line; at most six digits before the point. */
static bool time_find(const char *line, char out[16])
{
	for (const char *p = line; (p = strchr(p, '[')); p++) {
		const char *t = p + 1 + strspn(p + 1, " ");
		size_t whole = strspn(t, "0123456789"), part;

		if (!whole || whole > 6 || t[whole] != '.')
			continue;
		part = strspn(t + whole + 1, "0123456789");
		if (part != 6 || t[whole + 7 + strspn(t + whole + 7, " ")] != ']')
			continue;
		snprintf(out, 16, "%.*s", (int)(whole + 7), t);
		return true;
	}
	return false;
}

void oops_time(struct oops *o, const char *line)
{
	time_find(line, o->last_time);
}

static size_t error_new(struct oops *o)
{
	GROW(o->error, o->n);
	o->error[o->n] = (struct oops_error){};
	return o->n++;
}

/* The error of a slot; left empty if there is one of that name. */
static void error_fill(struct oops *o, size_t slot, const char *trouble, const char *line)
{
	struct oops_state *s = state_get(o);
	struct oops_error *x = &o->error[slot];

	errorid_kernel(s->ids, trouble, &s->id, &s->pattern);
	if (!s->id.len)
		return;
	for (size_t i = 0; i < o->n; i++)
		if (o->error[i].id && !strcmp(o->error[i].id, text_str(&s->id)))
			return;
	x->id = text_copy(text_str(&s->id));
	x->pattern = text_copy(text_str(&s->pattern));
	x->message = text_copy(line);
	time_find(line, x->time);
}

void oops_add(struct oops *o, const char *trouble, const char *line)
{
	if (o->n < OOPS_ERRORS_MAX)
		error_fill(o, error_new(o), trouble, line);
}

static bool is_frame(const char *line, const char *name)
{
	const char *at = strstr(line, name);

	return at && !strncmp(at + strlen(name), "+0x", 3);
}

static bool is_common_frame(const char *line)
{
	for (size_t i = 0; i < COUNT(common_frames); i++)
		if (is_frame(line, common_frames[i]))
			return true;
	return false;
}

static bool is_syscall_frame(const char *line)
{
	const char *at = strstr(line, "SyS_");
	size_t n;

	if (!at)
		return false;
	n = strspn(at + 4, "abcdefghijklmnopqrstuvwxyz0123456789_");
	return n && !strncmp(at + 4 + n, "+0x", 3);
}

static bool is_boring_frame(const char *line)
{
	const char *warn = strstr(line, "warn_slowpath_");

	return is_common_frame(line) || is_frame(line, "worker_thread") ||
		(warn && strstr(warn, "+0x"));
}

/* Frames of traces with addresses ("[<c1022445>] mark_rodata_ro+0xd0/0xd8") only. */
static void frame_add(struct oops *o, const char *line)
{
	struct oops_state *s = o->state;
	_free_ char *name = NULL, *named = NULL;
	const char *at = line ? strstr(line, ">] ") : NULL;
	size_t n;

	if (s->oom || !at || is_boring_frame(line) || o->n >= OOPS_ERRORS_MAX)
		return;
	at += 3;
	n = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
	if (!n || strncmp(at + n, "+0x", 3))
		return;
	name = text_format("%.*s", (int)n, at);
	named = text_format("calltrace:%s", name);
	for (size_t i = 0; i < o->n; i++)
		if (o->error[i].id && !strcmp(o->error[i].id, named))
			return;
	n = error_new(o);
	o->error[n].id = steal(named);
	o->error[n].pattern = text_format("%s+0x", name);
	o->error[n].message = text_copy(line);
	time_find(line, o->error[n].time);
}

static void frame_line(struct oops *o, const char *line)
{
	struct oops_state *s = o->state;
	bool call = is_syscall_frame(line);

	if (strstr(line, " ? "))
		return;
	if (!call && !is_common_frame(line)) {
		free(s->previous);
		s->previous = text_copy(line);
		return;
	}
	if (!strstr(line, "SyS_"))
		frame_add(o, s->previous);
	frame_add(o, line);
	free(s->previous);
	s->previous = NULL;
}

static bool is_lock_report(const char *line)
{
	return strstr(line, "possible recursive locking detected") ||
		strstr(line, "possible circular locking dependency detected");
}

static void lock_begin(struct oops *o, const char *line)
{
	struct oops_state *s = o->state;

	if (s->n_lock >= 1000 || o->n >= OOPS_ERRORS_MAX)
		return;
	GROW(s->lock, s->n_lock);
	s->lock[s->n_lock++] = (struct pending){ .line = text_copy(line), .slot = error_new(o),
						 .lines = LOCK_LINES };
}

/* The report's name gets the task and the locks: its own line alone is every report's. */
static void lock_finish(struct oops *o, struct pending *x)
{
	if (x->found) {
		_free_ char *all = text_format("%s%s", x->line, text_str(&x->words));

		regmatch_t m = {};

		if (kind_find(o->state, all, &m))
			error_fill(o, x->slot, all + m.rm_so, all);
	}
	x->lines = 0;
}

static void lock_line(struct oops *o, struct pending *x, const char *line)
{
	const char *at = NULL, *words = line;

	for (const char *p = line; (p = strstr(p, " at:")); p++)
		at = p + 1;
	if (!x->lines)
		return;
	if (x->found < LOCK_WORDS &&
	    (strstr(line, "trying to acquire lock") || strstr(line, "already holding lock") ||
	     strstr(line, "at: "))) {
		if (at)
			words = at;
		else if (*line == '[')
			for (const char *p = line; (p = strstr(p, "] ")); p++)
				words = p + 2;
		text_printf(&x->words, " %s", words);
		x->found++;
	}
	if (!--x->lines)
		lock_finish(o, x);
}

static void trouble_line(struct oops *o, const char *line, regmatch_t where)
{
	struct oops_state *s = o->state;
	_free_ char *key =
		text_format("%.*s", (int)(where.rm_eo - where.rm_so), line + where.rm_so);

	if (s->keys.n < OOPS_ERRORS_MAX) {
		struct spread *seen = group_get(&s->keys, key);

		if (!seen->n) {
			spread_add(seen, 1);
			oops_add(o, key, line);
			if (is_lock_report(line))
				lock_begin(o, line);
		}
	}
	if (strstr(line, "invoked oom-killer: gfp_mask=") ||
	    strstr(line, "Out of memory and no killable processes..."))
		s->oom = true;
}

void oops_line(struct oops *o, const char *line)
{
	struct oops_state *s = state_get(o);
	regmatch_t where = {};

	time_find(line, o->last_time);
	for (size_t i = 0; i < s->n_lock; i++)
		lock_line(o, &s->lock[i], line);
	if (is_ignored(s, line))
		return;
	if (kind_find(s, line, &where))
		trouble_line(o, line, where);
	else if (strstr(line, "+0x"))
		frame_line(o, line);
}

void oops_end(struct oops *o)
{
	struct oops_state *s = o->state;

	for (size_t i = 0; s && i < s->n_lock; i++)
		if (s->lock[i].lines)
			lock_finish(o, &s->lock[i]);
}

void oops_print(struct parse *p, const struct oops *o)
{
	for (size_t i = 0; i < o->n; i++) {
		const struct oops_error *x = &o->error[i];

		if (!x->id)
			continue;
		emit_verbatim(p, "\n# %s\n", x->pattern);
		emit_number(p, 1, "%s", x->id);
		emit_verbatim(p, "message:%s: %s\n", x->id, x->message);
		emit_verbatim(p, "pattern:%s: %s\n", x->id, x->pattern);
	}
	if (!*o->last_time)
		return;
	emit_verbatim(p, "\n");
	emit_as(p, span_of(o->last_time), "timestamp:last");
	for (size_t i = 0; i < o->n; i++)
		if (o->error[i].id && *o->error[i].time)
			emit_as(p, span_of(o->error[i].time), "timestamp:%s", o->error[i].id);
}

void oops_release(struct oops *o)
{
	struct oops_state *s = o->state;

	for (size_t i = 0; i < o->n; i++) {
		free(o->error[i].id);
		free(o->error[i].pattern);
		free(o->error[i].message);
	}
	free(o->error);
	if (s) {
		errorid_free(s->ids);
		lazy_free(s->kind, COUNT(s->kind));
		lazy_free(s->ignore, COUNT(s->ignore));
		group_clear(&s->keys);
		for (size_t i = 0; i < s->n_lock; i++) {
			free(s->lock[i].line);
			text_release(&s->lock[i].words);
		}
		free(s->lock);
		free(s->previous);
		text_release(&s->id);
		text_release(&s->pattern);
		free(s);
	}
	*o = (struct oops){};
}
