"""Shared code of the shop system readers: an order in the API's words, and values read without guessing."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

import msgspec

_DECODE: Final = msgspec.json.Decoder(float_hook=Decimal).decode
"""Numbers with a point stay what was written: no amount becomes a binary float on the way."""
_AMOUNT: Final = re.compile(r"-?[0-9]{1,12}(?:\.[0-9]{1,10})?")
_MOMENT: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:Z|[+-].*)?")
MAX_ID: Final = 64
_MAX_NUMBER: Final = 255
MAX_STATE: Final = 64


class OrderUnreadable(ValueError):
    """A field of the order does not have the form that the shop system documents; the text is the field's name."""


class AnswerUnexpected(ValueError):
    """The answer is not what was asked for; the text says what is missing."""


@dataclass(frozen=True, slots=True)
class ForeignOrder:
    """An order of a shop system. `doc`: its fields in the API's words, without `number` and `type`."""

    id: str
    number: str
    placed_at: datetime  # aware, UTC
    state: str
    is_draft: bool
    is_cancelled: bool
    paid_for: frozenset[str]  # types of orders for which the state says that it is paid
    methods: tuple[str, ...]  # names of its payment method, the best first
    doc: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An order that cannot be read, with what is known of it."""

    id: str
    number: str
    field: str


@dataclass(frozen=True, slots=True)
class OrdersRead:
    """The orders of an answer. `total`: how many there are in all, where it says so."""

    orders: tuple[ForeignOrder | Unreadable, ...]
    total: int | None = None


def read_alone(
    order: Mapping[str, Any], number: str, readable: Callable[[Mapping[str, Any]], ForeignOrder]
) -> ForeignOrder | Unreadable:
    """The order as `readable` reads it, or what is known of it; `number` is the name of the field with its number."""
    try:
        return readable(order)
    except OrderUnreadable as unreadable:
        return Unreadable(text(order.get("id"))[:MAX_ID], text(order.get(number))[:_MAX_NUMBER], field=str(unreadable))


def decode(body: bytes) -> Any:
    """The JSON value; AnswerUnexpected if it is none."""
    try:
        return _DECODE(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise AnswerUnexpected(f"no JSON: {error}") from None


def child(value: Any, *path: str) -> Any:
    """The value at the path, None if there is none; the `[]` that PHP writes for an empty object counts as none."""
    for name in path:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def children(value: Any, *path: str) -> list[Any]:
    """The list at the path, empty where there is none."""
    found = child(value, *path)
    return found if isinstance(found, list) else []


def text(value: Any) -> str:
    """A text or whole number as text, trimmed and without NUL, which no database takes; "" for anything else."""
    if type(value) is int:
        return str(value)
    return value.replace("\x00", "\ufffd").strip() if isinstance(value, str) else ""


def identity(value: Any, name: str) -> str:
    """An id used in later URLs: OrderUnreadable unless it is short, and letters and digits only."""
    found = text(value)
    if not (found.isascii() and found.isalnum() and len(found) <= MAX_ID):
        raise OrderUnreadable(name)
    return found


def amount(value: Any, name: str) -> Decimal:
    """An amount written as text or number; OrderUnreadable for anything else, never a guess."""
    if isinstance(value, Decimal) and value.is_finite():
        return value
    written = text(value)
    if not written.isascii() or _AMOUNT.fullmatch(written) is None:
        raise OrderUnreadable(name)
    return Decimal(written)


def moment(value: Any, name: str) -> datetime:
    """A moment in UTC, as ISO 8601; one without an offset is in UTC already. OrderUnreadable."""
    written = text(value)
    try:
        if _MOMENT.fullmatch(written) is None:
            raise OrderUnreadable(name)
        found = datetime.fromisoformat(written)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise OrderUnreadable(name) from None


def fill_template(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that say something."""
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}
