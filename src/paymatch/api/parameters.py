"""Query parameters: a dataclass beside the handler, whose fields say how they are read and what they mean.

    @dataclass(frozen=True, slots=True)
    class EventsQuery:
        after: int = parameters.whole("Continue after the event with this id.", most=999_999_999, default=0)

A field `min_posting_date` is the parameter `minPostingDate`. Parameters are checked in the order of the fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Final, NamedTuple, TypeVar

from paymatch.api.query import check_names, parse_query
from paymatch.domain.calendar import parse_date
from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message
from paymatch.formats.contract import json_schema
from paymatch.formats.contract.json_schema import Schema
from paymatch.formats.contract.values import invalid, missing_parameter
from paymatch.store.orders.order_json import Include

_DECLARED: Final = "parameter"
_FLAGS: Final = {"true": True, "1": True, "false": False, "0": False, "": False}
_MOMENT: Final = "%d-%m-%Y %H:%M:%S"
_Values = TypeVar("_Values", bound=StrEnum)


class Parameter(NamedTuple):
    """How a parameter is described, and how its text is read; `read` is given its name, too, and refuses."""

    schema: Schema
    read: Callable[[str, str], Any]


def flag(words: str, *, default: bool = False) -> Any:
    """True or false; empty is false (D-22, D-39)."""
    return _field(json_schema.flag(words) | {"default": default}, _flag, default)


def whole(words: str, *, most: int | None, default: int | None = None, shown_default: bool = True) -> Any:
    """A whole number from 0 to `most`, None for any, however large: of a longer one its first ten digits.

    `default` if it is not given.
    """

    expected = f"a whole number from 0 {'on' if most is None else f'to {most}'}"

    def read(name: str, said: str) -> int:
        number = int(said.lstrip("0")[:10] or "0") if said.isascii() and said.isdigit() else -1
        if number < 0 or (most is not None and number > most):
            raise invalid(name, expected=expected)
        return number

    schema = json_schema.whole(words, minimum=0, **({} if most is None else {"maximum": most}))
    return _field(schema | ({"default": default} if default and shown_default else {}), read, default)


def text(words: str, *, default: str | None = "", **more: Any) -> Any:
    """Any text; None as `default` distinguishes an empty one from a missing one."""
    return _field(
        json_schema.text(words, **more) | ({"default": default} if default else {}), lambda _, said: said, default
    )


def day(words: str) -> Any:
    """A date `dd-MM-yyyy`, None if it is not given; refused by the text that docs/api.md has for it."""
    return _field(json_schema.day(words), _day, None)


def moment(words: str) -> Any:
    """A moment `dd-MM-yyyy HH:mm:ss` or the beginning of a day, without a time zone: it is the shop's. Required."""
    return _field(json_schema.moment(words), _moment, MISSING)


def one_of(values: type[_Values], words: str, default: _Values, *, or_empty: bool = False) -> Any:
    """One of the values; `or_empty`: an empty text means the default."""

    def read(name: str, said: str) -> _Values:
        if or_empty and not said:
            return default
        try:
            return values(said)
        except ValueError:
            raise invalid(name, allowed=values) from None

    return _field(json_schema.text(words, enum=[str(each) for each in values], default=str(default)), read, default)


def several_of(values: type[_Values], words: str, **more: Any) -> Any:
    """Values separated by commas, each once; none if it is not given. Unknown ones are refused (D-22)."""

    def read(name: str, said: str) -> tuple[_Values, ...]:
        try:
            return tuple(dict.fromkeys(values(part.strip()) for part in said.split(",") if part.strip()))
        except ValueError:
            raise invalid(name, allowed=values) from None

    return _field(json_schema.text(words, **more, pattern="^({0})(,({0}))*$".format("|".join(values))), read, ())


def page_limit() -> Any:
    """How many items a page has."""
    return whole("Maximum number of items; 100 by default.", most=1000, default=100, shown_default=False)


def list_limit() -> Any:
    """How many items a long list has; all if it is not given."""
    return whole("Maximum number of items.", most=100_000)


class QueryPlan:
    """The parameters of an endpoint, by the dataclass `declared`; `names` leads from the wire to its fields."""

    def __init__(self, declared: type) -> None:
        own = {each.name: each for each in fields(declared)}
        self.declared = declared
        self.names: Mapping[str, str] = {_camel(name): name for name in own}
        self.parameters: Mapping[str, Parameter] = {
            name: own[attribute].metadata[_DECLARED] for name, attribute in self.names.items()
        }
        self.is_empty = not own
        self.required = frozenset(name for name, attribute in self.names.items() if own[attribute].default is MISSING)
        self._without = None if self.required else declared()

    def read(self, raw: str) -> Any:
        """The parameters of a percent-encoded query; Refused with the first that is unknown, wrong or missing."""
        if not raw and self._without is not None:
            return self._without
        query = parse_query(raw)
        check_names(query, self.parameters)
        return self.declared(**dict(self._values(query)))

    def _values(self, query: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
        for name, parameter in self.parameters.items():
            if name in query:
                yield self.names[name], parameter.read(name, query[name])
            elif name in self.required:
                raise missing_parameter(name)


def _camel(attribute: str) -> str:
    """The name on the wire; `from_` is `from`."""
    first, *others = attribute.rstrip("_").split("_")
    return first + "".join(word.capitalize() for word in others)


def _field(schema: Schema, read: Callable[[str, str], Any], default: Any) -> Any:
    return field(default=default, metadata={_DECLARED: Parameter(schema, read)})


def _flag(name: str, said: str) -> bool:
    if said.lower() not in _FLAGS:
        raise invalid(name, allowed=("true", "false", "1", "0"))
    return _FLAGS[said.lower()]


def _day(name: str, said: str) -> date:
    try:
        return parse_date(said)
    except ValueError:
        expected = "dd-MM-yyyy"
        refusal = Message("api-date", text=said, form=expected)
        raise Refused(refusal, parameter=name, expected=expected) from None


def _moment(name: str, said: str) -> datetime:
    try:
        return datetime.strptime(said if " " in said else f"{said} 00:00:00", _MOMENT)  # noqa: DTZ007  of the shop's zone
    except ValueError:
        refusal = Message("api-date", text=said, form="dd-MM-yyyy or dd-MM-yyyy HH:mm:ss")
        raise Refused(refusal, parameter=name) from None


@dataclass(frozen=True, slots=True)
class NoQuery:
    """An endpoint that takes no parameters."""


@dataclass(frozen=True, slots=True)
class IncludeFlags:
    """The four include flags (docs/api.md, Orders)."""

    include_postings: bool = flag("Include `postings` and `hasBankDetailsForRefund` in each order.")
    include_collection_history: bool = flag("Include `collectionHistory` in each order.")
    include_payment_reminders: bool = flag("Include `paymentReminders` in each order.")
    include_refunds: bool = flag("Include `refunds` in each order.")

    @property
    def include(self) -> Include:
        """What an order is shown with."""
        return Include(
            self.include_postings, self.include_collection_history, self.include_payment_reminders, self.include_refunds
        )
