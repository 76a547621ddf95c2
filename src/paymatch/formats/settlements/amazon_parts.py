"""Amazon's flat file V2: a row per amount, one settlement's total before its rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import BinaryIO

from paymatch.domain.payouts.movements import OF_ORDERS, Movement, MovementKind, StatedPayout
from paymatch.domain.payouts.proofs import prove_total
from paymatch.domain.words.message import Message
from paymatch.formats.bank_values import digits_of_code
from paymatch.formats.settlements.layouts import Recognised, Row, SettlementColumn, head_rows
from paymatch.formats.settlements.proving import Proving
from paymatch.formats.settlements.row_ids import RowIds
from paymatch.formats.settlements.table_cells import TableCells
from paymatch.formats.settlements.values import moment_of
from paymatch.formats.statement import FileRefused

_C = SettlementColumn
_K = MovementKind


@dataclass(slots=True)
class _Settlement:
    """The settlement whose rows are read."""

    settlement_id: str
    currency: str
    total_minor: int
    sent_on: date | None
    row: int
    summed_minor: int = 0

    def prove(self) -> None:
        """ReadingUnproved unless its rows add up to its total."""
        prove_total(
            self.row, Message("what-total-amount"), self.total_minor, self.summed_minor, digits_of_code(self.currency)
        )

    def stated_payout(self) -> StatedPayout:
        """Its payout: none where the settlement ends below zero, which the next one pays."""
        amount = max(self.total_minor, 0)
        return StatedPayout(
            self.settlement_id,
            self.currency,
            amount,
            self.sent_on,
            carried_out_minor=self.total_minor - amount,
            row=self.row,
        )


def read_parts(
    rows: Iterator[Row], stream: BinaryIO, found: Recognised, proving: Proving
) -> Iterator[Movement | StatedPayout]:
    """Movements of a file with a row per amount: those of one order share their group."""
    sample = head_rows(stream, found)
    cells_of: TableCells | None = None
    current: _Settlement | None = None
    ids = RowIds()
    for line, cells in rows:
        proving.row = line
        if cells_of is None:
            cells_of = TableCells(found.layout, cells, sample) if line >= found.heading else None
            continue
        cells_of.widths.check(cells)
        if cells_of.first(cells, _C.NET):
            if current is not None:
                current.prove()
            current = _settlement_of(cells_of, cells, line, proving.default_currency)
            yield current.stated_payout()
        elif current is None or cells_of.first(cells, _C.PAYOUT_ID) != current.settlement_id:
            raise FileRefused(Message("file-row", row=str(line), what=Message("settlement-no-total")))
        else:
            movement = _part(cells_of, cells, current, ids, proving)
            current.summed_minor += movement.net_minor
            yield movement
    if current is not None:
        proving.row = current.row
        current.prove()


def _settlement_of(cells_of: TableCells, cells: list[str], line: int, default_currency: str) -> _Settlement:
    currency = cells_of.currency(cells) or default_currency
    return _Settlement(
        cells_of.first(cells, _C.PAYOUT_ID),
        currency,
        cells_of.amount(cells, _C.NET, currency) or 0,
        cells_of.day(cells, _C.PAYOUT_DATE),
        line,
    )


def _part(cells_of: TableCells, cells: list[str], current: _Settlement, ids: RowIds, proving: Proving) -> Movement:
    layout, first, line = cells_of.layout, cells_of.first, proving.row
    amount = cells_of.amount(cells, _C.GROSS, current.currency)
    if amount is None:
        raise FileRefused(Message("file-row", row=str(line), what=Message("amount-missing")))
    word, detail, part = first(cells, _C.KIND), first(cells, _C.DETAIL), first(cells, _C.EFFECT)
    order = first(cells, _C.MARKETPLACE_NUMBER)
    kind = _K(proving.kind_of(word, detail))
    if kind in OF_ORDERS and not order:
        kind = _K.ADJUSTMENT
    elif kind is _K.ADJUSTMENT and "fee" in word.casefold():
        kind = _K.FEE
    is_fee = part not in layout.gross_parts if kind in OF_ORDERS else kind is _K.FEE
    when = first(cells, _C.TIME)
    return Movement(
        kind=_K.FEE if is_fee else kind,
        currency=current.currency,
        gross_minor=0 if is_fee else amount,
        fee_minor=-amount if is_fee else 0,
        provider_id=ids.of(current.settlement_id, word, order, part, detail, *map(cells_of.joined_of(cells), _TELLING)),
        group=_event(current.settlement_id, kind, order),
        payment_id=order,
        order_reference=first(cells, _C.ORDER),
        marketplace_number=order,
        text=" ".join(filter(None, (word, detail))) if not order else first(cells, _C.TEXT),
        payout_id=current.settlement_id,
        payout_date=current.sent_on,
        at=moment_of(when, cells_of.order, layout.zone) if when else None,
        row=line,
        report=layout.report,
    )


def _event(settlement: str, kind: MovementKind, order: str) -> str:
    """The common key of one order's and kind's rows; and of the provider's rows, which the other report splits."""
    if kind is _K.PAYOUT:
        return ""
    return f"{settlement} {kind} {order}" if kind in OF_ORDERS else f"{settlement} of no order"


_TELLING = (_C.GROUP, _C.SOURCE, _C.TIME, _C.GROSS)
