"""The text side of an account export: bytes to lines, lines to rows of cells."""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO, Final

from paymatch.domain.words.message import Message
from paymatch.formats.statement import FileRefused
from paymatch.formats.tables.values import csv_date
from paymatch.formats.text_decoding import code_page_of, encoding_of

MAX_LINE: Final = 128 * 1024
MAX_COLUMNS: Final = 300
MAX_CELL: Final = 4_096
"""Characters of one cell; what goes beyond is left out."""
NOTHING: Final = frozenset({"", "-", "–", "—"})
"""Contents of empty cells."""
_AS_TEXT: Final = re.compile(r'="(.*)"', re.DOTALL)
_CHUNK: Final = 64 * 1024
_DELIMITERS: Final = ";,\t|"
_LEAST_COLUMNS: Final = 3  # a date, an amount, and the cell that a quotation mark opens


@dataclass(frozen=True, slots=True)
class TextRow:
    cells: tuple[str, ...]
    line: int  # physical line where it begins, 1-based
    ended: bool = True  # by a line end, not by the end of the file
    cut: bool = False  # a cell was longer than any that is kept
    swallows: bool = False  # a cell of it looks like further rows
    closed: bool = False  # of a row that is not ended: its last cell is, by a quotation mark


def plain_cell(text: str) -> str:
    """A cell without the marks that tell Excel to take it as a text: `="5,00"`, `'0815`."""
    text = text.strip()
    if not text.startswith(("=", "'")):
        return text
    if found := _AS_TEXT.fullmatch(text):
        return found[1].strip()
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].strip()
    return text[1:] if text[0] == "'" and "'" not in text[1:] else text


def lines_of(stream: BinaryIO, remembered: str = "") -> Iterator[str]:
    """The lines with their line ends. FileRefused for NUL characters, overlong lines and bytes that are not text."""
    start = stream.read(_CHUNK)
    encoding, skip = encoding_of(start, remembered)
    decoder = codecs.getincrementaldecoder(encoding)("replace" if encoding in {"cp1250", "cp1252"} else "strict")
    pending, number, plain, chunk = "", 0, True, start[skip:]
    while True:
        try:
            text = decoder.decode(chunk, not chunk)
        except UnicodeDecodeError as error:
            if encoding != "utf-8" or not plain:
                raise FileRefused(
                    Message("file-line", line=str(number + 1), what=Message("table-bytes", encoding=encoding.upper()))
                ) from error
            encoding = code_page_of(chunk)
            decoder = codecs.getincrementaldecoder(encoding)("replace")
            text = decoder.decode(chunk, not chunk)
        plain = plain and text.isascii()
        *lines, pending = _split(pending + text, last=not chunk)
        for line in lines:
            number += 1
            _check(line, number)
            yield line
        _check(pending, number + 1)
        if not chunk:
            break
        chunk = stream.read(_CHUNK)
    if pending.strip("\x1a"):
        yield pending


def _split(text: str, *, last: bool) -> list[str]:
    """Lines with their ends and the unfinished rest; a `\\r` at the end may be half a line end."""
    held = "\r" if text.endswith("\r") and not last else ""
    body = text[: len(text) - len(held)]
    lines = body.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [line + "\n" for line in lines[:-1]] + [lines[-1] + held]


def _check(line: str, number: int) -> None:
    if len(line) > MAX_LINE:
        raise FileRefused(Message("file-line", line=str(number), what=Message("table-long-line", most=MAX_LINE)))
    if "\x00" in line:
        raise FileRefused(Message("file-line", line=str(number), what=Message("table-nul")))


