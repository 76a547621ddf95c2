"""Receivers on 127.0.0.1 that answer as a script says, byte by byte if it must be."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from paymatch.outbound.http import HttpCall

Script = Callable[[socket.socket, bytes], bool]
"""Answers one request on the connection; True if the connection stays open for the next one."""


@dataclass
class Receiver:
    """A listening socket with a thread per connection."""

    script: Script
    tls: ssl.SSLContext | None = None
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0
    stopped: threading.Event = field(default_factory=threading.Event)
    listener: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0), backlog=128))
    _open: list[socket.socket] = field(default_factory=list)
    _threads: list[threading.Thread] = field(default_factory=list)

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self.listener.getsockname()[1])

    @property
    def url(self) -> str:
        """Its address as a URL."""
        return f"http{'s' if self.tls else ''}://127.0.0.1:{self.port}/callback"

    def serve(self) -> None:
        """Accepts connections until stopped."""
        while not self.stopped.is_set():
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(connection)
            thread = threading.Thread(target=self._talk, args=(connection,), daemon=True)
            thread.start()  # before it is known to `stop`, which joins it
            self._threads.append(thread)

    def stop(self) -> None:
        """Closes everything and waits for the threads."""
        self.stopped.set()
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for connection in self._open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
        for thread in self._threads:
            thread.join(5)

    def _talk(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError, ssl.SSLError):
            if self.tls is not None:
                connection = self.tls.wrap_socket(connection, server_side=True)
                self._open.append(connection)
            with connection:
                while request := _read_request(connection):
                    self.requests.append(request)
                    if not self.script(connection, request):
                        return


@contextlib.contextmanager
def receiver(script: Script, tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """A receiver that runs inside the block."""
    running = Receiver(script, tls)
    thread = threading.Thread(target=running.serve, daemon=True)
    thread.start()
    try:
        yield running
    finally:
        running.stop()
        thread.join(5)


def answering(*parts: bytes, stay: bool = False) -> Script:
    """A script that sends `parts` to every request."""

    def script(connection: socket.socket, _request: bytes) -> bool:
        for part in parts:
            connection.sendall(part)
        return stay

    return script


def plain(status: int = 200, body: bytes = b"ok", headers: str = "") -> bytes:
    """A whole HTTP answer; `headers` are lines that each end with CRLF."""
    return f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n{headers}\r\n".encode() + body


def _read_request(connection: socket.socket) -> bytes:
    """Head and body of the next request, empty at the end."""
    data = b""
    while b"\r\n\r\n" not in data:
        received = connection.recv(65536)
        if not received:
            return b""
        data += received
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    wanted = int(lengths[0].split(b":")[1]) if lengths else 0
    while len(body) < wanted:
        received = connection.recv(65536)
        if not received:
            return b""
        body += received
    return head + b"\r\n\r\n" + body


def call_to(url: str, *more: Any, **options: Any) -> HttpCall:
    """A call that may go to every port: receivers of tests listen wherever there is room."""
    return replace(HttpCall(url, *more, **options), more_ports=range(65536))
