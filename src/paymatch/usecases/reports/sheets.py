"""Reports as tables: rows of typed cells for CSV, XLSX and the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, BinaryIO, Final
from zoneinfo import ZoneInfo

from paymatch.domain.money import Currency, plain_text
from paymatch.domain.reports.catalogue import Cell, ReportColumn, ReportColumnKind, ReportDefinition, cell, parts_text
from paymatch.domain.shops.shop import Shop
from paymatch.formats.accounting.sheets import Shape, csv_lines, csv_text, write_xlsx
from paymatch.formats.documents.cells import text_cell

_SHAPES: Final = {
    ReportColumnKind.MONEY: Shape.MONEY,
    ReportColumnKind.DAY: Shape.DAY,
    ReportColumnKind.MOMENT: Shape.MOMENT,
}


def as_csv(report: ReportDefinition, shop: Shop, rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """The report as CSV, its columns named as in the API."""
    return csv_lines([column.key for column in report.columns], _texts(report, shop, rows))


def as_xlsx(
    file: BinaryIO,
    report: ReportDefinition,
    shop: Shop,
    rows: Iterable[Mapping[str, Any]],
    words: Callable[[str], str] = str,
) -> None:
    """Writes the report as XLSX; `words` translates the names of the columns."""
    header = [_title(column, words(column.label), shop) for column in report.columns]
    shapes = [_SHAPES.get(column.kind, Shape.PLAIN) for column in report.columns]
    write_xlsx(file, report.name, header, shapes, _cells(report, shop, rows))


def _texts(report: ReportDefinition, shop: Shop, rows: Iterable[Mapping[str, Any]]) -> Iterator[list[str]]:
    """The cells of each row as texts. The formatter of a column is chosen once, not for each row."""
    zone = ZoneInfo(shop.timezone)
    texts = [(column.key, _text_of(column, zone)) for column in report.columns]
    for row in rows:
        currency = row.get("currency", "")
        yield [
            ""
            if (value := row.get(key)) is None
            else value
            if type(value) is str and not value
            else text(value, currency)
            for key, text in texts
        ]


def _text_of(column: ReportColumn, zone: ZoneInfo) -> Callable[[Any, Currency], str]:
    """The formatter of a column's values."""
    match column.kind:
        case ReportColumnKind.MONEY:
            return plain_text
        case ReportColumnKind.TEXT:
            return lambda value, _: text_cell(value) if type(value) is str else csv_text(value)
        case ReportColumnKind.DAY:
            return lambda value, _: str(value.isoformat())
        case ReportColumnKind.PARTS:
            return lambda value, currency: text_cell(parts_text(value, currency))
        case _:
            return lambda value, currency: csv_text(
                _local(column, cell(column, {column.key: value, "currency": currency}), zone)
            )


def _cells(report: ReportDefinition, shop: Shop, rows: Iterable[Mapping[str, Any]]) -> Iterator[list[Cell]]:
    zone = ZoneInfo(shop.timezone)
    for row in rows:
        yield [_local(column, cell(column, row), zone) for column in report.columns]


def _title(column: ReportColumn, label: str, shop: Shop) -> str:
    """The column's name in a spreadsheet, whose moments have no time zone: it is named here."""
    return f"{label} ({shop.timezone})" if column.kind is ReportColumnKind.MOMENT else label


def _local(column: ReportColumn, value: Cell, zone: ZoneInfo) -> Cell:
    """Moments in the shop's time zone, whose offset a CSV file says."""
    if column.kind is ReportColumnKind.MOMENT and isinstance(value, datetime):
        return value.astimezone(zone)
    return value
