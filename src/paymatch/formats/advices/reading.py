"""Reads a remittance advice by its content: detects its form and parses it (D-94)."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import Final

from paymatch.domain.advices.advice import Advice, AdviceUnproved, check_advice
from paymatch.domain.money import AmountUnreadable
from paymatch.domain.words.message import Message
from paymatch.formats.advices.admitted import admitted
from paymatch.formats.advices.edifact import is_edifact, read_remadv
from paymatch.formats.advices.pdf_text import is_pdf, text_of_pdf
from paymatch.formats.advices.printed import read_printed
from paymatch.formats.advices.refusals import AdviceUnreadable
from paymatch.formats.advices.table import read_table
from paymatch.formats.advices.xml_messages import is_xml, read_xml
from paymatch.formats.statement import FileRefused
from paymatch.formats.tables.text import delimiter_of, lines_of, rows_of
from paymatch.formats.tables.workbook import WorkbookLimits, is_workbook, rows_of_workbook
from paymatch.formats.text_decoding import code_page_of

MAX_BYTES: Final = 8 * 1024 * 1024
MAX_LINES: Final = 20_000
MAX_ADVICES: Final = 500
"""Advices of one file: each is compared with the payments that wait."""
_SHEETS: Final = WorkbookLimits(rows=25_000, unpacked=64 * 1024**2)
_SHOWN: Final = 20_000
"""Characters of an unreadable advice that a person is shown."""


@dataclass(frozen=True, slots=True)
class AdviceReading:
    """The advices of a file and its form."""

    format: str
    advices: tuple[Advice, ...]


def read_advice(data: bytes, currency: str) -> AdviceReading:
    """What the file says; `currency` counts where it names none.

    FileRefused for a file that is none of the forms or that is damaged: one sentence with its row or line.
    AdviceUnreadable if it has a text, but its payments are uncertain: a person sees it.
    """
    if not data.strip():
        raise FileRefused(Message("file-is", what=Message("kind-empty")))
    if len(data) > MAX_BYTES:
        raise FileRefused(Message("file-larger", megabytes=MAX_BYTES // 1024**2))
    try:
        found = _read(data, currency)
        if len(found.advices) > MAX_ADVICES:
            raise FileRefused(Message("file-too-many-advices", count=MAX_ADVICES))
        if sum(len(each.lines) for each in found.advices) > MAX_LINES:
            raise FileRefused(Message("file-too-many-lines", count=MAX_LINES))
        return AdviceReading(found.format, tuple(check_advice(admitted(each)) for each in found.advices))
    except AdviceUnproved as refusal:
        raise AdviceUnreadable(refusal.message, shown_text(data)) from None
    except AmountUnreadable as refusal:
        raise FileRefused(refusal.message) from None


def _read(data: bytes, currency: str) -> AdviceReading:
    if is_pdf(data):
        return AdviceReading("PDF", (read_printed(text_of_pdf(data), currency),))
    if is_workbook(BytesIO(data)):
        return AdviceReading("XLSX", (read_table(_rows_of_sheet(data), currency),))
    if is_xml(data):
        return AdviceReading(*read_xml(data))
    if is_edifact(data):
        return AdviceReading("EDIFACT REMADV", read_remadv(data))
    return _read_text(data, currency)


def _rows_of_sheet(data: bytes) -> list[tuple[int, list[str]]]:
    return list(rows_of_workbook(BytesIO(data), _SHEETS))


def _read_text(data: bytes, currency: str) -> AdviceReading:
    lines = list(lines_of(BytesIO(data)))
    delimiter = delimiter_of(lines[:50])
    rows = [(row.line, list(row.cells)) for row in rows_of(lines, delimiter)]
    if any(len(cells) > 1 for _, cells in rows):
        try:
            return AdviceReading("CSV", (read_table(rows, currency),))
        except AdviceUnreadable:
            pass
    return AdviceReading("text", (read_printed("".join(lines), currency),))


def shown_text(data: bytes) -> str:
    """The text of an unreadable advice for a person, truncated."""
    try:
        if is_pdf(data):
            return text_of_pdf(data)[:_SHOWN]
        if is_workbook(BytesIO(data)):
            return "\n".join(" | ".join(cells) for _, cells in _rows_of_sheet(data))[:_SHOWN]
    except FileRefused as refusal:
        return str(refusal)
    return data[: 4 * _SHOWN].decode(code_page_of(data[:4096]) if not _is_utf8(data) else "utf-8", "replace")[:_SHOWN]


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
