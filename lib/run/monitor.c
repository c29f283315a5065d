/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/timerfd.h>

#include "base/clock.h"
#include "run/monitor.h"
#include "run/result.h"
#include "run/sysfile.h"
#include "run/watcher.h"

#define NODE "sys/devices/system/node/node*/"
#define NS 1000000000ULL
#define BUFFERED (256U << 10)	/* bytes; writing less often disturbs less */

/* A * stands for digits in one folder's name: then there are several files. */
static const struct known {
	const char *name, *paths[4];
} known[] = {
	{ "proc-vmstat", { "proc/vmstat" } },
	{ "proc-stat", { "proc/stat" } },
	{ "meminfo", { "proc/meminfo" } },
	{ "slabinfo", { "proc/slabinfo" } },
	{ "interrupts", { "proc/interrupts" } },
	{ "softirqs", { "proc/softirqs" } },
	{ "diskstats", { "proc/diskstats" } },
	{ "schedstat", { "proc/schedstat" } },
	{ "buddyinfo", { "proc/buddyinfo" } },
	{ "zoneinfo", { "proc/zoneinfo" } },
	{ "pagetypeinfo", { "proc/pagetypeinfo" } },
	{ "vmallocinfo", { "proc/vmallocinfo" } },
	{ "uptime", { "proc/uptime" } },
	{ "loadavg", { "proc/loadavg" } },
	{ "lock_stat", { "proc/lock_stat" } },
	{ "mdstat", { "proc/mdstat" } },
	{ "mountstats", { "proc/self/mountstats" } },
	{ "sched_debug", { "sys/kernel/debug/sched/debug", "proc/sched_debug" } },
	{ "pressure", { "proc/pressure/cpu", "proc/pressure/memory", "proc/pressure/io",
			"proc/pressure/irq" } },
	{ "numa-vmstat", { NODE "vmstat" } },
	{ "numa-meminfo", { NODE "meminfo" } },
	{ "numa-numastat", { NODE "numastat" } },
	{ "numastat", { NODE "numastat" } },
	{ "cpufreq", { "sys/devices/system/cpu/cpufreq/policy*/scaling_cur_freq" } },
	{ "thermal", { "sys/class/thermal/thermal_zone*/temp" } },
};

struct monitor {
	const char *name;		/* the table's */
	struct plan_list paths;
	bool named;			/* each file's path stands before its text */
	uint64_t interval_ns, next_ns;	/* monotonic clock */
	int file;
	struct text buffer;
	uint64_t kept;
	bool cut;
};

static const struct known *find(const char *name)
{
	for (size_t i = 0; i < COUNT(known); i++)
		if (!strcmp(name, known[i].name))
			return &known[i];
	return NULL;
}

bool monitor_is_known(const char *name)
{
	return find(name) || watcher_is_known(name);
}

static void add_path(const char *path, void *m)
{
	plan_list_add(&((struct monitor *)m)->paths, path);
}

static void find_files(struct monitor *m, int root, const struct known *k)
{
	m->named = strchr(k->paths[0], '*') || k->paths[1];
	for (size_t i = 0; i < COUNT(k->paths) && k->paths[i]; i++)
		sysfile_each(root, k->paths[i], add_path, m);
}

static void monitor_release(struct monitor *m)
{
	for (size_t i = 0; i < m->paths.n; i++)
		free(m->paths.v[i]);
	free(m->paths.v);
	text_release(&m->buffer);
	closep(&m->file);
}

