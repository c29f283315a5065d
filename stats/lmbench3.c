/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lmbench's programs print a value with hardly a name, so that the command line
 * in front ("... ./bin/x86_64-linux-gnu/bw_mem -P 1 268435456 rd") says what it is.
 */
#include <string.h>

#include "parser/parse.h"

static const struct {
	const char *program, *template, *name;
} rows[] = {
	{ "bw_mem", "%* %n", "Mem.Bandwidth.MB/sec" },
	{ "bw_file_rd", "%* %n", "File.Bandwidth.MB/sec" },
	{ "bw_mmap_rd", "%* %n", "Mmap.Bandwidth.MB/sec" },
	{ "bw_pipe", "Pipe bandwidth: %n MB/sec", "PIPE.bandwidth.MB/sec" },
	{ "bw_unix", "AF_UNIX sock stream bandwidth: %n MB/sec",
	  "AF_UNIX.sock.stream.bandwidth.MB/sec" },
	{ "bw_tcp", "%* %n MB/sec", "TCP.socket.bandwidth.MB/sec" },
	{ "lat_syscall", "Simple syscall: %n microseconds", "Simple.syscall.latency.us" },
	{ "lat_syscall", "Simple read: %n microseconds", "Simple.read.latency.us" },
	{ "lat_syscall", "Simple write: %n microseconds", "Simple.write.latency.us" },
	{ "lat_syscall", "Simple stat: %n microseconds", "Simple.stat.latency.us" },
	{ "lat_syscall", "Simple fstat: %n microseconds", "Simple.fstat.latency.us" },
	{ "lat_syscall", "Simple open/close: %n microseconds", "Simple.open/close.latency.us" },
	{ "lat_select", "Select on %* fd's: %n microseconds", "Select.latency.us" },
	{ "lat_sig", "Signal handler installation: %n microseconds", "Sig.install.latency.us" },
	{ "lat_sig", "Signal handler overhead: %n microseconds", "Sig.catch.latency.us" },
	{ "lat_proc", "Process fork+exit: %n microseconds", "Process.fork+exit.latency.us" },
	{ "lat_proc", "Process fork+execve: %n microseconds", "Process.fork+execve.latency.us" },
	{ "lat_proc", "Process fork+/bin/sh -c: %n microseconds", "Process.fork+shell.latency.us" },
	{ "lat_pagefault", "Pagefaults on %*: %n microseconds", "Pagefaults.us" },
	{ "lat_mmap", "%* %n", "Mmap.latency.us" },
	{ "lat_pipe", "Pipe latency: %n microseconds", "PIPE.latency.us" },
	{ "lat_unix", "AF_UNIX sock stream latency: %n microseconds",
	  "AF_UNIX.sock.stream.latency.us" },
	{ "lat_udp", "UDP latency using %*: %n microseconds", "UDP.latency.us" },
	{ "lat_tcp", "TCP latency using %*: %n microseconds", "TCP.latency.us" },
	{ "lat_connect", "TCP/IP connection cost to %*: %n microseconds",
	  "TCP.connection.latency.us" },
	{ "lat_fcntl", "Fcntl lock latency: %n microseconds", "Fcntl.latency.us" },
	{ "lat_sem", "Semaphore latency: %n microseconds", "Semaphore.latency.us" },
	{ "lat_ctx", "%* %n", "CTX.latency.us" },
};

struct state {
	char program[32];
};

/* The program of a command line: what follows the last slash of a word. */
static bool program_find(struct state *s, const char *line)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		size_t n = strlen(rows[i].program);
		const char *at = strstr(line, rows[i].program);

		if (!at || at == line || at[-1] != '/' || (at[n] && at[n] != ' '))
			continue;
		strcpy(s->program, rows[i].program);
		return true;
	}
	return false;
}

static int lm_line(struct parse *p, char *line, struct err *e)
{
	struct state *s = p->state;
	struct span v;

	/* Lines of the compiler name the programs too. */
	if (scan(line, "gcc %*") || scan(line, "cc %*"))
		return LINE_UNKNOWN;
	if (program_find(s, line))
		return LINE_KNOWN;
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (strcmp(s->program, rows[i].program) || !scan(line, rows[i].template, &v))
			continue;
		emit_as(p, v, "%s", rows[i].name);
		return LINE_KNOWN;
	}
	return LINE_UNKNOWN;
}

PARSER(lmbench3) = {
	.name = "lmbench3", .state_size = sizeof(struct state), .line = lm_line,
	.expects = "the command line of an lmbench program and its result",
};
