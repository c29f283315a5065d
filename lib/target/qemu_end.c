/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>

#include "target/qemu_parts.h"

static const char *const ends[QEMU_ENDS] = {
	[QEMU_DONE] = "done",
	[QEMU_NO_OUTPUT] = "no output",
	[QEMU_HANG] = "early hang",
	[QEMU_PANIC] = "panic",
	[QEMU_NO_RESULT] = "no result",
	[QEMU_TIMEOUT] = "timeout",
	[QEMU_WRONG_KERNEL] = "wrong kernel",
	[QEMU_WRONG_SHAPE] = "wrong shape",
	[QEMU_MACHINERY] = "machinery",
};

const char *qemu_end_name(enum qemu_end end)
{
	return ends[end];
}

static char *number_differs(const struct record *facts, const char *key, unsigned int asked,
			    const char *what)
{
	struct err ignored;
	uint64_t is;

	if (record_get_u64(facts, key, &is, &ignored) < 0)
		return text_format("the guest does not say how many %s it has", what);
	return is == asked ? NULL : text_format("the guest has %" PRIu64 " %s, not %u", is, what,
						asked);
}

static char *distances_differ(const struct qemu_shape *s, const struct record *facts)
{
	for (unsigned int n = 0; s->nodes > 1 && n < s->nodes; n++) {
		_free_ char *key = text_format("machine.node.%u.distances", n);
		const char *is = record_get(facts, key);
		_text_ struct text row = {};

		for (unsigned int m = 0; m < s->nodes; m++)
			text_printf(&row, "%s%u", m ? " " : "", qemu_shape_distance(s, n, m));
		if (!is || strcmp(is, text_str(&row)) != 0)
			return text_format("node %u has the distances %s, not %s", n,
					   is ? is : "of nobody", text_str(&row));
	}
	return NULL;
}

char *qemu_facts_differ(const struct qemu_vm *vm, const struct record *facts, enum qemu_end *end)
{
	const char *release = record_get(facts, "boot.kernel");
	char *why;

	*end = QEMU_WRONG_KERNEL;
	if (!release || (vm->release && strcmp(release, vm->release) != 0))
		return text_format("it runs %s, not %s", release ? release : "no one knows what",
				   vm->release ? vm->release : "a kernel");
	*end = QEMU_WRONG_SHAPE;
	why = number_differs(facts, "machine.cpus", vm->shape.cpus, "CPUs");
	if (!why)
		why = number_differs(facts, "env.cpus_online", vm->shape.cpus, "CPUs online");
	if (!why)
		why = number_differs(facts, "machine.sockets", vm->shape.sockets, "sockets");
	if (!why)
		why = number_differs(facts, "machine.nodes", vm->shape.nodes, "nodes");
	return why ? why : distances_differ(&vm->shape, facts);
}

/* From @at to the end of its line, visible. */
static char *line_at(const char *at)
{
	size_t n = strcspn(at, "\r\n");
	_text_ struct text seen = {};

	text_put_visible(&seen, at, n < 300 ? n : 300, true);
	return text_steal(&seen);
}

/*
 * What the kernel said when it died: the first report of an oops tells more
 * than the panic that follows from it.
 */
static char *find_panic(const struct text *console)
{
	static const char *const marks[] = { "BUG: ", "Oops: ", "general protection fault",
					     "Kernel panic - " };

	if (!console->len || !strstr(console->p, "Kernel panic - "))
		return NULL;
	for (size_t i = 0; i < COUNT(marks); i++) {
		const char *at = strstr(console->p, marks[i]);

		if (at)
			return line_at(at);
	}
	return NULL;
}

/*
 * The kernel patches its own code by way of a breakpoint, and relies on what a
 * processor promises about code that others change.  Emulated by several threads
 * it has been seen, in one of many boots of an unchanged kernel, to meet that
 * breakpoint when nobody expects it any more.  Such a boot is told apart and
 * repeated; that a kernel does so always shows by its never booting.
 */
static bool is_emulators(const struct qemu_vm *vm, const char *panic)
{
	return vm->mode == QEMU_TCG && text_starts(panic, "Oops: int3");
}

static char *last_line(const struct text *t)
{
	const char *line, *close;
	size_t n = t->len;

	while (n && (t->p[n - 1] == '\n' || t->p[n - 1] == '\r'))
		n--;
	while (n && t->p[n - 1] != '\n')
		n--;
	if (!t->len)
		return text_copy("nothing");
	line = t->p + n;
	close = *line == '[' ? strchr(line, ']') : NULL;	/* the time in front */
	return line_at(close ? close + 1 + strspn(close + 1, " ") : line);
}

static char *words(const char *said)
{
	_text_ struct text seen = {};
	size_t n = strlen(said);

	while (n && said[n - 1] == '\n')
		n--;
	text_put_visible(&seen, said + (n > 300 ? n - 300 : 0), n > 300 ? 300 : n, true);
	return text_steal(&seen);
}

/* QEMU's own failure, or NULL. */
static char *find_machinery(const struct qemu_seen *s)
{
	_free_ char *said = words(s->said);

	if (s->stopped)
		return text_format("QEMU stopped the machine: %s", said);
	if (s->status > 0)
		return text_format("QEMU ended with %s %d: %s",
				   WIFSIGNALED(s->status) ? "signal" : "status",
				   WIFSIGNALED(s->status) ? WTERMSIG(s->status) :
				   WEXITSTATUS(s->status), said);
	return NULL;
}

/* What the agent could not do and had nobody to tell. */
static char *find_agent(const struct text *console)
{
	const char *at = console->len ? strstr(console->p, "krobot-agent: ") : NULL;

	return at ? line_at(at) : NULL;
}

static enum qemu_end judge_silence(const struct qemu_seen *s, char **why)
{
	_free_ char *last = last_line(s->console), *said = NULL;

	if (!s->console->len) {
		*why = text_copy(s->late ? "the console stayed empty" :
				 "it went down and the console stayed empty");
		return QEMU_NO_OUTPUT;
	}
	if (!s->late) {
		said = find_agent(s->console);
		*why = text_format("it went down before all results were here; %s%s",
				   said ? "" : "its last line: ", said ? said : last);
		return QEMU_NO_RESULT;
	}
	if (!s->intake->hello) {
		*why = text_format("the agent never spoke; the console's last line: %s", last);
		return QEMU_HANG;
	}
	*why = text_format("plan %u of %zu took too long", s->intake->ran + 1, s->intake->n);
	return QEMU_TIMEOUT;
}

enum qemu_end qemu_end_judge(const struct qemu_seen *s, char **why)
{
	enum qemu_end end;

	*why = NULL;
	if (s->intake->hello && (*why = qemu_facts_differ(s->vm, &s->intake->facts, &end)))
		return end;
	if (s->intake->end && !s->intake->trouble)
		return QEMU_DONE;
	if ((*why = find_panic(s->console)))
		return is_emulators(s->vm, *why) ? QEMU_MACHINERY : QEMU_PANIC;
	if (s->intake->trouble) {
		*why = text_format("the agent: %s", s->intake->trouble);
		return QEMU_MACHINERY;
	}
	if (s->broken) {
		*why = text_copy(s->broken);
		return QEMU_MACHINERY;
	}
	if ((*why = find_machinery(s)))
		return QEMU_MACHINERY;
	return judge_silence(s, why);
}
