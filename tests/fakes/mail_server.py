"""A mail server on loopback that answers as a test says, and remembers what it took."""

from __future__ import annotations

import base64
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class MailServer:
    """`answers` by command (MAIL, RCPT, DATA, MESSAGE, AUTH, EHLO); None closes the connection instead."""

    answers: dict[str, str | None] = field(default_factory=dict)
    port: int = 0
    taken: list[tuple[str, str, bytes]] = field(default_factory=list)  # sender, recipient, message
    connections: int = 0
    logins: list[str] = field(default_factory=list)


@contextmanager
def mail_server(
    answers: Mapping[str, str | None] | None = None, *, context: ssl.SSLContext | None = None, tls: bool = False
) -> Iterator[MailServer]:
    """A server that takes everything but for the given answers. With a `context` it speaks STARTTLS, with `tls` TLS."""
    found = MailServer(dict(answers or {}))
    listening = socket.create_server(("127.0.0.1", 0))
    found.port = listening.getsockname()[1]
    over = threading.Event()

    def accept() -> None:
        while not over.is_set():
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            found.connections += 1
            threading.Thread(target=_serve, args=(found, connection, context, tls), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        over.set()
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join()


class _Closed(Exception):
    pass


def _serve(server: MailServer, plain: socket.socket, context: ssl.SSLContext | None, tls: bool) -> None:
    connection = plain
    try:
        if tls:
            assert context is not None
            connection = context.wrap_socket(plain, server_side=True)
        _Conversation(server, connection, None if tls else context).hold()
    except (OSError, _Closed):
        pass
    finally:
        connection.close()


class _Conversation:
    def __init__(self, server: MailServer, connection: socket.socket, context: ssl.SSLContext | None) -> None:
        self._server = server
        self._connection = connection
        self._context = context
        self._lines = connection.makefile("rb")
        self._sender = self._recipient = ""

    def hold(self) -> None:
        self._say("220 mail.example")
        for line in self._lines:
            words = line.decode().strip()
            verb = words.partition(" ")[0].upper()
            if verb == "QUIT":
                self._say("221 bye")
                return
            if verb == "STARTTLS" and self._context is not None:
                self._say("220 go on")
                self._lines.close()
                with self._context.wrap_socket(self._connection, server_side=True) as secured:
                    _Conversation(self._server, secured, None).hold_on()
                return
            self._answer(verb, words)

    def hold_on(self) -> None:
        """The conversation behind STARTTLS, which has no greeting of its own."""
        with self._lines:
            for line in self._lines:
                words = line.decode().strip()
                if words.upper() == "QUIT":
                    self._say("221 bye")
                    return
                self._answer(words.partition(" ")[0].upper(), words)

    def _answer(self, verb: str, words: str) -> None:
        given = self._server.answers.get(verb, "")
        if given is None:
            raise _Closed
        if given:
            self._say(given)
        elif verb == "EHLO":
            offers = ["250-mail.example", *(["250-STARTTLS"] if self._context else []), "250 AUTH PLAIN"]
            self._say("\r\n".join(offers))
        elif verb == "AUTH":
            self._server.logins.append(base64.b64decode(words.split()[2]).decode())
            self._say("235 welcome")
        elif verb == "MAIL":
            self._sender = words.partition("<")[2].partition(">")[0]
            self._say("250 ok")
        elif verb == "RCPT":
            self._recipient = words.partition("<")[2].partition(">")[0]
            self._say("250 ok")
        elif verb == "DATA":
            self._say("354 go on")
            self._take()
        else:
            self._say("250 ok")

    def _take(self) -> None:
        lines: list[bytes] = []
        for line in self._lines:
            if line == b".\r\n":
                break
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        given = self._server.answers.get("MESSAGE", "")
        if given is None:
            self._server.taken.append((self._sender, self._recipient, b"".join(lines)))
            raise _Closed  # the server has the mail, and its answer is lost
        if not given:
            self._server.taken.append((self._sender, self._recipient, b"".join(lines)))
        self._say(given or "250 taken")

    def _say(self, text: str) -> None:
        self._connection.sendall(f"{text}\r\n".encode())
