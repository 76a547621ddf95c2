"""A mailbox on loopback that speaks as much IMAP (RFC 3501) as reading unread messages needs."""

from __future__ import annotations

import re
import socketserver
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.serving import serving

_FETCH = re.compile(r"UID FETCH (\d+) \(BODY\.PEEK\[\]<0\.(\d+)>\)", re.IGNORECASE)
_STORE = re.compile(r"UID STORE (\d+) \+FLAGS\.SILENT \(\\Seen\)", re.IGNORECASE)


@dataclass
class ImapServer:
    """Messages by uid; who logs in with another password is refused."""

    port: int = 0
    password: str = "secret"
    folder: str = "INBOX"
    messages: dict[int, bytes] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)

    def add(self, *contents: bytes) -> None:
        for content in contents:
            self.messages[len(self.messages) + 1] = content


@contextmanager
def imap_server() -> Iterator[ImapServer]:
    """A server for one mailbox."""
    state = ImapServer()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"* OK ready\r\n")
            while line := self.rfile.readline().decode().strip():
                tag, _, command = line.partition(" ")
                for answer in _answers(state, command):
                    self.wfile.write(answer)
                ending = _ending(state, command)
                self.wfile.write(f"{tag} {ending}\r\n".encode())
                if command == "LOGOUT":
                    return

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        allow_reuse_address = True

    server = Server(("127.0.0.1", 0), Handler)
    state.port = server.server_address[1]
    with serving(server):
        yield state


def _answers(state: ImapServer, command: str) -> Iterator[bytes]:
    if command == "CAPABILITY":
        yield b"* CAPABILITY IMAP4rev1\r\n"
    elif command == "UID SEARCH UNSEEN":
        yield f"* SEARCH {' '.join(str(uid) for uid in state.messages if uid not in state.seen)}\r\n".encode()
    elif found := _FETCH.fullmatch(command):
        content = state.messages[int(found[1])][: int(found[2])]
        yield f"* {found[1]} FETCH (UID {found[1]} BODY[]<0> {{{len(content)}}}\r\n".encode() + content + b")\r\n"
    elif found := _STORE.fullmatch(command):
        state.seen.add(int(found[1]))


def _ending(state: ImapServer, command: str) -> str:
    wrong: dict[str, Any] = {
        "LOGIN": not command.endswith(f'"{state.password}"'),
        "SELECT": command != f'SELECT "{state.folder}"',
    }
    return "NO refused" if wrong.get(command.partition(" ")[0], False) else "OK done"
