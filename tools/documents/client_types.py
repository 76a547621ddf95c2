"""The types of the client's values: each schema of the API's description as a struct, an enumeration or a union."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from keyword import iskeyword
from typing import Final

from paymatch.formats.contract.json_schema import Schema

_REF: Final = "#/components/schemas/"
_PLAIN: Final = {"string": "str", "integer": "int", "boolean": "bool", "number": "float", "object": "dict[str, Any]"}
_SENT: Final = "Submission"
_TYPE_FIELD: Final = "report"
"""The field that distinguishes the members of a union."""


@dataclass(frozen=True, slots=True)
class Enumeration:
    """An enumeration and what its values mean as a whole."""

    name: str
    words: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a struct; the name as Python has it."""

    name: str
    type: str
    words: str
    required: bool


@dataclass(frozen=True, slots=True)
class Struct:
    """An object; `tag` is the value of the field `report` that tells it from the others of its union."""

    name: str
    words: str
    fields: tuple[Field, ...]
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Union:
    """One of several structs."""

    name: str
    members: tuple[str, ...]


@dataclass(slots=True)
class Types:
    """All types that the schemas need, found while they are read; each belongs to the section that needs it first."""

    schemas: Mapping[str, Schema]
    enumerations: dict[str, Enumeration] = field(default_factory=dict)
    structs: dict[str, Struct | Union] = field(default_factory=dict)
    sections: dict[str, str] = field(default_factory=dict)
    section: str = ""

    def enumeration(self, declared: type[StrEnum]) -> str:
        """The name of an enumeration that the service itself has."""
        if declared.__name__ in self.schemas:
            return self._referred(declared.__name__)
        words = (vars(declared).get("__doc__") or "").partition("\n")[0]
        return self._enumeration(declared.__name__, words, tuple(str(each) for each in declared))

    def named(self, schema: Schema, name: str) -> str:
        """The type of a value as an annotation; `name` is for what has no name of its own."""
        if "$ref" in schema:
            return self._referred(schema["$ref"].removeprefix(_REF))
        if either := schema.get("anyOf") if "type" not in schema else None:
            return " | ".join(dict.fromkeys(self.named(each, name) for each in either))
        if "oneOf" in schema:
            return " | ".join(self.named(each, name) for each in schema["oneOf"])
        if "enum" in schema:
            words = schema.get("description", "")
            return self._enumeration(schema.get("title", name), words, tuple(schema["enum"]))
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if kinds == ["array"]:
            return f"list[{self.named(schema['items'], name.removesuffix('s'))}]"
        if schema.get("properties"):
            return self._struct(schema.get("title", name), schema)
        return _plain(schema, kinds) + (" | None" if "null" in kinds else "")

    def _referred(self, name: str) -> str:
        schema = self.schemas[name]
        if "oneOf" in schema:
            if name not in self.structs:
                members = tuple(self._referred(each["$ref"].removeprefix(_REF)) for each in schema["oneOf"])
                self.structs[name] = Union(name, members)
                self.sections[name] = self.section
            return name
        return self._struct(name, schema) if "properties" in schema else self.named(schema, name)

    def _enumeration(self, name: str, words: str, values: tuple[str, ...]) -> str:
        known = self.enumerations.setdefault(name, Enumeration(name, words, values))
        assert set(known.values) == set(values), f"{name} has two meanings: give one of them a title"
        return name

    def _struct(self, name: str, schema: Schema) -> str:
        if name in self.structs:
            return name
        self.structs[name] = Struct(name, "", ())  # what refers to itself finds it
        self.sections[name] = self.section
        required, tag = schema.get("required", ()), ""
        fields = []
        for wire, inner in schema["properties"].items():
            if wire == _TYPE_FIELD and "const" in inner:
                tag = inner["const"]
                continue
            kind = self.named(inner, name + wire[0].upper() + wire[1:])
            words = inner.get("description", "") or self._words_behind(inner)
            fields.append(Field(python_name(wire), kind, words, wire in required))
        made = Struct(name, schema.get("description", ""), tuple(fields), tag)
        answered = self.structs.get(name.removesuffix(_SENT))
        if answered == replace(made, name=name.removesuffix(_SENT)):  # what is answered may be sent as it is
            del self.structs[name], self.sections[name]
            return answered.name
        self.structs[name] = made
        return name

    def _words_behind(self, schema: Schema) -> str:
        """What a referred schema says of itself; a list says what its items are."""
        inner = schema.get("items", schema)
        found = self.schemas[inner["$ref"].removeprefix(_REF)] if "$ref" in inner else inner
        return str(found.get("description", ""))

    def needed_by(self, annotations: Iterator[str]) -> list[str]:
        """Names of our types in annotations."""
        said = set(re.findall(r"\w+", " ".join(annotations)))
        return sorted(said & (self.structs.keys() | self.enumerations.keys()))


def python_name(wire: str) -> str:
    """`dueDate` as `due_date`, `from` as `from_`."""
    snake = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", wire).lower()
    return f"{snake}_" if iskeyword(snake) else snake


def class_name(text: str) -> str:
    """`cash-in` as `CashIn`."""
    return "".join(word[0].upper() + word[1:] for word in re.split(r"[-_ ]", text))


def _plain(schema: Schema, kinds: list[str]) -> str:
    if schema.get("format") == "decimal":
        return "Decimal"
    if "string" in kinds:
        pattern = schema.get("pattern", "")
        if pattern.startswith(r"^\d{2}-\d{2}-\d{4}"):
            return "Day" if pattern.endswith(r"\d{4}$") else "Moment"
        return "str"
    return _PLAIN[kinds[0]]
