"""Exports of banks that are recognised by their headers or cells, from `bank_exports.toml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Final, Literal

import msgspec

from paymatch.formats.tables.data_files import DataFileBroken, parse_data_file, read_data_file
from paymatch.formats.tables.profiles import CsvField, header_word

_FILE: Final = "bank_exports.toml"
_Strings = tuple[str, ...]


class _Export(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One `[[export]]` as it is written; the file explains each key."""

    name: str
    headers: tuple[_Strings, ...] = ()
    cells: _Strings = ()
    columns: dict[CsvField, _Strings] = {}
    like: str = ""
    decimal_mark: Literal[",", "."] | None = None
    date_order: Literal["dmy", "mdy", "ymd"] | None = None
    currency: str | None = None
    fee_apart: bool | None = None


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    export: tuple[_Export, ...]


@dataclass(frozen=True, slots=True)
class BankExport:
    """A bank's export that is recognised by its headers, or without headers by the look of its first columns."""

    name: str
    columns: Mapping[CsvField, _Strings]  # headers, or places; columns that an export lacks are left out
    headers: tuple[frozenset[str], ...] = ()  # sets of header words; all of one set must be there
    cells: tuple[re.Pattern[str], ...] = ()  # of a row without header, from the left
    options: Mapping[str, object] = field(default_factory=dict)  # fields of the profile that the file does not decide


@cache
def bank_exports() -> tuple[BankExport, ...]:
    """The exports that the package knows, in the order in which they are tried."""
    return _check_profile(read_data_file(_FILE, _File))


def parse_bank_exports(text: str) -> tuple[BankExport, ...]:
    """The exports of a file's text; DataFileBroken if one could never be recognised or read."""
    return _check_profile(parse_data_file(text, _FILE, _File))


def _check_profile(file: _File) -> tuple[BankExport, ...]:
    known: dict[str, Mapping[CsvField, _Strings]] = {}
    exports: list[BankExport] = []
    for export in file.export:
        if bool(export.headers) == bool(export.cells):
            raise DataFileBroken(f"{_FILE}: {export.name}: recognised either by `headers` or by `cells`")
        if bool(export.columns) == bool(export.like):
            raise DataFileBroken(f"{_FILE}: {export.name}: has either `columns` or those of an export it is `like`")
        if export.like and export.like not in known:
            raise DataFileBroken(f"{_FILE}: {export.name}: no export above is called {export.like!r}")
        columns = known[export.like] if export.like else export.columns
        known[export.name] = columns
        exports.append(
            BankExport(
                export.name,
                columns,
                tuple(frozenset(map(header_word, headers)) for headers in export.headers),
                tuple(_pattern(export.name, cell) for cell in export.cells),
                _options(export),
            )
        )
    return tuple(exports)


def _pattern(name: str, cell: str) -> re.Pattern[str]:
    try:
        return re.compile(cell)
    except re.error as error:
        raise DataFileBroken(f"{_FILE}: {name}: {cell!r} is not a regular expression: {error}") from error


def _options(export: _Export) -> Mapping[str, object]:
    options = {
        "decimal_mark": export.decimal_mark,
        "date_order": export.date_order,
        "currency": export.currency,
        "fee_apart": export.fee_apart,
    }
    return {key: value for key, value in options.items() if value is not None}
