"""The door to the folder from which a person or a bank program takes the transfer files."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def remove(folder: Path, name: str) -> bool:
    """The file is no longer in the folder; whether it was. OSError."""
    try:
        (folder / name).unlink()
    except FileNotFoundError:
        return False
    return True


def put(folder: Path, name: str, data: bytes) -> Path:
    """The file in the folder: complete or not there at all, readable by its owner only. OSError."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path, draft = folder / name, folder / f".{name}.{secrets.token_hex(8)}"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return path
