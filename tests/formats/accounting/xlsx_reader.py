"""A reader of XLSX tables made from ECMA-376 alone: typed cells of the first sheet, no formulas."""

from __future__ import annotations

import zipfile
from datetime import date, timedelta
from decimal import Decimal
from typing import BinaryIO, Final

from lxml import etree

Cell = str | Decimal | date | None
_MAIN: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_FIRST_DAY: Final = date(1899, 12, 30)


def read(file: BinaryIO) -> list[dict[str, Cell]]:
    """The rows by their header; numbers and days as such. AssertionError for a formula."""
    with zipfile.ZipFile(file) as archive:
        styles = etree.fromstring(archive.read("xl/styles.xml"))
        sheet = etree.fromstring(archive.read("xl/worksheets/sheet1.xml"))
    codes = {each.get("numFmtId"): each.get("formatCode") for each in styles.iter(f"{_MAIN}numFmt")}
    formats = [codes.get(each.get("numFmtId")) or "" for each in styles.findall(f"{_MAIN}cellXfs/{_MAIN}xf")]
    assert next(sheet.iter(f"{_MAIN}f"), None) is None, "a formula"
    rows = [
        {_column(cell.get("r") or ""): _value(cell, formats) for cell in row.iter(f"{_MAIN}c")}
        for row in sheet.iter(f"{_MAIN}row")
    ]
    header, *lines = rows
    return [{str(name): line.get(column) for column, name in header.items()} for line in lines]


def _column(place: str) -> str:
    return place.rstrip("0123456789")


def _value(cell: etree._Element, formats: list[str]) -> Cell:
    if cell.get("t") == "inlineStr":
        return "".join(each.text or "" for each in cell.iter(f"{_MAIN}t"))
    text = cell.findtext(f"{_MAIN}v")
    if text is None:
        return None
    assert cell.get("t") in (None, "n"), cell.get("t")
    number = Decimal(text)
    if "yyyy" in formats[int(cell.get("s", "0"))]:
        return _FIRST_DAY + timedelta(days=int(number))
    return number
