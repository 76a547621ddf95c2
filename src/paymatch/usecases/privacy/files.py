"""Files with personal data outside the database: invoices, and files in folders for others to collect (D-63)."""

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
"""Subfolders of the drop folder with files that were read."""
_LARGEST: Final = 256 * 1024**2
_TEXTS: Final = frozenset(
    {".xml", ".sta", ".mt940", ".940", ".942", ".txt", ".csv", ".ofx", ".json", ".swi", ".beancount", ""}
)


@dataclass(frozen=True, slots=True)
class Folders:
    """Folders of one shop with files for others, or files kept after reading."""

    roots: Sequence[Path]
    register: Path | None = None  # where erasures are recorded, outside of backups

    @classmethod
    def of(cls, settings: Settings, shop: Shop) -> Folders:
        """Imported files of the drop folder, transfer files, print runs, exports, files for collection agencies, and
        mail that was kept for lack of a server.

        Files that wait in the drop folder are ignored: they are not read yet.
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
        """Every plain file below; links out of the folders are not followed."""
        for root in self.roots:
            for folder, _, names in os.walk(root, followlinks=False):
                for name in sorted(names):
                    path = Path(folder) / name
                    if path.is_file() and not path.is_symlink():
                        yield path


def files_naming(folders: Folders, pattern: str, words: Sequence[str] = ()) -> list[Path]:
    """The files that name the person in their content or name; archives are searched, too."""
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
    """The content of the file; of an archive, member by member with their names."""
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
    """Text files lose the person's identifiers, all others are removed; returns the number of each."""
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
