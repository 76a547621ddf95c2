"""Counts round trips to PostgreSQL: a relay between a service and its database, which sees who speaks."""

from __future__ import annotations

import select
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

_BUFFER = 1024 * 1024


class Relay:
    """Passes on what clients and the database say. A round trip begins when a client speaks after the database."""

    def __init__(self, target: str, listener: socket.socket) -> None:
        self.round_trips = 0
        self._target = target
        self._listener = listener

    def serve(self) -> None:
        """Takes connections until the listener is closed."""
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._relay, args=(client,), daemon=True).start()

    def _relay(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as database:
            database.connect(self._target)
            client_speaks = False
            while True:
                for speaker in select.select([client, database], [], [])[0]:
                    if not (said := speaker.recv(_BUFFER)):
                        return
                    self.round_trips += speaker is client and not client_speaks
                    client_speaks = speaker is client
                    (database if client_speaks else client).sendall(said)


@contextmanager
def counted(url: str) -> Iterator[tuple[str, Relay]]:
    """(another URL of the database, which is reached by a Unix socket; the relay that it leads through)."""
    parts = conninfo_to_dict(url)
    name = f".s.PGSQL.{parts.get('port') or 5432}"
    with tempfile.TemporaryDirectory(prefix="relay-") as folder, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(Path(folder) / name))
        listener.listen()
        relay = Relay(str(Path(str(parts["host"])) / name), listener)
        threading.Thread(target=relay.serve, daemon=True).start()
        yield make_conninfo(url, host=folder), relay
        listener.shutdown(socket.SHUT_RDWR)
