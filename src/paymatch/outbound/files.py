"""Provisional; replaced on merge."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any, BinaryIO, Protocol


class Files(Protocol):
    def put(self, data: bytes, suffix: str = "") -> str: ...
    def open(self, key: str) -> BinaryIO: ...
    def delete(self, key: str) -> None: ...


class LocalFiles:
    def __init__(self, root: Path) -> None:
        self._root = root

    def put(self, data: bytes, suffix: str = "") -> str:
        key = secrets.token_hex(16) + suffix
        self._root.mkdir(parents=True, exist_ok=True)
        (self._root / key).write_bytes(data)
        return key

    def open(self, key: str) -> BinaryIO:
        return (self._root / key).open("rb")

    def delete(self, key: str) -> None:
        (self._root / key).unlink(missing_ok=True)


def open_files(settings: Any) -> Files:
    return LocalFiles(settings.data_dir / "files")
