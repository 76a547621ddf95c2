"""Settlement files with one row per movement, which most providers have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import BinaryIO, Final

from paymatch.domain.money import AmountUnreadable
from paymatch.domain.payouts.movements import Half, Movement, MovementKind, StatedPayout
from paymatch.domain.payouts.proofs import prove_net, prove_total
from paymatch.domain.words.message import Message
from paymatch.formats.bank_values import digits_of_code
from paymatch.formats.settlements.heading_words import TOTALS
from paymatch.formats.settlements.layouts import (
    BY_SIGN,
    RESERVE,
    Layout,
    Recognised,
    Row,
    SettlementColumn,
    head_rows,
    heading_word,
)
from paymatch.formats.settlements.proving import Proving
from paymatch.formats.settlements.row_ids import RowIds
from paymatch.formats.settlements.table_cells import TableCells
from paymatch.formats.settlements.values import moment_of
from paymatch.formats.statement import FileRefused

_C = SettlementColumn
_K = MovementKind
_TELLS_STATUS: Final = frozenset({_C.STATUS, _C.EFFECT})
_SUMMED: Final = (_C.GROSS, _C.FEE, _C.NET)
_OUT: Final = frozenset({_K.REFUND, _K.CHARGEBACK, _K.FEE, _K.PAYOUT, _K.RESERVE_HELD})


class _Rows(TableCells):
    """Reads the rows of one file, and what it needs to prove them."""

    def __init__(self, layout: Layout, heading: list[str], sample: list[list[str]], proving: Proving) -> None:
        super().__init__(layout, heading, sample)
        self.proving = proving
        self.ids = RowIds()
        self.totals = _Totals()
        self.needs_net = (
            all(self.has(what) for what in (_C.GROSS, _C.FEE, _C.NET))
            and not layout.id_needs_amount
            and not layout.provider_name
        )
        if not any(self.has(what) for what in (_C.GROSS, _C.GROSS_DEBIT, _C.NET, _C.NET_DEBIT)):
            raise FileRefused(Message("file-row", row=str(proving.row), what=Message("settlement-no-amounts")))
        if _TELLS_STATUS & layout.skips.keys() and not any(self.has(what) for what in (*_TELLS_STATUS, _C.BALANCE)):
            # Payments that failed or wait look like those that were made.
            raise FileRefused(Message("file-row", row=str(proving.row), what=Message("settlement-no-status")))


class _Totals:
    """The sums of the columns so far: a row that only repeats them is not a movement, and must agree."""

    def __init__(self) -> None:
        self._sums: dict[SettlementColumn, int] = {}
        self._currency = ""

    def proves(self, reading: _Rows, cells: list[str]) -> bool:
        """Whether the row adds up those above; ReadingUnproved if it says so and does not."""
        currency = reading.currency(cells) or self._currency or reading.proving.default_currency
        if not _is_total(reading, cells):
            self._currency = currency
            for what in _SUMMED:
                self._sums[what] = self._sums.get(what, 0) + (reading.amount(cells, what, currency) or 0)
            return False
        for what in _SUMMED:
            stated = reading.amount(cells, what, currency)
            if stated is not None:
                prove_total(reading.proving.row, what.value, stated, self._sums.get(what, 0), digits_of_code(currency))
        return True


def _is_total(reading: _Rows, cells: list[str]) -> bool:
    """Whether a row calls itself a total, and names no day and no transaction."""
    if not any(heading_word(cell) in TOTALS for cell in cells if cell):
        return False
    own = [reading.first(cells, what) for what in (_C.TIME, _C.PAYOUT_DATE, _C.ID, _C.SOURCE)]
    return not any(each and heading_word(each) not in TOTALS for each in own)


def read_rows(
    rows: Iterator[Row], stream: BinaryIO, found: Recognised, proving: Proving
) -> Iterator[Movement | StatedPayout]:
    """Movements of a file with one row each."""
    layout = found.layout
    sample = head_rows(stream, found)
    reading: _Rows | None = None
    waiting: list[Movement] = []
    payout_of_day: dict[date, str] = {}
    for line, cells in rows:
        proving.row = line
        if line < found.heading:
            continue
        if reading is None:
            reading = _Rows(layout, cells, sample, proving)
            continue
        reading.widths.check(cells)
        movement = None if reading.totals.proves(reading, cells) else _movement_of(reading, cells, line)
        if movement is None:
            continue
        if layout.payout_by_day and movement.payout_date is not None:
            if not movement.payout_id:
                waiting.append(movement)
                continue
            payout_of_day[movement.payout_date] = movement.payout_id
        yield movement
        if trace := reading.first(cells, _C.TRACE) if movement.kind is _K.PAYOUT else "":
            yield _stated_payout(movement, trace)
    yield from (_with_payout(each, payout_of_day) for each in waiting)


def _movement_of(reading: _Rows, cells: list[str], line: int) -> Movement | None:
    layout = reading.layout
    if _is_skipped(reading, cells):
        return None
    currency = reading.currency(cells) or reading.proving.default_currency
    gross, fee, net = _amounts(reading, cells, currency)
    said = _said_kind(reading, cells)
    kind = _kind(reading, said, gross)
    if kind is _K.SALE:
        reading.proving.fee_seen(fee, is_proved=bool(reading.first(cells, _C.GROSS) and reading.first(cells, _C.NET)))
    if not layout.is_signed:
        gross, fee = _with_direction(said, kind, gross, fee)
        net = gross - fee
    if kind is _K.FEE:
        gross, fee = 0, -net
    elif kind not in _OF_SALES and (kind is not _K.PAYOUT or not gross):
        gross, fee = net, 0
    balance = reading.amount(cells, _C.BALANCE, currency)
    if balance is not None:
        reading.proving.balance(currency, net, balance)
    filled = _movement_of_cells(reading, cells, line, kind, currency, gross, fee)
    return _half(filled, said) if layout.id_needs_amount else filled


def _half(movement: Movement, said: str) -> Movement:
    """The row as one of the two that tell of a transaction."""
    is_paid = movement.payout_date is not None or bool(movement.payout_id)
    is_by_sign = said == BY_SIGN or (is_paid and movement.kind is _K.SALE)
    return replace(movement, half=Half.PAYOUT if is_paid else Half.EVENT, is_by_sign=is_by_sign)


_OF_SALES: Final = frozenset({_K.SALE, _K.REFUND, _K.CHARGEBACK, _K.CHARGEBACK_REVERSED})


def _is_skipped(reading: _Rows, cells: list[str]) -> bool:
    return any(reading.layout.skips_cell(what, reading.first(cells, what)) for what in reading.layout.skips)


def _amounts(reading: _Rows, cells: list[str], currency: str) -> tuple[int, int, int]:
    """Gross, fee as taken (positive) and net: two of them give the third, three must agree."""
    gross = reading.amount(cells, _C.GROSS, currency)
    fee = reading.amount(cells, _C.FEE, currency)
    net = reading.amount(cells, _C.NET, currency)
    if fee is not None:
        fee = -fee if reading.layout.fee_sign == "-" else fee
    if net is None:
        if gross is None or reading.needs_net:
            raise AmountUnreadable(Message("amount-missing"))
        net = gross - (fee or 0)
    if gross is None:
        gross = net + (fee or 0)
    if fee is None:
        fee = gross - net
    if not reading.layout.fee_sign and gross + fee == net != gross - fee:
        fee = -fee  # a column that writes fees with a minus
    prove_net(reading.proving.row, gross, fee, net)
    return gross, fee, net


def _said_kind(reading: _Rows, cells: list[str]) -> str:
    word, detail = reading.first(cells, _C.KIND), reading.first(cells, _C.DETAIL)
    if not word and (source := reading.first(cells, _C.SOURCE)):
        word = f"{source.partition('_')[0]}_"  # ch_, re_, du_
    return reading.proving.kind_of(word, detail)


def _kind(reading: _Rows, said: str, gross_minor: int) -> MovementKind:
    """The kind with the sign in it: what a sale, a chargeback or a reserve against its sign is."""
    is_signed = reading.layout.is_signed
    if said == BY_SIGN:
        reading.proving.sign_seen(gross_minor, decides=True)
        return _K.SALE if gross_minor > 0 else _K.REFUND
    if said == RESERVE:
        return _K.RESERVE_HELD if gross_minor < 0 else _K.RESERVE_RELEASED
    kind = _K(said)
    reading.proving.sign_seen(gross_minor, decides=False)
    if is_signed and kind is _K.SALE and gross_minor < 0:
        return _K.ADJUSTMENT  # what the merchant himself bought
    if is_signed and kind is _K.CHARGEBACK and gross_minor > 0:
        return _K.CHARGEBACK_REVERSED
    return kind


def _with_direction(said: str, kind: MovementKind, gross: int, fee: int) -> tuple[int, int]:
    """Amounts of a file without signs, in the direction of their kind."""
    return (-gross, -fee) if said != BY_SIGN and kind in _OUT and gross > 0 else (gross, fee)


def _movement_of_cells(
    reading: _Rows, cells: list[str], line: int, kind: MovementKind, currency: str, gross: int, fee: int
) -> Movement:
    layout = reading.layout
    first = reading.first
    original_currency = reading.currency(cells, _C.ORIGINAL_CURRENCY)
    original = reading.amount(cells, _C.ORIGINAL, original_currency) if original_currency else None
    when = " ".join(filter(None, (first(cells, _C.TIME), first(cells, _C.CLOCK))))
    at = moment_of(when, reading.order, first(cells, _C.ZONE) or layout.zone) if when else None
    marketplace = first(cells, _C.MARKETPLACE_NUMBER)
    payout_id = _payout_id(reading, cells, kind)
    own = first(cells, _C.ID) or first(cells, _C.SOURCE)
    payment, alias = _payment_ids(reading, cells, kind, own)
    own = f"{own} {_said_once(layout, kind, gross)}" if own and layout.id_needs_kind else own
    event = _event(layout, kind, marketplace, payout_id)
    return Movement(
        kind=kind,
        currency=currency,
        gross_minor=gross,
        fee_minor=fee,
        provider_id=own
        or reading.ids.of(
            kind.value, *_natural(reading, cells), is_once=kind is _K.SALE and first(cells, _C.PAYMENT) != ""
        ),
        group=event or first(cells, _C.GROUP),
        payment_id=payment,
        payment_alias=alias,
        order_reference=first(cells, _C.ORDER),
        marketplace_number=marketplace,
        text=reading.join_cells(cells, _C.TEXT) or reading.join_cells(cells, _C.ORDER),
        original_minor=None if original_currency in {"", currency} else original,
        original_currency="" if original_currency == currency else original_currency,
        payout_id="" if layout.payout_is_row and kind is not _K.PAYOUT else payout_id,
        payout_date=reading.day(cells, _C.PAYOUT_DATE),
        at=at,
        row=line,
        report=layout.report,
    )


def _payment_ids(reading: _Rows, cells: list[str], kind: MovementKind, own: str) -> tuple[str, str]:
    """The first two ids of the customer's payment in the row; "" where it has fewer."""
    layout = reading.layout
    payout = _payout_id(reading, cells, kind)  # of some services one column names either
    named = [each for each in reading.find_filled(cells, _C.PAYMENT) if each != payout]
    if kind in _OF_SALES:
        named += [word for word in reading.join_cells(cells, _C.DETAIL).split() if layout.is_payment_id(word)]
    if layout.sale_is_payment:
        named = [own, *named] if kind is _K.SALE else [*named, own]
    if kind in _OF_SALES and named:
        named += reading.find_filled(cells, _C.SOURCE)
    payment, alias, *_ = (*dict.fromkeys(filter(None, named)), "", "")
    return payment, alias if kind in _OF_SALES else ""


