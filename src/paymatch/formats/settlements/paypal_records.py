"""PayPal's settlement report: records by their first cell, unsigned amounts in minor units, proved by its footers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Final

from paymatch.domain.money import AmountUnreadable
from paymatch.domain.payouts.movements import Movement, MovementKind, StatedPayout
from paymatch.domain.payouts.proofs import prove_total
from paymatch.domain.words.message import Message
from paymatch.formats.bank_values import digits_of_code
from paymatch.formats.settlements.layouts import RESERVE, Recognised, Row, RowBroken, heading_word
from paymatch.formats.settlements.proving import Proving
from paymatch.formats.settlements.values import moment_of

_K = MovementKind
_SUMS: Final = ("gross credits", "gross debits", "fee credits", "fee debits")
_HEADINGS: Final = (
    "Transaction ID", "Transaction Event Code", "Transaction Debit or Credit", "Gross Transaction Amount",
    "Gross Transaction Currency", "Fee Debit or Credit", "Fee Amount",
)  # fmt: skip
"""Headings without which no row can be read."""
_OF_SALES: Final = frozenset({_K.SALE, _K.REFUND, _K.CHARGEBACK, _K.CHARGEBACK_REVERSED})


@dataclass(slots=True)
class _Section:
    """The sums of one section per currency."""

    places: dict[str, int] = field(default_factory=dict)
    sums: dict[str, list[int]] = field(default_factory=dict)
    rows: int = 0
    first_row: int = 0
    is_proved: bool = True  # as long as it has no rows

    def take_headings(self, cells: list[str]) -> None:
        """UnreadableValue if a heading is missing that every row needs."""
        self.places = {heading_word(cell): place for place, cell in enumerate(cells)}
        for name in _HEADINGS:
            if heading_word(name) not in self.places:
                raise RowBroken(Message("paypal-no-heading", heading=name))

    def prove_count(self, cells: list[str]) -> None:
        """RowBroken unless SC counts the rows that there are."""
        counted = "".join(cells[1:2]).strip()
        if not counted.isdecimal() or int(counted) != self.rows:
            raise RowBroken(Message("paypal-count", rows=self.rows, counted=counted))
        self.is_proved = True

    def prove_end(self) -> None:
        """RowBroken if rows came, but no SC: the file is cut."""
        if not self.is_proved:
            raise RowBroken(Message("paypal-cut"))

    def cell(self, cells: list[str], name: str) -> str:
        place = self.places.get(name, -1)
        return cells[place].strip() if 0 <= place < len(cells) else ""

    def add(self, currency: str, place: int, minor: int) -> None:
        self.sums.setdefault(currency, [0, 0, 0, 0])[place] += minor

    def prove_footer(self, cells: list[str], line: int) -> None:
        """ReadingUnproved unless SF, with the sums of one currency and its balances, agrees with the rows."""
        currency, *said = (cell.strip() for cell in cells[1:] or [""])
        amounts = [_minor(cell, signed=True) for cell in said if cell]
        summed = self.sums.get(currency.upper(), [0, 0, 0, 0])
        digits = digits_of_code(currency.upper())
        for what, stated, found in zip(_SUMS, amounts, summed, strict=False):
            prove_total(line, f"the total of {what}", stated, found, digits)
        if len(amounts) >= 6:
            moved = summed[0] - summed[1] + summed[2] - summed[3]
            prove_total(line, "the change of the balance", amounts[5] - amounts[4], moved, digits)


def read_records(
    rows: Iterator[Row], stream: BinaryIO, found: Recognised, proving: Proving
) -> Iterator[Movement | StatedPayout]:
    """Movements of a file of records: SB is a row, CH its headings, SF and SC prove a section."""
    section = _Section()
    for line, cells in rows:
        proving.row = line
        record = cells[0].strip()
        if record == "SH":
            section.prove_end()
            section = _Section()
        elif record == "CH":
            section.take_headings(cells)
        elif record == "SB":
            section.rows += 1
            section.is_proved = False
            yield _body(section, cells, proving)
        elif record == "SF":
            section.prove_footer(cells, line)
        elif record == "SC":
            section.prove_count(cells)
    section.prove_end()


def _body(section: _Section, cells: list[str], proving: Proving) -> Movement:
    def of(name: str) -> str:
        return section.cell(cells, name)

    if not section.places:
        raise RowBroken(Message("paypal-no-headings"))
    currency = of("gross transaction currency").upper()
    digits_of_code(currency)
    gross = _side(of("transaction debit or credit")) * _minor(of("gross transaction amount"))
    fee_text = of("fee amount")
    fee = _minor(fee_text) if fee_text else 0
    fee = -_side(of("fee debit or credit")) * fee if fee else 0
    section.add(currency, 0 if gross > 0 else 1, abs(gross))
    section.add(currency, 2 if fee < 0 else 3, abs(fee))
    code = of("transaction event code")
    kind = _kind(proving.kind_of(code), gross)
    if kind not in _OF_SALES:
        gross, fee = (0, fee - gross) if kind is _K.FEE else (gross, fee)
    when = of("transaction completion date") or of("transaction initiation date")
    own, reference = of("transaction id"), of("paypal reference id")
    if not own:
        raise RowBroken(Message("paypal-no-id"))
    named = [reference] if reference and of("paypal reference id type") == "TXN" else []
    payment, alias, *_ = (*dict.fromkeys((own, *named) if kind is _K.SALE else (*named, own)), "")
    return Movement(
        kind=kind,
        currency=currency,
        gross_minor=gross,
        fee_minor=fee,
        provider_id=own,
        payment_id=payment,
        payment_alias=alias if kind in _OF_SALES else "",
        order_reference=of("invoice id") or of("custom field"),
        text=" ".join(filter(None, (of("custom field"), of("payment tracking id")))),
        at=moment_of(when, "ymd") if when else None,
        row=proving.row,
        report=proving.layout.report,
    )


def _kind(said: str, gross_minor: int) -> MovementKind:
    if said == RESERVE:
        return _K.RESERVE_HELD if gross_minor < 0 else _K.RESERVE_RELEASED
    kind = _K(said)
    if kind is _K.SALE and gross_minor < 0:
        return _K.ADJUSTMENT  # what the merchant himself bought
    if kind is _K.CHARGEBACK and gross_minor > 0:
        return _K.CHARGEBACK_REVERSED
    return kind


def _side(word: str) -> int:
    """1 for CR, -1 for DR; nothing else says a side."""
    if word not in {"CR", "DR"}:
        raise AmountUnreadable(Message("paypal-side", text=repr(word[:20])))
    return 1 if word == "CR" else -1


def _minor(text: str, *, signed: bool = False) -> int:
    digits = text.removeprefix("-") if signed else text
    if not digits.isascii() or not digits.isdigit() or len(digits) > 15:
        raise AmountUnreadable(Message("amount-no-minor-units", text=repr(text[:40])))
    return -int(digits) if text.startswith("-") else int(digits)
