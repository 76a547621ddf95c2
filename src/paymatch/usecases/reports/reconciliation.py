"""The reconciliation: debtors of the journal = open - overpaid + each named item, and a difference of 0.00 (D-107)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from typing import Any

import msgspec

from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.reports.asked import EARLIEST, LATEST
from paymatch.domain.reports.ledger import AccountRole, LedgerBooking
from paymatch.domain.reports.reconciliation import ALWAYS_SHOWN, OrderReckoning, ReconciliationLine, reconcile
from paymatch.store.reports import cash as cash_store
from paymatch.store.reports import exports
from paymatch.store.reports import receivables as store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.reports import journal

Row = dict[str, Any]
_Orders = dict[tuple[str, str], OrderReckoning]
_OF_ORDERS = frozenset({"payment", "return"})


def reconciliation(tx: ShopTx, day: date) -> list[Row]:
    """The lines of each currency at the end of the day, the shop's currency first; lines without orders are left out.

    The journal is today's; `open` and `overpaid` are as known at the end of the day.
    """
    sums: dict[str, dict[ReconciliationLine, list[int]]] = {tx.shop.currency: {}}
    for (_, currency), order in _reckon_orders(tx, day).items():
        for line, minor in reconcile(order).items():
            into = sums.setdefault(currency, {}).setdefault(line, [0, 0])
            into[0] += 1
            into[1] += minor
    return [
        {"item": str(line), "orders": found.get(line, [0, 0])[0], "amount": found.get(line, [0, 0])[1],
         "currency": currency}
        for currency, found in sorted(sums.items(), key=lambda each: (each[0] != tx.shop.currency, each[0]))
        for line in ReconciliationLine
        if line in found or line in ALWAYS_SHOWN
    ]  # fmt: skip


def _reckon_orders(tx: ShopTx, day: date) -> _Orders:
    """(order, currency) -> each source's figures."""
    found: _Orders = defaultdict(OrderReckoning)
    currencies = _currencies_of(tx, day, found)
    booked_on = _take_credits(tx, day, found, currencies)
    for row in exports.beside_postings(tx, EARLIEST, day):
        order = found[row.number, row.currency]
        if row.kind == "sale":
            order.sold_minor += row.minor
        elif row.kind == "set paid":
            order.set_paid_minor += row.minor
        else:
            order.credited_minor += row.minor
            order.credited_known_minor += row.minor
    _in_journal(tx, day, found, booked_on)
    for (number, currency), order in found.items():
        if currencies.get(number, currency) != currency:
            order.has_other_currency = True
    return found


def _currencies_of(tx: ShopTx, day: date, found: _Orders) -> dict[str, str]:
    """Adds the known facts of the orders; returns order -> its currency, also of those known later."""
    currencies = {}
    for row in store.all_orders(tx, day):
        currencies[row.number] = row.currency
        if row.status is not None:
            order = found[row.number, row.currency]
            order.status = PaymentStatus(row.status)
            order.amount_minor, order.refunded_minor = row.amount_minor, row.refunded_minor
            order.net_minor = row.postings_minor - row.refunded_minor
            order.is_marked_paid = row.is_marked_paid
    return currencies


def _take_credits(tx: ShopTx, day: date, found: _Orders, currencies: dict[str, str]) -> dict[str, date]:
    """Adds the credits of postings up to the day, as known then and now; returns posting -> its present day."""
    booked_on = {}
    for row in cash_store.known_and_current(tx, day, EARLIEST, day):
        if row.is_current:
            booked_on[row.id] = row.booking_date
        for number, minor, kind in _parts(row.parts):
            currency = currencies.get(number, row.currency)
            order = found[number, currency]
            if currency != row.currency:
                order.has_other_currency = True
            elif row.is_current:
                order.credited_minor += minor
            else:
                order.credited_known_minor += minor
                order.refunds_known_minor -= 0 if kind in _OF_ORDERS else minor
    return booked_on


def _parts(text: str) -> Iterator[tuple[str, int, str]]:
    """(order, its credit by the posting, reason) of each part."""
    for number, minor, withheld, _fee_kind, kind in msgspec.json.decode(text):
        yield number, minor + withheld, kind


def _in_journal(tx: ShopTx, day: date, found: _Orders, booked_on: dict[str, date]) -> None:
    """Adds the journal's amounts on the orders' debtors; `booked_on` are the days of postings."""
    home: dict[str, date] = {}
    for entry in journal.bookings(tx, EARLIEST, LATEST, sales=True):
        minor = _on_debtors(entry)
        if not minor:
            continue
        first_day = home.setdefault(entry.source, booked_on.get(entry.source) or _day_of_sale(entry))
        order = found[entry.document, entry.currency]
        if entry.date <= day:
            order.journal_minor += minor
        elif first_day <= day:
            order.booked_later_minor += minor


def _on_debtors(entry: LedgerBooking) -> int:
    """A booking's effect on debtors: more debt is positive."""
    is_debit, is_credit = (each.role is AccountRole.DEBTORS for each in (entry.debit, entry.credit))
    return entry.minor * (is_debit - is_credit)


def _day_of_sale(entry: LedgerBooking) -> date:
    """The day of a sale, which its source names; otherwise the day of the booking."""
    return date.fromisoformat(entry.source.split(" ")[1]) if entry.is_sale else entry.date
