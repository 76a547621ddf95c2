"""How settlement files of payment services and marketplaces look: layouts as data, from `layouts.toml` (D-83)."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from enum import StrEnum
from fnmatch import translate
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final, Literal

import msgspec

from paymatch.domain.payouts.movements import MovementKind
from paymatch.formats.settlements.kind_words import kind_by_words

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
    provider_name: str = ""  # of a provider that a person has named
    knows_words: bool = False  # kinds that its words leave open are read by usual words

    def kind_of(self, word: str, detail: str = "") -> str:
        """The kind that the cells of kind and detail say; `other_kind` where none of both is known."""
        return self.known_kind(word, detail) or self.other_kind

    def known_kind(self, word: str, detail: str = "") -> str:
        """The kind that the cells of kind and detail say; "" where none of both is known."""
        usual = kind_by_words(heading_word(word)) if self.knows_words else None
        return _kind_of(self.kinds, word) or _kind_of(self.details, detail) or usual or ""

    def skips_cell(self, what: SettlementColumn, text: str) -> bool:
        """Whether a row with this cell moves nothing."""
        return _is_one_of(self.skips[what], text)

    def fits(self, cells: Iterable[str]) -> bool:
        """Whether a row of these cells is the layout's heading."""
        found = {heading_word(cell) for cell in cells}
        if not all(any(_has(found, name) for name in wanted.split("|")) for wanted in self.headings):
            return False
        return sum(_has(found, mark) for mark in self.marks) >= self.min_marks


def _has(words: set[str], name: str) -> bool:
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
