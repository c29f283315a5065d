/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <iconv.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file.h"
#include "kernel/patchmail.h"
#include "kernel/patchmail_body.h"
#include "kernel/patchmail_mime.h"
#include "kernel/plumb.h"

#define PATCHES_MOST	500
#define FILES_MOST	5000
#define NESTED_MOST	3

/* Where a patch comes from, while it is looked for. */
struct source {
	const char *name;
	unsigned int mail;		/* number in a mailbox; 0: no mailbox */
	const char *sender;		/* NULL: no mail */
	int depth;
};

static char *origin_of(const struct source *s)
{
	_text_ struct text t = {};

	text_put_visible(&t, s->name, strnlen(s->name, 200), true);
	if (s->mail)
		text_printf(&t, ", mail %u", s->mail);
	return text_steal(&t);
}

static void put_without_nul(struct text *out, const char *p, size_t n)
{
	for (const char *end = p + n; p < end;) {
		size_t len = strnlen(p, (size_t)(end - p));

		text_put(out, p, len);
		p += len + 1;
	}
}

/* The commit that a line "base-commit: <40 hex>" names. */
static char *base_of(const struct text *t)
{
	static const char key[] = "\nbase-commit: ";
	const char *at = t->len ? memmem(t->p, t->len, key, sizeof(key) - 1) : NULL;
	size_t n;

	if (!at)
		return NULL;
	at += sizeof(key) - 1;
	n = strspn(at, "0123456789abcdef");
	return n >= 40 && n < COMMIT_NAME_SIZE ? text_format("%.*s", (int)n, at) : NULL;
}

static bool says_on_top(const char *p, size_t n)
{
	static const char *const first[] = { "on top of ", "applies after ", "in addition to " };
	static const char *const then[] = { "previous", "earlier", "last patch", "first patch", "my patch",
					    "above patch", "prior patch" };
	_text_ struct text t = {};

	put_without_nul(&t, p, n);
	for (size_t i = 0; i < COUNT(first); i++) {
		for (const char *at = text_str(&t); (at = strcasestr(at, first[i])); at++) {
			_free_ char *near = strndup(at, 60);

			for (size_t k = 0; near && k < COUNT(then); k++)
				if (strcasestr(near, then[k]))
					return true;
		}
	}
	return false;
}

static void put_header(struct text *out, const char *name, const char *value, const char *otherwise)
{
	const char *v = value && *value ? value : otherwise;

	if (v)
		text_printf(out, "%s: %s\n", name, v);
}

struct envelope {
	char *from, *date, *subject;
};

static void envelope_free(struct envelope *v)
{
	free(v->from);
	free(v->date);
	free(v->subject);
}
#define _envelope_ _cleanup_(envelope_free)

static struct envelope envelope_read(const char *p, size_t n)
{
	return (struct envelope){ mime_header(p, n, "From"), mime_header(p, n, "Date"),
				  mime_header(p, n, "Subject") };
}

static bool is_answer(const char *subject)
{
	static const char *const words[] = { "re:", "aw:", "sv:", "fwd:", "fw:" };

	for (size_t i = 0; i < COUNT(words); i++)
		if (!strncasecmp(subject, words[i], strlen(words[i])))
			return true;
	return false;
}

/*
 * The message in UTF-8: git converts it too, but not the headers within it.  The
 * diff is never converted, files have bytes of their own.  False: cannot be done.
 */
static bool put_utf8(struct text *out, const char *charset, char *in, size_t left)
{
	iconv_t cd = *charset ? iconv_open("UTF-8", charset) : (iconv_t)-1;
	char buf[4096];
	size_t r = 0;

	if (cd == (iconv_t)-1)
		return false;
	while (left && r != (size_t)-1) {
		char *to = buf;
		size_t room = sizeof(buf);

		r = iconv(cd, &in, &left, &to, &room);
		text_put(out, buf, (size_t)(to - buf));
		if (r == (size_t)-1 && errno == E2BIG && to != buf)
			r = 0;
	}
	iconv_close(cd);
	return r != (size_t)-1;
}

/* Returns where the diff begins. */
static size_t put_body(struct text *mail, const struct mime_part *part,
		       const struct patch_place *at)
{
	_text_ struct text message = {};
	char *p = part->body.p;
	const char *charset = "UTF-8";
	size_t diff;

	if (!put_utf8(&message, part->charset, p + at->message, at->diff - at->message)) {
		text_release(&message);
		text_put(&message, p + at->message, at->diff - at->message);
		charset = part->charset;
	}
	text_printf(mail, "Content-Type: text/plain%s%s\n\n", *charset ? "; charset=" : "", charset);
	put_without_nul(mail, text_str(&message), message.len);
	diff = mail->len;
	put_without_nul(mail, p + at->diff, at->end - at->diff);
	return diff;
}

