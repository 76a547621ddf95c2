"""Reports as tables: rows of typed cells for CSV, XLSX and the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, BinaryIO, Final
from zoneinfo import ZoneInfo

from paymatch.domain.reports.catalogue import Cell, Column, Kind, Report, cell
from paymatch.domain.shops.shop import Shop
from paymatch.formats.accounting.sheets import Shape, csv_chunks, write_xlsx

_SHAPES: Final = {Kind.MONEY: Shape.MONEY, Kind.DAY: Shape.DAY, Kind.MOMENT: Shape.MOMENT}


def as_csv(report: Report, shop: Shop, rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """The report as CSV, its columns named as in the API."""
    return csv_chunks([column.key for column in report.columns], _cells(report, shop, rows))


def as_xlsx(
    file: BinaryIO,
    report: Report,
    shop: Shop,
    rows: Iterable[Mapping[str, Any]],
    words: Callable[[str], str] = str,
) -> None:
    """Writes the report as XLSX; `words` translates the names of the columns."""
    header = [words(column.label) for column in report.columns]
    shapes = [_SHAPES.get(column.kind, Shape.PLAIN) for column in report.columns]
    write_xlsx(file, report.name, header, shapes, _cells(report, shop, rows))


def _cells(report: Report, shop: Shop, rows: Iterable[Mapping[str, Any]]) -> Iterator[list[Cell]]:
    zone = ZoneInfo(shop.timezone)
    for row in rows:
        yield [_local(column, cell(column, row), zone) for column in report.columns]


def _local(column: Column, value: Cell, zone: ZoneInfo) -> Cell:
    """Moments in the shop's time zone, without naming it: a spreadsheet knows none."""
    if column.kind is Kind.MOMENT and isinstance(value, datetime):
        return value.astimezone(zone).replace(tzinfo=None)
    return value
