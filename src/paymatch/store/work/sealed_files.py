"""A file that is sealed as a stream: encrypted in chunks, each authenticated with its place, and read from anywhere.

    paymatch sealed 1 LF
    JSON of the header LF         for whom the key of the file is wrapped, and the salt of its payload
    chunks of 64 KiB, the last one shorter or empty, each followed by its tag of 16 bytes

The construction is STREAM (Hoang, Reyhanitabar, Rogaway, Vizár 2015), as age has it: ChaCha20-Poly1305 under a key of
this file alone, with the number of the chunk and whether it is the last one as nonce. A chunk that is changed, moved or
missing does not open, nor does a file that was cut off. The header is authenticated with every chunk.
"""

from __future__ import annotations

import hashlib
import io
import os
import secrets
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Final, Protocol

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from paymatch.domain.words.message import as_text
from paymatch.store.sealing import derive, key_id

MAGIC: Final = b"paymatch sealed 1\n"
CHUNK: Final = 64 * 1024
_TAG: Final = 16
_SEALED: Final = CHUNK + _TAG
_HEADER_BYTES: Final = 4_000
_SCRYPT_LOG: Final = 17  # 128 MB and a fifth of a second for each tried passphrase
_ONCE: Final = bytes(12)
"""The nonce under a key that seals one message only."""


class WrongFileKey(Exception):
    """The file is sealed for another key; the text names the kind of key that opens it."""


class NotWhole(Exception):
    """The file was changed, or ends too early."""


class Wrapped(msgspec.Struct, frozen=True):
    """A file's key for one kind of opener. `name` is the secret key's name, the salt or the public keys."""

    kind: str
    name: str
    salt: str
    key: str


class _Header(msgspec.Struct, frozen=True):
    wrapped: Wrapped
    salt: str


class Lock(Protocol):
    """The means of sealing a file."""

    def wrap(self, key: bytes) -> Wrapped:
        """The key of a file, sealed."""


class Key(Protocol):
    """What may open a sealed file."""

    def unwrap(self, wrapped: Wrapped) -> bytes | None:
        """The key of the file; None if this cannot open it."""


@dataclass(frozen=True, slots=True)
class SecretKey:
    """The secret key of the installation, or an older one: seals and opens."""

    secret: str

    def wrap(self, key: bytes) -> Wrapped:
        return _wrap("secret-key", key_id(self.secret), secrets.token_bytes(16), self._wrapping_key, key)

    def unwrap(self, wrapped: Wrapped) -> bytes | None:
        if (wrapped.kind, wrapped.name) != ("secret-key", key_id(self.secret)):
            return None
        return _unwrap(wrapped, self._wrapping_key)

    def _wrapping_key(self, salt: bytes) -> bytes:
        return _expand(derive(self.secret, "backup"), salt, b"paymatch backup secret key")


@dataclass(frozen=True, slots=True)
class Passphrase:
    """A person's passphrase: seals and opens."""

    words: str

    def wrap(self, key: bytes) -> Wrapped:
        return _wrap("passphrase", "", secrets.token_bytes(16), self._wrapping_key, key)

    def unwrap(self, wrapped: Wrapped) -> bytes | None:
        return _unwrap(wrapped, self._wrapping_key) if wrapped.kind == "passphrase" else None

    def _wrapping_key(self, salt: bytes) -> bytes:
        return Scrypt(salt=salt, length=32, n=1 << _SCRYPT_LOG, r=8, p=1).derive(self.words.encode())


@dataclass(frozen=True, slots=True)
class Recipient:
    """A recipient's public key: seals, but does not open."""

    public: X25519PublicKey

    def wrap(self, key: bytes) -> Wrapped:
        once = X25519PrivateKey.generate()
        own, theirs = once.public_key().public_bytes_raw(), self.public.public_bytes_raw()
        shared = once.exchange(self.public)
        return _wrap("recipient", theirs.hex(), own, lambda salt: _expand(shared, salt + theirs, _TO_RECIPIENT), key)


@dataclass(frozen=True, slots=True)
class Identity:
    """The private key of a recipient: opens what was sealed for it."""

    private: X25519PrivateKey

    def unwrap(self, wrapped: Wrapped) -> bytes | None:
        mine = self.private.public_key().public_bytes_raw()
        if (wrapped.kind, wrapped.name) != ("recipient", mine.hex()):
            return None
        return _unwrap(wrapped, self._wrapping_of(mine))

    def _wrapping_of(self, mine: bytes) -> _Wrapping:
        def wrapping_key(once: bytes) -> bytes:
            return _expand(self.private.exchange(X25519PublicKey.from_public_bytes(once)), once + mine, _TO_RECIPIENT)

        return wrapping_key


_Wrapping = Callable[[bytes], bytes]
"""Derives the key that wraps a file's key, from a salt."""

_TO_RECIPIENT: Final = b"paymatch backup recipient"


