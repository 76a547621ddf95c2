"""A sheet of an Excel workbook (ECMA-376) as rows of text: values only, no formulas, within limits, row by row."""

from __future__ import annotations

import csv
import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import BinaryIO, Final

from lxml import etree

from paymatch.domain.words.message import Message
from paymatch.formats.statement import FileRefused

_MIB: Final = 1 << 20
_MAX_COLUMNS: Final = 100
_MAX_PART: Final = 16 * _MIB
"""Bytes of a part that is read as a whole: styles and properties."""
_WORKBOOK: Final = "xl/workbook.xml"
_SHEET: Final = re.compile(r"xl/worksheets/sheet(\d{1,9})\.xml")
_NS: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_PLACE: Final = re.compile(r"([A-Z]{1,3})\d{1,7}")
_DATE_FORMATS: Final = frozenset({14, 15, 16, 17, 22})
_DATE_CODE: Final = re.compile(r"[dDyY]")
_LITERAL: Final = re.compile(r'"[^"]{0,255}"|\[[^\]]{0,255}\]')  # a code has at most 255 characters
_EPOCH: Final = datetime(1899, 12, 30, tzinfo=UTC)
_LATER_EPOCH: Final = timedelta(days=1462)
_DAY_SECONDS: Final = 86_400
_SEPARATOR: Final = ";"


@dataclass(frozen=True, slots=True)
class WorkbookLimits:
    """What a workbook may have: rows of a sheet, bytes unpacked."""

    rows: int = 200_000
    unpacked: int = 256 * _MIB


DEFAULT_LIMITS: Final = WorkbookLimits()


def is_workbook(stream: BinaryIO) -> bool:
    """True if the file is a ZIP archive with a workbook. `stream` is put back to its beginning."""
    stream.seek(0)
    magic = stream.read(4)
    stream.seek(0)
    if magic != b"PK\x03\x04":
        return False
    try:
        with zipfile.ZipFile(stream) as book:
            return _WORKBOOK in book.namelist()
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError, RuntimeError):
        return False
    finally:
        stream.seek(0)


def csv_of_workbook(stream: BinaryIO, limits: WorkbookLimits = DEFAULT_LIMITS) -> BinaryIO:
    """The first sheet that has rows as a table in UTF-8, each row in the line of its number; FileRefused as below."""
    out = io.BytesIO()
    text = io.TextIOWrapper(out, encoding="utf-8", newline="")
    writer = csv.writer(text, delimiter=_SEPARATOR, lineterminator="\n")
    line = width = 0
    for row, cells in rows_of_workbook(stream, limits):
        width = max(width, len(cells))
        text.write("\n" * max(row - line - 1, 0))
        writer.writerow([*(" ".join(each.split()) for each in cells), *[""] * (width - len(cells))])
        line = max(row, line + 1)
    text.flush()
    text.detach()
    out.seek(0)
    return out


def rows_of_workbook(stream: BinaryIO, limits: WorkbookLimits = DEFAULT_LIMITS) -> Iterator[tuple[int, list[str]]]:
    """(row, cells) of the first sheet that has any; FileRefused if it is damaged or too large.

    It may be raised after rows were yielded.
    """
    with _refuse_broken(), zipfile.ZipFile(stream) as book:
        if sum(each.file_size for each in book.infolist()) > limits.unpacked:
            raise FileRefused(Message("workbook-large"))
        names = set(book.namelist())
        sheet = _Sheet(book, names, limits.rows)
        numbers = sorted(int(found[1]) for each in names if (found := _SHEET.fullmatch(each)))
        is_empty = True
        for number in numbers:
            for row in sheet.rows(f"xl/worksheets/sheet{number}.xml"):
                is_empty = False
                yield row
            if not is_empty:
                return
    raise FileRefused(Message("workbook-empty"))


@contextmanager
def _refuse_broken() -> Iterator[None]:
    try:
        yield
    except (
        zipfile.BadZipFile, zlib.error, etree.XMLSyntaxError, EOFError, NotImplementedError, OSError, ValueError,
        KeyError, IndexError, RuntimeError, InvalidOperation, OverflowError,
    ) as error:  # fmt: skip
        raise FileRefused(Message("workbook-damaged", error=" ".join(str(error).split())[:100])) from None


