"""A006 signs an order, E002 encrypts it, and order data is compressed before (EBICS 3.0, chapters 11 and 14)."""

from __future__ import annotations

import hashlib
import secrets
import zlib
from base64 import b64decode, b64encode
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.hashes import SHA256

TRANSACTION_KEY_BYTES: Final = 16
SEGMENT_BYTES: Final = 1024 * 1024
"""The largest segment, counted in base64 (EBICS 3.0, chapter 7)."""

UNPACKED_BYTES: Final = 256 * 1024 * 1024
"""The largest order data that is unpacked; a bank's day of statements is a hundredth of it."""

_BLOCK: Final = 16
_PSS: Final = padding.PSS(padding.MGF1(SHA256()), 32)


class OrderDataBroken(ValueError):
    """The decrypted data is not order data: another key, or changed on the way."""


def new_transaction_key() -> bytes:
    """A key for one transaction."""
    return secrets.token_bytes(TRANSACTION_KEY_BYTES)


def order_digest(data: bytes) -> bytes:
    """SHA-256 of order data: what is signed, and what `DataDigest` says."""
    return hashlib.sha256(data).digest()


def sign_order(data: bytes, key: rsa.RSAPrivateKey) -> bytes:
    """A006: RSASSA-PSS with SHA-256 over the digest of the order data, which is hashed once more as the message."""
    return key.sign(order_digest(data), _PSS, SHA256())


def is_signed(data: bytes, signature: bytes, key: rsa.RSAPublicKey) -> bool:
    """Whether `signature` is an A006 signature of the order data."""
    try:
        key.verify(signature, order_digest(data), _PSS, SHA256())
    except InvalidSignature:
        return False
    return True


def wrap_key(transaction_key: bytes, key: rsa.RSAPublicKey) -> bytes:
    """The transaction key, for the owner of `key` only (E002)."""
    return key.encrypt(transaction_key, padding.PKCS1v15())


def unwrap_key(wrapped: bytes, key: rsa.RSAPrivateKey) -> bytes:
    """The transaction key. OrderDataBroken if it was not encrypted for this key."""
    try:
        found = key.decrypt(wrapped, padding.PKCS1v15())
    except ValueError:
        raise OrderDataBroken("the transaction key was encrypted for another key") from None
    if len(found) != TRANSACTION_KEY_BYTES:
        raise OrderDataBroken("the transaction key was encrypted for another key")
    return found


def compress(data: bytes) -> bytes:
    """Order data as it is packed before encryption; the same bytes for the same data."""
    return zlib.compress(data, 9)


def decompress(packed: bytes, limit: int = UNPACKED_BYTES) -> bytes:
    """Order data as it was. OrderDataBroken if it is not a zlib stream, cut off, or longer than `limit`."""
    stream = zlib.decompressobj()
    try:
        data = stream.decompress(packed, limit)
    except zlib.error:
        raise OrderDataBroken("the order data is not a zlib stream") from None
    if stream.unconsumed_tail:
        raise OrderDataBroken(f"the order data is longer than {limit} bytes")
    if not stream.eof:
        raise OrderDataBroken("the order data is cut off")
    return data


def encrypt(data: bytes, transaction_key: bytes) -> bytes:
    """AES-128-CBC, initialised with zeros, padded as ANSI X9.23 says."""
    missing = _BLOCK - len(data) % _BLOCK
    worker = _aes(transaction_key).encryptor()
    return worker.update(data + bytes(missing - 1) + bytes([missing])) + worker.finalize()


def decrypt(encrypted: bytes, transaction_key: bytes) -> bytes:
    """What `encrypt` was given, also if the padding is random as ISO 10126 says. OrderDataBroken."""
    if not encrypted or len(encrypted) % _BLOCK:
        raise OrderDataBroken("the order data is cut off")
    worker = _aes(transaction_key).decryptor()
    plain = worker.update(encrypted) + worker.finalize()
    if not 1 <= plain[-1] <= _BLOCK:
        raise OrderDataBroken("the order data was encrypted under another key")
    return plain[: -plain[-1]]


def sealed_order(data: bytes, transaction_key: bytes) -> str:
    """Order data packed, encrypted and in base64, whole."""
    return b64encode(encrypt(compress(data), transaction_key)).decode()


def opened_order(encoded: str, transaction_key: bytes) -> bytes:
    """What `sealed_order` was given. OrderDataBroken."""
    try:
        encrypted = b64decode("".join(encoded.split()), validate=True)
    except ValueError:
        raise OrderDataBroken("the order data is not base64") from None
    return decompress(decrypt(encrypted, transaction_key))


def segments_of(encoded: str, size: int = SEGMENT_BYTES) -> list[str]:
    """The parts that are sent one after the other; at least one."""
    return [encoded[start : start + size] for start in range(0, len(encoded), size)] or [""]


def _aes(transaction_key: bytes) -> Cipher[modes.CBC]:
    return Cipher(algorithms.AES128(transaction_key), modes.CBC(bytes(_BLOCK)))
