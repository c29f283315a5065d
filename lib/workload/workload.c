/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "workload/workload.h"

_printf_(3, 0) static int verr(struct err *e, int code, const char *fmt, va_list ap)
{
	e->code = code;
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	return -code;
}

int skip(struct err *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	verr(e, WORKLOAD_SKIP, fmt, ap);
	va_end(ap);
	return -WORKLOAD_SKIP;
}

int invalid(struct err *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	verr(e, WORKLOAD_INVALID, fmt, ap);
	va_end(ap);
	return -WORKLOAD_INVALID;
}

static const struct metric_decl *declared(const char *name)
{
	for (size_t i = 0; i < workload.n_metrics; i++)
		if (!strcmp(workload.metrics[i].name, name))
			return &workload.metrics[i];
	return NULL;
}

void metric(const char *name, double value)
{
	assert(declared(name) && isfinite(value));
	printf("%s: %.10g\n", name, value);
}

void metric_series(const char *name, const double *v, size_t n)
{
	double sum = 0, squares = 0, mean;
	char spread[80];

	assert(n);
	for (size_t i = 0; i < n; i++)
		sum += v[i];
	mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (v[i] - mean) * (v[i] - mean);
	for (size_t i = 0; i < n; i++)
		metric(name, v[i]);
	if (n < 2 || mean == 0)
		return;
	snprintf(spread, sizeof(spread), "%s_spread%%", name);
	metric(spread, 100 * sqrt(squares / (double)(n - 1)) / fabs(mean));
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double median_of(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), by_value);
	return n ? (v[(n - 1) / 2] + v[n / 2]) / 2 : NAN;
}

uint64_t memory_of(const char *what)
{
	_fclose_ FILE *f = fopen("/proc/meminfo", "re");
	unsigned long long kib;
	char line[256], key[64];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%63[^:]: %llu kB", key, &kib) == 2 && !strcmp(key, what))
			return (uint64_t)kib << 10;
	return 0;
}
