"""The cryptography under sealing: keys derived from one secret, and values sealed under them for a place.

AES-256-GCM with a synthetic nonce: the first 96 bits of an HMAC-SHA-256 over place and value. The same value in the
same place is sealed to the same text, so that it can be looked up by equality, and a nonce comes again only with the
message that it was made for (RFC 8452, section 1, says why that is safe); for two values of one place to share one by
chance takes about 2^48 of them. Who has the database alone sees which rows are equal, and nothing else.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_NONCE_BYTES: Final = 12
_KEY_ID_BYTES: Final = 4


class NotGenuine(Exception):
    """The bytes were not sealed under this key for this place, or were changed since."""


def derive(secret: str, purpose: str) -> bytes:
    """32 bytes for one purpose (HKDF-SHA-256, RFC 5869); who knows them learns nothing of the secret or its others."""
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=f"paymatch {purpose}".encode()).derive(secret.encode())


def key_id(secret: str) -> str:
    """A name for the secret that says nothing of it, eight hexadecimal digits."""
    return derive(secret, "key id")[:_KEY_ID_BYTES].hex()


@dataclass(frozen=True, slots=True)
class Cipher:
    """Seals and opens under one key."""

    _aead: AESGCM
    _nonce_key: bytes
    _mark_key: bytes

    @classmethod
    def of(cls, secret: str, owner: str) -> Cipher:
        """The cipher of one owner's values under `secret`."""
        return cls(
            AESGCM(derive(secret, f"sealing {owner}")),
            derive(secret, f"blind index {owner}"),
            derive(secret, f"marks {owner}"),
        )

    def seal(self, value: bytes, place: bytes) -> bytes:
        """The value sealed for its place; `open` gives it back for the same place only."""
        message = len(place).to_bytes(4, "big") + place + value
        nonce = hmac.digest(self._nonce_key, message, hashlib.sha256)[:_NONCE_BYTES]
        return nonce + self._aead.encrypt(nonce, value, place)

    def mark(self, value: bytes, place: bytes) -> int:
        """Twelve bits that stand for the value in its place: many values share them, so that they only narrow down."""
        digest = hmac.digest(self._mark_key, len(place).to_bytes(4, "big") + place + value, hashlib.sha256)
        return int.from_bytes(digest[:2], "big") >> 4

    def open(self, sealed: bytes, place: bytes) -> bytes:
        """The value. NotGenuine."""
        try:
            return self._aead.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], place)
        except (InvalidTag, ValueError):
            raise NotGenuine from None
