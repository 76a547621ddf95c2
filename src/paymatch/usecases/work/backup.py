"""Backup and restore: the database and its files in one archive, made while the service runs (D-60).

The archive is a ZIP: `database.dump` (pg_dump's custom format), the folders of the data directory below `data/`, and
`manifest.json`, which is written last. All of it is sealed (`store/work/sealed_files.py`): no other program opens the
file, and no version before this one. The secret keys are not in it, only their names.
"""

from __future__ import annotations

import io
import os
import shutil
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from tempfile import TemporaryFile
from typing import IO, Final

import msgspec

from paymatch import __version__
from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message, as_text
from paymatch.embedded import EmbeddedServerError, set_aside
from paymatch.store.migrate import refuse_unknown
from paymatch.store.refunds.refunds import MARK_RESTORED
from paymatch.store.work import dumps
from paymatch.store.work.sealed_files import Key, Lock, NotWhole, OpeningReader, SealingWriter, WrongFileKey, is_sealed

Tell = Callable[[str, int], None]
"""Gets the present step and its number of bytes."""

_FORMAT: Final = "paymatch backup 1"
_MANIFEST: Final = "manifest.json"
_DUMP: Final = "database.dump"
_DATA: Final = "data/"
_CLUSTER: Final = "postgres"
_NOT_COPIED: Final = frozenset({_CLUSTER})
"""The cluster of the embedded database: the dump has what is in it."""
_PIECE: Final = 1 << 20


class BackupRefused(Refused):
    """A backup cannot be written, or not restored here; the text says why, and nothing was changed."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The manifest of a backup. `keys` are the names of the secret keys that its database is sealed under."""

    format: str
    paymatch: str
    postgresql: str
    made_at: datetime  # UTC, before the first byte was read: later data may be missing
    migrations: tuple[str, ...]
    keys: tuple[str, ...]
    files: int
    database_bytes: int


def write_backup(
    path: Path, url: str, programs: Path, data_dir: Path, keys: Sequence[str], now: datetime, tell: Tell, *, lock: Lock
) -> Manifest:
    """Writes the archive sealed for `lock`, whole or not at all, readable by its owner only. It replaces no file.

    Files that vanish during the copy were deleted on purpose. BackupRefused, DumpRefused.
    """
    dumps.check_role(url)
    if path.exists():
        raise BackupRefused(Message("backup-exists-choose-another-name", path=str(path)))
    draft = path.with_name(f"{path.name}.part")
    try:
        with _private(draft) as out:
            sealing = SealingWriter(out, lock)
            with zipfile.ZipFile(sealing, "w", allowZip64=True) as archive:
                size = _add_dump(archive, url, programs, tell)
                count = _add_files(archive, data_dir, tell)
                manifest = Manifest(
                    _FORMAT, __version__, dumps.version_of(url), now, tuple(dumps.migrations_in(url)), tuple(keys),
                    count, size,
                )  # fmt: skip
                archive.writestr(_MANIFEST, msgspec.json.encode(manifest, enc_hook=as_text))
            sealing.finish()
        draft.rename(path)
    finally:
        draft.unlink(missing_ok=True)
    return manifest


def read_manifest(path: Path, keys: Sequence[Key]) -> Manifest:
    """The manifest of the backup. BackupRefused for a file that is not a backup, incomplete, or sealed for others."""
    with _open_archive(path, keys) as archive:
        return _manifest_of(archive, path)


def restore_backup(path: Path, url: str, programs: Path, data_dir: Path, tell: Tell, keys: Sequence[Key]) -> Manifest:
    """Fills an empty database and the data directory from the archive; refunds that could be sent wait for a person.

    Everything in the archive is read and checked first. Files come first, the database in one step at the end: an
    interrupted restore can be repeated. The archive is never decrypted to disk as a whole. The caller migrates, and has
    checked that the keys are here. BackupRefused; DumpRefused.
    """
    dumps.check_role(url)
    with _open_archive(path, keys) as archive:
        manifest = _manifest_of(archive, path)
        if dumps.migrations_in(url):
            raise BackupRefused(Message("backup-database-not-empty-backup"))
        _check(archive, path, tell)
        for info in _data_of(archive):
            _restore_file(archive, info, data_dir, tell)
        with archive.open(_DUMP) as entry, TemporaryFile(dir=data_dir) as dump:
            shutil.copyfileobj(entry, dump, _PIECE)
            dump.seek(0)
            dumps.restore(url, programs, dump, MARK_RESTORED, lambda size: tell("database", size))
    return manifest


@contextmanager
def nothing_left_if_refused(data_dir: Path) -> Iterator[None]:
    """Removes everything that the block put into the data directory, including a database, if it fails."""
    data_dir = data_dir.expanduser().absolute()
    missing = [each for each in (data_dir, *data_dir.parents) if not each.exists()]
    before = set(_paths_below(data_dir))
    try:
        yield
    except BaseException:
        if data_dir / _CLUSTER not in before and (data_dir / _CLUSTER).exists():
            with suppress(EmbeddedServerError):  # another process has begun to use it
                shutil.rmtree(set_aside(data_dir, f"{_CLUSTER}-refused"))
        for path in sorted(set(_paths_below(data_dir)) - before - {data_dir / _CLUSTER}, reverse=True):
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        for folder in missing:
            with suppress(OSError):
                folder.rmdir()
        raise


