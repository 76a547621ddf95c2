"""The journal: double-entry bookings, final ones as exported, others as of now, with corrections (D-86)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from itertools import islice
from typing import Any, Final

import msgspec

from paymatch.domain.reports.asked import EARLIEST, LATEST, PeriodQuery, month_end, months_between
from paymatch.domain.reports.corrections import BookedPeriod, corrections, day_spans, first_open_day
from paymatch.domain.reports.ledger import (
    NO_FACTS,
    AccountRole,
    LedgerAccounts,
    LedgerBooking,
    LedgerOrderFacts,
    SaleRow,
    adjustment_of,
    bookings_of,
    invoice_id,
    sale_of,
    set_paid_booking,
)
from paymatch.domain.shops.shop import Shop
from paymatch.formats.accounting.booking_texts import booking_text
from paymatch.formats.languages.texts import language_among, words
from paymatch.store.customers import credits
from paymatch.store.reports import booked, closings, set_paid
from paymatch.store.reports import exports as store
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.reports import cash

Row = dict[str, Any]
_CHUNK: Final = 500
_SETTINGS: Final = (
    "ledger_chart", "ledger_bank", "ledger_debtors", "ledger_revenue", "ledger_fees", "ledger_clearing",
    "ledger_reminder_fees", "ledger_transit", "ledger_set_paid", "ledger_currency", "ledger_credits", "ledger_income",
    "ledger_losses",
)  # fmt: skip


def bookings(
    tx: ShopTx, first: date, last: date, *, sales: bool = False, but_supplements: bool = False
) -> Iterator[LedgerBooking]:
    """The double-entry bookings of these days; with `sales` also those of orders.

    Final days are as exported. Their corrections are booked on the first day that is not final. With `but_supplements`
    bookings of a supplement are left out (D-115).
    """
    periods = booked.periods(tx)
    changed = _Changes(tx, tx.shop, periods)
    for span in day_spans(first, last, periods):
        if span.has_left or (periods and not but_supplements):
            supplement = 0 if but_supplements else None
            yield from booked.entries(tx, span.first, span.last, sales=sales, supplement=supplement)
        if not span.has_left:
            yield from changed.between(span.first, span.last, sales=sales)
            yield from current_bookings(tx, span.first, span.last, sales=sales, but=changed.moved)


def leave(tx: ShopTx, first: date, last: date, now: datetime) -> None:
    """Makes the days final: stores the present bookings of those that are not final yet.

    The caller names past days.
    """
    closings.lock(tx)
    spans = [span for span in day_spans(first, last, booked.periods(tx)) if not span.has_left]
    for span in spans:
        leaving = bookings(tx, span.first, span.last, sales=True, but_supplements=True)
        while chunk := list(islice(leaving, _CHUNK)):
            booked.add(tx, chunk)
    for span in spans:
        booked.add_period(tx, BookedPeriod(span.first, span.last, tx.shop.today(now)), tx.shop.now(now))


def leave_in_supplement(tx: ShopTx, supplement: int) -> None:
    """Makes all corrections of final days final in a supplement, dated as in `bookings`."""
    closings.lock(tx)
    changed = _Changes(tx, tx.shop, booked.periods(tx))
    booked.add(tx, list(changed.between(EARLIEST, LATEST, sales=True)), supplement)


def leave_whole_months(tx: ShopTx, first: date, last: date, now: datetime) -> None:
    """Makes past months final that are entirely within the days."""
    today = tx.shop.today(now)
    for month in months_between(first, last):
        if first <= month and month_end(month) <= last and month_end(month) < today:
            leave(tx, month, month_end(month), now)


def have_left(tx: ShopTx, first: date, last: date) -> bool:
    """Whether all of the days are final."""
    return all(span.has_left for span in day_spans(first, last, booked.periods(tx)))


class _Changes:
    """Differences from the final bookings; `moved` are the postings that they correct."""

    def __init__(self, tx: ShopTx, shop: Shop, periods: Sequence[BookedPeriod]) -> None:
        self.moved: frozenset[str] = frozenset()
        self._found: list[LedgerBooking] = []
        if periods:
            self._postings(tx, shop, periods)
            self._sales(tx, shop, periods)
            self._found.sort(key=lambda each: each.date)

    def between(self, first: date, last: date, *, sales: bool) -> Iterator[LedgerBooking]:
        """The corrections that are booked on these days."""
        for each in self._found:
            if first <= each.date <= last and (sales or not each.is_sale):
                yield each

    def _postings(self, tx: ShopTx, shop: Shop, periods: Sequence[BookedPeriod]) -> None:
        accounts, moved = ledger_accounts(tx), set()
        changed = iter(booked.changed_postings(tx))
        while ids := list(islice(changed, _CHUNK)):
            left, rows = booked.entries_of(tx, ids), cash.postings_by_id(tx, ids)
            facts = _facts(tx, {part[0] for row in rows.values() for part in row["orders"]})
            exchanged, text_of = store.exchanged_amounts(tx, ids), text_of_rest(tx)
            for posting in ids:
                row, before = rows.get(posting), left.get(posting, [])
                home = before[0].date if before else row["bookingDate"] if row else date.max
                day = first_open_day(home, periods)
                if day == home and not before:
                    continue  # its day is not final: it is booked there unchanged
                after = list(bookings_of(row, accounts, facts, exchanged, text_of)) if row else []
                moved.add(posting)
                self._found += corrections(before, after, day)
        self.moved = frozenset(moved)

    def _sales(self, tx: ShopTx, shop: Shop, periods: Sequence[BookedPeriod]) -> None:
        late = store.late_sales(tx)
        left = booked.entries_of(tx, [row.source for row in late])
        accounts, facts = ledger_accounts(tx), _facts(tx, {row.number for row in late})
        for row in late:
            sale = sale_of(row, accounts, facts[row.number])
            self._found += corrections(left.get(row.source, []), [sale], first_open_day(row.day, periods))


def current_bookings(
    tx: ShopTx, first: date, last: date, *, sales: bool = False, but: frozenset[str] = frozenset()
) -> Iterator[LedgerBooking]:
    """The present bookings of these days, regardless of final ones; without the postings `but`.

    With `sales`, those of orders placed or changed on these days come first.
    """
    accounts = ledger_accounts(tx)
    if sales:
        yield from _sold(tx, accounts, store.sales(tx, first, last))
    yield from _set_paid(tx, accounts, first, last)
    explained = cash.postings(tx, PeriodQuery(first, last, date.max), None, None)
    while chunk := list(islice(explained, _CHUNK)):
        yield from _bookings_of_rows(tx, accounts, [row for row in chunk if row["id"] not in but])
    yield from _adjustment_bookings(tx, accounts, first, last)


def bookings_of_postings(tx: ShopTx, ids: Sequence[str]) -> list[LedgerBooking]:
    """The present bookings of these postings, by day, regardless of final ones; removed postings have none."""
    rows = list(cash.postings_by_id(tx, ids).values())
    return sorted(_bookings_of_rows(tx, ledger_accounts(tx), rows), key=lambda each: (each.date, each.posting))


def _bookings_of_rows(tx: ShopTx, accounts: LedgerAccounts, rows: Sequence[Row]) -> Iterator[LedgerBooking]:
    facts = _facts(tx, {part[0] for row in rows for part in row["orders"]})
    exchanged, text_of = store.exchanged_amounts(tx, [row["id"] for row in rows]), text_of_rest(tx)
    for row in rows:
        yield from bookings_of(row, accounts, facts, exchanged, text_of)


def text_of_rest(tx: ShopTx) -> Callable[[Mapping[str, Any]], str]:
    """The text in the shop's language of who paid and what for, for a posting that waits or was set aside."""
    spoken = words(language_among(tx.shop.language), tx.shop.country)
    return lambda row: booking_text(
        spoken, row["originator"], row["text"], str(row["reason"]), is_aside=row["state"] == "set aside"
    )


