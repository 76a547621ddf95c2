"""All data of one person as a PDF to hand to them (GDPR, Article 15)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any, Final

from paymatch.formats.documents.typesetting import pdf_of

_LONGEST: Final = 4_000
"""Characters of a value on paper; the JSON has all of it."""


def write_personal_data(
    title: str, about: Mapping[str, str], sections: Mapping[str, Sequence[Mapping[str, Any]]]
) -> bytes:
    """The PDF: what it is about, then each class of data with its rows, value by value."""
    shown = [
        {"name": name, "rows": [[list(pair) for pair in _pairs("", row)] for row in rows]}
        for name, rows in sections.items()
        if rows
    ]
    values = {"title": title, "about": list(about.items()), "sections": shown}
    template = files(__package__).joinpath("personal_data.typ").read_bytes()
    return pdf_of(template, {"data": json.dumps(values, ensure_ascii=False)})


def _pairs(path: str, value: Any) -> Iterator[tuple[str, str]]:
    """(name, text) of all that is said within; what says nothing is left out."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from _pairs(f"{path}.{name}" if path else str(name), each)
    elif isinstance(value, list | tuple) and any(isinstance(each, Mapping) for each in value):
        for place, each in enumerate(value, 1):
            yield from _pairs(f"{path} {place}", each)
    else:
        text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        if value not in (None, "", [], ()):
            yield path, text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
