"""The drop folder: where EBICS and SFTP clients put bank files; each is taken once, kept, and moved to done or failed.

<drop folder>/<shop id>/inbox/FILE            taken; also inbox/<account>/FILE for files that do not name theirs
<drop folder>/<shop id>/working/FILE          being imported; after a crash whoever comes next goes on with it
<drop folder>/<shop id>/done/FILE
<drop folder>/<shop id>/failed/FILE and FILE.txt with the reason
"""

from __future__ import annotations

import fcntl
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final
from uuid import UUID

QUIET_SECONDS: Final = 10
"""A file that was modified more recently may still be growing."""

_UNFINISHED: Final = (".tmp", ".part", ".partial", ".filepart", ".crdownload", ".swp", "~", ".lock")
_NAME_MAX: Final = 200


@dataclass(frozen=True, slots=True)
class TakenFile:
    """A file that this process holds: nobody else imports it, and if the process dies somebody will."""

    path: Path  # in `working`
    name: str
    account: str  # of the folder that it lay in, "" if directly in the inbox
    stream: BinaryIO


class DropFolder:
    """The folders of one shop; they are made when first asked for."""

    def __init__(self, root: Path, shop: UUID) -> None:
        self._base = root / str(shop)
        for name in ("inbox", "working", "done", "failed"):
            (self._base / name).mkdir(parents=True, exist_ok=True)

    def waiting(self, now: float) -> list[Path]:
        """Files to be imported, those that a dead process left first; half-written ones are left alone. `now` in
        seconds since 1970."""
        left = sorted(path for path in (self._base / "working").glob("*/*") if _is_file(path))
        found = [path for path in self._inbox() if _is_whole(path, now)]
        return left + sorted(found, key=lambda path: (path.stat().st_mtime, path.name))

    def strays(self) -> list[Path]:
        """Files that lie beside the inbox, where nobody takes them."""
        return sorted(path for path in self._base.iterdir() if _is_file(path) and not path.name.startswith("."))

    def _inbox(self) -> Iterator[Path]:
        inbox = self._base / "inbox"
        yield from inbox.iterdir()
        for folder in inbox.iterdir():
            if folder.is_dir() and not folder.is_symlink() and not folder.name.startswith("."):
                yield from folder.iterdir()

    @contextmanager
    def taken(self, path: Path) -> Iterator[TakenFile | None]:
        """The file, held until the end of the block; None if another process has it or had it."""
        descriptor = _locked(path)
        if descriptor is None:
            yield None
            return
        with os.fdopen(descriptor, "rb") as stream:
            working = self._base / "working"
            if path.parent.parent == working:
                _, _, account = path.parent.name.partition("-")
                held = path
            else:
                account = path.parent.name if path.parent != self._base / "inbox" else ""
                folder = working / f"{secrets.token_hex(8)}-{account}"
                folder.mkdir()
                held = folder / path.name
                path.rename(held)
            yield TakenFile(held, held.name, account, stream)
            with suppress(OSError):  # not empty while the file waits for another try
                held.parent.rmdir()

    def done(self, file: TakenFile) -> Path:
        """Moves an imported file; where it is now."""
        return _move(file.path, self._base / "done")

    def failed(self, file: TakenFile, reason: str) -> Path:
        """Moves a refused file and writes the reason beside it; where it is now."""
        folder = self._base / "failed"
        name = _free_name(folder, file.name)
        draft = folder / f".{secrets.token_hex(8)}.tmp"
        draft.write_text(reason.strip() + "\n", "utf-8")
        draft.rename(folder / f"{name}.txt")  # before the file, so that none lies there without a reason
        return _move(file.path, folder, name)


def shops_in(root: Path) -> list[UUID]:
    """The shops that have a folder."""
    found: list[UUID] = []
    for folder in sorted(root.iterdir()) if root.is_dir() else ():
        with suppress(ValueError):
            if folder.is_dir():
                found.append(UUID(folder.name))
    return found


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False  # somebody else was quicker


def _is_whole(path: Path, now: float) -> bool:
    name = path.name.lower()
    if name.startswith(".") or name.endswith(_UNFINISHED) or len(name.encode()) > _NAME_MAX:
        return False
    try:
        found = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size > 0 and now - found.st_mtime >= QUIET_SECONDS


def _locked(path: Path) -> int | None:
    """The file opened and locked; None if it is gone or another process holds it. The lock ends with the process."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        here, opened = path.lstat(), os.fstat(descriptor)
    except (BlockingIOError, FileNotFoundError):
        os.close(descriptor)
        return None
    except BaseException:
        os.close(descriptor)
        raise
    if (here.st_ino, here.st_dev) != (opened.st_ino, opened.st_dev):
        os.close(descriptor)
        return None
    return descriptor


def _free_name(folder: Path, name: str) -> str:
    if not (folder / name).exists() and not (folder / f"{name}.txt").exists():
        return name
    first, dot, rest = name.partition(".")
    return f"{first}-{secrets.token_hex(4)}{dot}{rest}"


def _move(path: Path, folder: Path, name: str = "") -> Path:
    target = folder / (name or _free_name(folder, path.name))
    path.rename(target)
    return target
