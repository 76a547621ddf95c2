"""How the command line shows values: plain text that no bank's text can break out of, JSON, CSV, tables."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from paymatch.formats.documents.cells import text_cell

if TYPE_CHECKING:
    from rich.console import Console

_NUMBER: Final = re.compile(r"[+-]?\d+(\.\d+)?", re.ASCII)
_INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Controls (ESC begins a terminal's commands), format characters (they turn the direction of writing), surrogates,
private characters and line separators."""
_UNLIMITED: Final = 200
"""Columns where the output goes into a file or another program."""
_WHOLE: Final = 36
"""Words up to this length (a UUID's) are never broken: ids, amounts, dates, account numbers."""
_FRAME: Final = 3
"""What the lines between columns take, per column."""
_GAP: Final = 2
"""What is between columns without lines, per column."""


def plain_text(value: Any, *, lines: bool = False) -> str:
    """A value as text that a terminal only shows: what is invisible or steers it is written out, `\\x1b` for ESC.

    The one function through which text of banks and customers reaches a terminal or a table. With `lines`, line breaks
    stay; otherwise they become spaces.
    """
    text = _words(value)
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _written_out(char, lines=lines) for char in text)


@contextmanager
def shown_progress(name: str, *, quiet: bool) -> Iterator[Callable[[str, int], None]]:
    """Shows on a terminal what is done with a file, how many of it are done and since when; to be told both.

    What is no terminal gets nothing with `quiet`.
    """
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(file=sys.stderr, quiet=quiet and not sys.stderr.isatty())
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        TextColumn("{task.completed:,.0f}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(name, total=None)
        yield lambda what, count: progress.update(task, description=f"{name}: {what}", completed=count)


def one_line(text: str) -> str:
    """A text of several lines as one, in which nothing steers the terminal."""
    return plain_text(" ".join(text.split()))


def csv_cell(value: Any) -> str:
    """The value as text that a table program takes for text, not for a formula; numbers stay numbers."""
    text = plain_text(value)
    return text if _NUMBER.fullmatch(text) else text_cell(text)


def _written_out(char: str, *, lines: bool) -> str:
    if char == "\n" and lines:
        return char
    if char in "\n\r\t\v\f":
        return " "
    if unicodedata.category(char) not in _INVISIBLE:
        return char  # such as a no-break space
    return f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{ord(char):04x}"


def _words(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _compose_table(value)


def _compose_table(value: Any) -> str:
    import msgspec

    if isinstance(value, datetime):
        return value.isoformat(" ", "seconds")
    if isinstance(value, msgspec.Raw):
        return bytes(value).decode()
    if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
        return ", ".join(value)
    if isinstance(value, list | tuple | dict):
        return msgspec.json.encode(value, enc_hook=str).decode()
    return str(value)


def print_json(value: Any) -> None:
    """Prints a value as indented JSON."""
    import msgspec

    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value, enc_hook=str), indent=2).decode() + "\n")


def print_json_rows(rows: Iterable[Any]) -> None:
    """Prints a JSON array, a row on a line, written as the rows are read: memory does not grow with their number."""
    import msgspec

    separator = "[\n"
    for row in rows:
        sys.stdout.write(separator + msgspec.json.encode(row, enc_hook=str).decode())
        separator = ",\n"
    sys.stdout.write("[]\n" if separator == "[\n" else "\n]\n")


def print_csv(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> None:
    """Prints rows as CSV with a header."""
    import csv

    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(columns)
    out.writerows([csv_cell(row.get(name)) for name in columns] for row in rows)


def print_fields(value: Mapping[str, Any]) -> None:
    """Prints the fields of one thing, each on its line."""
    for name, each in value.items():
        sys.stdout.write(f"{name}: {plain_text(each)}\n")


def print_table(
    rows: Iterable[Mapping[str, Any]], columns: Sequence[str], *, title: str = "", width: int | None = None
) -> None:
    """Prints rows as a table as wide as the terminal, or as `width`. Nothing is cut, and words are not broken.

    Where the columns have no room side by side, those with the same value in every row are shown once above the table;
    where that is not enough, each row is a block of lines.
    """
    cells = [[plain_text(row.get(name)) for name in columns] for row in rows]
    console = wide_console(width)
    if title:
        sys.stdout.write(f"{plain_text(title)}\n")
    if _print_columns(cells, columns, console, _FRAME):
        return
    places = [place for place in range(len(columns)) if len({row[place] for row in cells}) > 1]
    same = [place for place in range(len(columns)) if place not in places and cells[0][place]]
    narrow = [[row[place] for place in places] for row in cells]
    above = "   ".join(f"{columns[place]} {cells[0][place]}" for place in same)
    if not places or not _print_columns(narrow, [columns[place] for place in places], console, _GAP, above):
        _print_blocks(cells, columns)


def wide_console(width: int | None = None) -> Console:
    """The terminal, `width` columns wide; by default as it is, or with room enough where the output goes elsewhere."""
    from rich.console import Console

    return Console(width=width or (None if sys.stdout.isatty() else _UNLIMITED))


def _minimum_width(cells: Sequence[str], name: str) -> int:
    """The least width of a column: that of its longest word, so that nothing a person copies is broken."""
    from rich.cells import cell_len

    return max(min(cell_len(word), _WHOLE) for cell in (*cells, name) for word in (cell.split() or ("",)))


def _print_columns(
    rows: Sequence[Sequence[str]], columns: Sequence[str], console: Console, between: int, above: str = ""
) -> bool:
    """Prints the rows side by side, texts wrapped between words; False if there is no room for that.

    `between` is _FRAME or _GAP: with lines between the columns or without.
    """
    from rich.table import Table
    from rich.text import Text

    needed = [_minimum_width([row[place] for row in rows], name) for place, name in enumerate(columns)]
    if sum(needed) + len(needed) * between + (between == _FRAME) > console.width:
        return False
    if above:
        sys.stdout.write(f"{above}\n")
    table = Table() if between == _FRAME else Table(box=None, padding=(0, _GAP, 0, 0))
    for name, width in zip(columns, needed, strict=True):
        table.add_column(Text(name), overflow="fold", min_width=width)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)
    return True


def _print_blocks(rows: Sequence[Sequence[str]], columns: Sequence[str]) -> None:
    """A block of lines per row; empty values are left out."""
    room = max(len(name) for name in columns)
    for row in rows:
        lines = [f"{name:<{room}}  {cell}" for name, cell in zip(columns, row, strict=True) if cell]
        sys.stdout.write("\n".join(lines) + "\n\n")
