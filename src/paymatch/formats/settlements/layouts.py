"""Layouts of settlement files of payment services and marketplaces (`layouts.toml`, D-83), and kinds of their rows."""

from __future__ import annotations

import csv
import io
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import translate
from functools import cache, lru_cache
from importlib.resources import files
from typing import BinaryIO, Final, Literal

import msgspec

from paymatch.domain.payouts.movements import OF_ORDERS, MovementKind
from paymatch.domain.words.faults import UnreadableValue
from paymatch.domain.words.message import Message
from paymatch.formats.settlements.kind_words import is_of_fee, kind_by_words, spaced
from paymatch.formats.statement import FileRefused
from paymatch.formats.text_decoding import WESTERN, encoding_of, errors_in

_FILE: Final = "layouts.toml"


class LayoutBroken(ValueError):
    """A layout could never be recognised or read; the text names it and the reason."""


class SettlementColumn(StrEnum):
    """What a column of a settlement file can hold."""

    ID = "id"  # the provider's transaction id
    SOURCE = "source"  # id of the charge, refund or dispute: replaces a missing `id` or `kind`
    PAYMENT = "payment"  # the provider's id of the customer's payment
    GROUP = "group"  # rows with the same value describe one event
    KIND = "kind"
    DETAIL = "detail"  # closer description of the kind, a second place to look for it
    STATUS = "status"
    EFFECT = "effect"  # PayPal's balance impact
    GROSS = "gross"  # several: their sum
    GROSS_DEBIT = "gross_debit"  # what `gross` loses, where money out has a column of its own
    FEE = "fee"  # several: their sum
    NET = "net"
    NET_DEBIT = "net_debit"  # what `net` loses
    CURRENCY = "currency"
    ORDER = "order"  # the first that is filled
    MARKETPLACE_NUMBER = "marketplace_number"
    TEXT = "text"  # all that are filled
    ORIGINAL = "original"
    ORIGINAL_CURRENCY = "original_currency"
    PAYOUT_ID = "payout_id"
    PAYOUT_DATE = "payout_date"
    TRACE = "trace"  # the transfer's reference
    TIME = "time"
    CLOCK = "clock"  # time of the day, where `time` is the day alone
    ZONE = "zone"
    BALANCE = "balance"  # of the account, after the row


Names = tuple[str, ...]
BY_SIGN: Final = "by sign"  # positive a sale, negative a refund
RESERVE: Final = "reserve"  # negative held, positive released
_KINDS: Final = frozenset({kind.value for kind in MovementKind} | {BY_SIGN, RESERVE})
_MOVING: Final = frozenset({kind.value for kind in OF_ORDERS} | {MovementKind.PAYOUT.value})


class Layout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How one report of a provider is read. `layouts.toml` says what each field means."""

    provider: str
    report: str
    headings: Names = ()
    marks: Names = ()
    min_marks: int = 0
    like: str = ""
    shape: Literal["rows", "parts", "two tables", "records"] = "rows"
    columns: dict[SettlementColumn, Names] = {}
    kinds: tuple[tuple[str, str], ...] = ()
    details: tuple[tuple[str, str], ...] = ()
    other_kind: str = MovementKind.ADJUSTMENT.value
    skips: dict[SettlementColumn, Names] = {}
    fee_sign: Literal["+", "-", ""] = "+"
    decimal_mark: Literal[".", ",", ""] = ""
    date_order: Literal["ymd", "dmy", "mdy", ""] = "ymd"
    zone: str = "UTC"
    gross_parts: Names = ()
    is_signed: bool = True
    payout_is_row: bool = False
    payout_by_day: bool = False
    id_needs_kind: bool = False
    id_needs_amount: bool = False
    by_order: bool = False
    sale_is_payment: bool = False
    payment_prefix: str = ""
    provider_name: str = ""  # of a provider that a person has named
    knows_words: bool = False  # kinds that its words leave open are read by usual words

    def kind_of(self, word: str, detail: str = "") -> str:
        """The kind that the cells of kind and detail say; `other_kind` where none of both is known."""
        return self.known_kind(word, detail) or self.other_kind

    def known_kind(self, word: str, detail: str = "") -> str:
        """The kind that the cells of kind and detail say; "" where none of both is known.

        A pattern never makes a refund or a chargeback of the fee for it: only a whole word that the layout names does.
        """
        said = _kind_of(self.kinds, word)
        if said in _MOVING and word.casefold().strip() not in {pattern.casefold() for pattern, _ in self.kinds}:
            said = MovementKind.FEE.value if is_of_fee(plain_kind(word)) else said
        usual = kind_by_words(plain_kind(word)) if self.knows_words else None
        return said or _kind_of(self.details, detail) or usual or ""

    def is_payment_id(self, word: str) -> bool:
        """Whether a word of the text is the id of a payment."""
        return bool(self.payment_prefix) and word.startswith(self.payment_prefix)

    def skips_cell(self, what: SettlementColumn, text: str) -> bool:
        """Whether a row with this cell moves nothing."""
        return _is_one_of(self.skips[what], text)

    def fits(self, cells: Iterable[str]) -> bool:
        """Whether a row of these cells is the layout's heading."""
        found = {heading_word(cell) for cell in cells}
        return (
            all(_has(found, wanted) for wanted in self.headings)
            and sum(_has(found, mark) for mark in self.marks) >= self.min_marks
        )