class _Sheet:
    """The sheets of one workbook with what their cells refer to."""

    def __init__(self, book: zipfile.ZipFile, names: set[str], most_rows: int) -> None:
        self._book, self._most = book, most_rows
        shared = "xl/sharedStrings.xml"
        self._texts = [_plain_text(each) for each in _elements(book, shared, "si")] if shared in names else []
        self._dates = _date_styles(_part(book, "xl/styles.xml")) if "xl/styles.xml" in names else frozenset()
        properties = _part(book, _WORKBOOK).find(f"{_NS}workbookPr")
        is_later = properties is not None and properties.get("date1904") in {"1", "true"}
        self._epoch = _EPOCH + _LATER_EPOCH if is_later else _EPOCH

    def rows(self, name: str) -> Iterator[tuple[int, list[str]]]:
        """The rows that say something."""
        last = 0
        for place, row in enumerate(_elements(self._book, name, "row"), 1):
            if place > self._most:
                raise FileRefused(Message("workbook-rows", count=self._most))
            cells: list[str] = []
            for cell in row.iter(f"{_NS}c"):
                column = _column(cell.get("r", "")) if cell.get("r") else len(cells)
                if column >= _MAX_COLUMNS:
                    break
                if column < len(cells):
                    raise ValueError(f"cell {cell.get('r', '')[:20]!r} comes late")
                cells += [""] * (column - len(cells))
                cells.append(self._text_of(cell))
            last = max(last + 1, min(int(row.get("r", place)), _LAST_ROW))
            if any(each.strip() for each in cells):
                yield last, cells

    def _text_of(self, cell: etree._Element) -> str:
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            return _plain_text(cell)
        value = cell.findtext(f"{_NS}v") or ""
        if kind == "s":
            return self._texts[_index(value)]
        if kind != "n" or not value:
            return value
        return self._moment(value) if int(cell.get("s", "0")) in self._dates else _number(value)

    def _moment(self, value: str) -> str:
        """A day as it is written in ISO, with its time where it has one."""
        seconds = int((Decimal(value) * _DAY_SECONDS).to_integral_value(ROUND_HALF_UP))
        moment = self._epoch + timedelta(seconds=seconds)
        return f"{moment:%Y-%m-%d %H:%M:%S}" if seconds % _DAY_SECONDS else moment.date().isoformat()


_LAST_ROW: Final = 1 << 20
_MOST_DIGITS: Final = 308


def _elements(book: zipfile.ZipFile, name: str, tag: str) -> Iterator[etree._Element]:
    """The elements of a part one by one; yielded ones are dropped."""
    with book.open(name) as part:
        parser = etree.iterparse(
            part, events=("end",), tag=f"{_NS}{tag}", resolve_entities=False, no_network=True, load_dtd=False,
            huge_tree=False,
        )  # fmt: skip
        for _, element in parser:
            _refuse_doctype(element)
            yield element
            element.clear(keep_tail=False)
            while element.getprevious() is not None:
                del element.getparent()[0]


def _part(book: zipfile.ZipFile, name: str) -> etree._Element:
    if book.getinfo(name).file_size > _MAX_PART:
        raise FileRefused(Message("workbook-large"))
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    root = etree.fromstring(book.read(name), parser)
    _refuse_doctype(root)
    return root


def _refuse_doctype(element: etree._Element) -> None:
    if element.getroottree().docinfo.internalDTD is not None:
        raise FileRefused(Message("workbook-doctype"))


def _plain_text(element: etree._Element) -> str:
    return "".join(each.text or "" for each in element.iter(f"{_NS}t"))


def _date_styles(root: etree._Element) -> frozenset[int]:
    """The cell styles that show a number as a date."""
    own = {
        int(each.get("numFmtId", "0"))
        for each in root.iter(f"{_NS}numFmt")
        if _DATE_CODE.search(_LITERAL.sub("", each.get("formatCode", "")))
    }
    styles = root.find(f"{_NS}cellXfs")
    if styles is None:
        return frozenset()
    formats = [int(each.get("numFmtId", "0")) for each in styles]
    return frozenset(place for place, each in enumerate(formats) if each in _DATE_FORMATS or each in own)


def _column(place: str) -> int:
    found = _PLACE.fullmatch(place)
    if found is None:
        raise ValueError(f"cell {place[:20]!r}")
    number = 0
    for letter in found[1]:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def _index(value: str) -> int:
    """The place of a shared text; ValueError for one that counts from the end."""
    if not value.isascii() or not value.isdigit():
        raise ValueError(f"text {value[:20]!r}")
    return int(value)


def _number(value: str) -> str:
    """A number as it was typed: Excel keeps 119.9 as 119.90000000000001. ValueError for more digits than Excel has."""
    exact = Decimal(value)
    if not exact.is_finite() or exact.adjusted() > _MOST_DIGITS:
        raise ValueError(f"number {value[:20]!r}")
    if exact == exact.to_integral_value():
        return f"{exact:.0f}"
    short = exact.quantize(Decimal("0.00000001"), ROUND_HALF_UP)
    text = f"{short:f}".rstrip("0")
    return text if len(text.partition(".")[2]) > 1 else f"{text}0"
