/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "report/recipients.h"

static struct recipient *find(struct recipients *r, const char *address)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcasecmp(r->row[i].address, address))
			return &r->row[i];
	return NULL;
}

static void join(struct recipient *row, enum recipient_role role, const char *name,
		 const char *reason)
{
	if (!*row->name && name && *name) {
		free(row->name);
		row->name = text_copy(name);
	}
	if (role < row->role)
		row->role = role;
	if (!strstr(row->reason, reason)) {
		_free_ char *before = row->reason;

		row->reason = text_format("%s; %s", before, reason);
	}
}

void recipients_add(struct recipients *r, enum recipient_role role, const char *name,
		    const char *address, const char *reason)
{
	struct recipient *row = find(r, address);
	bool ok = mail_address_ok(address);

	if (row) {
		join(row, role, name, reason);
		return;
	}
	GROW(r->row, r->n);
	r->row[r->n++] = (struct recipient){
		.name = text_copy(name ? name : ""),
		.address = text_copy(address),
		.role = role,
		.reason = text_copy(reason),
		.dropped = ok ? NULL : text_copy("not a mail address"),
	};
}

void recipients_add_person(struct recipients *r, enum recipient_role role, const char *text,
			   size_t n, const char *reason)
{
	_free_ char *name = NULL, *address = NULL;

	if (!mail_person_parse(text, n, &name, &address)) {
		struct text whole = {};

		for (; n && (*text == ' ' || *text == '\t'); n--)
			text++;
		text_put(&whole, text, n < 200 ? n : 200);
		address = text_steal(&whole);
	}
	recipients_add(r, role, name, address, reason);
}

static const struct { const char *tag, *reason; } tags[] = {
	{ "Signed-off-by:", "signed the commit off" },
	{ "Co-developed-by:", "wrote part of the commit" },
	{ "Reviewed-by:", "reviewed the commit" },
	{ "Acked-by:", "acked the commit" },
	{ "Tested-by:", "tested the commit" },
	{ "Reported-by:", "reported what the commit fixes" },
	{ "Suggested-by:", "suggested the commit" },
	{ "Cc:", "is in the commit's Cc" },
};

/* "stable@vger.kernel.org # v6.1" and the like: addresses for patches, not for reports. */
static bool is_for_patches(const char *text, size_t n)
{
	static const char stable[] = "stable@";

	for (size_t i = 0; i + sizeof(stable) - 1 <= n; i++)
		if (!strncasecmp(text + i, stable, sizeof(stable) - 1))
			return true;
	return false;
}

void recipients_add_tags(struct recipients *r, const char *message)
{
	for (const char *p = message, *next; *p; p = next) {
		size_t n = strcspn(p, "\n");

		next = p + n + (p[n] == '\n');
		for (size_t i = 0; i < COUNT(tags); i++) {
			size_t skip = strlen(tags[i].tag);

			if (n <= skip || strncasecmp(p, tags[i].tag, skip) ||
			    is_for_patches(p + skip, n - skip))
				continue;
			/* Behind # stands a remark. */
			n = skip + strcspn(p + skip, "#\n");
			recipients_add_person(r, RECIPIENT_TAG, p + skip, n - skip,
					      tags[i].reason);
		}
	}
}

/* What get_maintainer.pl calls the roles; the longer of two with one start first. */
static const struct { const char *start; enum recipient_role role; } roles[] = {
	{ "maintainer", RECIPIENT_MAINTAINER },
	{ "supporter", RECIPIENT_MAINTAINER },
	{ "odd fixer", RECIPIENT_MAINTAINER },
	{ "reviewer", RECIPIENT_REVIEWER },
	{ "open list", RECIPIENT_LIST },
	{ "moderated list", RECIPIENT_LIST },
};

static void add_role_line(struct recipients *r, const char *line, size_t n)
{
	const char *role = memchr(line, '>', n);
	enum recipient_role kind = RECIPIENT_OTHER;
	_free_ char *reason = NULL;
	size_t person;

	if (!role)
		role = memchr(line, ' ', n);
	if (!role)
		return;
	person = (size_t)(role - line) + (*role == '>');
	role = memmem(line + person, n - person, " (", 2);
	if (!role || line[n - 1] != ')')
		return;
	role += 2;
	if (text_starts(role, "chief penguin") || text_starts(role, "subscriber list"))
		return;
	for (size_t i = 0; i < COUNT(roles); i++)
		if (text_starts(role, roles[i].start))
			kind = roles[i].role;
	reason = text_format("get_maintainer.pl: %.*s", (int)(line + n - 1 - role), role);
	recipients_add_person(r, kind, line, person, reason);
}

