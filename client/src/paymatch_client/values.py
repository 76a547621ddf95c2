"""Values as they travel: dates `dd-MM-yyyy`, moments `dd-MM-yyyy HH:mm:ss` in the shop's time zone, exact amounts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias

import msgspec

_DAY: Final = "%d-%m-%Y"
_MOMENT: Final = "%d-%m-%Y %H:%M:%S"

Query: TypeAlias = str | int | bool | date | Iterable[str] | None
"""A query parameter; None and an empty list are not sent."""


class Value(msgspec.Struct, kw_only=True, omit_defaults=True, rename="camel"):
    """The base of all bodies and answers. Fields that are None are not sent; unknown ones of an answer are skipped."""


class Enumeration(StrEnum):
    """The base of all enumerations. A value that a newer service answers is kept, under its own text as its name."""

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, str):
            return None
        unknown = str.__new__(cls, value)
        unknown._name_ = unknown._value_ = value
        return unknown


if TYPE_CHECKING:
    Day: TypeAlias = date
    Moment: TypeAlias = datetime
else:
    # msgspec reads `date` and `datetime` in the form of ISO 8601 and nothing else. Types of our own are read by
    # `_read`; what it returns, a plain date or datetime, counts as one of them.

    class _Reads(type):
        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, cls.plain)

    class Day(metaclass=_Reads):
        """A date."""

        plain = date

    class Moment(metaclass=_Reads):
        """A moment in the shop's time zone."""

        plain = datetime


def decoded(content: bytes, wanted: Any) -> Any:
    """The answer as a value of the type; msgspec.MsgspecError if it is none."""
    return _decoder(wanted).decode(content)


def encoded(body: object) -> bytes:
    """The body as JSON."""
    return _ENCODER.encode(_texts(msgspec.to_builtins(body, builtin_types=(date, datetime, Decimal))))


def query_text(value: Query) -> str | None:
    """A query parameter as text; None if it is not sent."""
    match value:
        case None:
            return None
        case bool():
            return "true" if value else "false"
        case str():
            return str(value)
        case int():
            return str(value)
        case date():
            return _date_text(value)
    return ",".join(value) or None


_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")


@lru_cache(maxsize=256)
def _decoder(wanted: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(wanted, dec_hook=_read)


def _read(wanted: type, text: object) -> Any:
    if not isinstance(text, str):
        raise TypeError(f"{text!r} is not a text")
    if wanted is Day:
        return datetime.strptime(text, _DAY).date()  # noqa: DTZ007  a date has no zone
    return datetime.strptime(text, _MOMENT)  # noqa: DTZ007  of the shop's zone, which the answer does not name


def _texts(value: Any) -> Any:
    """The same with dates and moments as texts."""
    match value:
        case Mapping():
            return {name: _texts(each) for name, each in value.items()}
        case list() | tuple():
            return [_texts(each) for each in value]
        case date():
            return _date_text(value)
    return value


def _date_text(value: date) -> str:
    return value.strftime(_MOMENT if isinstance(value, datetime) else _DAY)