static int open_one(struct monitors *all, const struct plan_monitor *want, int dir, struct err *e)
{
	const struct known *k = find(want->name);
	_free_ char *path = NULL;
	struct monitor m = { .interval_ns = want->interval_ns, .file = -1 };

	if (!k && watcher_is_known(want->name))
		return 0;
	if (!k) {
		record_addf(&all->told, "monitor_unavailable", "%s: no monitor of that name",
			    want->name);
		return 0;
	}
	m.name = k->name;
	find_files(&m, all->root, k);
	if (!m.paths.n) {
		record_addf(&all->told, "monitor_unavailable", "%s: no /%s", k->name, k->paths[0]);
		monitor_release(&m);
		return 0;
	}
	path = text_format(RESULT_MONITORS "/%s", k->name);
	m.file = openat(dir, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (m.file < 0) {
		err_sys(e, "%s", path);
		monitor_release(&m);
		return -e->code;
	}
	GROW(all->v, all->n);
	all->v[all->n++] = m;
	return 0;
}

int monitors_open(struct monitors *m, const struct plan *p, int root, int dir, struct err *e)
{
	*m = (struct monitors){ .root = root, .timer = -1, .max = p->out_max_bytes };
	if (!p->n_monitors)
		return 0;
	if (mkdirat(dir, RESULT_MONITORS, 0755) < 0 && errno != EEXIST)
		return err_sys(e, RESULT_MONITORS);
	for (size_t i = 0; i < p->n_monitors; i++)
		if (open_one(m, &p->monitors[i], dir, e) < 0)
			return -e->code;
	if (!m->n)
		return 0;
	m->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	return m->timer < 0 ? err_sys(e, "timerfd") : 0;
}

static int flush(struct monitors *all, struct monitor *m, struct err *e)
{
	const char *p = text_str(&m->buffer);
	size_t n = m->buffer.len;

	if (m->kept + n > all->max) {
		m->cut = true;
		record_add(&all->told, "monitor_cut", m->name);
		n = 0;
	}
	m->kept += n;
	m->buffer.len = 0;
	while (n) {
		ssize_t w = write(m->file, p, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return err_sys(e, "writing " RESULT_MONITORS "/%s", m->name);
		p += w;
		n -= (size_t)w;
	}
	return 0;
}

/* A file that cannot be read this time (a CPU that left) is left out of the sample. */
static int sample(struct monitors *all, struct monitor *m, struct err *e)
{
	uint64_t now = clock_wall_ns();

	if (m->cut)
		return 0;
	text_printf(&m->buffer, "time: %" PRIu64 ".%09" PRIu64 "\n", (uint64_t)(now / NS),
		    (uint64_t)(now % NS));
	for (size_t i = 0; i < m->paths.n; i++) {
		size_t before = m->buffer.len;

		if (m->named)
			text_printf(&m->buffer, "/%s\n", m->paths.v[i]);
		if (!sysfile_read(all->root, m->paths.v[i], &m->buffer))
			m->buffer.len = before;
	}
	return m->buffer.len > BUFFERED ? flush(all, m, e) : 0;
}

/* The timer to the earliest of all monitors. */
static int arm(const struct monitors *all, struct err *e)
{
	uint64_t next = UINT64_MAX;
	struct itimerspec at = {};

	for (size_t i = 0; i < all->n; i++)
		if (all->v[i].next_ns < next)
			next = all->v[i].next_ns;
	at.it_value.tv_sec = (time_t)(next / NS);
	at.it_value.tv_nsec = (long)(next % NS);
	if (timerfd_settime(all->timer, TFD_TIMER_ABSTIME, &at, NULL) < 0)
		return err_sys(e, "timer");
	return 0;
}

/* Whatever is due at @now, or everything; a beat that was missed is not made up for. */
static int sample_due(struct monitors *all, uint64_t now, bool everything, struct err *e)
{
	uint64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	for (size_t i = 0; i < all->n; i++) {
		struct monitor *m = &all->v[i];

		if (!everything && now < m->next_ns)
			continue;
		if (sample(all, m, e) < 0)
			return -e->code;
		while (m->next_ns <= now)
			m->next_ns += m->interval_ns;
	}
	all->cpu_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	return 0;
}

int monitors_begin(struct monitors *m, struct err *e)
{
	uint64_t now = clock_mono_ns();

	if (m->timer < 0)
		return 0;
	for (size_t i = 0; i < m->n; i++)
		m->v[i].next_ns = now + m->v[i].interval_ns;
	return sample_due(m, now, true, e) < 0 ? -e->code : arm(m, e);
}

int monitors_take(struct monitors *m, struct err *e)
{
	uint64_t times;

	if (m->timer < 0 || read(m->timer, &times, sizeof(times)) != sizeof(times))
		return 0;
	return sample_due(m, clock_mono_ns(), false, e) < 0 ? -e->code : arm(m, e);
}

int monitors_end(struct monitors *m, struct err *e)
{
	if (m->timer < 0)
		return 0;
	if (sample_due(m, clock_mono_ns(), true, e) < 0)
		return -e->code;
	for (size_t i = 0; i < m->n; i++)
		if (flush(m, &m->v[i], e) < 0)
			return -e->code;
	for (size_t i = 0; i < m->n; i++)
		if (fsync(m->v[i].file) < 0)
			return err_sys(e, "writing " RESULT_MONITORS "/%s", m->v[i].name);
	return 0;
}

void monitors_release(struct monitors *m)
{
	for (size_t i = 0; i < m->n; i++)
		monitor_release(&m->v[i]);
	free(m->v);
	closep(&m->timer);
	record_release(&m->told);
	*m = (struct monitors)MONITORS_NONE;
}
