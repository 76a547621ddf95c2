"""The drop folder: where EBICS and SFTP clients put bank files; each is taken once, kept, and moved to done or failed.

<drop folder>/<shop id>/inbox/FILE            taken; also inbox/<account>/FILE for files that do not name theirs,
                                              and inbox/advices/FILE for remittance advices
<drop folder>/<shop id>/working/FILE          being imported; after a crash the next process goes on with it
<drop folder>/<shop id>/done/FILE
<drop folder>/<shop id>/failed/FILE and FILE.txt with the reason
<drop folder>/<shop id>/asked/FILE            a table that waits for a person's answer; also asked/<account>/FILE

Others write into it, so no symbolic link is followed on the way (`outbound/folders.py`).
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Final
from uuid import UUID

from paymatch.outbound.folders import Folder, FolderRefused, folder_at

QUIET_SECONDS: Final = 10
"""A file that was modified more recently may still be growing, unless it is XML up to its last tag."""

_AT_ONCE_BYTES: Final = 1024 * 1024
"""Larger files wait until they are quiet: they are not read to see whether they are complete."""
_ROOT_TAG: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*)*<([A-Za-z_][\w.:-]*)", re.DOTALL)

_UNFINISHED: Final = (".tmp", ".part", ".partial", ".filepart", ".crdownload", ".swp", "~", ".lock")
_NAME_MAX: Final = 200


@dataclass(frozen=True, slots=True)
class WaitingFile:
    """A file that may be taken: in the inbox, in a folder of it, or left in `working` by a dead process."""

    name: str
    folder: str  # in inbox or working; "" directly in the inbox
    left: bool


@dataclass(frozen=True, slots=True)
class TakenFile:
    """A file locked by this process: no other process imports it unless this one dies."""

    name: str
    account: str  # of the folder that it lay in, "" if directly in the inbox
    stream: BinaryIO
    place: Folder  # in `working`

    @property
    def identity(self) -> str:
        """What distinguishes the file from all others, later ones of its name included; a new name changes nothing."""
        found = os.fstat(self.stream.fileno())
        return f"{found.st_ino}-{found.st_mtime_ns}"


class DropFolder:
    """The folders of one shop while they are open."""

    def __init__(
        self, base: Folder, inbox: Folder, working: Folder, done: Folder, failed: Folder, asked: Folder
    ) -> None:
        self._base, self._inbox, self._working, self._done, self._failed = base, inbox, working, done, failed
        self._asked = asked

    def waiting(self, now: float) -> list[WaitingFile]:
        """Files to be imported, those that a dead process left first; half-written ones are left alone. `now` in
        seconds since 1970."""
        left = [
            WaitingFile(name, place.path.name, left=True)
            for place in _inner(self._working)
            for name in place.names()
            if place.is_file(name)
        ]
        found = [(when, WaitingFile(name, "", left=False)) for when, name in _whole(self._inbox, now)]
        for place in _inner(self._inbox):
            found += [(when, WaitingFile(name, place.path.name, left=False)) for when, name in _whole(place, now)]
        return left + [file for _, file in sorted(found, key=lambda each: (each[0], each[1].name))]

    def strays(self) -> list[Path]:
        """Files next to the inbox, which are never imported."""
        names = (name for name in self._base.names() if not name.startswith("."))
        return [self._base.path / name for name in names if self._base.is_file(name)]

    @contextmanager
    def taken(self, file: WaitingFile) -> Iterator[TakenFile | None]:
        """The file, held until the end of the block; None if another process has it or had it."""
        parent = self._working if file.left else self._inbox
        try:
            with _place(parent, file.folder) as source:
                descriptor = _lock_folder(source, file.name)
                if descriptor is None:
                    yield None
                    return
                with os.fdopen(descriptor, "rb") as stream:
                    if file.left:
                        account = file.folder.partition("-")[2]
                        yield TakenFile(file.name, account, stream, source)
                    else:
                        with self._move_in(source, file, descriptor) as place:
                            yield TakenFile(file.name, file.folder, stream, place) if place else None
        finally:
            if file.left:
                self._forget(file.folder)

    @contextmanager
    def _move_in(self, source: Folder, file: WaitingFile, descriptor: int) -> Iterator[Folder | None]:
        """The folder of `working` that the file is in now; None if another file was put into its place."""
        name = f"{secrets.token_hex(8)}-{file.folder}"
        try:
            with self._working.inner(name, make=True) as place:
                source.move(file.name, place, file.name)
                yield place if _is_same(place, file.name, descriptor) else None
        finally:
            self._forget(name)

    def _forget(self, name: str) -> None:
        with suppress(OSError):  # not empty while the file waits for another try
            os.rmdir(name, dir_fd=self._working.descriptor)

    def done(self, file: TakenFile) -> None:
        """Moves an imported file."""
        file.place.move(file.name, self._done, _free_name(self._done, file.name))

    def ask(self, file: TakenFile) -> None:
        """Moves a table that waits for a person to say whether it is a statement."""
        with _place(self._asked, file.account, make=True) as place:
            file.place.move(file.name, place, _free_name(place, file.name))

    def take_up_asked(self) -> int:
        """Moves the tables that waited for an answer back to the inbox; how many."""
        count = 0
        for folder in ("", *(place.path.name for place in _inner(self._asked))):
            with _place(self._asked, folder) as place, _place(self._inbox, folder, make=True) as inbox:
                for name in [name for name in place.names() if place.is_file(name)]:
                    place.move(name, inbox, _free_name(inbox, name))
                    count += 1
        return count

    def failed(self, file: TakenFile, reason: str) -> None:
        """Moves a refused file and writes the reason beside it."""
        folder = self._failed
        name, draft = _free_name(folder, file.name), f".{secrets.token_hex(8)}.tmp"
        with os.fdopen(folder.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "w", encoding="utf-8") as out:
            out.write(reason.strip() + "\n")
        folder.move(draft, folder, f"{name}.txt")  # before the file, so none is there without a reason
        file.place.move(file.name, folder, name)


@contextmanager
def drop_folder(root: Path, shop: UUID) -> Iterator[DropFolder]:
    """The folders of a shop, made for their owner only when first asked for.

    FolderRefused if one of them, or any part of the way to them, is a symbolic link, or world-writable.
    """
    with (
        folder_at(root) as top,
        top.inner(str(shop), make=True) as base,
        base.inner("inbox", make=True) as inbox,
        base.inner("working", make=True) as working,
        base.inner("done", make=True) as done,
        base.inner("failed", make=True) as failed,
        base.inner("asked", make=True) as asked,
    ):
        yield DropFolder(base, inbox, working, done, failed, asked)


def shops_in(root: Path) -> list[UUID]:
    """The shops that something is named for; FolderRefused if a part of the way is a symbolic link."""
    found: list[UUID] = []
    try:
        with folder_at(root) as top:
            for name in top.names():
                with suppress(ValueError):
                    found.append(UUID(name))
    except FileNotFoundError:
        return []
    return found


def _inner(folder: Folder) -> Iterator[Folder]:
    """The folders in it, open one after the other; links and world-writable folders are left out."""
    for name in folder.names():
        if not name.startswith("."):
            with suppress(FolderRefused, FileNotFoundError), folder.inner(name) as place:
                yield place


@contextmanager
def _place(parent: Folder, name: str, *, make: bool = False) -> Iterator[Folder]:
    if not name:
        yield parent
        return
    with parent.inner(name, make=make) as place:
        yield place


def _whole(folder: Folder, now: float) -> Iterator[tuple[float, str]]:
    """(when it was changed, name) of the files that are complete."""
    for name in folder.names():
        low = name.lower()
        if low.startswith(".") or low.endswith(_UNFINISHED) or len(os.fsencode(low)) > _NAME_MAX:
            continue
        found = folder.stat(name) if folder.is_file(name) else None
        if found is None or found.st_size == 0:
            continue
        if now - found.st_mtime >= QUIET_SECONDS or (found.st_size <= _AT_ONCE_BYTES and _is_ended_xml(folder, name)):
            yield found.st_mtime, name


def _is_ended_xml(folder: Folder, name: str) -> bool:
    """Whether the file is XML up to the end tag of its root: nothing follows that, so writing is finished.

    A zero byte is a hole: some programs write the end before the middle.
    """
    try:
        with os.fdopen(folder.open(name, os.O_RDONLY | os.O_NONBLOCK), "rb") as stream:
            data = stream.read(_AT_ONCE_BYTES + 1)
    except OSError:
        return False
    root = _ROOT_TAG.match(data)
    return root is not None and b"\0" not in data and data.rstrip().endswith(b"</" + root[1] + b">")


def inbox_state(root: Path, shop: UUID) -> frozenset[tuple[str, int, int]]:
    """(name, moment of change, size) of all files in the inbox of the shop; empty where there is none.

    A look that asks no database: what has not changed needs no other. FolderRefused as by `drop_folder`.
    """
    try:
        with folder_at(root) as top, top.inner(str(shop)) as base, base.inner("inbox") as inbox:
            return frozenset(
                (f"{place.path.name}/{name}", found.st_mtime_ns, found.st_size)
                for place in chain([inbox], _inner(inbox))
                for name in place.names()
                if place.is_file(name) and (found := place.stat(name)) is not None
            )
    except FileNotFoundError:
        return frozenset()


def _lock_folder(folder: Folder, name: str) -> int | None:
    """The file opened and locked; None if it is gone or another process holds it. The lock ends with the process."""
    try:
        descriptor = folder.open(name, os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except BaseException:
        os.close(descriptor)
        raise
    if not _is_same(folder, name, descriptor):
        os.close(descriptor)
        return None
    return descriptor


def _is_same(folder: Folder, name: str, descriptor: int) -> bool:
    """Whether the plain file of this name is the one that is open."""
    here, opened = folder.stat(name), os.fstat(descriptor)
    return here is not None and folder.is_file(name) and (here.st_ino, here.st_dev) == (opened.st_ino, opened.st_dev)


def _free_name(folder: Folder, name: str) -> str:
    if folder.stat(name) is None and folder.stat(f"{name}.txt") is None:
        return name
    first, dot, rest = name.partition(".")
    return f"{first}-{secrets.token_hex(4)}{dot}{rest}"
