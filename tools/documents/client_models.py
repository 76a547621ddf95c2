"""The client's modules of values: enumerations, and the structs of bodies and answers by section."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from tools.documents.client_types import Enumeration, Field, Struct, Types, Union

WRITTEN: Final = "Written by `make docs` from the declarations of the API."
_WIDTH: Final = 112
_FOLDER: Final = "paymatch_client.models"


def enumerations(types: Types) -> str:
    """The module of all enumerations."""
    lines = [
        f'"""Enumerations of the API. {WRITTEN}"""',
        "from __future__ import annotations",
        "from paymatch_client.values import Enumeration",
    ]
    lines += [_enumeration(each) for _, each in sorted(types.enumerations.items())]
    return "\n".join(lines) + "\n"


def structs(types: Types, section: str, title: str) -> str:
    """The module of a section's structs; those of other sections are imported."""
    own = [each for name, each in types.structs.items() if types.sections[name] == section]
    body = "\n\n".join(_struct(each) if isinstance(each, Struct) else _union(each) for each in own)
    head = [f'"""{title}: what is sent and what is answered. {WRITTEN}"""', "from __future__ import annotations"]
    if any(isinstance(each, Union) for each in own):
        head.append("from typing import TypeAlias")
    said = [inner.type for each in own if isinstance(each, Struct) for inner in each.fields]
    return "\n".join([*head, *imports(types, said, but=section), "", body]) + "\n"


def imports(types: Types, annotations: Iterable[str], *, but: str = "") -> Iterator[str]:
    """The lines that import what annotations name, without the types of the module `but`."""
    text = " ".join(annotations)
    if re.search(r"\bAny\b", text):
        yield "from typing import Any"
    if re.search(r"\bDecimal\b", text):
        yield "from decimal import Decimal"
    places: dict[str, list[str]] = {}
    for name in types.needed_by(iter([text])):
        place = "enumerations" if name in types.enumerations else types.sections[name]
        if place != but:
            places.setdefault(f"{_FOLDER}.{place}", []).append(name)
    if but:
        places["paymatch_client.values"] = [*re.findall(r"\b(?:Day|Moment)\b", text), "Value"]
    for place, names in places.items():
        yield f"from {place} import {', '.join(sorted(set(names)))}"


def package(types: Types) -> str:
    """The folder's own module: all names at one place."""
    places: dict[str, list[str]] = {"enumerations": sorted(types.enumerations)}
    for name in types.structs:
        places.setdefault(types.sections[name], []).append(name)
    lines = [f'"""Bodies, answers and enumerations of the API. {WRITTEN}"""', "from __future__ import annotations"]
    lines += [f"from {_FOLDER}.{place} import {', '.join(sorted(names))}" for place, names in sorted(places.items())]
    quoted = ", ".join(f'"{name}"' for name in sorted({*types.enumerations, *types.structs}))
    return "\n".join([*lines, "", f"__all__ = [{quoted}]"]) + "\n"


def docstring(text: str, indent: int) -> str:
    """A docstring with its lines broken; paragraphs are separated by an empty line, lines that begin so are kept."""
    margin = " " * indent
    first, *others = [
        "\n".join(_broken(line, _WIDTH - indent)) for line in text.replace("\\", "\\\\").strip().split("\n")
    ]
    lines = "\n".join([first, *others]).split("\n")
    if len(lines) == 1:
        return f'{margin}"""{lines[0]}"""'
    return "\n".join(
        [f'{margin}"""{lines[0]}', *(f"{margin}{line}" if line else "" for line in lines[1:]), f'{margin}"""']
    )


def _broken(line: str, width: int) -> list[str]:
    """A line as several that are not too long."""
    found = [""]
    for word in line.split(" "):
        if found[-1] and len(found[-1]) + len(word) >= width:
            found.append("")
        found[-1] = f"{found[-1]} {word}" if found[-1] else word
    return found


def _enumeration(each: Enumeration) -> str:
    values = "\n".join(f'    {_constant(value)} = "{value}"' for value in each.values)
    return f"\n\nclass {each.name}(Enumeration):\n{docstring(each.words or f'Values of {each.name}.', 4)}\n\n{values}"


def _constant(value: str) -> str:
    return re.sub(r"\W", "_", value).upper()


def _struct(each: Struct) -> str:
    more = f', tag_field="report", tag="{each.tag}"' if each.tag else ""
    head = f"class {each.name}(Value, kw_only=True{more}):\n{docstring(each.words or each.name, 4)}\n"
    return "\n".join([head, *(_field(inner) for inner in each.fields)])


def _field(each: Field) -> str:
    annotation = each.type if each.required or each.type.endswith("| None") else f"{each.type} | None"
    default = "" if each.required else " = None"
    words = f"\n{docstring(each.words, 4)}" if each.words else ""
    return f"    {each.name}: {annotation}{default}{words}"


def _union(each: Union) -> str:
    return f"{each.name}: TypeAlias = {' | '.join(each.members)}\n"