class SealingWriter(io.RawIOBase):
    """Seals what is written to it. Without `close` the file has no end, and does not open."""

    def __init__(self, out: IO[bytes], lock: Lock) -> None:
        super().__init__()
        self._out, self._buffer, self._count = out, bytearray(), 0
        key, salt = secrets.token_bytes(32), secrets.token_bytes(16)
        head = MAGIC + msgspec.json.encode(_Header(lock.wrap(key), b64encode(salt).decode()), enc_hook=as_text) + b"\n"
        self._aead, self._head = _payload(key, salt), hashlib.sha256(head).digest()
        out.write(head)

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        """Takes all of the bytes; a chunk is written once it is known not to be the last."""
        given = memoryview(data).cast("B")  # type: ignore[arg-type]
        self._buffer += given
        while len(self._buffer) > CHUNK:
            self._seal(bytes(self._buffer[:CHUNK]), is_last=False)
            del self._buffer[:CHUNK]
        return len(given)

    def finish(self) -> None:
        """Writes the last chunk: only now the file is whole."""
        self._seal(bytes(self._buffer), is_last=True)
        self._buffer.clear()
        self._out.flush()
        os.fsync(self._out.fileno())

    def _seal(self, chunk: bytes, *, is_last: bool) -> None:
        self._out.write(self._aead.encrypt(_nonce(self._count, is_last=is_last), chunk, self._head))
        self._count += 1


class OpeningReader(io.RawIOBase):
    """Reads a sealed file from anywhere, chunk by chunk. WrongKey; NotWhole, which is raised by reading as well."""

    def __init__(self, source: IO[bytes], keys: list[Key]) -> None:
        super().__init__()
        self._source = source
        source.seek(0)
        head = source.readline(len(MAGIC)) + source.readline(_HEADER_BYTES)
        try:
            header = msgspec.json.decode(head.removeprefix(MAGIC), type=_Header)
            salt = b64decode(header.salt)
        except (msgspec.DecodeError, ValueError):
            raise NotWhole from None
        self._start, self._head = len(head), hashlib.sha256(head).digest()
        self._aead = _payload(_key_for(header.wrapped, keys), salt)
        sealed = source.seek(0, io.SEEK_END) - self._start
        self._chunks = max(1, -(-sealed // _SEALED))
        self._size = sealed - _TAG * self._chunks
        self._place, self._at, self._chunk = 0, -1, b""
        self._load(self._chunks - 1)  # proves that nothing is missing at the end

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Goes to a place of the opened file."""
        self._place = max(0, offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._size}[whence])
        return self._place

    def readinto(self, buffer: object) -> int:
        """Reads up to the end of a chunk."""
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        if self._place >= self._size or not len(view):
            return 0
        self._load(self._place // CHUNK)
        part = self._chunk[self._place % CHUNK :][: len(view)]
        view[: len(part)] = part
        self._place += len(part)
        return len(part)

    def _load(self, number: int) -> None:
        if number == self._at:
            return
        self._source.seek(self._start + number * _SEALED)
        nonce = _nonce(number, is_last=number == self._chunks - 1)
        try:
            self._chunk = self._aead.decrypt(nonce, self._source.read(_SEALED), self._head)
        except (InvalidTag, ValueError):
            raise NotWhole from None
        self._at = number


def is_sealed(path: str | os.PathLike[str]) -> bool:
    """Whether the file has the header of a sealed file."""
    with open(path, "rb") as source:  # noqa: PTH123  a Path need not be made
        return source.read(len(MAGIC)) == MAGIC


def needs_passphrase(path: str | os.PathLike[str]) -> bool:
    """Whether the file is sealed with a passphrase, as far as its header says."""
    with open(path, "rb") as source:  # noqa: PTH123
        if source.readline(len(MAGIC)) != MAGIC:
            return False
        try:
            return msgspec.json.decode(source.readline(_HEADER_BYTES), type=_Header).wrapped.kind == "passphrase"
        except msgspec.DecodeError:
            return False


def _key_for(wrapped: Wrapped, keys: list[Key]) -> bytes:
    for key in keys:
        found = key.unwrap(wrapped)
        if found is not None:
            return found
    raise WrongFileKey(f"{wrapped.kind} {wrapped.name}".strip())


def _payload(key: bytes, salt: bytes) -> ChaCha20Poly1305:
    return ChaCha20Poly1305(_expand(key, salt, b"paymatch backup payload"))


def _nonce(number: int, *, is_last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([is_last])


def _expand(key: bytes, salt: bytes, purpose: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=salt, info=purpose).derive(key)


def _wrap(kind: str, name: str, salt: bytes, wrapping: _Wrapping, key: bytes) -> Wrapped:
    sealed = ChaCha20Poly1305(wrapping(salt)).encrypt(_ONCE, key, None)
    return Wrapped(kind, name, b64encode(salt).decode(), b64encode(sealed).decode())


def _unwrap(wrapped: Wrapped, wrapping: _Wrapping) -> bytes | None:
    try:
        salt, sealed = b64decode(wrapped.salt), b64decode(wrapped.key)
        return ChaCha20Poly1305(wrapping(salt)).decrypt(_ONCE, sealed, None)
    except (InvalidTag, ValueError):
        return None
