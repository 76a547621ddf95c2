"""What the reference shows: groups of calls, their parameters, bodies, answers and errors, and the objects.

All of it is read from the API's description. Texts may have `code` and links to pages of the reference; `markup.py`
turns them into HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final

from paymatch.pages.reference.curl import curl

Described = Mapping[str, Any]

_REF: Final = "#/components/schemas/"
_JSON: Final = "application/json"
_VARIANTS: Final = ("oneOf", "anyOf")


@dataclass(frozen=True, slots=True)
class ReferenceField:
    """A parameter, a header or a field of an object."""

    name: str
    anchor: str
    kind: str
    required: bool
    words: str


@dataclass(frozen=True, slots=True)
class ReferenceError:
    """A refusal: its status, its text and when it is answered."""

    status: str
    text: str
    words: str


@dataclass(frozen=True, slots=True)
class ReferenceAnswer:
    """What is answered when all is well."""

    status: str
    kinds: str
    words: str
    example: Any


@dataclass(frozen=True, slots=True)
class ReferenceCall:
    """An endpoint, or the callback."""

    name: str
    method: str
    path: str
    title: str
    words: str
    marks: tuple[str, ...]
    parameters: tuple[tuple[str, tuple[ReferenceField, ...]], ...]  # (heading, fields)
    body: str  # its type; empty without a body
    body_fields: tuple[ReferenceField, ...]
    answers: tuple[ReferenceAnswer, ...]
    errors: tuple[ReferenceError, ...]  # without those that every call may answer
    curl: str
    example: Any  # what the callback sends


@dataclass(frozen=True, slots=True)
class ReferenceGroup:
    """A page of calls."""

    slug: str
    title: str
    words: str
    calls: tuple[ReferenceCall, ...]


@dataclass(frozen=True, slots=True)
class ReferenceObject:
    """An object of bodies and answers: its fields, or a choice of other objects."""

    slug: str
    title: str
    words: str
    fields: tuple[ReferenceField, ...]
    one_of: tuple[str, ...]
    used_by: tuple[tuple[str, str], ...]  # (address, title)


@dataclass(frozen=True, slots=True)
class ApiReference:
    """All pages."""

    title: str
    words: str
    key_header: str
    key_words: str
    base: str
    groups: tuple[ReferenceGroup, ...]
    objects: tuple[ReferenceObject, ...]
    errors: tuple[ReferenceError, ...]  # those that every call may answer


def reference_of(described: Described) -> ApiReference:
    """The reference of an OpenAPI 3.1 document."""
    operations = [
        (method.upper(), path, operation)
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    ]
    shared = reduce(frozenset.intersection, (frozenset(_errors(operation)) for *_, operation in operations))
    hooks = [("POST", "", operation["post"]) for operation in described["webhooks"].values()]
    schemas = described["components"]["schemas"]
    groups = tuple(
        ReferenceGroup(
            slug_of(tag["name"]),
            tag["name"],
            tag["description"],
            tuple(_call(*each, schemas, shared) for each in (*operations, *hooks) if tag["name"] in each[2]["tags"]),
        )
        for tag in described["tags"]
    )
    key = described["components"]["securitySchemes"]["ApiKey"]
    return ApiReference(
        described["info"]["title"], described["info"]["description"], key["name"], key["description"],
        described["servers"][0]["url"], groups,
        tuple(_object(name, schema, groups) for name, schema in schemas.items()),
        tuple(each for each in _errors(operations[0][2]) if each in shared),
    )  # fmt: skip


def slug_of(name: str) -> str:
    """The name as a part of an address."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _call(
    method: str, path: str, operation: Described, schemas: Described, shared: frozenset[ReferenceError]
) -> ReferenceCall:
    content = operation.get("requestBody", {}).get("content", {})
    schema = next(iter(content.values()))["schema"] if content else {}
    fields = () if _JSON in content and not path else _fields_of(schema, schemas, operation["operationId"])
    places = (("path", "In the path"), ("query", "Query parameters"), ("header", "Headers"))
    parameters = [
        (heading, tuple(_parameter(each, operation) for each in operation["parameters"] if each["in"] == place))
        for place, heading in places
    ]
    return ReferenceCall(
        operation["operationId"], method, path, operation["summary"], operation["description"],
        _marks(method, operation),
        tuple((heading, found) for heading, found in parameters if found),
        _kind(schema) + ("" if not content or _JSON in content else f", as `{next(iter(content))}`") if content else "",
        fields, tuple(_answers(operation)), tuple(each for each in _errors(operation) if each not in shared),
        curl(method, path, operation) if path else "",
        None if path else content[_JSON].get("example"),
    )  # fmt: skip


