/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <limits.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "flow/place.h"

/* $KROBOT_HOME/NAME, else $XDG/krobot, else $HOME/FALLBACK/krobot. */
static int folder(char **out, const char *name, const char *xdg, const char *fallback,
		  struct err *e)
{
	const char *all = getenv("KROBOT_HOME"), *base = getenv(xdg), *home = getenv("HOME");
	_free_ char *path = NULL;

	if (all && *all)
		path = path_join(all, name);
	else if (base && *base == '/')	/* the specification: relative ones are ignored */
		path = path_join(base, "krobot");
	else if (home && *home)
		path = text_format("%s/%s/krobot", home, fallback);
	else
		return err_set(e, ENOENT, "neither %s nor HOME is set", xdg);
	if (dir_make(path, e) < 0)
		return -e->code;
	*out = realpath(path, NULL);
	return *out ? 0 : err_sys(e, "%s", path);
}

int place_find(struct place *p, struct err *e)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	*p = (struct place){};
	if (n < 0)
		return err_sys(e, "/proc/self/exe");
	exe[n] = '\0';
	p->bin = path_folder(exe);
	if (folder(&p->data, "data", "XDG_DATA_HOME", ".local/share", e) < 0 ||
	    folder(&p->state, "state", "XDG_STATE_HOME", ".local/state", e) < 0 ||
	    folder(&p->cache, "cache", "XDG_CACHE_HOME", ".cache", e) < 0)
		return -e->code;
	p->results = path_join(p->data, "results");
	p->db = path_join(p->data, "krobot.db");
	return dir_make(p->results, e);
}

void place_release(struct place *p)
{
	free(p->data);
	free(p->results);
	free(p->db);
	free(p->state);
	free(p->cache);
	free(p->bin);
	*p = (struct place){};
}

char *place_session(void)
{
	time_t now = time(NULL);
	struct tm tm;
	char stamp[32];

	gmtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%S", &tm);
	return text_format("%s-%d", stamp, (int)getpid());
}
