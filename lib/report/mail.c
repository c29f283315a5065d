/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "report/mail.h"

#define FOLD 76		/* where header lines are folded; 78 is wished, 998 the bound */
#define WORD_MAX 75	/* of an encoded word (RFC 2047, section 2) */
#define BODY_MAX 990	/* of a body's line as it is; 998 is the bound */

/* ---- Addresses and ids ---- */

static bool is_atom(unsigned char c)
{
	return c < 0x80 && (isalnum(c) || (c && strchr("!#$%&'*+-/=?^_`{|}~", c)));
}

/* Atoms with single dots between them; returns their length, 0 if it is none. */
static size_t dot_atom(const char *s)
{
	size_t n = 0;

	for (;;) {
		if (!is_atom((unsigned char)s[n]))
			return 0;
		while (is_atom((unsigned char)s[n]))
			n++;
		if (s[n] != '.')
			return n;
		n++;
	}
}

static bool is_domain(const char *s)
{
	size_t n = strlen(s);

	if (!n || n > 253 || dot_atom(s) != n || s[0] == '-' || s[n - 1] == '-')
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && *s != '-' && *s != '.')
			return false;
	return true;
}

bool mail_address_ok(const char *address)
{
	size_t local = dot_atom(address);

	return local && local <= 64 && address[local] == '@' && is_domain(address + local + 1);
}

bool mail_id_ok(const char *id)
{
	size_t n = strlen(id), at = strcspn(id, "@");

	if (n < 3 || n > 500 || !at || at + 1 >= n)
		return false;
	for (; *id; id++)
		if (*id <= ' ' || *id >= 0x7f || *id == '<' || *id == '>')
			return false;
	return true;
}

void mail_put_id(struct text *out, int64_t secs, uint64_t random, const char *host)
{
	time_t t = (time_t)secs;
	char stamp[32];
	struct tm tm = {};

	gmtime_r(&t, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S", &tm);
	text_printf(out, "%s.%016llx@%s", stamp, (unsigned long long)random,
		    is_domain(host) ? host : "localhost.invalid");
}

static void trim(const char **s, size_t *n)
{
	while (*n && isspace((unsigned char)**s)) {
		(*s)++;
		(*n)--;
	}
	while (*n && isspace((unsigned char)(*s)[*n - 1]))
		(*n)--;
}

/* A name in quotes loses them and its backslashes. */
static char *unquote(const char *s, size_t n)
{
	struct text name = {};
	bool quoted;

	trim(&s, &n);
	quoted = n >= 2 && s[0] == '"' && s[n - 1] == '"';
	if (quoted) {
		s++;
		n -= 2;
	}
	for (size_t i = 0; i < n; i++) {
		if (quoted && s[i] == '\\' && i + 1 < n)
			i++;
		text_putc(&name, s[i]);
	}
	return text_steal(&name);
}

bool mail_person_parse(const char *text, size_t n, char **name, char **address)
{
	const char *close, *open;
	_free_ char *copy = NULL;

	trim(&text, &n);
	if (n && text[n - 1] == '>') {
		close = text + n - 1;
		for (open = close; open > text && *open != '<'; open--)
			;
		if (*open != '<')
			return false;
		copy = strndup(open + 1, (size_t)(close - open - 1));
		n = (size_t)(open - text);
	} else {
		copy = strndup(text, n);
		n = 0;
	}
	if (!copy)
		abort();
	if (!mail_address_ok(copy))
		return false;
	*name = unquote(text, n);
	*address = steal(copy);
	return true;
}

void mail_put_person(struct text *out, const char *name, const char *address)
{
	if (name && *name) {
		text_put_visible(out, name, strlen(name), true);
		text_puts(out, " <");
	}
	text_put_visible(out, address, strlen(address), true);
	if (name && *name)
		text_putc(out, '>');
}

/* ---- Headers ---- */

/* What is being written: one header, folded at blanks. */
struct folder {
	struct text *out;
	size_t column;
};

static void fold_start(struct folder *f, const char *name)
{
	text_printf(f->out, "%s:", name);
	f->column = strlen(name) + 1;
}

/* Behind "Subject:" a fold would leave a line of nothing. */
static bool at_start(const struct folder *f)
{
	return f->out->p[f->out->len - 1] == ':';
}

/* A piece that is not cut, with a blank or a fold before it. */
static void fold_put(struct folder *f, const char *piece, size_t n)
{
	if (!at_start(f) && f->column + 1 + n > FOLD) {
		text_putc(f->out, '\n');
		f->column = 0;
	}
	text_putc(f->out, ' ');
	text_put(f->out, piece, n);
	f->column += 1 + n;
}

static void fold_end(struct folder *f)
{
	text_putc(f->out, '\n');
}

/* Characters that stand for themselves in an encoded word, also in a name. */
static bool is_plain_q(unsigned char c)
{
	return c < 0x80 && (isalnum(c) || (c && strchr("!*+-/", c)));
}

static size_t char_len(const char *s, size_t n)
{
	size_t len = 1;

	while (len < n && ((unsigned char)s[len] & 0xc0) == 0x80)
		len++;
	return len;
}

/* As many encoded words as it takes; a character is never cut. @s is UTF-8. */
static void fold_encode(struct folder *f, const char *s, size_t n)
{
	while (n) {
		size_t max = at_start(f) ? FOLD - 1 - f->column : WORD_MAX;
		_text_ struct text word = {};

		text_puts(&word, "=?UTF-8?Q?");
		while (n) {
			size_t len = char_len(s, n), before = word.len;

			for (size_t i = 0; i < len; i++) {
				if (s[i] == ' ')
					text_putc(&word, '_');
				else if (is_plain_q((unsigned char)s[i]))
					text_putc(&word, s[i]);
				else
					text_printf(&word, "=%02X", (unsigned char)s[i]);
			}
			if (word.len + 2 > max) {
				word.len = before;
				break;
			}
			s += len;
			n -= len;
		}
		text_put(&word, "?=", 2);
		fold_put(f, word.p, word.len);
	}
}

/* Must this word be encoded? Also what would be taken for an encoded word. */
static bool word_needs(const char *s, size_t n)
{
	if (n > WORD_MAX - 2)
		return true;
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)s[i] >= 0x80 || (s[i] == '=' && i + 1 < n && s[i + 1] == '?'))
			return true;
	return false;
}