def _marks(method: str, operation: Described) -> tuple[str, ...]:
    repeated = method != "GET" and operation.get("x-idempotent")
    marks = ["May be repeated: the same call once more changes nothing."] if repeated else []
    if any("AgencyToken" in each for each in operation.get("security", ())):
        marks.append("The collection agency's own token is accepted instead of a key: `Authorization: Bearer`.")
    return tuple(marks)


def _parameter(parameter: Described, operation: Described) -> ReferenceField:
    schema = {**parameter["schema"], "description": parameter.get("description", "")}
    anchor = f"{operation['operationId']}-{parameter['name']}"
    return ReferenceField(
        parameter["name"], anchor, _kind(schema), parameter.get("required", False), " ".join(_descriptions(schema))
    )


def _answers(operation: Described) -> Iterator[ReferenceAnswer]:
    for status, answer in operation["responses"].items():
        if not status.startswith("2"):
            continue
        content = answer.get("content", {})
        kinds = [_kind(each["schema"]) if name == _JSON else f"`{name}`" for name, each in content.items()]
        example = content.get(_JSON, {}).get("example")
        yield ReferenceAnswer(status, ", ".join(kinds), answer["description"], example)


def _errors(operation: Described) -> Iterator[ReferenceError]:
    for status, answer in operation["responses"].items():
        for each in answer.get("content", {}).get(_JSON, {}).get("examples", {}).values():
            if not status.startswith("2"):
                yield ReferenceError(status, each["value"]["error"], each["summary"])


def _object(name: str, schema: Described, groups: tuple[ReferenceGroup, ...]) -> ReferenceObject:
    slug = slug_of(name)
    words = " ".join((schema.get("description", ""), *(_values("One of", schema["enum"]) if "enum" in schema else ())))
    link = f"(/docs/objects/{slug})"
    used = [
        (f"/docs/{group.slug}#{call.name}", call.title)
        for group in groups
        for call in group.calls
        if link in call.body or any(link in answer.kinds for answer in call.answers)
    ]
    one_of = tuple(_kind(each) for each in schema.get("oneOf", ()))
    return ReferenceObject(slug, name, words.strip(), tuple(_rows(schema, slug)), one_of, tuple(used))


def _fields_of(schema: Described, schemas: Described, owner: str) -> tuple[ReferenceField, ...]:
    """The fields of a body: of the object, or of the objects of its list."""
    while "items" in schema or "$ref" in schema:
        schema = schema["items"] if "items" in schema else schemas[schema["$ref"].removeprefix(_REF)]
    named = [each for word in _VARIANTS for each in schema.get(word, ()) if "$ref" in each]
    return _fields_of(named[0], schemas, owner) if named else tuple(_rows(schema, f"{owner}-body"))


def _rows(schema: Described, owner: str, before: str = "") -> Iterator[ReferenceField]:
    """A row for each field; those of an object that has no name of its own follow it, as `rows[].amount`."""
    needed = schema.get("required", ())
    for name, each in schema.get("properties", {}).items():
        full = f"{before}{name}"
        yield ReferenceField(full, f"{owner}-{full}", _kind(each), name in needed, " ".join(_descriptions(each)))
        yield from _rows(each, owner, f"{full}.")
        yield from _rows(each.get("items", {}), owner, f"{full}[].")


def _kind(schema: Described) -> str:
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_REF)
        return f"[{name}](/docs/objects/{slug_of(name)})"
    if "items" in schema:
        return f"list of {_kind(schema['items'])}"
    for word in _VARIANTS:
        if word in schema and "type" not in schema:
            return " or ".join(_kind(each) for each in schema[word])
    if "contentMediaType" in schema:
        return "file"
    kind = schema.get("type", "string" if "enum" in schema or "const" in schema else "any")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _descriptions(schema: Described) -> Iterator[str]:
    if schema.get("description"):
        yield " ".join(schema["description"].split())
    if "enum" in schema:
        yield from _values("One of", schema["enum"])
    if "const" in schema:
        yield from _values("Always", [schema["const"]])
    if "maxLength" in schema and "minLength" not in schema:
        yield f"At most {schema['maxLength']} characters."
    if "maximum" in schema:
        yield f"From {schema.get('minimum', 0)} to {schema['maximum']}."
    if "default" in schema:
        yield from _values("Default:", [schema["default"]])
    if schema.get("examples"):
        yield from _values("Example:", schema["examples"][:1])
    if schema.get("readOnly"):
        yield "Read-only."
    if schema.get("deprecated"):
        yield "Deprecated."


def _values(before: str, values: list[Any]) -> Iterator[str]:
    shown = ", ".join(f"`{str(each).lower() if isinstance(each, bool) else each}`" for each in values)
    yield f"{before} {shown}."
