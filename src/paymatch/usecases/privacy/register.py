"""Register of erased people, kept outside of the database and its backups, so a restore erases them again (D-63).

A line of JSON per erasure: time, shop, and the numbers of orders and postings, which are kept anyway. It names no one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Final
from uuid import UUID

import msgspec

from paymatch.domain.words.message import as_text
from paymatch.settings import Settings

_NAME: Final = "erased.jsonl"


class ErasureEntry(msgspec.Struct, frozen=True):
    """An erasure: its id in the audit log, its time, and the person's rows."""

    erasure: str
    at: datetime
    shop: UUID
    orders: tuple[str, ...]
    postings: tuple[str, ...]


def place(settings: Settings) -> Path:
    """The installation's register. It is next to the secret key, which backups leave out."""
    return settings.data_dir / _NAME


def write(path: Path, entry: ErasureEntry) -> None:
    """Adds the entry; it is on the disk when this returns."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "wb") as file:
        file.write(msgspec.json.encode(entry, enc_hook=as_text) + b"\n")
        file.flush()
        os.fsync(file.fileno())


def read(path: Path, since: datetime) -> Iterator[ErasureEntry]:
    """The erasures since a moment, the oldest first; a truncated line is left out."""
    if not path.exists():
        return
    for line in path.read_bytes().splitlines():
        try:
            entry = msgspec.json.decode(line, type=ErasureEntry)
        except msgspec.DecodeError:
            continue
        if entry.at >= since:
            yield entry
