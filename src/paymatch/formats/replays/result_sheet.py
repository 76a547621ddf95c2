"""The result of a replay as a PDF of one page and the lists behind it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files

from paymatch.formats.documents.typesetting import pdf_of


def write_result(title: str, about: str, figures: Mapping[str, str], notes: Sequence[str], language: str) -> bytes:
    """The PDF: what it is about, each figure by its name, and how they were counted."""
    values = {
        "title": title,
        "about": about,
        "figures": list(figures.items()),
        "notes": list(notes),
        "language": language,
    }
    template = files(__package__).joinpath("result.typ").read_bytes()
    return pdf_of(template, {"data": json.dumps(values, ensure_ascii=False)})
