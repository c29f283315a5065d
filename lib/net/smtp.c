/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libcurl sends to those recipients that the server takes, but does not say who
 * they were.  Its trace does: a line that goes out and the reply that comes in.
 * So the conversation is listened to, and each reply to RCPT is kept for its
 * recipient.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include <curl/curl.h>

#include "base/text.h"
#include "net/smtp.h"

#define TIMEOUT_SECS 120
#define FIRST_WAIT_SECS 300
#define LAST_WAIT_SECS (8 * 3600)

/* One try. */
struct talk {
	const char *content;
	size_t len, sent;
	struct smtp_recipient **asked;	/* in the order in which they are named */
	size_t n, next;			/* next: whose RCPT goes out next */
	enum { OTHER, MAIL, RCPT, DATA, END } said;	/* what the next reply answers */
	int mail, data, end;		/* codes of the replies; 0: none came */
	char reply[sizeof(((struct smtp_recipient *)0)->reply)];
};

static void keep_reply(char reply[200], const char *line, size_t n)
{
	_text_ struct text t = {};

	while (n && isspace((unsigned char)line[n - 1]))
		n--;
	text_put_visible(&t, line, n < 150 ? n : 150, true);
	snprintf(reply, sizeof(((struct talk *)0)->reply), "%s", text_str(&t));
}

static void hear_command(struct talk *t, const char *line, size_t n)
{
	static const struct { const char *verb; int said; } verbs[] = {
		{ "MAIL FROM:", MAIL }, { "RCPT TO:", RCPT }, { "DATA", DATA },
	};

	t->said = OTHER;
	for (size_t i = 0; i < COUNT(verbs); i++)
		if (n >= strlen(verbs[i].verb) && !strncasecmp(line, verbs[i].verb,
							       strlen(verbs[i].verb)))
			t->said = verbs[i].said;
	t->next += t->said == RCPT;
}

/* Code of a reply's last line ("250 ok"; "250-..." goes on); 0 if it is none. */
static int reply_code(const char *line, size_t n)
{
	if (n < 3 || !isdigit((unsigned char)line[0]) || !isdigit((unsigned char)line[1]) ||
	    !isdigit((unsigned char)line[2]) || (n > 3 && line[3] == '-'))
		return 0;
	return (line[0] - '0') * 100 + (line[1] - '0') * 10 + line[2] - '0';
}

static void hear_reply(struct talk *t, const char *line, size_t n)
{
	int code = reply_code(line, n);

	if (!code)
		return;
	if (t->said == MAIL || t->said == DATA || t->said == END)
		keep_reply(t->reply, line, n);
	if (t->said == MAIL)
		t->mail = code;
	if (t->said == END)
		t->end = code;
	if (t->said == RCPT && t->next && t->next <= t->n) {
		struct smtp_recipient *r = t->asked[t->next - 1];

		keep_reply(r->reply, line, n);
		r->end = code >= 500 ? SMTP_REFUSED : SMTP_WAITING;
		/* Taken, if the text is taken, too. */
		if (code < 300)
			r->end = SMTP_SENT;
	}
	if (t->said == DATA) {
		t->data = code;
		t->said = END;
		return;
	}
	t->said = OTHER;
}

static int overhear(CURL *curl, curl_infotype kind, char *bytes, size_t n, void *data)
{
	if (kind == CURLINFO_HEADER_OUT)
		hear_command(data, bytes, n);
	else if (kind == CURLINFO_HEADER_IN)
		hear_reply(data, bytes, n);
	return 0;
}

static size_t give(char *room, size_t size, size_t count, void *data)
{
	struct talk *t = data;
	size_t n = size * count, left = t->len - t->sent;

	n = n < left ? n : left;
	memcpy(room, t->content + t->sent, n);
	t->sent += n;
	return n;
}

/* Is the host of this URL this machine? Errors where it is no SMTP URL. */
static int is_loopback(const char *url, struct err *e)
{
	CURLU *u = curl_url();
	char *host = NULL, *scheme = NULL;
	int ret = -1;

	if (!u)
		abort();
	if (!curl_url_set(u, CURLUPART_URL, url, CURLU_NON_SUPPORT_SCHEME) &&
	    !curl_url_get(u, CURLUPART_SCHEME, &scheme, 0) &&
	    !curl_url_get(u, CURLUPART_HOST, &host, 0) &&
	    (!strcmp(scheme, "smtp") || !strcmp(scheme, "smtps")))
		ret = !strcasecmp(host, "localhost") || !strcmp(host, "[::1]") ||
		      (text_starts(host, "127.") && strspn(host, "0123456789.") == strlen(host));
	curl_free(host);
	curl_free(scheme);
	curl_url_cleanup(u);
	return ret >= 0 ? ret : err_set(e, EINVAL, "'%s' is not like smtp://host:port", url);
}

/* In angle brackets for a command; other than that nothing may stand in it. */
static char *bracket(const char *address, struct err *e)
{
	for (const char *p = address; *p; p++) {
		if (*p <= ' ' || *p >= 0x7f || *p == '<' || *p == '>') {
			err_set(e, EINVAL, "a mail address with an odd character");
			return NULL;
		}
	}
	return text_format("<%s>", address);
}

