"""The checks of a request's body in the contract's order (D-21): first required fields, then the form of each field."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec

from paymatch.formats.contract import values
from paymatch.formats.contract.declaration import ABSENT, Check, Field, Stored, declaration_of

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
    return take_values(_steps(struct), body, rules)


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
def _steps(struct: type[msgspec.Struct]) -> tuple[Step, ...]:
    return tuple((name, field.check, field.stored) for name, field in declaration_of(struct).writable.items())
