"""ZIP bundles and gzip files of banks: no more is unpacked than the limits allow."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, BinaryIO, Final, cast

from paymatch.domain.words.message import Message, Value
from paymatch.formats.statement import FileRefused

_MIB: Final = 1 << 20
_END: Final = b"PK\x05\x06"
_END_BYTES: Final = 22
GZIP_MAGIC: Final = b"\x1f\x8b"
_MAX_DIRECTORY_BYTES: Final = _MIB
_METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_ENCRYPTED: Final = 0x1
_SIDE_FILES: Final = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
_SIGNATURES: Final = (".p7s", ".sig", ".md5", ".sha256")
_OFFICE: Final = frozenset({"[Content_Types].xml", "mimetype", "META-INF/manifest.xml"})


@dataclass(frozen=True, slots=True)
class BundleLimits:
    """What a bundle may have; sizes unpacked, in bytes."""

    members: int = 100
    member_bytes: int = 50 * _MIB
    total_bytes: int = 200 * _MIB
    ratio: int = 100  # unpacked to packed, per member


DEFAULT_LIMITS: Final = BundleLimits()


def members_of(stream: BinaryIO, limits: BundleLimits = DEFAULT_LIMITS) -> Iterator[tuple[str, BinaryIO]]:
    """Name and content of each member, in the order of the bundle; each is open until the next is asked for.

    Folders, side files of macOS and Windows and detached signatures are left out. FileRefused for too many or too large
    members, for encryption, for names that lead out of a folder, for damaged content; the limits are checked before the
    first member is read.
    """
    check_directory(stream, limits)
    try:
        with zipfile.ZipFile(stream) as bundle:
            infos = [info for info in bundle.infolist() if not info.is_dir() and not _is_side_file(info.filename)]
            _check(infos, limits)
            for info in infos:
                with bundle.open(info) as member:
                    yield info.filename, cast("BinaryIO", _Member(member, info.filename))
    except FileRefused:
        raise
    except (
        zipfile.BadZipFile,
        NotImplementedError,
        EOFError,
        OSError,
        ValueError,
        struct.error,
        RuntimeError,
    ) as error:
        raise FileRefused(Message("zip-damaged", error=str(error))) from None


def is_gzip(stream: BinaryIO) -> bool:
    """True if the file begins as gzip does (RFC 1952). `stream` is put back to its beginning."""
    stream.seek(0)
    magic = stream.read(len(GZIP_MAGIC))
    stream.seek(0)
    return magic == GZIP_MAGIC


def unpack_gzip(stream: BinaryIO, limits: BundleLimits = DEFAULT_LIMITS) -> BinaryIO:
    """The one file that a gzip file holds, as long as a member of a bundle at most; FileRefused if it is damaged.

    The size that a gzip file states of itself proves nothing, so the limits are checked while it is unpacked.
    """
    packed_bytes = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    unpacked = io.BytesIO()
    try:
        with gzip.GzipFile(fileobj=stream) as file:
            while part := file.read(_MIB):
                unpacked.write(part)
                if unpacked.tell() > limits.member_bytes:
                    raise FileRefused(Message("gzip-large", megabytes=limits.member_bytes // _MIB))
                if unpacked.tell() > limits.ratio * packed_bytes:
                    raise FileRefused(Message("gzip-ratio", ratio=limits.ratio))
    except (zlib.error, EOFError, OSError) as error:
        raise FileRefused(Message("gzip-damaged", error=str(error))) from None
    unpacked.seek(0)
    return unpacked


def _is_side_file(name: str) -> bool:
    last = name.rpartition("/")[2]
    return (
        name.startswith("__MACOSX/")
        or last.startswith("._")
        or last in _SIDE_FILES
        or last.lower().endswith(_SIGNATURES)
    )


def check_directory(stream: BinaryIO, limits: BundleLimits = DEFAULT_LIMITS) -> None:
    """FileRefused for a directory of contents that is too long, before it is read as a whole."""
    size = stream.seek(0, io.SEEK_END)
    stream.seek(max(0, size - 65_535 - _END_BYTES))
    tail = stream.read()
    stream.seek(0)
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < _END_BYTES:
        raise FileRefused(Message("zip-no-end"))
    count, directory_bytes = struct.unpack_from("<HL", tail, at + 10)
    if count > 2 * limits.members or directory_bytes > _MAX_DIRECTORY_BYTES:
        raise FileRefused(Message("zip-members", count=limits.members))


def _check(infos: list[zipfile.ZipInfo], limits: BundleLimits) -> None:
    if not infos:
        raise FileRefused(Message("zip-empty"))
    if any(info.filename in _OFFICE for info in infos):
        raise FileRefused(Message("zip-office"))
    if len(infos) > limits.members:
        raise FileRefused(Message("zip-members", count=limits.members))
    total = 0
    for info in infos:
        _check_member(info, limits)
        total += info.file_size
    if total > limits.total_bytes:
        raise FileRefused(Message("zip-large", megabytes=limits.total_bytes // _MIB))


def _check_member(info: zipfile.ZipInfo, limits: BundleLimits) -> None:
    name = info.filename
    parts = name.replace("\\", "/").split("/")
    if name.startswith(("/", "\\")) or ".." in parts or ":" in parts[0] or info.orig_filename != name:
        raise FileRefused(Message("zip-name", name=repr(name[:100])))
    if info.flag_bits & _ENCRYPTED:
        raise FileRefused(_member(name, "zip-encrypted"))
    if info.compress_type not in _METHODS:
        raise FileRefused(_member(name, "zip-method"))
    if info.file_size > limits.member_bytes:
        raise FileRefused(_member(name, "zip-member-large", megabytes=limits.member_bytes // _MIB))
    if info.file_size > limits.ratio * max(info.compress_size, 1):
        raise FileRefused(_member(name, "zip-ratio", ratio=limits.ratio))


class _Member(io.RawIOBase):
    """A member whose damage is a FileRefused; it never gives more than the size that was checked."""

    def __init__(self, member: IO[bytes], name: str) -> None:
        super().__init__()
        self._member = member
        self._name = name

    def read(self, size: int = -1) -> bytes:
        try:
            return self._member.read(size)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
            raise FileRefused(Message("zip-damaged", error=str(error))) from None

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._member.seek(offset, whence)

    def tell(self) -> int:
        return self._member.tell()

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True


def _member(name: str, code: str, **values: Value) -> Message:
    return Message("file-named", name=name, what=Message(code, **values))
