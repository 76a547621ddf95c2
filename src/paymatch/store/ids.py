"""Random ids and secrets: per shop, never a global serial (D-28)."""

from __future__ import annotations

import base64
import re
import secrets
from collections.abc import Callable
from datetime import datetime
from typing import Final
from uuid import UUID, uuid4

LOOK_ALIKE_FREE: Final = "234679ACDEFGHJKMNPQRTUVWXY"
"""26 characters that a customer cannot mistake for one another when copying by hand: no 0/O, 1/I/L, 5/S, 8/B, Z."""

REFERENCE_LENGTH: Final = 10
"""Payload of a payment reference: 26**10 = 1.4e14 values, so random ones do not collide within a shop."""

_BASE32: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_ID_LENGTH: Final = 19
_ROW_ID: Final = re.compile(r"\b[a-z]{2,4}_[0-9a-z]+\b")
_PAIRS: Final = tuple(first + second for first in _BASE32 for second in _BASE32)


def new_shop_id() -> UUID:
    """A random shop id."""
    return uuid4()


def new_id(prefix: str, now: datetime) -> str:
    """`prefix` + time in milliseconds + 50 random bits, so new rows are adjacent in the index."""
    number = (int(now.timestamp() * 1000) << 50) | secrets.randbits(50)
    chars: list[str] = []
    for _ in range(_ID_LENGTH):
        number, digit = divmod(number, 32)
        chars.append(_BASE32[digit])
    return f"{prefix}_{''.join(reversed(chars))}"


def is_row_id(text: str) -> bool:
    """True for an id as `new_id` makes it, quoted or not: no one but a machine reads it."""
    prefix, _, number = text.strip("'").partition("_")
    return 2 <= len(prefix) <= 4 and prefix.islower() and len(number) == _ID_LENGTH and set(_BASE32).issuperset(number)


def row_ids_in(text: str) -> set[str]:
    """The ids in the text, as `new_id` makes them."""
    return {found for found in _ROW_ID.findall(text) if is_row_id(found)}


def with_words_for_ids(text: str, words: Callable[[str], str]) -> str:
    """The text with words in the place of each id in it; of what only looks like an id, too."""
    return _ROW_ID.sub(lambda found: words(found[0]), text)


class Ids:
    """Many ids of one moment, each as `new_id` gives it, ten times as fast."""

    def __init__(self, now: datetime) -> None:
        self._time = new_id("", now)[1:10]

    def new(self, prefix: str) -> str:
        """A new id."""
        bits = secrets.randbits(50)
        low = f"{_PAIRS[bits >> 20 & 1023]}{_PAIRS[bits >> 10 & 1023]}{_PAIRS[bits & 1023]}"
        return f"{prefix}_{self._time}{_PAIRS[bits >> 40]}{_PAIRS[bits >> 30 & 1023]}{low}"


def new_reference_payload(length: int = REFERENCE_LENGTH) -> str:
    """Random payload of a reference that customers copy by hand."""
    return "".join(secrets.choice(LOOK_ALIKE_FREE) for _ in range(length))


def new_secret(length_bytes: int = 24) -> str:
    """A URL-safe random secret."""
    return secrets.token_urlsafe(length_bytes)


def random_bytes(count: int) -> bytes:
    """Random bytes for keys."""
    return secrets.token_bytes(count)


def new_webhook_secret() -> str:
    """A signing secret of 32 random bytes in base64 (Standard Webhooks)."""
    return base64.b64encode(secrets.token_bytes(32)).decode()