/* One line, visible, single blanks between words, none at the ends. */
static void put_words(struct text *out, const char *value)
{
	_text_ struct text visible = {};
	bool blank = false;

	for (const char *p = value; *p;) {
		size_t n = strcspn(p, "\r\n\t");

		text_put_visible(&visible, p, n, true);
		p += n;
		n = strspn(p, "\r\n\t");
		if (n)
			text_putc(&visible, ' ');
		p += n;
	}
	for (const char *p = text_str(&visible); *p; p++) {
		if (*p == ' ') {
			blank = out->len > 0;
			continue;
		}
		if (blank)
			text_putc(out, ' ');
		blank = false;
		text_putc(out, *p);
	}
}

/* From the first word that needs it to the last, the text is encoded. */
static void fold_text(struct folder *f, const char *value)
{
	_text_ struct text words = {};
	const char *s, *from = NULL, *to = NULL;

	put_words(&words, value);
	s = text_str(&words);
	for (const char *p = s; *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");

		if (word_needs(p, n)) {
			from = from ? from : p;
			to = p + n;
		}
		p += n;
	}
	for (const char *p = s; *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");

		if (p == from) {
			n = (size_t)(to - from);
			fold_encode(f, p, n);
		} else {
			fold_put(f, p, n);
		}
		p += n;
	}
}

static void put_text(struct text *out, const char *name, const char *value)
{
	struct folder f = { out, 0 };

	fold_start(&f, name);
	fold_text(&f, value);
	fold_end(&f);
}

/* A name in front of an address: atoms, or quoted, or encoded. */
static void fold_name(struct folder *f, const char *name)
{
	_text_ struct text words = {}, quoted = {};
	bool atoms = true, ascii = true;

	put_words(&words, name);
	text_putc(&quoted, '"');
	for (const char *p = text_str(&words); *p; p++) {
		atoms = atoms && (*p == ' ' || (is_atom((unsigned char)*p) && *p != '='));
		ascii = ascii && (unsigned char)*p < 0x80;
		if (*p == '"' || *p == '\\')
			text_putc(&quoted, '\\');
		text_putc(&quoted, *p);
	}
	text_putc(&quoted, '"');
	if (!words.len)
		return;
	if (!ascii || words.len > FOLD - 4 || strstr(text_str(&words), "=?"))
		fold_encode(f, words.p, words.len);
	else if (atoms)
		fold_put(f, words.p, words.len);
	else
		fold_put(f, quoted.p, quoted.len);
}

