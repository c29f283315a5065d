#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: sink.py FOLDER [tls CERT KEY] [login USER PASSWORD] [slow]

A mail server on loopback for the tests.  Prints its port, keeps each mail that
it takes in FOLDER (a line "rcpt ADDRESS" each, an empty line, the text), ends
when its stdin does.  How it answers stands in what it is sent: recipients
refuse-* and busy-*, a sender blocked*, a line "X-Test: refuse", "defer" or
"vanish" in the text.  A slow one answers late to a text that it sees first.
"""
import asyncio
import logging
import os
import socket
import ssl
import sys
import warnings

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, SMTP


class Sink:
    def __init__(self, folder, slow):
        self.folder, self.slow, self.n, self.seen = folder, slow, 0, set()

    async def handle_MAIL(self, server, session, envelope, address, options):
        if address.startswith("blocked"):
            return "550 sender blocked"
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("refuse-"):
            return "550 5.1.1 no such user"
        if address.startswith("busy-"):
            return "450 4.2.0 busy, later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        text = envelope.original_content
        if b"X-Test: refuse" in text:
            return "554 5.7.1 I do not like it"
        if b"X-Test: defer" in text:
            return "451 4.7.1 later"
        self.n += 1
        path = os.path.join(self.folder, "%d-%d" % (os.getpid(), self.n))
        with open(path, "wb") as f:
            for address in envelope.rcpt_tos:
                f.write(b"rcpt " + address.encode() + b"\n")
            f.write(b"\n" + text)
        if b"X-Test: vanish" in text:
            server.transport.abort()
        if self.slow and text not in self.seen:
            self.seen.add(text)
            await asyncio.sleep(5)
        return "250 taken"


class Server(Controller):
    def factory(self):
        return SMTP(self.handler, **self.SMTP_kwargs)


def main(argv):
    logging.disable()       # refused certificates are meant
    warnings.simplefilter("ignore")
    folder, options = argv[1], {"timeout": 30}
    if "tls" in argv:
        at = argv.index("tls")
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(argv[at + 1], argv[at + 2])
        options.update(tls_context=context, require_starttls=True)
    if "login" in argv:
        at = argv.index("login")
        user, password = (a.encode() for a in argv[at + 1:at + 3])
        options.update(auth_required=True, auth_require_tls=False, authenticator=lambda
                       server, session, envelope, mechanism, data: AuthResult(
                           handled=False,
                           success=(data.login, data.password) == (user, password)))
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    server = Server(Sink(folder, "slow" in argv), hostname="127.0.0.1", port=port,
                    server_kwargs=options)
    server.start()
    print(port, flush=True)
    sys.stdin.read()
    server.stop()


main(sys.argv)
