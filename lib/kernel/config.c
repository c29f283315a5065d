/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/file.h"
#include "kernel/config.h"
#include "vm_config.h"

#define CONFIG_MAX (4U << 20)

static const char default_base[] = "tinyconfig", built_in[] = "vm";

static size_t name_length(const char *s)
{
	size_t n = strlen("CONFIG_");

	if (!text_starts(s, "CONFIG_"))
		return 0;
	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	return n;
}

static void set(struct config *c, char *name, char *value, bool optional)
{
	for (size_t i = 0; i < c->n; i++) {
		if (strcmp(c->v[i].name, name) != 0)
			continue;
		free(name);
		free(c->v[i].value);
		c->v[i].value = value;
		c->v[i].optional = optional;
		return;
	}
	GROW(c->v, c->n);
	c->v[c->n++] = (struct config_line){ name, value, optional };
}

/* False when @line is neither an option nor a comment. */
static bool take_line(struct config *c, const char *line)
{
	static const char unset[] = " is not set", optional[] = "# optional";
	const char *s = text_starts(line, "# CONFIG_") ? line + 2 : line, *end;
	size_t n = name_length(s);
	bool may = text_ends(line, optional);

	if (s != line && n && !strcmp(s + n, unset)) {
		set(c, text_format("%.*s", (int)n, s), text_copy("n"), false);
		return true;
	}
	if (!*line || *line == '#')
		return true;
	if (!n || s[n] != '=' || !s[n + 1])
		return false;
	end = line + strlen(line) - (may ? strlen(optional) : 0);
	while (end > s + n + 1 && isblank((unsigned char)end[-1]))
		end--;
	set(c, text_format("%.*s", (int)n, s), text_format("%.*s", (int)(end - s - n - 1), s + n + 1),
	    may);
	return true;
}

int config_parse(struct config *c, const char *text, size_t n, const char *name, struct err *e)
{
	_free_ char *copy = text_format("%.*s", (int)n, text);
	size_t number = 1;

	for (char *line = copy, *next; line; line = next, number++) {
		size_t len = strcspn(line, "\n");

		next = line[len] ? line + len + 1 : NULL;
		while (len && isspace((unsigned char)line[len - 1]))
			len--;
		line[len] = '\0';
		if (!take_line(c, line))
			return err_set(e, EINVAL, "%s: line %zu: not an option", name, number);
	}
	return 0;
}

static int read_fragment(struct config *c, const char *name, struct err *e)
{
	_text_ struct text t = {};

	if (!strcmp(name, built_in))
		return config_parse(c, vm_config, strlen(vm_config), name, e);
	if (file_read(AT_FDCWD, name, CONFIG_MAX, &t, e) < 0)
		return -e->code;
	return config_parse(c, text_str(&t), t.len, name, e);
}

/* A make target's name has no way out of being one. */
static bool is_target(const char *name)
{
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-')
			return false;
	return isalpha((unsigned char)*name) && text_ends(name, "config");
}

int config_read(struct config *c, const char *const *names, size_t n, struct err *e)
{
	static const char *const normal[] = { default_base, built_in };
	size_t from = 1;

	*c = (struct config){};
	if (!n) {
		names = normal;
		n = COUNT(normal);
	}
	if (is_target(names[0]) && access(names[0], F_OK) < 0)
		c->base_target = text_copy(names[0]);
	else if (!strcmp(names[0], built_in) || access(names[0], F_OK) < 0)
		c->base_target = text_copy(default_base), from = 0;
	else if (file_read(AT_FDCWD, names[0], CONFIG_MAX, &c->base_text, e) < 0)
		return -e->code;
	for (size_t i = from; i < n; i++)
		if (read_fragment(c, names[i], e) < 0)
			return -e->code;
	return 0;
}

void config_print(const struct config *c, struct text *out)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->v[i].value, "n"))
			text_printf(out, "# %s is not set\n", c->v[i].name);
		else
			text_printf(out, "%s=%s\n", c->v[i].name, c->v[i].value);
}

static const char *find(const struct config *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->v[i].name, name))
			return c->v[i].value;
	return "n";
}

char *config_missing(const struct config *c, const char *result)
{
	struct config got = {};
	_text_ struct text t = {};
	struct err e = {};

	if (config_parse(&got, result, strlen(result), ".config", &e) < 0)
		text_puts(&t, e.text);
	for (size_t i = 0; !e.code && i < c->n && t.len < 300; i++) {
		const char *is = find(&got, c->v[i].name);

		if (!c->v[i].optional && strcmp(is, c->v[i].value) != 0)
			text_printf(&t, "%s%s=%s became %s", t.len ? ", " : "", c->v[i].name,
				    c->v[i].value, is);
	}
	config_release(&got);
	return t.len ? text_steal(&t) : NULL;
}

void config_release(struct config *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->v[i].name);
		free(c->v[i].value);
	}
	free(c->v);
	free(c->base_target);
	text_release(&c->base_text);
	*c = (struct config){};
}
