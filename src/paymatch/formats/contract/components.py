"""Objects of the OpenAPI document, made of their declarations."""

from __future__ import annotations

import msgspec

from paymatch.formats.contract.declaration import Field, declaration_of
from paymatch.formats.contract.json_schema import Schema, thing


def answer(struct: type[msgspec.Struct]) -> Schema:
    """The object as it is answered, with its read-only fields."""
    return _object(struct, dict(declaration_of(struct).fields), {}, "")


def request(struct: type[msgspec.Struct], description: str = "", *, suffix: str = "") -> Schema:
    """The object as it is sent: the writable fields. Objects within it have names with the `suffix`."""
    writable = dict(declaration_of(struct).writable)
    sent = {name: field.sent or field.schema for name, field in writable.items()}
    if suffix:
        sent = {name: _with_suffix(field, sent[name], suffix) for name, field in writable.items()}
    return _object(struct, writable, sent, description)


def _object(
    struct: type[msgspec.Struct], fields: dict[str, Field], sent: dict[str, Schema], description: str
) -> Schema:
    schemas = {name: sent.get(name, field.schema) for name, field in fields.items()}
    required = tuple(name for name, field in fields.items() if field.required)
    found = thing(description or struct.__doc__ or "", schemas, required)
    for name, field in fields.items():
        if field.required_unless:  # not "anyOf": most programs that write clients would take the object for a union
            found |= {"if": {"required": [field.required_unless]}, "else": {"required": [name]}}
    return found


def _with_suffix(field: Field, schema: Schema, suffix: str) -> Schema:
    if field.of is None:
        return schema
    ref = {"$ref": f"#/components/schemas/{field.of.__name__}{suffix}"}
    return {**schema, "items": ref} if "items" in schema else ref
