"""A sentence with its code and values, so a face can show it in another language.

`str` is never accepted instead of a `Message`: mypy refuses English outside the catalogue.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

from paymatch.domain.words.currencies import Currency, minor_to_text
from paymatch.domain.words.english import SENTENCES
from paymatch.domain.words.template import Template


class Sum(NamedTuple):
    """An amount of money in a sentence: `12.30 EUR`."""

    minor: int
    currency: str


class Percentage(NamedTuple):
    """A share of a whole in tenths of a per cent: the `17.4` of `17.4 %`."""

    tenths: int


class Rate(NamedTuple):
    """A rate from a setting, in hundredths of a per cent: the `1.50` of `1.50 %`."""

    basis_points: int


Value = str | int | date | Sum | Percentage | Rate
"""The types of values in a sentence; a `Message` is a sentence within it."""


class Message(str):
    """The sentence in English: the API, the command line and the log show it as it is.

    `code` names it in `english.SENTENCES`, `values` fill its gaps.
    """

    __slots__ = ("code", "values")
    code: str
    values: Mapping[str, Value]

    def __new__(cls, code: str, /, **values: Value) -> Message:
        sentence = str.__new__(cls, fill(SENTENCES[code], values, in_english))
        object.__setattr__(sentence, "code", code)
        object.__setattr__(sentence, "values", MappingProxyType(values))
        return sentence

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a message is not changed: {name}")

    def __reduce_ex__(self, protocol: Any) -> tuple[Callable[..., Message], tuple[Any]]:
        return message_of, (to_json(self),)

    def with_texts(self, change: Callable[[str], str]) -> Message:
        """The same sentence with each text among its values changed, including those of sentences within it."""
        return Message(self.code, **{name: _change_value(value, change) for name, value in self.values.items()})


def _change_value(value: Value, change: Callable[[str], str]) -> Value:
    if isinstance(value, Message):
        return value.with_texts(change)
    return change(value) if isinstance(value, str) else value


def fill(template: Template, values: Mapping[str, Value], written: Any) -> str:
    """The template with its values, each as `written` writes it; of two templates the one for the value `count`."""
    if isinstance(template, tuple):
        template = template[values["count"] != 1]
    return template.format_map({name: written(value) for name, value in values.items()}) if values else template


def in_english(value: Value) -> str:
    """A value as it appears in an English sentence."""
    match value:
        case Sum(minor, currency):
            return f"{minor_to_text(minor, Currency(currency))} {currency}"
        case Percentage(tenths):
            return f"{tenths // 10}.{tenths % 10}"
        case Rate(basis_points):
            return f"{basis_points // 100}.{basis_points % 100:02d}"
        case date():
            return value.isoformat()
        case _:
            return str(value)


def to_json(said: str) -> dict[str, Any]:
    """Code and values of a sentence as JSON keeps them beside its English words; empty for words without a code."""
    if not isinstance(said, Message):
        return {}
    return {"code": said.code, "values": {name: _value_to_json(value) for name, value in said.values.items()}}


def from_json(words: str, code: str, values: Mapping[str, Any]) -> str:
    """The stored sentence; only its words if the code has other words today (it was stored earlier)."""
    said = said_today(words, code, values)
    return said if said == words else words


def said_today(words: str, code: str, values: Mapping[str, Any]) -> str:
    """The stored sentence in its code's present words; its old words if the values no longer fit.

    For open tasks; evidence keeps its original words, see `recalled`.
    """
    try:
        return message_of({"code": code, "values": values})
    except (KeyError, TypeError, ValueError):
        return words


def message_of(kept: Mapping[str, Any]) -> Message:
    """The sentence of `to_json`. KeyError, TypeError or ValueError if the catalogue has no such sentence today."""
    return Message(kept["code"], **{name: _value_from_json(value) for name, value in kept["values"].items()})


def message_hook(kind: type[Any], kept: Any) -> Any:
    """How msgspec decodes the `to_json` of a Message within a larger value: its `dec_hook`."""
    assert kind is Message, kind
    return message_of(kept)


def _value_to_json(value: Value) -> Any:
    match value:
        case Sum(minor, currency):
            return {"minor": minor, "currency": currency}
        case Percentage(tenths):
            return {"tenths": tenths}
        case Rate(basis_points):
            return {"basisPoints": basis_points}
        case Message():
            return to_json(value)
        case date():
            return {"day": value.isoformat()}
        case _:
            return value


def _value_from_json(value: Any) -> Value:
    match value:
        case {"minor": int(minor), "currency": str(currency)}:
            return Sum(minor, currency)
        case {"tenths": int(tenths)}:
            return Percentage(tenths)
        case {"basisPoints": int(basis_points)}:
            return Rate(basis_points)
        case {"day": str(day)}:
            return date.fromisoformat(day)
        case {"code": str(code), "values": dict(values)}:
            return message_of({"code": code, "values": values})
        case str() | int():
            return value
        case _:
            raise ValueError(value)


def as_text(value: object) -> str:
    """A message among values that are written as JSON: its sentence. TypeError for anything else."""
    if isinstance(value, Message):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")
