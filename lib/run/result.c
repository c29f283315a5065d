/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/record.h"
#include "run/result.h"

static const char *const state_names[RUN_STATES] = {
	[RUN_OK] = "ok",
	[RUN_SKIPPED] = "skipped",
	[RUN_FAILED] = "failed",
	[RUN_TIMEOUT] = "timeout",
	[RUN_INVALID] = "invalid",
	[RUN_LOST] = "lost",
};

#define NUMBER(name) { #name, offsetof(struct result_exit, name) }
static const struct {
	const char *key;
	size_t at;
} numbers[] = {
	NUMBER(status), NUMBER(signal), NUMBER(wall_ns), NUMBER(user_ns), NUMBER(sys_ns),
	NUMBER(max_rss_kib), NUMBER(minor_faults), NUMBER(major_faults),
	NUMBER(voluntary_switches), NUMBER(involuntary_switches), NUMBER(leftovers),
	NUMBER(stdout_bytes), NUMBER(stderr_bytes), NUMBER(steal_ns), NUMBER(busy_khz),
	NUMBER(monitor_cpu_ns),
};

static uint64_t *number_at(struct result_exit *x, size_t i)
{
	return (uint64_t *)((char *)x + numbers[i].at);
}

const char *run_state_name(enum run_state s)
{
	assert(s < RUN_STATES);
	return state_names[s];
}

enum run_state run_state_parse(const char *name)
{
	enum run_state s = RUN_OK;

	while (s < RUN_STATES && strcmp(name, state_names[s]))
		s++;
	return s;
}

void result_exit_init(struct result_exit *x)
{
	*x = (struct result_exit){ .state = RUN_LOST };
	for (size_t i = 0; i < COUNT(numbers); i++)
		*number_at(x, i) = RESULT_ABSENT;
}

int result_exit_write(const struct result_exit *x, int dir, struct err *e)
{
	_record_ struct record r = {};

	assert(x->state < RUN_LOST);
	record_add(&r, "state", run_state_name(x->state));
	if (x->reason)
		record_add(&r, "reason", x->reason);
	for (size_t i = 0; i < COUNT(numbers); i++) {
		uint64_t v = *number_at((struct result_exit *)x, i);

		if (v != RESULT_ABSENT)
			record_add_u64(&r, numbers[i].key, v);
	}
	return record_write(&r, dir, RESULT_EXIT, e);
}

static int read_numbers(struct result_exit *x, const struct record *r, struct err *e)
{
	for (size_t i = 0; i < COUNT(numbers); i++)
		if (record_get(r, numbers[i].key) &&
		    record_get_u64(r, numbers[i].key, number_at(x, i), e) < 0)
			return err_in(e, RESULT_EXIT);
	return 0;
}

int result_exit_read(struct result_exit *x, int dir, struct err *e)
{
	_record_ struct record r = {};
	const char *state;

	result_exit_init(x);
	if (faccessat(dir, RESULT_EXIT, F_OK, 0) < 0 && errno == ENOENT)
		return 0;
	if (record_read(&r, dir, RESULT_EXIT, e) < 0)
		return -e->code;
	state = record_get(&r, "state");
	if (!state || run_state_parse(state) >= RUN_LOST)
		return err_set(e, EINVAL, RESULT_EXIT ": no state");
	x->reason = text_copy(record_get(&r, "reason"));
	x->state = run_state_parse(state);
	return read_numbers(x, &r, e);
}

bool result_is_complete(const char *path)
{
	_free_ char *file = path_join(path, RESULT_EXIT);

	return access(file, F_OK) == 0;
}

void result_exit_release(struct result_exit *x)
{
	free(x->reason);
	x->reason = NULL;
}
