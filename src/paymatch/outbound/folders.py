"""Folders that others write into, held by descriptors: no symbolic link is followed, nothing moves under our hands."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message

_FOLDER: Final = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PASS: Final = getattr(os, "O_PATH", os.O_RDONLY) | _FOLDER
"""For folders that are only on the way: they need not be readable."""


class FolderRefused(Refused):
    """A folder is not what it seems, or is world-writable."""


class Folder:
    """An open folder; entries are named relative to it, so no one can insert a link."""

    def __init__(self, descriptor: int, path: Path) -> None:
        self.descriptor = descriptor
        self.path = path

    def names(self) -> list[str]:
        """The names in it, sorted."""
        return sorted(os.listdir(self.descriptor))  # noqa: PTH208  a path could lead elsewhere by now

    def stat(self, name: str) -> os.stat_result | None:
        """The entry with the name, links not followed; None if there is none."""
        try:
            return os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def is_file(self, name: str) -> bool:
        """Whether it is a plain file; a file that has a second name is not ours alone."""
        found = self.stat(name)
        return found is not None and stat.S_ISREG(found.st_mode) and found.st_nlink == 1

    def open(self, name: str, flags: int, mode: int = 0o600) -> int:
        """A descriptor of a file in it. OSError, also if it is a link."""
        return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=self.descriptor)

    def move(self, name: str, to: Folder, new_name: str) -> None:
        """Renames an entry into another folder."""
        os.rename(name, new_name, src_dir_fd=self.descriptor, dst_dir_fd=to.descriptor)

    @contextmanager
    def inner(self, name: str, *, make: bool = False) -> Iterator[Folder]:
        """A folder in it, with `make` created for its owner only. FolderRefused if it is a link or open to all."""
        if make:
            with suppress(FileExistsError):
                os.mkdir(name, 0o700, dir_fd=self.descriptor)
        descriptor = _open_folder(name, self.path / name, self.descriptor)
        try:
            if os.fstat(descriptor).st_mode & stat.S_IWOTH:
                raise FolderRefused(Message("folder-refused-everybody-may-write", path=str(self.path / name)))
            yield Folder(descriptor, self.path / name)
        finally:
            os.close(descriptor)


@contextmanager
def folder_at(path: Path) -> Iterator[Folder]:
    """The folder of an absolute path. FolderRefused if any part of it is a symbolic link."""
    path = path.expanduser().absolute()
    descriptor = os.open(path.anchor, _PASS)
    try:
        for place in (*reversed(path.parents[:-1]), path):
            inner = _open_folder(place.name, place, descriptor, os.O_RDONLY | _FOLDER if place == path else _PASS)
            os.close(descriptor)
            descriptor = inner
        yield Folder(descriptor, path)
    finally:
        os.close(descriptor)


def _open_folder(name: str, path: Path, parent: int, flags: int = os.O_RDONLY | _FOLDER) -> int:
    """A descriptor of the folder; FolderRefused if it is something else. OSError if there is none."""
    try:
        return os.open(name, flags, dir_fd=parent)
    except FileNotFoundError:
        raise
    except OSError as error:
        if path.is_symlink():
            raise FolderRefused(Message("folder-refused-symbolic-link", path=str(path))) from error
        if isinstance(error, NotADirectoryError):
            raise FolderRefused(Message("folder-refused-not", path=str(path))) from error
        raise
