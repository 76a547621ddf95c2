"""Spooled bytes: few of them in memory, many in an unnamed file; all files share a limited space."""

from __future__ import annotations

import tempfile
import threading
from typing import IO, Final

from paymatch.web import Body, map_file

IN_MEMORY: Final = 256 * 1024
ON_DISK: Final = 1024 * 1024 * 1024
"""Bytes that all spools of a server process may keep in files: the places of a few shops could fill the disk."""


class RoomFull(Exception):
    """The disk has no room for what waits, or not as much as spools may take of it."""


class Room:
    """What the spools of a process may take of the disk. They take and give in several threads."""

    def __init__(self, limit: int = ON_DISK) -> None:
        self._left = limit
        self._lock = threading.Lock()

    def take(self, size: int) -> None:
        """So many bytes are taken; RoomFull if they are not there."""
        with self._lock:
            if size > self._left:
                raise RoomFull
            self._left -= size

    def give(self, size: int) -> None:
        """So many bytes are free again."""
        with self._lock:
            self._left += size


class Spool:
    """A body that is being received, or the rest of an answer that its reader is slow to take."""

    def __init__(self, room: Room) -> None:
        self.size = 0
        self._room = room
        self._taken = 0
        self._parts: list[bytes] = []
        self._file: IO[bytes] | None = None

    def write(self, part: bytes) -> None:
        """Adds bytes at the end; RoomFull if the disk cannot take them."""
        self.size += len(part)
        self._parts.append(part)
        if self.size <= IN_MEMORY:
            return
        wanted = self.size - self._taken
        self._room.take(wanted)
        self._taken += wanted
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  closed by `close`
            for kept in self._parts:
                self._file.write(kept)
        except OSError as error:
            raise RoomFull from error
        self._parts.clear()

    def value(self) -> Body:
        """All bytes; many of them as the view of the file that they are in, which outlives the spool."""
        return b"".join(self._parts) if self._file is None else map_file(self._file, self.size)

    def read(self, start: int, size: int) -> bytes:
        """Up to `size` bytes from `start` on."""
        if self._file is None:
            return b"".join(self._parts)[start : start + size]
        self._file.seek(start)
        return self._file.read(size)

    def close(self) -> None:
        """The bytes are given up."""
        self._parts.clear()
        self._room.give(self._taken)
        self._taken = 0
        if self._file is not None:
            self._file.close()
            self._file = None