void recipients_add_get_maintainer(struct recipients *r, const char *text, size_t n)
{
	while (n) {
		const char *end = memchr(text, '\n', n);
		size_t len = end ? (size_t)(end - text) : n;

		if (len && len < 1000 && !memchr(text, '\0', len)) {
			_free_ char *line = strndup(text, len);

			if (!line)
				abort();
			add_role_line(r, line, len);
		}
		len += end != NULL;
		text += len;
		n -= len;
	}
}

/* .get_maintainer.ignore: a person or an address a line, # before remarks. */
static bool opted_out(const char *text, const char *address)
{
	for (const char *p = text ? text : ""; *p;) {
		size_t line = strcspn(p, "\n"), n = strcspn(p, "#\n");
		_free_ char *name = NULL, *out = NULL;

		if (mail_person_parse(p, n, &name, &out) && !strcasecmp(out, address))
			return true;
		p += line + (p[line] == '\n');
	}
	return false;
}

static void drop(struct recipient *row, const char *why)
{
	if (!row->dropped)
		row->dropped = text_copy(why);
}

/* They come first, whatever else is said of them. */
static void apply_only_to(struct recipients *r, const struct recipients_policy *policy)
{
	struct recipients only = {};

	if (!policy->n_only_to)
		return;
	for (size_t i = 0; i < policy->n_only_to; i++)
		recipients_add_person(&only, RECIPIENT_AUTHOR, policy->only_to[i],
				      strlen(policy->only_to[i]), "only_to is set");
	for (size_t i = 0; i < r->n; i++) {
		struct recipient *row = &r->row[i];

		if (find(&only, row->address))
			continue;
		drop(row, "only_to is set");
		GROW(only.row, only.n);
		only.row[only.n++] = *row;
		*row = (struct recipient){};
	}
	recipients_release(r);
	*r = only;
}

/* By role; those of one role stay as they came. */
static void sort(struct recipients *r)
{
	for (size_t i = 1; i < r->n; i++) {
		struct recipient row = r->row[i];
		size_t k = i;

		for (; k > 0 && r->row[k - 1].role > row.role; k--)
			r->row[k] = r->row[k - 1];
		r->row[k] = row;
	}
}

void recipients_decide(struct recipients *r, const struct recipients_policy *policy)
{
	size_t cap = policy->cap ? policy->cap : RECIPIENTS_CAP, taken = 0;
	_free_ char *too_many = text_format("%zu others are enough", cap);

	for (size_t i = 0; i < r->n; i++)
		if (opted_out(policy->opt_out, r->row[i].address))
			drop(&r->row[i], "asked for no mail");
	apply_only_to(r, policy);
	sort(r);
	for (size_t i = 0; i < r->n; i++) {
		if (r->row[i].dropped)
			continue;
		if (taken == cap)
			drop(&r->row[i], too_many);
		else
			taken++;
	}
}

void recipients_put(const struct recipients *r, struct recipients_mail *out)
{
	*out = (struct recipients_mail){};
	for (size_t i = 0; i < r->n; i++) {
		const struct recipient *row = &r->row[i];
		struct mail_person person = { row->name, row->address };

		if (row->dropped)
			continue;
		if (!out->n_to || row->role == RECIPIENT_AUTHOR) {
			GROW(out->to, out->n_to);
			out->to[out->n_to++] = person;
		} else {
			GROW(out->cc, out->n_cc);
			out->cc[out->n_cc++] = person;
		}
	}
}

void recipients_mail_release(struct recipients_mail *m)
{
	free(m->to);
	free(m->cc);
	*m = (struct recipients_mail){};
}

void recipients_explain(const struct recipients *r, struct text *out)
{
	bool to = true;

	for (size_t i = 0; i < r->n; i++) {
		const struct recipient *row = &r->row[i];

		text_puts(out, row->dropped ? "--  " :
			  to || row->role == RECIPIENT_AUTHOR ? "to  " : "cc  ");
		mail_put_person(out, row->name, row->address);
		text_puts(out, ": ");
		text_put_visible(out, row->reason, strlen(row->reason), true);
		if (row->dropped)
			text_printf(out, "; no mail: %s", row->dropped);
		else
			to = false;
		text_putc(out, '\n');
	}
}

void recipients_release(struct recipients *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->row[i].name);
		free(r->row[i].address);
		free(r->row[i].reason);
		free(r->row[i].dropped);
	}
	free(r->row);
	*r = (struct recipients){};
}
