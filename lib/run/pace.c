/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "run/cpulist.h"
#include "run/pace.h"
#include "run/sysfile.h"

#define MSR "sys/bus/event_source/devices/msr/"
#define SPARE_FDS 200		/* for all else that the agent opens */

/* "event=0x01" of the event's file. */
static bool event_code(int root, const char *name, uint64_t *code)
{
	_free_ char *path = text_format(MSR "events/%s", name);
	_text_ struct text t = {};
	unsigned long long v;

	if (!sysfile_read(root, path, &t) || sscanf(text_str(&t), "event=%llx", &v) != 1)
		return false;
	*code = v;
	return true;
}

static bool add(struct pace *p, uint32_t type, uint64_t code, unsigned int cpu)
{
	struct perf_event_attr attr = { .type = type, .size = sizeof(attr), .config = code };
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return false;
	GROW(p->fd, p->n);
	p->fd[p->n++] = fd;
	return true;
}

static bool open_all(struct pace *p, int root)
{
	_text_ struct text online = {};
	int64_t unit = sysfile_number(root, MSR "type");
	uint64_t aperf, mperf, tsc;
	struct cpulist cpus = {};
	struct rlimit files;

	if (!event_code(root, "aperf", &aperf) || !event_code(root, "mperf", &mperf) ||
	    !event_code(root, "tsc", &tsc) || unit < 0 ||
	    !sysfile_read(root, "sys/devices/system/cpu/online", &online) ||
	    !cpulist_parse(&cpus, text_str(&online)) || getrlimit(RLIMIT_NOFILE, &files) < 0 ||
	    2 * cpulist_count(&cpus) + SPARE_FDS > files.rlim_cur)
		return false;
	cpulist_each(cpu, &cpus)
		if (!add(p, (uint32_t)unit, aperf, cpu) || !add(p, (uint32_t)unit, mperf, cpu))
			return false;
	return add(p, (uint32_t)unit, tsc, cpulist_next(&cpus, 0));
}

static bool count(const struct pace *p, struct pace_count *c)
{
	*c = (struct pace_count){};
	for (size_t i = 0; i < p->n; i++) {
		uint64_t v;

		if (read(p->fd[i], &v, sizeof(v)) != sizeof(v))
			return false;
		*(i == p->n - 1 ? &c->tsc : i % 2 ? &c->mperf : &c->aperf) += v;
	}
	return p->n > 0;
}

void pace_open(struct pace *p, int root)
{
	*p = (struct pace){};
	if (!open_all(p, root) || !count(p, &p->begin))
		pace_release(p);
	p->begin_ns = clock_raw_ns();
}

bool pace_khz(const struct pace_count *from, const struct pace_count *to, uint64_t ns,
	      uint64_t *khz)
{
	double ratio, tsc_khz;

	if (to->mperf <= from->mperf || to->aperf <= from->aperf || to->tsc <= from->tsc || !ns)
		return false;
	ratio = (double)(to->aperf - from->aperf) / (double)(to->mperf - from->mperf);
	tsc_khz = (double)(to->tsc - from->tsc) * 1e6 / (double)ns;
	*khz = (uint64_t)(tsc_khz * ratio + 0.5);
	return true;
}

bool pace_take(const struct pace *p, uint64_t *khz)
{
	struct pace_count now;

	return count(p, &now) && pace_khz(&p->begin, &now, clock_raw_ns() - p->begin_ns, khz);
}

void pace_release(struct pace *p)
{
	for (size_t i = 0; i < p->n; i++)
		close(p->fd[i]);
	free(p->fd);
	*p = (struct pace){};
}