static void add(struct patchmail *m, const struct source *s, const struct envelope *v,
		const struct mime_part *part, const struct patch_place *at)
{
	_text_ struct text mail = {};
	_free_ char *origin = origin_of(s);
	_free_ char *title = text_format("Patch from %s", path_base(origin));
	const char *p = text_str(&part->body);
	size_t diff;

	put_header(&mail, "From", v->from, "unknown <unknown@localhost>");
	put_header(&mail, "Date", v->date, NULL);
	put_header(&mail, "Subject", v->subject, title);
	text_puts(&mail, "MIME-Version: 1.0\nContent-Transfer-Encoding: 8bit\n");
	diff = put_body(&mail, part, at);
	GROW(m->v, m->n);
	m->v[m->n++] = (struct patchmail_patch){
		.origin = steal(origin), .sender = text_copy(s->sender), .base = base_of(&part->body),
		.on_top = says_on_top(p, at->diff), .mail = text_steal(&mail), .diff = diff,
	};
}

static void message(struct patchmail *m, const char *p, size_t n, struct source s);

/* An attachment that is a mail itself, as git format-patch writes it. */
static bool is_mail(const struct mime_part *part)
{
	_envelope_ struct envelope v = envelope_read(text_str(&part->body), part->body.len);

	return part->mail || *v.from || *v.subject;
}

/* Answers are conversation up to the diff, and so is the mail around an attachment. */
static bool inline_patch(struct patchmail *m, const struct source *s, const struct envelope *v,
			 const struct mime *parts)
{
	for (size_t i = 0; i < parts->n; i++) {
		const struct mime_part *part = &parts->part[i];
		struct patch_place at;

		if (part->attachment || part->mail ||
		    !patch_find(text_str(&part->body), part->body.len, is_answer(v->subject), &at))
			continue;
		add(m, s, v, part, &at);
		return true;
	}
	return false;
}

static void attached_patches(struct patchmail *m, const struct source *s, const struct envelope *v,
			     const struct mime *parts)
{
	for (size_t i = 0; i < parts->n && m->n < PATCHES_MOST; i++) {
		const struct mime_part *part = &parts->part[i];
		struct source inner = *s;
		struct patch_place at;

		if (!part->attachment && !part->mail)
			continue;
		inner.depth++;
		if (is_mail(part) && inner.depth <= NESTED_MOST)
			message(m, text_str(&part->body), part->body.len, inner);
		else if (patch_find(text_str(&part->body), part->body.len, true, &at))
			add(m, s, v, part, &at);
	}
}

