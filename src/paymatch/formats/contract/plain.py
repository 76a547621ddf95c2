"""Plain bodies: the common case, with nothing to refuse and little to change.

The types of a declaration say what a plain value is, so msgspec checks them while it decodes, and one look at the
encoded result shows that no text is blank or holds a character that cannot be seen. Everything else is left to
`checks`, which alone decides what is refused and with which words: a plain body has the same outcome there.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, Optional

import msgspec

from paymatch.domain.orders.submission import OrderRefused
from paymatch.domain.words.message import as_text
from paymatch.formats.contract import values
from paymatch.formats.contract.declaration import (
    ABSENT,
    NO_RULES,
    Declared,
    Field,
    Rules,
    Step,
    declaration_of,
    take_values,
)

_encode: Final = msgspec.json.Encoder(enc_hook=as_text).encode


@lru_cache(maxsize=16)
def plain_body_of(struct: type[msgspec.Struct]) -> type[msgspec.Struct]:
    """A struct that decodes only what is plain."""
    return _plain(declaration_of(struct), forbid_unknown_fields=False)


def _plain(of: Declared, *, forbid_unknown_fields: bool) -> type[msgspec.Struct]:
    """Unknown fields of objects within are looked at by the checks, which decode them."""
    fields = [
        (name, msgspec.Raw, ABSENT) if field.is_raw else (name, Optional[_type_of(field)], None)  # noqa: UP045  a type that is made
        for name, field in of.writable.items()
    ]
    return msgspec.defstruct(
        f"Plain{of.struct.__name__}", fields, omit_defaults=True, gc=False, forbid_unknown_fields=forbid_unknown_fields
    )


def _type_of(field: Field) -> Any:
    if field.of is None:
        return field.plain
    within = _plain(declaration_of(field.of), forbid_unknown_fields=True)
    return list[within] if field.schema.get("type") == "array" else within  # type: ignore[valid-type]


def check_plain(
    struct: type[msgspec.Struct], body: msgspec.Struct, rules: Rules = NO_RULES
) -> tuple[dict[str, Any], bytes] | None:
    """(values by name, JSON as it is stored) of a body that is plain indeed; None if `checks` has to look at it."""
    if not _is_complete(declaration_of(struct), body):
        return None
    try:
        found = take_values(_steps(struct), body, rules)
    except OrderRefused:
        return None
    document = _encode(body)
    if b'""' in document:
        _drop_empty_texts(struct, body)
        document = _encode(body)
    return (found, document) if _is_plain(document) else None


@lru_cache(maxsize=16)
def _steps(struct: type[msgspec.Struct]) -> tuple[Step, ...]:
    """Only dates and numbers are left to be read."""
    return tuple(
        (name, field.check if field.stored else None, field.stored)
        for name, field in declaration_of(struct).writable.items()
    )


def _is_complete(of: Declared, body: Any) -> bool:
    for name, field in of.demanding.items():
        value = getattr(body, name)
        if field.required and not (values.present(bytes(value)) if field.is_raw else value):
            return False
        if field.required_unless and not (value or getattr(body, field.required_unless)):
            return False
        if field.of is not None and value is not None:
            within = declaration_of(field.of)
            for each in value if type(value) is list else (value,):
                if not _is_complete(within, each):
                    return False
    return True


def _is_plain(document: bytes) -> bool:
    """No empty or blank text, empty list or empty object, and nothing but characters that can be seen."""
    if b"\\" in document or b'""' in document or b'" ' in document or b"[]" in document or b"{}" in document:
        return False
    return document.isascii() or document.decode().isprintable()


def _drop_empty_texts(struct: type[msgspec.Struct], body: Any) -> None:
    """An empty text is the same as none, but for those of lists, which are left to the checks."""
    for name, field in declaration_of(struct).writable.items():
        value = getattr(body, name)
        if value == "":
            setattr(body, name, None)
        elif field.of is not None and value is not None and type(value) is not list:
            _drop_empty_texts(field.of, value)
