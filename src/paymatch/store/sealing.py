"""Sealed at rest: secrets and account numbers in the database, which a copy of it alone does not reveal (D-44).

A sealed value is the text `~1.<key id>.<base64>`. Shop and column are bound to it: moved to another shop or column it
does not open. The same value of a column is always sealed to the same text, which is how it is looked up.

AES-256-GCM with a synthetic nonce: the first 96 bits of an HMAC-SHA-256 over place and value. A nonce only repeats with
the same message (safe by RFC 8452, section 1); for two values of one place to share one by chance takes about 2^48 of
them. With the database alone one sees which rows are equal, and nothing else.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message

_NONCE_BYTES: Final = 12
_KEY_ID_BYTES: Final = 4


class NotGenuine(Exception):
    """The bytes were not sealed under this key for this place, or were changed since."""


def derive(secret: str, purpose: str) -> bytes:
    """32 bytes for one purpose (HKDF-SHA-256, RFC 5869); they reveal nothing of the secret or of other keys."""
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=f"paymatch {purpose}".encode()).derive(secret.encode())


def key_id(secret: str) -> str:
    """A name for the secret that reveals nothing of it, eight hexadecimal digits."""
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
        """The value sealed for its place; `open` returns it for the same place only."""
        message = len(place).to_bytes(4, "big") + place + value
        nonce = hmac.digest(self._nonce_key, message, hashlib.sha256)[:_NONCE_BYTES]
        return nonce + self._aead.encrypt(nonce, value, place)

    def mark(self, value: bytes, place: bytes) -> int:
        """Twelve bits of the value in its place: many values share them, so they only narrow down."""
        digest = hmac.digest(self._mark_key, len(place).to_bytes(4, "big") + place + value, hashlib.sha256)
        return int.from_bytes(digest[:2], "big") >> 4

    def open(self, sealed: bytes, place: bytes) -> bytes:
        """The value. NotGenuine."""
        try:
            return self._aead.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], place)
        except (InvalidTag, ValueError):
            raise NotGenuine from None


MARK: Final = "~1."
"""The prefix of sealed values; 1 is the version of the format."""

_KEY_ID_END: Final = len(MARK) + 8
_SHOPS_KEPT: Final = 256
_VALUES_KEPT: Final = 4096  # of a shop: an import seals and opens each payer's account once

POSTING_PARTY: Final = "postings.counterparty_iban"
"""The other side's account, in its column and in the facts of postings and statement lines, which are copied."""
POSTING_ACCOUNT_END: Final = "postings.counterparty_account_end"
PAYER_ACCOUNT: Final = "payer_accounts.account"
REFUND_PAYEE: Final = "refunds.iban"
TRANSFER_PAYEE: Final = "transfers.iban"
TRANSFER_FILE: Final = "transfer_files.content"
LEARNT: Final = "shops.learnt"
RULE_PAYER: Final = "payer_rules.iban"
ADVICE_PAYER: Final = "advices.payer_account"
ADVICE_SENDER_PAYER: Final = "advice_senders.payer"
ACCESS_CODE: Final = "shops.callback_access_code"
WEBHOOK_SECRET: Final = "shops.webhook_secret"  # noqa: S105  a column; the old secret is the new one of before
BANK_USER: Final = "bank_connections.user_name"
BANK_SYSTEM: Final = "bank_connections.system_id"
ERROR_ROW: Final = "import_errors.raw"
REQUEST_BODY: Final = "api_requests.sent"
"""Body and answer of a refused request."""
SECOND_FACTOR: Final = "mfa_authenticator.data"
"""In the merchant area's schema: secrets and recovery codes of people, who belong to no shop."""
ORDER_LINK: Final = "order_links.token"
REPLAY_PART: Final = "replay_parts.content"
PRINT_KEY: Final = "shops.print_key"
AGENCY_TOKEN: Final = "collection_agencies.token"  # noqa: S105  a column
EBICS_KEYS: Final = "ebics_connections.keys"
"""Private keys, and those of an HCS in progress, which replace them."""
EBICS_FILE: Final = "ebics_files.content"
PROVIDER_KEY: Final = "account_information_keys.private_key"
CONSENT_SESSION: Final = "bank_consents.session"
"""The provider's ids of the consent and its accounts, as JSON."""
EBICS_TRANSACTION_KEY: Final = "ebics_uploads.transaction_key"
FINTS_QUESTION: Final = "fints_dialogues.question"
FINTS_ANSWER: Final = "fints_dialogues.answer"
"""A TAN, for the second until the dialogue reads it."""
CONNECTOR_KEY: Final = "connectors.access_key"
CONNECTOR_SECRET: Final = "connectors.access_secret"  # noqa: S105  a column