def _paths_below(data_dir: Path) -> Iterator[Path]:
    """Everything in the data directory except the database's own folder."""
    for path in data_dir.iterdir() if data_dir.is_dir() else ():
        yield path
        if path.is_dir() and not path.is_symlink() and path.name != _CLUSTER:
            yield from path.rglob("*")


def refuse_foreign_keys(manifest: Manifest, known: Iterable[str]) -> None:
    """BackupRefused unless all secret keys are here that the backup is sealed under, by their names."""
    missing = sorted(set(manifest.keys) - set(known))
    if missing:
        raise _lacks_secret_key(missing[0])


def _lacks_secret_key(name: str) -> BackupRefused:
    return BackupRefused(Message("backup-sealed-under-secret-key", name=name))


def _add_dump(archive: zipfile.ZipFile, url: str, programs: Path, tell: Tell) -> int:
    size = 0
    with archive.open(_DUMP, "w", force_zip64=True) as entry:  # stored as it comes: pg_dump has compressed it
        for piece in dumps.pg_dump_stream(url, programs):
            entry.write(piece)
            size += len(piece)
            tell("database", size)
    return size


def _add_files(archive: zipfile.ZipFile, data_dir: Path, tell: Tell) -> int:
    count = size = 0
    for path in _files_below(data_dir):
        info = zipfile.ZipInfo(f"{_DATA}{path.relative_to(data_dir).as_posix()}")
        try:
            source = path.open("rb")
        except FileNotFoundError:
            continue
        with source, archive.open(info, "w", force_zip64=True) as entry:
            shutil.copyfileobj(source, entry, _PIECE)
        count += 1
        size += info.file_size
        tell("files", size)
    return count


def _files_below(data_dir: Path) -> Iterator[Path]:
    """The files in folders of the data directory, in order. Files directly in it belong to the machine: keys, locks."""
    for folder in sorted(data_dir.iterdir()):
        if folder.is_dir() and not folder.is_symlink() and folder.name not in _NOT_COPIED:
            yield from (found for found in sorted(folder.rglob("*")) if found.is_file() and not found.is_symlink())


@contextmanager
def _open_archive(path: Path, keys: Sequence[Key]) -> Iterator[zipfile.ZipFile]:
    """The archive, opened where it is sealed; a backup of an older version is not."""
    with path.open("rb") as source:
        try:
            inside = io.BufferedReader(OpeningReader(source, [*keys])) if is_sealed(path) else source
            archive = zipfile.ZipFile(inside)
        except (zipfile.BadZipFile, NotWhole):
            raise BackupRefused(Message("backup-not-incomplete", path=str(path))) from None
        except WrongFileKey as error:
            raise _needs(path, error) from None
        with archive:
            yield archive


def _needs(path: Path, error: WrongFileKey) -> BackupRefused:
    kind, _, name = str(error).partition(" ")
    if kind == "secret-key":
        return _lacks_secret_key(name)
    if kind == "recipient":
        return BackupRefused(Message("backup-encrypted-recipient-identity-names", path=str(path), name=name))
    return BackupRefused(Message("backup-encrypted-with-passphrase-not", path=str(path)))


def _manifest_of(archive: zipfile.ZipFile, path: Path) -> Manifest:
    try:
        manifest = msgspec.json.decode(archive.read(_MANIFEST), type=Manifest)
    except (KeyError, msgspec.DecodeError, zipfile.BadZipFile, NotWhole):
        raise BackupRefused(Message("backup-not-incomplete", path=str(path))) from None
    if manifest.format != _FORMAT:
        raise BackupRefused(Message("backup-was-written-newer-format", path=str(path), paymatch=manifest.paymatch))
    refuse_unknown(manifest.migrations)
    return manifest


def _check(archive: zipfile.ZipFile, path: Path, tell: Tell) -> None:
    """Checks every byte against its checksum: a damaged archive is refused before any of it is used."""
    size = 0
    for info in archive.infolist():
        try:
            with archive.open(info) as entry:
                while piece := entry.read(_PIECE):
                    size += len(piece)
                    tell("checked", size)
        except (zipfile.BadZipFile, EOFError, NotWhole):
            raise BackupRefused(Message("backup-damaged", path=str(path), filename=info.filename)) from None


def _data_of(archive: zipfile.ZipFile) -> Iterator[zipfile.ZipInfo]:
    return (info for info in archive.infolist() if info.filename.startswith(_DATA))


def _restore_file(archive: zipfile.ZipFile, info: zipfile.ZipInfo, data_dir: Path, tell: Tell) -> None:
    parts = PurePosixPath(info.filename.removeprefix(_DATA)).parts
    if not parts or ".." in parts or parts[0] in _NOT_COPIED or parts[0] == "/":
        raise BackupRefused(Message("backup-names-file-outside-folders", filename=repr(info.filename)))
    target = data_dir.joinpath(*parts)
    for folder in reversed([each for each in target.parents if not each.exists()]):
        folder.mkdir(mode=0o700, exist_ok=True)
    draft = target.with_name(f"{target.name}.part")
    with archive.open(info) as source, _private(draft) as out:
        shutil.copyfileobj(source, out, _PIECE)
    draft.rename(target)
    tell("files", info.file_size)


def _private(path: Path) -> IO[bytes]:
    """The file for writing, for its owner only, from its beginning."""
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "w+b")