def rows_of(lines: Iterable[str], delimiter: str) -> Iterator[TextRow]:
    """The rows; empty lines are left out, cells cut at MAX_CELL. A quoted cell may contain line ends.

    A stray quotation mark at the beginning of a cell (`"Anna;10,00`) opens one that ends at the next mark:
    such lines are read each on its own, or as a row that `swallows` others if they may be the text of its cell. A row
    whose last mark never ends swallows its own cells, as a payer types who reads a bank that quotes nothing.
    FileRefused if quotes never end.
    """
    count = _Count(lines)
    reader = csv.reader(count, delimiter=delimiter, quotechar='"', doublequote=True, skipinitialspace=delimiter == ",")
    begin = 1
    try:
        for cells in reader:
            taken, count.taken = count.taken, []
            if len(cells) > MAX_COLUMNS:
                raise FileRefused(
                    Message("file-line", line=str(begin), what=Message("table-many-columns", most=MAX_COLUMNS))
                )
            swallows = len(taken) > 1 and _swallows(taken, delimiter)
            is_open = _is_open(cells, taken, delimiter)
            if swallows and _is_stray(taken, delimiter):
                for number, line in enumerate(taken, begin):
                    yield _row(line.rstrip("\n").split(delimiter), number, ended=line.endswith("\n"))
            elif any(cell.strip() for cell in cells):
                row = _row(cells, begin, ended=count.ended)
                yield replace(row, swallows=swallows or is_open, closed=_is_closed(taken))
            begin = count.number + 1
    except csv.Error as error:
        raise FileRefused(Message("file-line", line=str(begin), what=Message("text", value=str(error)))) from error


def _row(cells: list[str], line: int, *, ended: bool) -> TextRow:
    cut = max(map(len, cells)) > MAX_CELL
    return TextRow(tuple(cell[:MAX_CELL] for cell in cells) if cut else tuple(cells), line, ended, cut)


def _is_closed(lines: list[str]) -> bool:
    return lines[-1:] != [] and lines[-1].endswith('"') and not sum(line.count('"') for line in lines) % 2


def _swallows(lines: list[str], delimiter: str) -> bool:
    """Whether a row is inside a cell of another: a line that has as many cells, and a date at the same place.

    Where most cells are quoted, a quotation mark is what it seems, regardless of the cell.
    """
    rows = [line.split(delimiter) for line in lines]
    place = next((index for index, cell in enumerate(rows[0]) if _is_date(cell)), -1)
    quoted = sum(cell.startswith('"') for cell in rows[0])
    if place < 0 or len(rows[0]) < _LEAST_COLUMNS or quoted * 2 > len(rows[0]):
        return False
    return any(len(row) >= len(rows[0]) and _is_date(row[place]) for row in rows[1:])


def _is_stray(lines: list[str], delimiter: str) -> bool:
    """Whether the quotation marks do not quote (`5" pipe`), and each line is a row with as many cells."""
    try:
        list(csv.reader(lines, delimiter=delimiter, strict=True))
    except csv.Error:
        return len({line.count(delimiter) for line in lines}) == 1
    return False


def _is_open(cells: list[str], lines: list[str], delimiter: str) -> bool:
    """Whether the last cell is one that a quotation mark opens and none closes, and so holds the bank's own cells."""
    if not cells or delimiter not in cells[-1]:
        return False
    try:
        list(csv.reader(lines, delimiter=delimiter, skipinitialspace=delimiter == ",", strict=True))
    except csv.Error:
        return True
    return False


def _is_date(cell: str) -> bool:
    plain = cell.strip(' "')
    return csv_date(plain, "dmy") is not None or csv_date(plain, "mdy") is not None


class _Count:
    """Counts the lines that the CSV reader has taken, and keeps those of a row."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self.number = 0
        self.ended = True
        self.taken: list[str] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.number += 1
        self.ended = line.endswith("\n")
        self.taken.append(line)
        return line


def delimiter_of(lines: list[str]) -> str:
    """The delimiter with the most rows of equal column count above one; FileRefused if none makes columns.

    Rows weigh by their columns: a decimal comma makes two columns of many rows, the true delimiter makes more.
    """
    best = ("", 0)
    for delimiter in _DELIMITERS:
        try:
            rows = [row for row in rows_of(lines, delimiter) if len(row.cells) > 1]
        except FileRefused:
            continue
        counts = Counter(len(row.cells) for row in rows)
        if counts:
            weight = max(times * (columns - 1) for columns, times in counts.items())
            if weight > best[1]:
                best = (delimiter, weight)
    if not best[0]:
        raise FileRefused(Message("file-line", line="1", what=Message("table-no-columns")))
    return best[0]
