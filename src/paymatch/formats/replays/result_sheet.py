"""The result of a replay as a PDF of one page and the lists behind it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files

from paymatch.formats.documents.typesetting import pdf_of

Groups = Sequence[tuple[str, Sequence[tuple[str, str]]]]
"""(subject, (name, value) of each of its figures)."""


def write_result(title: str, about: str, groups: Groups, notes: Sequence[str], language: str) -> bytes:
    """The PDF: what it is about, each figure by its name below its subject, and how they were counted."""
    values = {
        "title": title,
        "about": about,
        "groups": [(subject, list(rows)) for subject, rows in groups],
        "notes": list(notes),
        "language": language,
    }
    template = files(__package__).joinpath("result.typ").read_bytes()
    return pdf_of(template, {"data": json.dumps(values, ensure_ascii=False)})
