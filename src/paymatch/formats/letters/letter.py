"""A letter as its reader sees it, and the PDF that typst writes of it, from values in JSON and pictures."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

import pikepdf

from paymatch.formats.documents.typesetting import pdf_of
from paymatch.formats.letters.paper import SHEETS, Paper

_MAX_LINES: Final = 6  # of an address: what the window shows
_MAX_TEXT: Final = 2000  # characters of one value; an order's own values are far shorter


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG, and its size in pixels."""

    png: bytes
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class PaymentRow:
    """A line of what is to be paid, and where to; left out where a slip says it (`on_slip`)."""

    name: str
    value: str
    strong: bool = False
    on_slip: bool = False


@dataclass(frozen=True, slots=True)
class LetterTable:
    """A table of six columns, the last three of them amounts, and its sums below; line breaks stay in a cell."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    sums: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Letter:
    """Everything that a letter shows, in the customer's words. Pictures are empty where there are none.

    `page` has `{page}` and `{pages}` in it; `running` heads every page but the first. A `slip` is 210 x 105 mm at the
    foot of the last page.
    """

    paper: Paper
    language: str
    brand: str
    accent: str  # #rrggbb
    accent_text: str  # the same as text on paper, made darker where it could not be read
    sender: str
    recipient: Sequence[str]
    details: Sequence[tuple[str, str]]
    subject: str
    paragraphs: Sequence[str]
    closing: Sequence[str]
    page: str
    running: str
    footer: Sequence[str] = ()
    item_names: tuple[str, str] = ("", "")
    items: Sequence[tuple[str, str]] = ()
    tables: Sequence[LetterTable] = ()
    payment: Sequence[PaymentRow] = ()
    code_svg: bytes = b""
    code_width_mm: float = 38
    code_caption: str = ""
    slip_svg: bytes = b""
    logo: Picture | None = None


@dataclass(frozen=True, slots=True)
class WrittenLetter:
    """The letter as PDF, and how many pages it has."""

    pdf: bytes
    pages: int


def write_letter(letter: Letter) -> WrittenLetter:
    """The letter as PDF; the same letter gives the same bytes on one machine."""
    inputs = {
        "letter": json.dumps(_values(letter)), "code": letter.code_svg.decode(), "slip": letter.slip_svg.decode(),
        "logo": _in_svg(letter.logo),
    }  # fmt: skip
    pdf = pdf_of(_template(), inputs)
    with pikepdf.open(io.BytesIO(pdf)) as found:
        return WrittenLetter(pdf, len(found.pages))


def _values(letter: Letter) -> dict[str, Any]:
    return {
        "sheet": asdict(SHEETS[letter.paper]),
        "language": letter.language,
        "brand": _display_text(letter.brand),
        "accent": letter.accent,
        "accent_text": letter.accent_text,
        "sender": _display_text(letter.sender),
        "recipient": [_display_text(line) for line in letter.recipient][:_MAX_LINES],
        "details": [[_display_text(name), _display_text(value)] for name, value in letter.details],
        "subject": _display_text(letter.subject),
        "paragraphs": [_display_text(each) for each in letter.paragraphs],
        "closing": [_display_text(each) for each in letter.closing],
        "page": letter.page,
        "running": _display_text(letter.running),
        "footer": [_display_text(line) for line in letter.footer],
        "item_names": list(letter.item_names),
        "items": [[_display_text(number), _display_text(name)] for number, name in letter.items],
        "tables": [
            {
                "head": list(table.head),
                "rows": [[_display_text(cell) for cell in row] for row in table.rows],
                "sums": [list(each) for each in table.sums],
            }
            for table in letter.tables
        ],
        "payment": [
            {"name": row.name, "value": _display_text(row.value), "strong": row.strong}
            for row in letter.payment
            if not (row.on_slip and letter.slip_svg)
        ],
        "code": bool(letter.code_svg),
        "code_width": letter.code_width_mm,
        "code_caption": letter.code_caption,
        "slip": bool(letter.slip_svg),
        "logo": letter.logo is not None,
    }


def _display_text(text: str) -> str:
    """The text with spaces for control characters other than line breaks; cut at a length that no honest value has."""
    return "".join(char if char.isprintable() or char in "\n\u00a0" else " " for char in text[:_MAX_TEXT])


def _in_svg(picture: Picture | None) -> str:
    """The picture as an SVG that holds it: what typst is handed must be text."""
    if picture is None:
        return ""
    size = f'width="{picture.width}" height="{picture.height}"'
    data = base64.b64encode(picture.png).decode()
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><image {size} href="data:image/png;base64,{data}"/></svg>'


@cache
def _template() -> bytes:
    return resources.files("paymatch.formats.letters").joinpath("letter.typ").read_bytes()
