"""How an object of the merchant API is declared: a struct whose fields carry their form, their words and their marks.

A field is one line: `statusDescription: Annotated[str, words("Order status in the shop.", 255)]`. It is then decoded,
checked, stored and answered, is in the OpenAPI document and in the client, and is erased with the person (D-63) unless
it is marked `impersonal`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Final, Literal, get_type_hints

import msgspec

from paymatch.domain.countries import COUNTRIES
from paymatch.domain.money import CURRENCIES
from paymatch.formats.contract import json_schema, values
from paymatch.formats.contract.json_schema import Schema

Check = Callable[[str, Any], Any]
"""Takes a field's path and the value as it was decoded; its value, None if it is unset; OrderRefused."""
Stored = Callable[[Any, Any], Any]
"""Takes a value and what was sent for it; what is stored."""

ABSENT: Final = msgspec.Raw(b"")
"""A raw field that was not sent."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an object. Without a `check` it is read-only: what is sent for it is ignored (D-22)."""

    schema: Schema  # as it is answered
    check: Check | None = None
    sent: Schema | None = None  # as it may be sent, if more is taken than answered
    stored: Stored | None = None  # None: the value itself
    required: bool = False  # in requests, and always in answers
    required_unless: str = ""  # the field that may replace it
    is_raw: bool = False  # decoded as the text of its JSON, so that decimals stay exact
    impersonal: bool = False  # stays when the person is erased
    erased_as: str = ""  # its replacement when the person is erased
    of: type[msgspec.Struct] | None = None  # the object that it holds, or a list of them
    plain: Any = None  # a type whose values need no check, but for blanks and characters that cannot be seen


@dataclass(frozen=True, slots=True)
class Declared:
    """A struct with its fields by name, in the contract's order."""

    struct: type[msgspec.Struct]
    fields: Mapping[str, Field]

    writable: Mapping[str, Field]  # those that a request may set
    demanding: Mapping[str, Field]  # those of them that are required, or hold what has required fields


@lru_cache(maxsize=64)
def declaration_of(struct: type[msgspec.Struct]) -> Declared:
    """The declaration of a struct; a field without a `Field` among its annotations is a mistake of the program."""
    hints = get_type_hints(struct, include_extras=True)
    fields = {name: _field_of(hints[name]) for name in struct.__struct_fields__}
    writable = {name: field for name, field in fields.items() if field.check is not None}
    demanding = {name: field for name, field in writable.items() if field.required or field.required_unless or field.of}
    return Declared(struct, fields, writable, demanding)


def _field_of(hint: Any) -> Field:
    (field,) = [each for each in hint.__metadata__ if isinstance(each, Field)]
    return field


@lru_cache(maxsize=16)
def body_of(struct: type[msgspec.Struct]) -> type[msgspec.Struct]:
    """A struct of the writable fields that takes any JSON value for each: what is wrong is said by the checks."""
    fields = [
        (name, msgspec.Raw, ABSENT) if field.is_raw else (name, Any, None)
        for name, field in declaration_of(struct).writable.items()
    ]
    return msgspec.defstruct(f"{struct.__name__}Body", fields, omit_defaults=True)


def _object_check(of: type[msgspec.Struct], expected: str) -> Check:
    """Checks an object field by field; unset and unknown fields fall away."""

    def check(name: str, value: Any) -> dict[str, Any] | None:
        if values.no_object(value):
            return None
        return _checked_object(of, name, value, expected)

    return check


def _list_check(of: type[msgspec.Struct], expected: str) -> Check:
    """Checks a list of objects; an empty list is the same as none."""

    def check(name: str, value: Any) -> list[dict[str, Any]] | None:
        if values.no_object(value):
            return None
        if type(value) is not list:
            raise values.invalid(name, expected=expected)
        return [_checked_object(of, name, each, expected) for each in value]

    return check