def _has(words: set[str], names: str) -> bool:
    """Whether one of these headings, separated by `|`, is among the words."""
    return any(_has_one(words, name) for name in names.split("|"))


def _has_one(words: set[str], name: str) -> bool:
    wanted = heading_word(name)
    return wanted in words or (name.endswith("*") and any(word.startswith(wanted) for word in words))


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    layout: tuple[Layout, ...]


@cache
def layouts() -> tuple[Layout, ...]:
    """The layouts that the package knows, in the order in which they are tried."""
    return parse_layouts(files(__package__).joinpath(_FILE).read_text("utf-8"))


def parse_layouts(text: str) -> tuple[Layout, ...]:
    """The layouts of a file's text; LayoutBroken if one could never be recognised or read."""
    try:
        given = msgspec.convert(tomllib.loads(text), _File).layout
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise LayoutBroken(f"{_FILE}: {error}") from error
    found: dict[tuple[str, str], Layout] = {}
    for layout in given:
        whole = _as_its_like(layout, found)
        check_layout(whole)
        found[layout.provider, layout.report] = whole
    return tuple(found.values())


def _as_its_like(layout: Layout, above: Mapping[tuple[str, str], Layout]) -> Layout:
    """The layout with what it leaves to one above of the same provider."""
    if not layout.like:
        return layout
    like = above.get((layout.provider, layout.like))
    if like is None:
        raise LayoutBroken(f"{_FILE}: {layout.report}: no layout above is called {layout.like!r}")
    return msgspec.structs.replace(
        like, report=layout.report, headings=layout.headings, marks=layout.marks, min_marks=layout.min_marks
    )


def check_layout(layout: Layout) -> None:
    """LayoutBroken if the layout could never be recognised, or names a kind that does not exist."""
    where = f"{layout.provider}, {layout.report}"
    if not layout.headings and not layout.marks:
        raise LayoutBroken(f"{where}: recognised by `headings` or `marks`")
    unknown = {kind for _, kind in (*layout.kinds, *layout.details)} | {layout.other_kind}
    if unknown := unknown - _KINDS:
        raise LayoutBroken(f"{where}: unknown kinds: {', '.join(sorted(unknown))}")


@lru_cache(maxsize=4096)
def _kind_of(kinds: tuple[tuple[str, str], ...], word: str) -> str:
    plain = word.casefold().strip()
    return next((kind for pattern, kind in kinds if plain and _pattern(pattern).fullmatch(plain)), "")


@lru_cache(maxsize=4096)
def _is_one_of(patterns: Names, word: str) -> bool:
    plain = word.casefold().strip()
    return any(_pattern(pattern).fullmatch(plain) for pattern in patterns)


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(translate(text.casefold()))


@lru_cache(maxsize=4096)
def heading_word(text: str) -> str:
    """A heading for comparison: lower case, accents and marks gone: `Gebühr (EUR)` is `gebuhr eur`."""
    plain = unicodedata.normalize("NFKD", text.replace("ß", "ss").casefold())
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    return " ".join(re.findall(r"[^\W_]+", plain))


def plain_kind(word: str) -> str:
    """A word of a kind's cell for comparison: `ChargebackReversed` is `chargeback reversed`."""
    return heading_word(spaced(word))


HEAD_BYTES: Final = 1 << 16
_MAX_HEADING: Final = 40  # rows above which a heading is looked for
_DELIMITERS: Final = ",;\t|"
_MAX_COLUMNS: Final = 512

Row = tuple[int, list[str]]
"""Line where the row begins, counted from 1, and its cells."""


class RowBroken(UnreadableValue):
    """A row that a broken file has cut, shifted or run together with the next."""


class RowWidths:
    """Compares rows with their heading: a cell beyond it, or a missing one that all rows above have, is a fault.

    Some programs leave out empty cells at the end of a row; those may be missing. `needed` are the places of cells that
    say what the row does.
    """

    def __init__(self, heading: Sequence[str], needed: Iterable[int]) -> None:
        self._width = _filled_width(heading)
        self._always_filled: set[int] | None = None
        self._needed = frozenset(needed)

    def check(self, cells: Sequence[str]) -> None:
        """RowBroken where the cells cannot be those of the headings."""
        width = _filled_width(cells)
        if width > self._width:
            raise RowBroken(Message("row-too-wide", cells=width, headings=self._width))
        filled = {place for place in self._always_filled or self._needed if place < width and cells[place].strip()}
        if self._always_filled and max(self._always_filled) >= len(cells):
            raise RowBroken(Message("row-lacks-cells", cells=len(cells), headings=self._width))
        self._always_filled = filled


def _filled_width(cells: Sequence[str]) -> int:
    width = len(cells)
    while width and not cells[width - 1].strip():
        width -= 1
    return width


