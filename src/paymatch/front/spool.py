"""Bytes that wait: few of them in memory, many in a file without a name."""

from __future__ import annotations

import tempfile
from typing import IO, Final

IN_MEMORY: Final = 256 * 1024


class Spool:
    """A body that is being received, or the rest of an answer that its reader is slow to take."""

    def __init__(self) -> None:
        self.size = 0
        self._parts: list[bytes] = []
        self._file: IO[bytes] | None = None

    def write(self, part: bytes) -> None:
        """Adds bytes at the end."""
        self.size += len(part)
        if self._file is None and self.size > IN_MEMORY:
            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  closed by `close`
            for kept in self._parts:
                self._file.write(kept)
            self._parts.clear()
        if self._file is None:
            self._parts.append(part)
        else:
            self._file.write(part)

    def value(self) -> bytes:
        """All bytes."""
        return b"".join(self._parts) if self._file is None else self.read(0, self.size)

    def read(self, start: int, size: int) -> bytes:
        """Up to `size` bytes from `start` on."""
        if self._file is None:
            return b"".join(self._parts)[start : start + size]
        self._file.seek(start)
        return self._file.read(size)

    def close(self) -> None:
        """The bytes are given up."""
        self._parts.clear()
        if self._file is not None:
            self._file.close()
            self._file = None
