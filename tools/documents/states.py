"""docs/states.md: the lifecycles, printed from the tables that decide."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from paymatch.domain.callbacks import deliveries
from paymatch.domain.callbacks.deliveries import UNFINISHED, CallbackEvent, CallbackStatus
from paymatch.domain.orders.settlement import OPEN_STATUSES, Ledger, Mark, payment_status
from paymatch.domain.refunds import MOVES, RESERVED, RefundEvent, RefundStatus

_DUE: Final = 10000
_LEDGERS: Final = (
    ("nothing paid", Ledger(_DUE, 0, 0)),
    ("99.99 paid", Ledger(_DUE, 9999, 0)),
    ("99.99 paid, tolerance 0.01", Ledger(_DUE, 9999, 0, 1)),
    ("100.00 paid", Ledger(_DUE, _DUE, 0)),
    ("120.00 paid", Ledger(_DUE, 12000, 0)),
    ("120.00 paid, 20.00 refunded", Ledger(_DUE, 12000, 2000)),
    ("100.00 paid, 30.00 refunded", Ledger(_DUE, _DUE, 3000)),
    ("100.00 paid, 100.00 refunded", Ledger(_DUE, _DUE, _DUE)),
    ("50.00 paid, 50.00 refunded", Ledger(_DUE, 5000, 5000)),
    ("100.00 paid and returned by the bank", Ledger(_DUE, 0, 0)),
    ("nothing due, nothing paid", Ledger(0, 0, 0)),
)


def states() -> str:
    """The page."""
    lines = [
        "# States",
        "",
        "Written by `make docs` from the code.",
        "",
        *_payment(),
        "",
        *_refunds(),
        "",
        *_callbacks(),
    ]
    return "\n".join(lines) + "\n"


def _payment() -> list[str]:
    marks: list[Mark | None] = [None, *Mark]
    heads = ["no mark" if mark is None else f"mark {mark}" for mark in marks]
    lines = [
        "## Payment status of an order",
        "",
        "A pure function of the ledger and the mark (`domain/orders/settlement.py`,",
    ]
    lines += [f"D-1 to D-3). For an order of {_DUE / 100:.2f}; open are {_names(OPEN_STATUSES)}.", ""]
    lines += [f"| the books say | {' | '.join(heads)} |", f"|---|{'---|' * len(heads)}"]
    for text, ledger in _LEDGERS:
        lines.append(f"| {text} | {' | '.join(payment_status(ledger, mark) for mark in marks)} |")
    return lines


def _refunds() -> list[str]:
    lines = ["## Refunds", "", "The table of moves (`domain/refunds.py`, D-4); every other move is refused."]
    lines += [f"Money is reserved in {_names(RESERVED)}.", "", "| from | event | to |", "|---|---|---|"]
    order = {status: place for place, status in enumerate(RefundStatus)}
    events = {event: place for place, event in enumerate(RefundEvent)}
    for (status, event), to in sorted(MOVES.items(), key=lambda move: (order[move[0][0]], events[move[0][1]])):
        lines.append(f"| {status} | {event} | {to} |")
    ends = [status for status in RefundStatus if not any(start is status for start, _ in MOVES)]
    return [*lines, "", f"Without a way out: {_names(ends)}."]


def _callbacks() -> list[str]:
    lines = [
        "## Callbacks",
        "",
        "The table of moves (`domain/callbacks/deliveries.py`, D-18); every other move is refused.",
    ]
    lines += [
        f"Later ones of the order wait behind {_names(UNFINISHED)}.",
        "",
        "| from | event | to |",
        "|---|---|---|",
    ]
    order = {status: place for place, status in enumerate(CallbackStatus)}
    events = {event: place for place, event in enumerate(CallbackEvent)}
    moves = sorted(deliveries.MOVES.items(), key=lambda move: (order[move[0][0]], events[move[0][1]]))
    return [*lines, *(f"| {status} | {event} | {to} |" for (status, event), to in moves)]


def _names(statuses: Iterable[StrEnum]) -> str:
    return ", ".join(sorted(str(status) for status in statuses))
