"""Dossier of a case for the agency: a ZIP with a summary to read, tables, and the order's own documents."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from paymatch.formats.collection.summary import write_summary
from paymatch.formats.documents.cells import text_cell
from paymatch.formats.invoice_file import file_stem
from paymatch.formats.languages.texts import SOURCE, words

VERSION: Final = 1
"""Of `message.json`; a field is never renamed or removed within a version."""

_EPOCH: Final = (1980, 1, 1, 0, 0, 0)  # the same message makes the same bytes


@dataclass(frozen=True, slots=True)
class AgencyMessage:
    """One message to the agency. Amounts in `facts` and `tables` are decimal texts, dates are ISO 8601.

    `tables`: name -> rows; `papers`: file name -> content, as the shop uploaded it. The summary is written in
    `language` (of LANGUAGES), in the manner of `country` (ISO 3166); what programs read is the same in all of them.
    """

    facts: Mapping[str, Any]
    tables: Mapping[str, Sequence[Mapping[str, str]]] = field(default_factory=dict)
    papers: Mapping[str, bytes] = field(default_factory=dict)
    language: str = SOURCE
    country: str = ""


def write_message(message: AgencyMessage) -> bytes:
    """The ZIP: `message.json`, and for a handover `summary.pdf`, a CSV for each table, and the papers."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as bundle:
        facts = {"version": VERSION, **message.facts}
        _add(bundle, "message.json", json.dumps(facts, ensure_ascii=False, indent=2, sort_keys=True).encode())
        if message.tables:
            spoken = words(message.language, message.country)
            _add(bundle, "summary.pdf", write_summary(message.facts, message.tables, spoken))
        for name, rows in message.tables.items():
            _add(bundle, f"{name}.csv", _table(rows))
        for name, content in message.papers.items():
            _add(bundle, f"papers/{name}", content)
    return out.getvalue()


def _add(bundle: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    bundle.writestr(entry, content)


def _table(rows: Sequence[Mapping[str, str]]) -> bytes:
    """CSV with semicolons and a byte order mark, as spreadsheets open it; no cell is a formula."""
    out = io.StringIO()
    names = list(rows[0]) if rows else []
    writer = csv.writer(out, delimiter=";", lineterminator="\r\n")
    writer.writerow(names)
    writer.writerows([_plain(row[name]) for name in names] for row in rows)
    return out.getvalue().encode("utf-8-sig")


def _plain(text: str) -> str:
    is_number = text.lstrip("-").replace(".", "", 1).isdigit()
    return text if is_number else text_cell(text)


def papers_of(named: Iterable[tuple[str, bytes, str]]) -> dict[str, bytes]:
    """File name -> content of invoices given as (number, content, ending), each name once and fit for any system."""
    found: dict[str, bytes] = {}
    for number, content, ending in named:
        stem, place = file_stem(number), 1
        name = f"{stem}.{ending}"
        while name in found:
            place += 1
            name = f"{stem}-{place}.{ending}"
        found[name] = content
    return found
