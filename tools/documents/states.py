"""docs/states.md: the lifecycles, printed from the tables that decide."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final, TypeVar

from paymatch.domain import postings
from paymatch.domain.callbacks import deliveries
from paymatch.domain.callbacks.deliveries import UNFINISHED
from paymatch.domain.collection import cases
from paymatch.domain.orders.settlement import OPEN_STATUSES, Ledger, Mark, payment_status
from paymatch.domain.refunds import refunds, transfers
from paymatch.domain.reminders import letters, mails

_Status = TypeVar("_Status", bound=StrEnum)
_Event = TypeVar("_Event", bound=StrEnum)
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
        *_lifecycle(
            "Refunds",
            "domain/refunds/refunds.py",
            "D-4, D-31",
            refunds.REFUND_LIFECYCLE.moves,
            f"Money is reserved in {_names(refunds.RESERVED)}.",
        ),
        "",
        *_lifecycle(
            "Transfers",
            "domain/refunds/transfers.py",
            "D-4, D-31",
            transfers.TRANSFER_LIFECYCLE.moves,
            f"The money may have left in {_names(transfers.MAY_HAVE_LEFT)}.",
        ),
        "",
        *_lifecycle("Postings", "domain/postings.py", "docs/matching.md", postings.POSTING_LIFECYCLE.moves),
        "",
        *_lifecycle("Mails", "domain/reminders/mails.py", "D-33", mails.MAIL_LIFECYCLE.moves),
        "",
        *_lifecycle(
            "Letters",
            "domain/reminders/letters.py",
            "D-52",
            letters.LETTER_LIFECYCLE.moves,
            f"It counts as written to the customer in {_names(letters.OUT)}.",
        ),
        "",
        *_lifecycle(
            "Cases at the collection agency",
            "domain/collection/cases.py",
            "D-20, D-54",
            cases.CASE_LIFECYCLE.moves,
            f"The agency works on {_names(cases.AT_AGENCY)}.",
        ),
        "",
        *_lifecycle(
            "Callbacks",
            "domain/callbacks/deliveries.py",
            "D-18",
            deliveries.CALLBACK_LIFECYCLE.moves,
            f"Later ones of the order wait behind {_names(UNFINISHED)}.",
        ),
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


def _lifecycle(
    title: str, module: str, source: str, moves: Mapping[tuple[_Status, _Event], _Status], remark: str = ""
) -> list[str]:
    """A section: the moves in the order in which states and events are declared, then the states that are final."""
    (status, event), _ = next(iter(moves.items()))
    states, events = list(type(status)), list(type(event))
    lines = [f"## {title}", "", f"The table of moves (`{module}`, {source}); every other move is refused."]
    lines += [*filter(None, [remark]), "", "| from | event | to |", "|---|---|---|"]
    ordered = sorted(moves.items(), key=lambda move: (states.index(move[0][0]), events.index(move[0][1])))
    lines += [f"| {start} | {happened} | {end} |" for (start, happened), end in ordered]
    final = [each for each in states if not any(start is each for start, _ in moves)]
    return [*lines, "", f"Without a way out: {_names(final)}."] if final else lines


def _names(statuses: Iterable[StrEnum]) -> str:
    return ", ".join(sorted(str(status) for status in statuses))