static int put_people(struct text *out, const char *header, const struct mail_person *p,
		      size_t n, struct err *e)
{
	struct folder f = { out, 0 };

	if (!n)
		return 0;
	fold_start(&f, header);
	for (size_t i = 0; i < n; i++) {
		bool named = p[i].name && *p[i].name;
		_text_ struct text address = {};

		if (!p[i].address || !mail_address_ok(p[i].address)) {
			_text_ struct text shown = {};
			const char *given = p[i].address ? p[i].address : "";

			text_put_visible(&shown, given, strlen(given), true);
			return err_set(e, EINVAL, "%s: '%s' is no mail address", header,
				       text_str(&shown));
		}
		if (named)
			fold_name(&f, p[i].name);
		text_printf(&address, named ? "<%s>%s" : "%s%s", p[i].address,
			    i + 1 < n ? "," : "");
		fold_put(&f, address.p, address.len);
	}
	fold_end(&f);
	return 0;
}

static int put_ids(struct text *out, const char *header, const char *const *id, size_t n,
		   struct err *e)
{
	struct folder f = { out, 0 };

	if (!n)
		return 0;
	fold_start(&f, header);
	for (size_t i = 0; i < n; i++) {
		_text_ struct text piece = {};

		if (!id[i] || !mail_id_ok(id[i]))
			return err_set(e, EINVAL, "%s: this is no message's id", header);
		text_printf(&piece, "<%s>", id[i]);
		fold_put(&f, piece.p, piece.len);
	}
	fold_end(&f);
	return 0;
}

/* Not by strftime(): names of days and months must not follow a locale. */
static void put_date(struct text *out, int64_t secs)
{
	static const char days[][4] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
	static const char months[][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul",
					  "Aug", "Sep", "Oct", "Nov", "Dec" };
	time_t t = (time_t)secs;
	struct tm tm = {};

	gmtime_r(&t, &tm);
	text_printf(out, "Date: %s, %02d %s %d %02d:%02d:%02d +0000\n", days[tm.tm_wday % 7],
		    tm.tm_mday, months[tm.tm_mon % 12], tm.tm_year + 1900, tm.tm_hour, tm.tm_min,
		    tm.tm_sec);
}

/* ---- Body ---- */

static bool body_is_7bit(const char *s)
{
	size_t column = 0;

	for (; *s; s++) {
		column = *s == '\n' ? 0 : column + 1;
		if ((unsigned char)*s >= 0x80 || column > BODY_MAX)
			return false;
	}
	return true;
}

/* Quoted-printable (RFC 2045, section 6.7). */
static void put_quoted(struct text *out, const char *s)
{
	size_t column = 0;

	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		bool last = s[1] == '\n' || !s[1];
		bool plain = (c > ' ' && c < 0x7f && c != '=') ||
			     ((c == ' ' || c == '\t') && !last);
		size_t n = plain ? 1 : 3;

		if (c == '\n') {
			text_putc(out, '\n');
			column = 0;
			continue;
		}
		if (column + n > (last ? 76 : 75)) {
			text_put(out, "=\n", 2);
			column = 0;
		}
		if (plain)
			text_putc(out, *s);
		else
			text_printf(out, "=%02X", c);
		column += n;
	}
}

static void put_body(struct text *out, const char *body)
{
	_text_ struct text visible = {};
	const char *s;
	bool plain;

	text_put_visible(&visible, body, strlen(body), false);
	if (visible.len && visible.p[visible.len - 1] != '\n')
		text_putc(&visible, '\n');
	s = text_str(&visible);
	plain = body_is_7bit(s);
	text_printf(out, "MIME-Version: 1.0\nContent-Type: text/plain; charset=%s\n"
		    "Content-Transfer-Encoding: %s\n\n", plain ? "us-ascii" : "utf-8",
		    plain ? "7bit" : "quoted-printable");
	if (plain)
		text_puts(out, s);
	else
		put_quoted(out, s);
}

