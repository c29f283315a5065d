/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "target/target.h"

int target_boot(struct target *t, struct err *e)
{
	return t->kind->boot ? t->kind->boot(t, e) : 0;
}

int target_push(struct target *t, const char *path, struct err *e)
{
	return t->kind->push ? t->kind->push(t, path, e) : 0;
}

int target_run(const struct target *t, const char *plan, const char *result, struct err *e)
{
	return t->kind->run(t, plan, result, e);
}

int target_pull(struct target *t, const char *path, const char *to, struct err *e)
{
	return t->kind->pull ? t->kind->pull(t, path, to, e) : 0;
}

int target_off(struct target *t, struct err *e)
{
	return t->kind->off ? t->kind->off(t, e) : 0;
}

void target_release(struct target *t)
{
	if (t->kind && t->kind->release)
		t->kind->release(t);
	free(t->agent);
	free(t->state);
	*t = (struct target){};
}