PARTY_MARKS: Final = "posting_search.account"
"""Marks of the parts of the other side's account: `<key id>` and two characters for each part."""

_MARK_DIGITS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


class SealRefused(Refused):
    """A sealed value cannot be opened: the key is missing, or the value was moved to another place."""


class Vault:
    """Seals and opens the values of one shop. Without keys it passes plain values through (tools and tests)."""

    def __init__(self, owner: str, secrets: Sequence[str]) -> None:
        self._ciphers = {key_id(secret): Cipher.of(secret, owner) for secret in secrets}
        self._current = next(iter(self._ciphers), "")
        self._seal = lru_cache(_VALUES_KEPT)(self._seal_value)
        self._open = lru_cache(_VALUES_KEPT)(self._open_value)

    @property
    def key_ids(self) -> tuple[str, ...]:
        """Names of the keys, the newest first; none for plain values."""
        return tuple(self._ciphers)

    def seal(self, column: str, value: str) -> str:
        """The stored form of the value; "" stays "": its absence is not a secret."""
        return self._seal(column, value, self._current) if value and self._current else value

    def seal_once(self, column: str, value: str) -> str:
        """`seal` for a long text that does not repeat: it is not cached."""
        return self._seal_value(column, value, self._current) if value and self._current else value

    def open(self, column: str, stored: str) -> str:
        """The value that `seal` stored, also before a rotation, or a plain one from before sealing. SealRefused."""
        return self._open(column, stored) if stored.startswith(MARK) else stored

    def lookups(self, column: str, value: str) -> list[str]:
        """All texts that may represent the value in the column: under each key, and plain from before sealing."""
        return [*(self._seal(column, value, each) for each in self._ciphers), value] if value else []

    def marks(self, column: str, parts: Collection[str]) -> str:
        """The stored marks that find a value by its parts: under the newest key, in no order.

        "" without parts or keys: then it cannot be found by parts.
        """
        return self._current + "".join(self._marks(column, parts, self._current)) if parts and self._current else ""

    def mark_lookups(self, column: str, parts: Collection[str]) -> list[list[str]]:
        """For each key, the marks that a value with these parts has; other values may have them, too."""
        return [[key, *self._marks(column, parts, key)] for key in self._ciphers]

    def _marks(self, column: str, parts: Collection[str], key: str) -> list[str]:
        cipher, place = self._ciphers[key], column.encode()
        found = {divmod(cipher.mark(part.encode(), place), len(_MARK_DIGITS)) for part in parts}
        return sorted(_MARK_DIGITS[high] + _MARK_DIGITS[low] for high, low in found)

    def seal_bytes(self, column: str, content: bytes) -> bytes:
        """`seal` for a file."""
        return self.seal(column, content.decode("latin-1")).encode("latin-1") if self._current else content

    def open_bytes(self, column: str, stored: bytes) -> bytes:
        """`open` for a file."""
        return self.open(column, stored.decode("latin-1")).encode("latin-1")

    def seal_bytes_once(self, column: str, content: bytes) -> bytes:
        """`seal_bytes` for a large file: it is not cached."""
        return self.seal_once(column, content.decode("latin-1")).encode("latin-1") if content else content

    def open_bytes_once(self, column: str, stored: bytes) -> bytes:
        """The file of `seal_bytes_once`; it is not cached."""
        text = stored.decode("latin-1")
        return self._open_value(column, text).encode("latin-1") if text.startswith(MARK) else stored

    def _seal_value(self, column: str, value: str, key: str) -> str:
        sealed = self._ciphers[key].seal(value.encode(), column.encode())
        return f"{MARK}{key}.{urlsafe_b64encode(sealed).decode()}"

    def _open_value(self, column: str, stored: str) -> str:
        key = stored[len(MARK) : _KEY_ID_END]
        cipher = self._ciphers.get(key)
        if cipher is None:
            raise SealRefused(Message("seal-value-was-sealed-under", column=column, key=key))
        try:
            return cipher.open(urlsafe_b64decode(stored[_KEY_ID_END + 1 :]), column.encode()).decode()
        except (NotGenuine, ValueError):
            raise SealRefused(Message("seal-value-was-changed-belongs", column=column)) from None


class Keyring:
    """The secret keys, newest first, and the vaults of the shops under them."""

    def __init__(self, secrets: Sequence[str] = ()) -> None:
        self._secrets = tuple(secrets)
        self.ids = tuple(key_id(secret) for secret in secrets)
        self.vault = lru_cache(_SHOPS_KEPT)(self._vault)

    @property
    def secrets(self) -> tuple[str, ...]:
        """The keys for a process that works for this one."""
        return self._secrets

    def _vault(self, shop: UUID) -> Vault:
        return Vault(str(shop), self._secrets)


NO_KEYS: Final = Keyring()