def _said_once(layout: Layout, kind: MovementKind, gross_minor: int) -> str:
    """What distinguishes rows with one id, in words that all reports of the provider share."""
    if not layout.id_needs_amount or kind not in _OF_SALES:
        return kind.value
    return _K.SALE.value if gross_minor > 0 else f"{_K.REFUND} {gross_minor}"


def _event(layout: Layout, kind: MovementKind, order: str, period: str) -> str:
    """What rows of one order, kind and period share; and those of the provider, which another report cuts otherwise."""
    if not layout.by_order or kind is _K.PAYOUT:
        return ""
    return f"{period} {kind} {order}" if order and kind in _OF_SALES else f"{period} of no order"


def _payout_id(reading: _Rows, cells: list[str], kind: MovementKind) -> str:
    said = reading.first(cells, _C.PAYOUT_ID)
    if reading.layout.payout_by_day and kind is not _K.SALE:
        return ""  # of a deduction the column names the transaction
    return said or (reading.first(cells, _C.SOURCE) if kind is _K.PAYOUT else "")


_NATURAL: Final = (
    _C.TIME, _C.ORDER, _C.MARKETPLACE_NUMBER, _C.PAYMENT, _C.TEXT, _C.GROSS, _C.FEE, _C.NET, _C.CURRENCY,
)  # fmt: skip
_DEBITS: Final = (_C.GROSS_DEBIT, _C.NET_DEBIT)


def _natural(reading: _Rows, cells: list[str]) -> list[str]:
    """What distinguishes a row without an id from others, and never changes between downloads."""
    debits = [what for what in _DEBITS if reading.has(what)]  # ids of files without them are unchanged
    return [reading.join_cells(cells, what) for what in (*_NATURAL, *debits)]


def _with_payout(movement: Movement, payout_of_day: Mapping[date, str]) -> Movement:
    day = movement.payout_date
    return replace(movement, payout_id=payout_of_day.get(day, "")) if day is not None else movement


def _stated_payout(movement: Movement, trace: str) -> StatedPayout:
    return StatedPayout(
        movement.payout_id or movement.provider_id,
        movement.currency,
        -movement.gross_minor,
        movement.payout_date or (movement.at.date() if movement.at else None),
        fee_minor=movement.fee_minor,
        trace_id=trace,
        row=movement.row,
    )