/* "address" of "Name <address>", in small letters. */
static char *address_of(const char *from)
{
	const char *open = strrchr(from, '<');
	const char *p = open ? open + 1 : from + strspn(from, " ");
	char *a = text_format("%.*s", (int)strcspn(p, "> "), p);

	for (char *c = a; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c |= 32;
	return a;
}

static void message(struct patchmail *m, const char *p, size_t n, struct source s)
{
	_mime_ struct mime parts = {};
	_envelope_ struct envelope v = envelope_read(p, n);
	_free_ char *sender = NULL;

	if (s.depth == 0 && mime_body(p, n) && !patch_is_magic_from(p, n))
		s.sender = sender = address_of(v.from);
	mime_parse(&parts, p, n);
	if (!inline_patch(m, &s, &v, &parts))
		attached_patches(m, &s, &v, &parts);
}

/*
 * "From sender date", then a header.  In a mailbox that a mail program wrote, the
 * first line of a pasted patch ("From <40 hex>") separates nothing, and the other
 * way round.
 */
static bool is_separator(const char *p, const char *end, bool magic)
{
	size_t len = mime_line(p, end), next, colon;

	if (len < 12 || memcmp(p, "From ", 5) || patch_is_magic_from(p, len) != magic)
		return false;
	if (!memchr(p, ':', len))
		return false;
	p += len;
	next = mime_line(p, end);
	colon = strcspn(p, ": \n");
	return colon && colon < next && p[colon] == ':';
}

/* The next mail begins there; the end if there is none. */
static const char *next_mail(const char *p, const char *end, bool magic)
{
	bool empty = false;

	p += mime_line(p, end);
	for (size_t len; p < end; p += len) {
		len = mime_line(p, end);
		if (empty && is_separator(p, end, magic))
			return p;
		empty = len == 1 || (len == 2 && *p == '\r');
	}
	return end;
}

/* Mailboxes write a line "From " of a mail as ">From ", and that as ">>From ". */
static void put_unquoted(struct text *out, const char *p, const char *end)
{
	for (size_t len; p < end; p += len) {
		size_t quotes = strspn(p, ">");

		len = mime_line(p, end);
		if (quotes && quotes + 5 <= len && !memcmp(p + quotes, "From ", 5))
			text_put(out, p + 1, len - 1);
		else
			text_put(out, p, len);
	}
}

static void mailbox(struct patchmail *m, const struct text *t, struct source s)
{
	const char *p = text_str(t), *end = p + t->len;
	bool magic = patch_is_magic_from(p, t->len);

	for (const char *next; p < end && m->n < PATCHES_MOST; p = next) {
		_text_ struct text one = {};

		next = next_mail(p, end, magic);
		s.mail++;
		if (magic)
			text_put(&one, p, (size_t)(next - p));
		else
			put_unquoted(&one, p, next);
		message(m, text_str(&one), one.len, s);
	}
}

/* A text whose first line ends in CR LF came that way: its lines end so for the wire. */
static void undo_crlf(struct text *t)
{
	char *nl = t->len ? memchr(t->p, '\n', t->len) : NULL, *to;

	if (!nl || nl == t->p || nl[-1] != '\r')
		return;
	to = t->p;
	for (size_t i = 0; i < t->len; i++)
		if (t->p[i] != '\r' || i + 1 == t->len || t->p[i + 1] != '\n')
			*to++ = t->p[i];
	*to = '\0';
	t->len = (size_t)(to - t->p);
}

int patchmail_parse(struct patchmail *m, const char *bytes, size_t n, const char *name,
		    struct err *e)
{
	struct source s = { .name = name };
	_text_ struct text t = {};
	_free_ char *shown = origin_of(&s);
	size_t before = m->n;

	if (n > PATCHMAIL_MAX_BYTES)
		return err_set(e, EINVAL, "%s: larger than %u bytes", shown, PATCHMAIL_MAX_BYTES);
	put_without_nul(&t, bytes, n);
	undo_crlf(&t);
	if (text_starts(text_str(&t), "From "))
		mailbox(m, &t, s);
	else
		message(m, text_str(&t), t.len, s);
	if (m->n == before)
		return err_set(e, EINVAL, "%s: there is no patch in it", shown);
	if (m->n >= PATCHES_MOST)
		return err_set(e, EINVAL, "%s: more than %d patches", shown, PATCHES_MOST - 1);
	return 0;
}

static int file_add(struct patchmail *m, const char *path, struct err *e)
{
	_text_ struct text t = {};
	bool in = !strcmp(path, "-");
	int r = file_read(AT_FDCWD, in ? "/dev/stdin" : path, PATCHMAIL_MAX_BYTES, &t, e);

	return r < 0 ? r : patchmail_parse(m, text_str(&t), t.len, in ? "stdin" : path, e);
}

static int not_hidden(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* Files without a patch are passed over: a Maildir holds other mails too. */
static int folder_add(struct patchmail *m, const char *path, bool maildir, struct err *e)
{
	struct dirent **list;
	int n = scandir(path, &list, not_hidden, alphasort), r = 0;

	if (n < 0)
		return errno == ENOENT && maildir ? 0 : err_sys(e, "%s", path);
	for (int i = 0; i < n; i++) {
		_free_ char *file = path_join(path, list[i]->d_name);
		size_t before = m->n;
		struct stat st;

		if (r == 0 && i < FILES_MOST && stat(file, &st) == 0 && S_ISREG(st.st_mode))
			r = file_add(m, file, e);
		r = r == -EINVAL && m->n == before ? 0 : r;
		for (size_t k = before; maildir && k < m->n; k++)
			if (!m->v[k].sender)
				m->v[k].sender = text_copy("");
		free(list[i]);
	}
	free(list);
	return r;
}

static int path_add(struct patchmail *m, const char *path, struct err *e)
{
	_free_ char *cur = path_join(path, "cur");
	_free_ char *new = path_join(path, "new");
	size_t before = m->n;
	struct stat st;
	int r;

	if (!strcmp(path, "-") || stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return file_add(m, path, e);
	if (stat(cur, &st) == 0 && S_ISDIR(st.st_mode)) {
		r = folder_add(m, cur, true, e);
		if (r == 0)
			r = folder_add(m, new, true, e);
	} else {
		r = folder_add(m, path, false, e);
	}
	if (r == 0 && m->n == before)
		return err_set(e, EINVAL, "%s: there is no patch in it", path);
	return r;
}

/* The value of a line "Key: value" of git mailinfo; "" if there is none. */
static char *info(const struct text *t, const char *key)
{
	size_t n = strlen(key);
	const char *p = text_str(t), *end = p + t->len;

	for (size_t len; p < end; p += len) {
		len = mime_line(p, end);
		if (len > n + 2 && !memcmp(p, key, n) && p[n] == ':' && p[n + 1] == ' ')
			return text_format("%.*s", (int)(len - n - 2 - (p[len - 1] == '\n')), p + n + 2);
	}
	return text_copy("");
}

/* "2/3" within the first brackets. */
static void part_of(struct patchmail_patch *p)
{
	const char *open = strchr(p->subject, '['), *close = open ? strchr(open, ']') : NULL;
	unsigned int k, n;

	for (const char *at = open; at && close && at < close; at++) {
		if (sscanf(at, "%u/%u", &k, &n) == 2 && n && n < PATCHES_MOST && k <= n &&
		    (at == open + 1 || at[-1] == ' ' || at[-1] == '[')) {
			p->part = k;
			p->parts = n;
			return;
		}
	}
}

/* As git am does: without "Re:" and what stands in brackets before the title. */
static void title_only(char *subject)
{
	char *s = subject;

	for (;;) {
		char *close = *s == '[' ? strchr(s, ']') : NULL;

		if (close)
			s = close + 1;
		else if (!strncasecmp(s, "re:", 3))
			s += 3;
		else if (*s == ' ' || *s == ':')
			s++;
		else
			break;
	}
	memmove(subject, s, strlen(s) + 1);
}

static int identify(struct patchmail_patch *p, struct err *e)
{
	_proc_ struct proc git = { .in = p->mail, .in_len = strlen(p->mail), .out_max = 1U << 20 };
	int r = plumb_ok(&git, "/", ARGV("mailinfo", "-k", "--encoding=UTF-8", "--no-scissors",
					 "/dev/null", "/dev/null"), e);

	if (r < 0)
		return err_in(e, "%s", p->origin);
	free(p->author);
	free(p->email);
	free(p->date);
	free(p->subject);
	p->author = info(&git.out, "Author");
	p->email = info(&git.out, "Email");
	p->date = info(&git.out, "Date");
	p->subject = info(&git.out, "Subject");
	part_of(p);
	title_only(p->subject);
	return 0;
}

int patchmail_identify(struct patchmail *m, struct err *e)
{
	for (size_t i = 0; i < m->n; i++) {
		int r = identify(&m->v[i], e);

		if (r < 0)
			return r;
	}
	return 0;
}

/* @n patches of one series of @parts: puts them in order. */
static int series_order(struct patchmail_patch *v, size_t n, unsigned int parts, struct err *e)
{
	for (unsigned int k = 1; k <= parts; k++) {
		size_t at = k - 1;

		while (at < n && v[at].part != k)
			at++;
		if (at == n)
			return err_set(e, EINVAL, "%s: part %u of %u is missing", v[0].origin, k, parts);
		if (at != k - 1) {
			struct patchmail_patch p = v[at];

			v[at] = v[k - 1];
			v[k - 1] = p;
		}
	}
	if (n > parts)
		return err_set(e, EINVAL, "%s: part %u of %u is there twice", v[0].origin,
			       v[parts].part, parts);
	return 0;
}

int patchmail_order(struct patchmail *m, struct err *e)
{
	for (size_t i = 0, n; i < m->n; i += n) {
		unsigned int parts = m->v[i].parts;
		int r;

		for (n = 1; parts && i + n < m->n && m->v[i + n].parts == parts;)
			n++;
		r = parts ? series_order(m->v + i, n, parts, e) : 0;
		if (r < 0)
			return r;
	}
	return 0;
}

int patchmail_read(struct patchmail *m, const char *path, struct err *e)
{
	int r = path_add(m, path, e);

	if (r == 0)
		r = patchmail_identify(m, e);
	return r < 0 ? r : patchmail_order(m, e);
}

bool patchmail_allowed(const struct patchmail *m, const char *const *list)
{
	for (size_t i = 0; i < m->n; i++) {
		bool found = !m->v[i].sender;

		for (size_t k = 0; !found && list && list[k]; k++)
			found = *list[k] && !strcasecmp(list[k], m->v[i].sender);
		if (!found)
			return false;
	}
	return true;
}

void patchmail_release(struct patchmail *m)
{
	for (size_t i = 0; i < m->n; i++) {
		struct patchmail_patch *p = &m->v[i];
		char *all[] = { p->mail, p->sender, p->base, p->origin, p->author, p->email, p->subject,
				p->date };

		for (size_t k = 0; k < COUNT(all); k++)
			free(all[k]);
	}
	free(m->v);
	*m = (struct patchmail){};
}