def _adjustment_bookings(tx: ShopTx, accounts: LedgerAccounts, first: date, last: date) -> Iterator[LedgerBooking]:
    """Credit, income and losses (D-87): each is booked on the day of its decision, which is not final yet."""
    rows = credits.entries(tx, first, last)
    while chunk := list(islice(rows, _CHUNK)):
        facts = _facts(tx, {row.order_number for row in chunk})
        for row in chunk:
            order = facts.get(row.order_number, NO_FACTS)
            entry = adjustment_of(row.kind, row.order_number, row.day, row.minor, row.currency, accounts, order)
            yield replace(entry, source=f"adjustment {row.id}")


def _set_paid(tx: ShopTx, accounts: LedgerAccounts, first: date, last: date) -> Iterator[LedgerBooking]:
    rows = iter(set_paid.list_set_paid(tx, first, last))
    while chunk := list(islice(rows, _CHUNK)):
        facts = _facts(tx, {row.order_number for row, _ in chunk})
        for row, customer in chunk:
            order = facts[row.order_number]
            yield set_paid_booking(
                row.day, row.order_number, row.amount_minor, row.currency, accounts.paid_without_posting(row.account),
                accounts.debtor(order.customer_number), row.reason or customer,
            )  # fmt: skip


def _sold(tx: ShopTx, accounts: LedgerAccounts, sold: Iterable[SaleRow]) -> Iterator[LedgerBooking]:
    rows = iter(sold)
    while chunk := list(islice(rows, _CHUNK)):
        facts = _facts(tx, {row.number for row in chunk})
        yield from (sale_of(row, accounts, facts[row.number]) for row in chunk)


def _facts(tx: ShopTx, numbers: set[str]) -> dict[str, LedgerOrderFacts]:
    return {
        row.number: LedgerOrderFacts(
            customer_number(row.doc) if row.doc else "",
            invoice_id(tx.shop.id, row.number, row.invoice) if row.invoice is not None else "",
            row.currency,
            row.order_date,
            row.exchange_rate if row.currency != tx.shop.currency else None,
        )
        for row in store.facts(tx, sorted(numbers))
    }


class _Doc(msgspec.Struct):
    customerNumber: str = ""  # noqa: N815  the contract's spelling


def customer_number(doc: str) -> str:
    """The customer's number in an order's document; "" without one."""
    try:
        return msgspec.json.decode(doc, type=_Doc).customerNumber
    except msgspec.ValidationError:
        return ""


def ledger_accounts(tx: ShopTx) -> LedgerAccounts:
    """The accounts that the shop books on."""
    stored = shop_store.settings(tx, _SETTINGS)
    numbers: dict[AccountRole, str] = {role: stored[f"ledger_{role}"] for role in AccountRole}
    special: dict[AccountRole, dict[str, str]] = {}
    for role in (AccountRole.BANK, AccountRole.FEES, AccountRole.SET_PAID):
        special[role] = setting_pairs(numbers[role])
        numbers[role] = next((part for part in numbers[role].split(",") if part and ":" not in part), "")
    return LedgerAccounts(
        stored["ledger_chart"], numbers, special[AccountRole.BANK], special[AccountRole.FEES],
        special[AccountRole.SET_PAID],
    )  # fmt: skip


def setting_pairs(text: str) -> dict[str, str]:
    """A setting's values for single names: A:1,B:2."""
    return dict(part.split(":") for part in text.split(",") if ":" in part)