static struct curl_slist *names(struct talk *t, struct err *e)
{
	struct curl_slist *list = NULL, *longer;

	for (size_t i = 0; i < t->n; i++) {
		_free_ char *name = bracket(t->asked[i]->address, e);

		if (!name) {
			curl_slist_free_all(list);
			return NULL;
		}
		longer = curl_slist_append(list, name);
		if (!longer)
			abort();
		list = longer;
	}
	return list;
}

static void set_security(CURL *curl, const struct smtp *s, bool loopback)
{
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_USE_SSL, (long)(loopback && !s->tls_always ?
			 CURLUSESSL_NONE : CURLUSESSL_ALL));
	curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	if (s->ca_file)
		curl_easy_setopt(curl, CURLOPT_CAINFO, s->ca_file);
	if (s->netrc) {
		curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_REQUIRED);
		curl_easy_setopt(curl, CURLOPT_NETRC_FILE, s->netrc);
	}
}

static CURLcode perform(CURL *curl, const struct smtp *s, struct talk *t, const char *from,
			struct curl_slist *to)
{
	curl_easy_setopt(curl, CURLOPT_URL, s->url);
	curl_easy_setopt(curl, CURLOPT_MAIL_FROM, from);
	curl_easy_setopt(curl, CURLOPT_MAIL_RCPT, to);
	curl_easy_setopt(curl, CURLOPT_MAIL_RCPT_ALLLOWFAILS, 1L);
	curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
	curl_easy_setopt(curl, CURLOPT_CRLF, 1L);
	curl_easy_setopt(curl, CURLOPT_READFUNCTION, give);
	curl_easy_setopt(curl, CURLOPT_READDATA, t);
	curl_easy_setopt(curl, CURLOPT_VERBOSE, 1L);
	curl_easy_setopt(curl, CURLOPT_DEBUGFUNCTION, overhear);
	curl_easy_setopt(curl, CURLOPT_DEBUGDATA, t);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)(s->timeout_secs ? s->timeout_secs :
						       TIMEOUT_SECS));
	return curl_easy_perform(curl);
}

/* What the replies mean for those whose own reply was good, or who had none. */
static void conclude(struct talk *t)
{
	int common = t->mail >= 400 ? t->mail : t->data >= 400 ? t->data : t->end;

	for (size_t i = 0; i < t->n; i++) {
		struct smtp_recipient *r = t->asked[i];
		bool asked = i < t->next;

		if (r->end == SMTP_REFUSED || (asked && r->end != SMTP_SENT && t->mail < 400))
			continue;
		if (common >= 500)
			r->end = SMTP_REFUSED;
		else if (common < 200 || common >= 400 || !asked)
			r->end = SMTP_WAITING;
		if (common)
			snprintf(r->reply, sizeof(r->reply), "%s", t->reply);
	}
}

static int code_errno(CURLcode code)
{
	switch (code) {
	case CURLE_OPERATION_TIMEDOUT:
		return ETIMEDOUT;
	case CURLE_LOGIN_DENIED:
	case CURLE_PEER_FAILED_VERIFICATION:
		return EACCES;
	case CURLE_USE_SSL_FAILED:
	case CURLE_SSL_CONNECT_ERROR:
		return EPROTO;
	default:
		return ECONNREFUSED;
	}
}

static int send_to(const struct smtp *s, struct talk *t, struct err *e)
{
	char why[CURL_ERROR_SIZE] = "";
	int loopback = is_loopback(s->url, e);
	_free_ char *from = loopback < 0 ? NULL : bracket(s->from, e);
	struct curl_slist *to = from ? names(t, e) : NULL;
	CURL *curl = to ? curl_easy_init() : NULL;
	CURLcode code;

	if (!to)
		return -e->code;
	if (!curl)
		abort();
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, why);
	set_security(curl, s, loopback);
	code = perform(curl, s, t, from, to);
	curl_easy_cleanup(curl);
	curl_slist_free_all(to);
	conclude(t);
	/* Refused or put off by replies is an answer; anything else is not. */
	if (code == CURLE_OK || t->end || t->mail >= 400 || t->data >= 400 || t->next == t->n)
		return 0;
	return err_set(e, code_errno(code), "%s: %s", s->url,
		       *why ? why : curl_easy_strerror(code));
}

int smtp_send(const struct smtp *server, const char *content, struct smtp_recipient *to, size_t n,
	      struct err *e)
{
	_free_ struct smtp_recipient **asked = mem_zero(n, sizeof(struct smtp_recipient *));
	struct talk t = { .content = content, .len = strlen(content), .asked = asked };
	int ret;

	for (size_t i = 0; i < n; i++)
		if (to[i].end == SMTP_WAITING)
			asked[t.n++] = &to[i];
	if (!t.n)
		return 0;
	if (curl_global_init(CURL_GLOBAL_DEFAULT))
		abort();
	ret = send_to(server, &t, e);
	curl_global_cleanup();
	return ret;
}

uint64_t smtp_wait_secs(unsigned int tries)
{
	uint64_t secs = FIRST_WAIT_SECS;

	while (tries-- > 1 && secs < LAST_WAIT_SECS)
		secs *= 2;
	return secs < LAST_WAIT_SECS ? secs : LAST_WAIT_SECS;
}
