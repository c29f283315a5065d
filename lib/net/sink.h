/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests: a real mail server on loopback (sink.py), and what it took. */
#pragma once

#include <sys/types.h>

#include "base/text.h"

struct sink {
	char dir[64];		/* removed at the end */
	char *mails;		/* folder with what was taken */
	char *url;		/* smtp://127.0.0.1:PORT */
	pid_t pid;
	int stop;		/* closing it ends the server */
};

/* @options ends in NULL, see sink.py. False where there is no aiosmtpd. */
bool sink_start(struct sink *s, const char *const *options);
void sink_stop(struct sink *s);
#define _sink_ _cleanup_(sink_stop)

/* Number of mails that were taken; the last one's text into @last, if not NULL. */
size_t sink_mails(const struct sink *s, struct text *last);