@dataclass(frozen=True, slots=True)
class Recognised:
    """A file that is a settlement: its layout, and how its text is to be cut into rows."""

    layout: Layout
    delimiter: str
    encoding: str
    heading: int  # line of the heading
    has_quotes: bool = True  # Amazon writes quotation marks as they are


def recognise_settlement(stream: BinaryIO, layouts: Iterable[Layout]) -> Recognised | None:
    """What settlement the file is, by its headings; None if it is none of these. `stream` is put back."""
    start = stream.tell()
    head = stream.read(HEAD_BYTES)
    stream.seek(start)
    encoding, mark = encoding_of(head)
    text = head[mark:].decode(encoding, errors="ignore")
    if len(head) == HEAD_BYTES:
        text = text[: text.rfind("\n") + 1]
    known = tuple(layouts)
    for delimiter in _DELIMITERS:
        if delimiter not in text:
            continue
        has_quotes = delimiter != "\t" or '"\t"' in text
        for line, cells in _head_rows(text, delimiter, has_quotes=has_quotes):
            found = next((each for each in known if each.fits(cells)), None)
            if found is not None:
                return Recognised(found, delimiter, encoding, line, has_quotes)
    return None


def _head_rows(text: str, delimiter: str, *, has_quotes: bool) -> Iterator[Row]:
    try:
        for place, row in enumerate(_rows(io.StringIO(text, newline=""), delimiter, has_quotes=has_quotes)):
            if place >= _MAX_HEADING:
                return
            yield row
    except FileRefused:
        return  # with this delimiter it is no table


def rows_of(stream: BinaryIO, found: Recognised) -> Iterator[Row]:
    """All rows of the file that say something, heading included; FileRefused names the row that is not text."""
    errors = errors_in(WESTERN) if found.encoding == "utf-8" else "strict"  # a letter far below may be of an old page
    start = stream.tell()
    _, mark = encoding_of(stream.read(4))
    stream.seek(start + mark)
    wrapper = io.TextIOWrapper(stream, encoding=found.encoding, errors=errors, newline="")
    try:
        yield from _rows(wrapper, found.delimiter, has_quotes=found.has_quotes)
    finally:
        if not stream.closed:
            wrapper.detach()  # the stream is the caller's to close


def head_rows(stream: BinaryIO, found: Recognised) -> list[list[str]]:
    """The cells below the heading within the first 64 KB, to see how numbers and dates are written."""
    start = stream.tell()
    head = stream.read(HEAD_BYTES)
    stream.seek(start)
    text = head[encoding_of(head)[1] :].decode(found.encoding, errors="ignore")
    text = text[: text.rfind("\n") + 1] or text
    rows = _rows(io.StringIO(text, newline=""), found.delimiter, has_quotes=found.has_quotes)
    sample: list[list[str]] = []
    with suppress(FileRefused):  # a row that is cut here, or broken: reading the file names it
        sample += (cells for line, cells in rows if line > found.heading)
    return sample


def places_of(layout: Layout, cells: list[str]) -> dict[str, list[int]]:
    """Per kind of column the places in a row with this heading, best first; a `*` ends a beginning."""
    words = [heading_word(cell) for cell in cells]
    found: dict[str, list[int]] = {}
    for what, names in layout.columns.items():
        places: list[int] = []
        for name in names:
            wanted = heading_word(name)
            places += [
                place
                for place, word in enumerate(words)
                if (word == wanted or (name.endswith("*") and word.startswith(wanted))) and place not in places
            ]
        if places:
            found[what.value] = places
    return found


def _rows(lines: Iterable[str], delimiter: str, *, has_quotes: bool) -> Iterator[Row]:
    reader = csv.reader(
        _without_zeros(lines),
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if has_quotes else csv.QUOTE_NONE,
        strict=True,
    )
    line = 1
    try:
        for cells in reader:
            if len(cells) > _MAX_COLUMNS:
                raise RowBroken(Message("row-columns", count=len(cells)))
            if any(cells):
                yield line, cells
            line = reader.line_num + 1
    except RowBroken as error:
        raise FileRefused(Message("file-row", row=str(line), what=error.message)) from None
    except UnicodeDecodeError as error:
        encoding = Message("file-not-all-in", encoding=error.encoding, error=error.reason)
        raise FileRefused(Message("file-row", row=str(line), what=encoding)) from None
    except csv.Error as error:
        what = Message("row-cell-long", most=csv.field_size_limit()) if "limit" in str(error) else Message("row-quotes")
        raise FileRefused(Message("file-row", row=str(line), what=what)) from None


def _without_zeros(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if "\0" in line:
            raise RowBroken(Message("row-zero"))
        yield line


def tables_in(stream: BinaryIO) -> Iterator[list[list[str]]]:
    """The first rows of a file as each of the usual separators would cut them. `stream` is put back."""
    start = stream.tell()
    head = stream.read(HEAD_BYTES)
    stream.seek(start)
    encoding, mark = encoding_of(head)
    text = head[mark:].decode(encoding, errors="ignore")
    for delimiter in _DELIMITERS:
        if delimiter in text:
            yield [cells for _, cells in _head_rows(text, delimiter, has_quotes=True)]