def _checked_object(of: type[msgspec.Struct], name: str, value: Any, expected: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise values.invalid(name, expected=expected)
    found: dict[str, Any] = {}
    for each, path, check, is_required in _steps(of, name):
        sent = value.get(each)
        content = check(path, sent) if sent is not None else None
        if content:
            found[each] = content
        elif is_required:
            raise values.missing_parameter(path)
    return found


@lru_cache(maxsize=64)
def _steps(of: type[msgspec.Struct], name: str) -> tuple[tuple[str, str, Check, bool], ...]:
    """(field, its path, its check, whether it is required) of an object at a place."""
    writable = declaration_of(of).writable
    return tuple(
        (each, f"{name}.{each}", field.check, field.required) for each, field in writable.items() if field.check
    )


def _up_to(limit: int) -> Any:
    return Annotated[str, msgspec.Meta(max_length=limit)]


_KEY = Annotated[str, msgspec.Meta(max_length=values.MAX_TEXT)]


# Forms of fields. `more` are the marks of `Field`.


def key(description: str, limit: int = 0, **more: Any) -> Field:
    """An identifier; a JSON number is taken as its text (D-14). With a `limit` a longer one is refused (D-15)."""
    longest = {"maxLength": limit} if limit else {}
    return Field(
        json_schema.text(description, **longest), more.pop("check", values.identifier),
        {"type": ["string", "integer"], "description": description} | longest, plain=_up_to(limit or values.MAX_TEXT),
        **more,
    )  # fmt: skip


def keys(description: str, each: str, *, deprecated: bool = False, **more: Any) -> Field:
    """A list of identifiers; empty elements fall away."""
    mark = {"deprecated": True} if deprecated else {}
    return Field(
        json_schema.array(json_schema.text(each), description) | mark, values.identifiers,
        json_schema.array({"type": ["string", "integer"], "description": each}, description) | mark,
        plain=list[_KEY], **more,
    )  # fmt: skip


def words(description: str, limit: int, *, schema: Mapping[str, Any] | None = None, **more: Any) -> Field:
    """An informational text, cut at `limit` characters (D-15)."""
    shown = json_schema.text(description, **(schema or {}))
    return Field(shown, lambda name, value: values.text(name, value, limit), plain=_up_to(limit), **more)


def name_part(description: str, limit: int, **more: Any) -> Field:
    """A part of an address: as `words`, and a text of blanks is the same as none."""
    schema = json_schema.text(description)
    return Field(schema, lambda name, value: values.seen_text(name, value, limit), plain=_up_to(limit), **more)


def choice(description: str, allowed: frozenset[str], title: str, **more: Any) -> Field:
    """One of the allowed words."""
    schema = json_schema.text(description, enum=sorted(allowed), title=title)
    plain: Any = Literal[tuple(allowed)]
    return Field(schema, lambda name, value: values.one_of(name, value, allowed), plain=plain, **more)


def day(description: str, **more: Any) -> Field:
    """A date `dd-MM-yyyy`, stored as it was sent."""
    return Field(json_schema.day(description), values.day, stored=lambda _day, sent: sent or None, plain=str, **more)


def amount(description: str, sent: str = "", **more: Any) -> Field:
    """An amount with two decimals; sent as a number or a numeric text (D-39). `sent` describes it in requests."""
    return Field(
        json_schema.amount(description), lambda name, raw: values.amount(name, bytes(raw)),
        json_schema.sent_amount(sent or description),
        stored=lambda value, _sent: msgspec.Raw(str(value).encode()), is_raw=True, **more,
    )  # fmt: skip


def rate(description: str, **more: Any) -> Field:
    """An exchange rate above 0, with all the decimals of a computed one."""
    schema = {"type": "number", "format": "decimal", "exclusiveMinimum": 0, "description": description}
    return Field(
        schema, lambda name, raw: values.rate(name, bytes(raw)),
        stored=lambda value, _sent: msgspec.Raw(value) if value else ABSENT, is_raw=True, **more,
    )  # fmt: skip


def currency(description: str, **more: Any) -> Field:
    """An ISO 4217 code."""
    schema = json_schema.text(description, minLength=3, maxLength=3, examples=["EUR"])
    return Field(schema, values.currency, plain=Literal[tuple(CURRENCIES)], **more)


def country(description: str, **more: Any) -> Field:
    """An ISO 3166 code of two letters."""
    schema = json_schema.text(description, minLength=2, maxLength=2, examples=["DE"])
    return Field(schema, values.country, plain=Literal[tuple(COUNTRIES)], **more)


def language(description: str, **more: Any) -> Field:
    """An ISO 639 code such as `de` or `de-AT`."""
    plain = Annotated[str, msgspec.Meta(pattern=f"^(?:{values.LANGUAGE})$", max_length=35)]
    return Field(json_schema.text(description, examples=["de"]), values.language, plain=plain, **more)


def email(description: str, **more: Any) -> Field:
    """An e-mail address as text; whether mail can be sent to it is looked at by the rules of the object."""
    return Field(json_schema.text(description), values.email, plain=_up_to(values.MAX_TEXT), **more)


def whole(description: str, limit: int, **more: Any) -> Field:
    """A whole number from 0 to `limit`."""
    schema = json_schema.whole(description, minimum=0, maximum=limit)
    return Field(schema, lambda name, value: values.whole(name, value, limit), **more)


def flag(description: str, **more: Any) -> Field:
    """true or false."""
    return Field(json_schema.flag(description), values.flag, plain=bool, **more)


def thing(of: type[msgspec.Struct], expected: str, **more: Any) -> Field:
    """An object that is declared itself; `expected` is said to a client that sends something else."""
    return Field(json_schema.ref(of.__name__), _object_check(of, expected), of=of, **more)


def things(of: type[msgspec.Struct], description: str, expected: str, **more: Any) -> Field:
    """A list of such objects."""
    listed = json_schema.array(json_schema.ref(of.__name__), description)
    return Field(listed, _list_check(of, expected), of=of, **more)


def read_only(schema: Schema, *, always: bool = False) -> Field:
    """A read-only field; `always`: it is in every answer."""
    return Field(schema if "$ref" in schema else {**schema, "readOnly": True}, required=always)


def answer_only(schema: Schema, *, always: bool = False) -> Field:
    """A field of an object that is only answered."""
    return Field(schema, required=always)


Rule = Callable[[dict[str, Any]], None]
"""Looks at the fields that were found so far; OrderRefused if they do not fit each other."""

Rules = Mapping[str, Rule]
Step = tuple[str, Check | None, Stored | None]
"""A field, its check (None: any value that was decoded is taken), and what is stored of it."""

NO_RULES: Final[Rules] = {}


def check_required(struct: type[msgspec.Struct], body: msgspec.Struct) -> None:
    """OrderRefused with the first required field that is missing, in the order of the declaration."""
    for name, field in declaration_of(struct).demanding.items():
        value = getattr(body, name)
        if field.required and _is_missing(field, value):
            raise values.missing_parameter(name)
        if field.of is not None and value:
            for each in value if type(value) is list else (value,):
                if type(each) is dict:  # of another form: the checks of forms answer
                    _check_required_within(field.of, each, name)


def _is_missing(field: Field, value: Any) -> bool:
    if field.is_raw:
        return not values.present(bytes(value))
    return values.no_object(value) if field.of is not None else values.blank(value)


def _check_required_within(of: type[msgspec.Struct], value: Mapping[str, Any], path: str) -> None:
    for name, field in declaration_of(of).demanding.items():
        if values.blank(value.get(name)) and (field.required or values.blank(value.get(field.required_unless))):
            raise values.missing_parameter(f"{path}.{name}")


def check_forms(struct: type[msgspec.Struct], body: msgspec.Struct, rules: Rules = NO_RULES) -> dict[str, Any]:
    """The values of the fields that are set, by name; `body` then holds what is stored of each.

    A rule runs once the field of its name was looked at. OrderRefused with the first check that fails.
    """
    return take_values(_steps_of(struct), body, rules)


def take_values(steps: Iterable[Step], body: msgspec.Struct, rules: Rules) -> dict[str, Any]:
    """As `check_forms`, by these steps."""
    found: dict[str, Any] = {}
    for name, check, stored in steps:
        sent = getattr(body, name)
        if sent is not None and sent is not ABSENT:
            value = found[name] = sent if check is None else check(name, sent)
            if stored is not None:
                setattr(body, name, stored(value, sent))
            elif value is not sent:
                setattr(body, name, value)
        if name in rules:
            rules[name](found)
    return found


@lru_cache(maxsize=16)
def _steps_of(struct: type[msgspec.Struct]) -> tuple[Step, ...]:
    return tuple((name, field.check, field.stored) for name, field in declaration_of(struct).writable.items())
