"""Proof that money out never exceeds money in, nor withheld amounts their bounds (D-37, D-84).

`paymatch check` reports violations, and so do alerts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from paymatch.domain.money import currency_of, minor_to_text
from paymatch.domain.shops.alerts import Alert, AlertKind
from paymatch.domain.words.message import Message
from paymatch.store.refunds import clearance, invariants, withheld_bounds
from paymatch.store.transactions import ShopId, ShopTx
from paymatch.usecases.settlement.pending_refunds import arrived_by

WATCHED: Final = timedelta(days=60)
"""Alerts check transfers of this many days; `paymatch check` checks all of them."""
_PAGE: Final = 500
BY_ACCOUNT: Final = "no more goes back to an account without a release than arrived from it"
BY_ORDER: Final = "no more goes out for an order without a release than arrived for it"


class MoneyOutFinding(NamedTuple):
    """A violated rule about money out."""

    rule: str
    subject: str
    text: str


def findings(tx: ShopTx, since: datetime | None = None) -> Iterator[MoneyOutFinding]:
    """Violations by the transfers made since then, or by all; none for sandboxes, whose bank is simulated."""
    if tx.shop.sandbox:
        return
    shop_id = ShopId(tx.shop.id)
    for rule, statement in invariants.RULES:
        for subject, text in tx.rows(statement, shop_id, since):
            yield MoneyOutFinding(rule, subject, text)
    for rule, posting, kept, gross, currency in withheld_bounds.beyond_bounds(tx, since):
        withheld, credited = (_sum(each, currency) for each in (kept, gross))
        yield MoneyOutFinding(rule, posting, f"{withheld} withheld of {credited}")
    numbers = invariants.orders_with_unreleased(tx, since)
    for place in range(0, len(numbers), _PAGE):
        yield from _beyond_arrivals(tx, numbers[place : place + _PAGE])


def _beyond_arrivals(tx: ShopTx, numbers: Sequence[str]) -> Iterator[MoneyOutFinding]:
    """Orders and accounts that were paid more without a release than was received; both in the order's currency.

    Money from a payer who was forgotten since (D-63) may have come from any account. For a transfer to a forgotten
    account only the sum of its order can be compared.
    """
    payments = clearance.payments_of(tx, numbers)
    gone: dict[str, int] = defaultdict(int)
    for sent in invariants.sent_without_release(tx, numbers):
        own = payments.get(sent.order_number, [])
        arrived, anybodys = arrived_by(own), arrived_by([each for each in own if each.forgotten]).total()
        gone[sent.order_number] += sent.minor
        account = arrived[sent.iban] + anybodys
        if sent.iban and sent.minor > account:
            yield MoneyOutFinding(BY_ACCOUNT, sent.order_number, _words(sent.minor, account, sent.currency))
        total = arrived.total()
        if gone[sent.order_number] > total:
            yield MoneyOutFinding(BY_ORDER, sent.order_number, _words(gone[sent.order_number], total, sent.currency))


def _words(out_minor: int, in_minor: int, currency: str) -> str:
    return f"{_sum(out_minor, currency)} went out, {_sum(in_minor, currency)} arrived"


def _sum(minor: int, currency: str) -> str:
    return f"{minor_to_text(minor, currency_of(currency))} {currency}"


def money_out_alerts(tx: ShopTx, now: datetime) -> Iterator[Alert]:
    """An alert per order, refund or posting of the last days whose money out is not proved."""
    for found in findings(tx, now - WATCHED):
        said = Message("alert-money-out", subject=found.subject, details=found.text)
        yield Alert(AlertKind.MONEY_OUT, f"{found.subject} {found.rule}", said)