static bool header_name_ok(const char *name)
{
	if (!*name)
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && *name != '-')
			return false;
	return true;
}

int mail_write(const struct mail *m, struct text *out, struct err *e)
{
	_text_ struct text t = {};
	struct mail_person reply_to = { .address = m->reply_to };

	if (!m->n_to && !m->n_cc)
		return err_set(e, EINVAL, "a mail to nobody");
	put_date(&t, m->date_secs);
	if (put_people(&t, "From", &m->from, 1, e) < 0 ||
	    put_people(&t, "Reply-To", &reply_to, m->reply_to ? 1 : 0, e) < 0 ||
	    put_people(&t, "To", m->to, m->n_to, e) < 0 ||
	    put_people(&t, "Cc", m->cc, m->n_cc, e) < 0)
		return -e->code;
	put_text(&t, "Subject", m->subject);
	if (put_ids(&t, "Message-ID", &m->message_id, 1, e) < 0 ||
	    put_ids(&t, "In-Reply-To", &m->in_reply_to, m->in_reply_to ? 1 : 0, e) < 0 ||
	    put_ids(&t, "References", m->references, m->n_references, e) < 0)
		return -e->code;
	text_puts(&t, "Auto-Submitted: auto-generated\n");
	for (size_t i = 0; i < m->n_extra; i++) {
		if (!header_name_ok(m->extra[i].name))
			return err_set(e, EINVAL, "this is no header's name");
		put_text(&t, m->extra[i].name, m->extra[i].value);
	}
	put_body(&t, m->body);
	text_put(out, t.p, t.len);
	return 0;
}

/* ---- Reading ---- */

static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 :
	       c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void decode_q(struct text *out, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '_') {
			text_putc(out, ' ');
		} else if (s[i] == '=' && i + 2 < n && hex(s[i + 1]) >= 0 && hex(s[i + 2]) >= 0) {
			if (s[i + 1] != '0' || s[i + 2] != '0')
				text_putc(out, (char)(hex(s[i + 1]) << 4 | hex(s[i + 2])));
			i += 2;
		} else {
			text_putc(out, s[i]);
		}
	}
}

static void decode_b(struct text *out, const char *s, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned int bits = 0, have = 0;

	for (size_t i = 0; i < n; i++) {
		const char *d = s[i] ? strchr(digits, s[i]) : NULL;

		if (!d)
			continue;
		bits = (bits << 6 | (unsigned int)(d - digits)) & 0xffffff;
		have += 6;
		if (have >= 8) {
			have -= 8;
			if (bits >> have & 0xff)
				text_putc(out, (char)(bits >> have & 0xff));
		}
	}
}

/* Length of the encoded word at @s, decoded into @out; 0 if there is none. */
static size_t decode_word(struct text *out, const char *s, size_t n)
{
	const char *end = s + n, *charset = s + 2, *kind, *text, *close;

	if (n < 8 || s[0] != '=' || s[1] != '?')
		return 0;
	kind = memchr(charset, '?', (size_t)(end - charset));
	if (!kind || end - kind < 4 || kind[2] != '?')
		return 0;
	text = kind + 3;
	for (close = text; close + 1 < end && *close != '?' && *close != ' '; close++)
		;
	if (close + 1 >= end || close[0] != '?' || close[1] != '=')
		return 0;
	if (kind[1] == 'Q' || kind[1] == 'q')
		decode_q(out, text, (size_t)(close - text));
	else if (kind[1] == 'B' || kind[1] == 'b')
		decode_b(out, text, (size_t)(close - text));
	else
		return 0;
	return (size_t)(close + 2 - s);
}

void mail_decode_header(struct text *out, const char *value, size_t n)
{
	bool after_word = false;
	size_t i = 0;

	while (i < n) {
		_text_ struct text word = {};
		size_t blank = 0, len;

		while (i + blank < n && isspace((unsigned char)value[i + blank]))
			blank++;
		i += blank;
		len = decode_word(&word, value + i, n - i);
		/* Blanks between two encoded words are none. */
		if (blank && i < n && !(len && after_word))
			text_putc(out, ' ');
		after_word = len > 0;
		text_put(out, word.p, word.len);
		i += len;
		while (!len && i < n && !isspace((unsigned char)value[i]))
			text_putc(out, value[i++]);
	}
}
