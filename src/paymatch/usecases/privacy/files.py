"""Files that hold personal data beside the database: invoices, and what lies in folders for others to take (D-63)."""

from __future__ import annotations

import os
import re
import secrets
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes
from pathlib import Path
from typing import Final

from paymatch.domain.shops.shop import Shop
from paymatch.settings import Settings
from paymatch.store.privacy.erasing import redacted_bytes
from paymatch.usecases.privacy import register

_READ: Final = ("done", "failed")
"""Folders of the drop folder with files that were read."""
_LARGEST: Final = 256 * 1024**2
_TEXTS: Final = frozenset(
    {".xml", ".sta", ".mt940", ".940", ".942", ".txt", ".csv", ".ofx", ".json", ".swi", ".beancount", ""}
)


@dataclass(frozen=True, slots=True)
class Folders:
    """Folders of one shop in which files are left for others, or kept once they were read."""

    roots: Sequence[Path]
    register: Path | None = None  # where erasures are noted, outside of backups

    @classmethod
    def of(cls, settings: Settings, shop: Shop) -> Folders:
        """What was imported from the drop folder, transfer files, print runs, exports, what collection agencies are
        handed, and mail that was kept because no server takes it.

        Files that wait in the drop folder are not looked at: they are not read yet.
        """
        own = str(shop.id)
        dropped = [settings.drop_dir / own / place for place in _READ] if settings.drop_dir else []
        return cls(
            [
                *dropped,
                *(
                    root / own
                    for root in (
                        settings.transfers(),
                        settings.letters(),
                        settings.collection(),
                        settings.exports(),
                        settings.kept_mail(),
                    )
                ),
            ],
            register.place(settings),
        )

    def files(self) -> Iterator[Path]:
        """Every plain file below; nothing is followed out of the folders."""
        for root in self.roots:
            for folder, _, names in os.walk(root, followlinks=False):
                for name in sorted(names):
                    path = Path(folder) / name
                    if path.is_file() and not path.is_symlink():
                        yield path


def files_naming(folders: Folders, pattern: str, words: Sequence[str] = ()) -> list[Path]:
    """The files that name the person, by what is in them or by their name; archives are looked into."""
    return [path for path in folders.files() if _names(path, pattern, words)]


def _names(path: Path, pattern: str, words: Sequence[str]) -> bool:
    if any(word in path.name for word in words) or re.search(pattern, path.name):
        return True
    with suppress(OSError):
        if path.stat().st_size <= _LARGEST:
            return any(
                redacted_bytes(part, pattern) != part or any(word in name for word in words)
                for name, part in _parts(path)
            )
    return False


def _parts(path: Path) -> Iterator[tuple[str, bytes]]:
    """What is in the file, member by member with their names if it is an archive."""
    if path.suffix == ".eml":
        for part in message_from_bytes(path.read_bytes()).walk():
            content = part.get_payload(decode=True)
            yield "", content if isinstance(content, bytes) else str(part).encode()
        return
    if not zipfile.is_zipfile(path):
        yield "", path.read_bytes()
        return
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if member.file_size <= _LARGEST:
                yield member.filename, archive.read(member)


def erase(paths: Sequence[Path], pattern: str, words: Sequence[str] = ()) -> dict[str, int]:
    """Files of text lose what names the person, all others are removed; how many of each."""
    redacted = removed = 0
    for path in paths:
        is_named = any(word in path.name for word in words) or re.search(pattern, path.name)
        if path.suffix.lower() in _TEXTS and not is_named and not zipfile.is_zipfile(path):
            _write(path, redacted_bytes(path.read_bytes(), pattern))
            redacted += 1
        else:
            path.unlink(missing_ok=True)
            removed += 1
    return {name: count for name, count in (("files redacted", redacted), ("files removed", removed)) if count}


def _write(path: Path, content: bytes) -> None:
    """The file changes as a whole or not at all, and keeps its mode."""
    draft = path.with_name(f".{secrets.token_hex(8)}.tmp")
    mode = path.stat().st_mode & 0o777
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
    draft.replace(path)


def forget_dropped(root: Path, shop: Shop, before: datetime) -> int:
    """Bank files in the drop folder that were read, and written before a moment, are deleted; how many."""
    return _forget([root / str(shop.id) / place for place in _READ], before)


def forget_kept_mail(root: Path, shop: Shop, before: datetime) -> int:
    """Mail that was kept as files before a moment is deleted; how many."""
    return _forget([root / str(shop.id)], before)


def _forget(roots: Sequence[Path], before: datetime) -> int:
    count = 0
    for path in Folders(roots).files():
        if path.stat().st_mtime < before.timestamp():
            path.unlink(missing_ok=True)
            count += 1
    return count
