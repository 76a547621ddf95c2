"""The first sheet of an Excel workbook (ECMA-376) as rows of text: values only, no formulas, within limits."""

from __future__ import annotations

import re
import zipfile
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from io import BytesIO
from typing import Final

from lxml import etree

from paymatch.formats.statement import FileRefused

_MAX_UNPACKED: Final = 64 * 1024 * 1024
_MAX_ROWS: Final = 25_000
_MAX_COLUMNS: Final = 100
_NS: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_PLACE: Final = re.compile(r"([A-Z]{1,3})\d{1,7}")
_DATE_FORMATS: Final = frozenset({14, 15, 16, 17, 22})
_DATE_CODE: Final = re.compile(r"[dDyY]")
_LITERAL: Final = re.compile(r'"[^"]{0,255}"|\[[^\]]{0,255}\]')  # a code has at most 255 characters
_EPOCH: Final = date(1899, 12, 30)


def is_workbook(data: bytes) -> bool:
    """True if the bytes are a ZIP archive with a workbook."""
    if not data.startswith(b"PK\x03\x04"):
        return False
    try:
        with zipfile.ZipFile(BytesIO(data)) as book:
            return "xl/workbook.xml" in book.namelist()
    except zipfile.BadZipFile:
        return False


def rows_of_workbook(data: bytes) -> list[tuple[int, list[str]]]:
    """(row, cells) of the first sheet that has any; FileRefused if it is damaged or too large."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as book:
            if sum(each.file_size for each in book.infolist()) > _MAX_UNPACKED:
                raise FileRefused("the workbook is too large")
            names = set(book.namelist())
            texts = _shared_texts(_part(book, "xl/sharedStrings.xml")) if "xl/sharedStrings.xml" in names else []
            dates = _date_styles(_part(book, "xl/styles.xml")) if "xl/styles.xml" in names else frozenset()
            sheets = sorted(
                (each for each in names if re.fullmatch(r"xl/worksheets/sheet\d+\.xml", each)),
                key=lambda each: int("".join(filter(str.isdigit, each))),
            )
            for name in sheets:
                rows = _rows(_part(book, name), texts, dates)
                if rows:
                    return rows
    except (zipfile.BadZipFile, etree.XMLSyntaxError, ValueError, KeyError, IndexError, RuntimeError) as error:
        raise FileRefused(f"the workbook is damaged: {' '.join(str(error).split())[:100]}") from None
    raise FileRefused("the workbook is empty")


def _part(book: zipfile.ZipFile, name: str) -> etree._Element:
    data = book.read(name)
    if b"<!DOCTYPE" in data or b"<\x00!\x00D" in data:
        raise FileRefused("the workbook holds a DOCTYPE, which is not taken")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    return etree.fromstring(data, parser)


def _shared_texts(root: etree._Element) -> list[str]:
    return ["".join(t.text or "" for t in each.iter(f"{_NS}t")) for each in root.iter(f"{_NS}si")]


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


def _rows(root: etree._Element, texts: list[str], dates: frozenset[int]) -> list[tuple[int, list[str]]]:
    found: list[tuple[int, list[str]]] = []
    for place, row in enumerate(root.iter(f"{_NS}row"), 1):
        if place > _MAX_ROWS:
            raise FileRefused(f"the workbook has more than {_MAX_ROWS} rows")
        cells: list[str] = []
        for cell in row.iter(f"{_NS}c"):
            column = _column(cell.get("r", "")) if cell.get("r") else len(cells)
            if column >= _MAX_COLUMNS:
                break
            cells += [""] * (column - len(cells))
            cells.append(_text_of(cell, texts, dates))
        if any(each.strip() for each in cells):
            found.append((int(row.get("r", place)), cells))
    return found


def _column(place: str) -> int:
    found = _PLACE.fullmatch(place)
    if found is None:
        raise ValueError(f"cell {place[:20]!r}")
    number = 0
    for letter in found[1]:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def _text_of(cell: etree._Element, texts: list[str], dates: frozenset[int]) -> str:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return "".join(t.text or "" for t in cell.iter(f"{_NS}t"))
    value = cell.findtext(f"{_NS}v") or ""
    if kind == "s":
        return texts[int(value)]
    if kind != "n" or not value:
        return value
    if int(cell.get("s", "0")) in dates:
        return (_EPOCH + timedelta(days=int(value.partition(".")[0]))).isoformat()
    return _number(value)


def _number(value: str) -> str:
    """A number as it was typed: Excel keeps 119.9 as 119.90000000000001."""
    exact = Decimal(value)
    if exact == exact.to_integral_value():
        return f"{exact:.0f}"
    short = exact.quantize(Decimal("0.00000001"), ROUND_HALF_UP)
    text = f"{short:f}".rstrip("0")
    return text if len(text.partition(".")[2]) > 1 else f"{text}0"
