"""A way to the database that can be closed and opened again, as when one node goes and another takes over."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit, urlunsplit

from paymatch.store.database import login_parts


class Gateway:
    """Listens on a port of 127.0.0.1 and leads to the database of `url` while it is open."""

    def __init__(self, url: str) -> None:
        self._parts = login_parts(url)
        self._given = url
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port: int = listener.getsockname()[1]
        self._listener: socket.socket | None = None
        self._open: list[socket.socket] = []

    @property
    def url(self) -> str:
        """The URL of the database by this way."""
        parts = urlsplit(self._given)
        login = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
        return urlunsplit(parts._replace(netloc=f"{login}127.0.0.1:{self.port}", query=""))

    def open(self) -> None:
        """Connects every client to the database."""
        self._listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def close(self) -> None:
        """Refuses new clients, and disconnects present ones."""
        if self._listener is not None:
            with contextlib.suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
        for each in self._open:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._open.clear()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            server = self._connected()
            self._open += [client, server]
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=_carry, args=(source, target), daemon=True).start()

    def _connected(self) -> socket.socket:
        host, port = self._parts.get("host", "127.0.0.1"), self._parts.get("port", "5432")
        if not host.startswith("/"):
            return socket.create_connection((host, int(port)))
        server = socket.socket(socket.AF_UNIX)
        server.connect(f"{host}/.s.PGSQL.{port}")
        return server


def _carry(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    for each in (source, target):
        with contextlib.suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def gateway(url: str) -> Iterator[Gateway]:
    """An open way to the database of `url`."""
    way = Gateway(url)
    way.open()
    try:
        yield way
    finally:
        way.close()
