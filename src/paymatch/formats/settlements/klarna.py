"""Klarna's settlement file: one table with the totals of the payout, then one with its rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Final

from paymatch.domain.payouts.movements import OF_ORDERS, Movement, MovementKind, StatedPayout
from paymatch.domain.payouts.proofs import prove_total
from paymatch.domain.words.message import Message
from paymatch.formats.bank_values import digits_of_code
from paymatch.formats.settlements.layouts import Layout, Recognised, Row, SettlementColumn, heading_word
from paymatch.formats.settlements.proving import Proving
from paymatch.formats.settlements.row_ids import RowIds
from paymatch.formats.settlements.table_cells import TableCells
from paymatch.formats.settlements.values import amount_of, day_of, moment_of
from paymatch.formats.statement import FileRefused

_C = SettlementColumn
_K = MovementKind
_INTO: Final = frozenset({"SALE", "REVERSAL_MERCHANT_PROTECTION", "COMMISSION", "RELEASE", "CREDIT", "FEE_REFUND"})
_OUT: Final = frozenset({"FEE", "RETURN", "REVERSAL", "HOLDBACK", "CHARGE"})
"""Types of one direction each: the sign of their amounts is not safe. The sign of a CORRECTION is its own."""
_FEES_APART: Final = frozenset({"GROSS", "GROSS_FEE"})
"""Merchants whose fees are invoiced: the rows may tell of them, the payout is not lowered by them."""
_OF_TYPE: Final = (
    ("total_sale_amount", "SALE"),
    ("total_return_amount", "RETURN"),
    ("total_reversal_amount", "REVERSAL"),
)


class _Totals:
    """The first table: what the payout as a whole says."""

    def __init__(self, heading: list[str], cells: list[str], line: int, mark: str, default_currency: str) -> None:
        named = {heading_word(name): cell.strip() for name, cell in zip(heading, cells, strict=False)}
        self.line = line
        self._named = named
        self._mark = mark
        self.currency = (named.get("settlement currency") or default_currency).upper()
        self.reference = named.get("payment reference", "")
        self.has_fees_apart = named.get("merchant settlement type", "").upper() in _FEES_APART
        day = named.get("payout date", "")
        self.day = day_of(day, "ymd") if day else None
        self.sums: dict[str, int] = {}
        self.net_minor = self.fees_minor = 0

    def amount(self, name: str) -> int:
        """A total without its sign; 0 where the file lacks it."""
        said = self._named.get(heading_word(name), "")
        return abs(amount_of(said, self._mark, self.currency)) if said else 0

    def stated_payout(self) -> StatedPayout:
        """The payout: debts of earlier weeks are carried in, that of this week is carried out."""
        return StatedPayout(
            self.reference,
            self.currency,
            self.amount("total_settlement_amount"),
            self.day,
            carried_in_minor=-self.amount("opening_debt_balance"),
            carried_out_minor=-self.amount("closing_debt_balance"),
            row=self.line,
        )

    def add(self, word: str, movement: Movement) -> None:
        """Adds a row to the sums."""
        self.sums[word] = self.sums.get(word, 0) + movement.net_minor
        self.net_minor += movement.net_minor
        self.fees_minor += movement.fee_minor

    def prove(self) -> None:
        """ReadingUnproved unless the rows add up to the totals and to the payout."""
        digits = digits_of_code(self.currency)
        for name, word in _OF_TYPE:
            if heading_word(name) in self._named:
                prove_total(self.line, name, self.amount(name), abs(self.sums.get(word, 0)), digits)
        stated = self.stated_payout()
        debt = stated.carried_in_minor - stated.carried_out_minor
        if not debt:
            debt = self.amount("total_deposit_amount") - self.amount("total_repay_amount")
        prove_total(self.line, "total_settlement_amount", stated.amount_minor, self.net_minor + debt, digits)


def read_two_tables(
    rows: Iterator[Row], stream: BinaryIO, found: Recognised, proving: Proving
) -> Iterator[Movement | StatedPayout]:
    """Movements of a Klarna file: the fees of a sale share its group."""
    layout = found.layout
    _, heading = next(rows)
    proving.row, cells = next(rows, (0, []))
    if not proving.row:
        raise FileRefused(Message("file-row", row="2", what=Message("settlement-no-totals")))
    mark = "," if any("," in cell and "." not in cell for cell in cells) and found.delimiter != "," else "."
    totals = _Totals(heading, cells, proving.row, mark, proving.default_currency)
    yield totals.stated_payout()
    cells_of: TableCells | None = None
    ids = RowIds()
    for line, cells in rows:
        proving.row = line
        if cells_of is None:
            cells_of = _second_heading(layout, cells, line, mark)
            continue
        cells_of.widths.check(cells)
        movement, word = _row(cells_of, cells, totals, ids, proving)
        totals.add(word, movement)
        yield movement
    proving.row = totals.line
    totals.prove()


def _second_heading(layout: Layout, cells: list[str], line: int, mark: str) -> TableCells:
    found = TableCells(layout, cells, [])
    found.mark = mark
    if not found.has(_C.KIND) or not found.has(_C.GROSS):
        raise FileRefused(Message("file-row", row=str(line), what=Message("settlement-no-headings")))
    return found


def _row(
    cells_of: TableCells, cells: list[str], totals: _Totals, ids: RowIds, proving: Proving
) -> tuple[Movement, str]:
    first, line = cells_of.first, proving.row
    word = first(cells, _C.KIND).upper()
    currency = cells_of.currency(cells) or totals.currency
    amount = cells_of.amount(cells, _C.GROSS, currency)
    if amount is None:
        raise FileRefused(Message("file-row", row=str(line), what=Message("amount-missing")))
    if word in _INTO | _OUT:
        amount = abs(amount) if word in _INTO else -abs(amount)
    kind = _K(proving.kind_of(word))
    if kind is _K.FEE and totals.has_fees_apart:
        amount = 0  # it is invoiced
    capture, refund, order = first(cells, _C.GROUP), first(cells, _C.ID), first(cells, _C.PAYMENT)
    event = refund or capture or order
    is_of_order = event and (kind in OF_ORDERS or kind is _K.FEE)
    group = f"{totals.reference} {event} {_event_of(kind, word, refund)}" if is_of_order else ""
    when = first(cells, _C.TIME)
    movement = Movement(
        kind=kind,
        currency=currency,
        gross_minor=0 if kind is _K.FEE else amount,
        fee_minor=-amount if kind is _K.FEE else 0,
        provider_id=ids.of(totals.reference, word, first(cells, _C.DETAIL), capture, refund, order, str(amount)),
        group=group,
        payment_id=order,
        payment_alias=next((each for each in cells_of.find_filled(cells, _C.PAYMENT) if each != order), ""),
        order_reference=first(cells, _C.ORDER),
        marketplace_number=first(cells, _C.MARKETPLACE_NUMBER),
        text=cells_of.join_cells(cells, _C.TEXT),
        payout_id=totals.reference,
        payout_date=totals.day,
        at=moment_of(when, "ymd") if when else None,
        row=line,
        report=cells_of.layout.report,
    )
    return movement, word


def _event_of(kind: MovementKind, word: str, refund: str) -> MovementKind:
    """Of a fee, what it was taken for."""
    if kind is not _K.FEE:
        return kind
    return _K.REFUND if refund or word == "FEE_REFUND" else _K.SALE
