"""Remains of an object once its person is erased: the fields that are marked as impersonal (D-63)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from paymatch.formats.contract.declaration import declaration_of


def erase_person(struct: type[msgspec.Struct], document: Mapping[str, Any]) -> dict[str, Any]:
    """The document without what names the person; required objects stay, with replacement texts."""
    left: dict[str, Any] = {}
    for name, field in declaration_of(struct).writable.items():
        value = document.get(name)
        if field.erased_as:
            left[name] = field.erased_as
        elif not field.impersonal:
            continue
        elif field.of is None:
            if name in document:
                left[name] = value
        elif isinstance(value, list):
            left |= {name: [erase_person(field.of, each) for each in value]} if value else {}
        elif value or field.required:
            left[name] = erase_person(field.of, value or {})
    return left
