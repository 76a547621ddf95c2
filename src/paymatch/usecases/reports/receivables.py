"""Receivables at the end of a day, by age; and overpayments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final

import msgspec

from paymatch.domain.matching.lookup.keys import NUMBER, compact_of, customer_parts, key
from paymatch.domain.reports.asked import PeriodQuery
from paymatch.domain.reports.overpaid import advice
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import as_text
from paymatch.store.orders.order_list import customer_in, customer_key_in
from paymatch.store.reports import receivables as store
from paymatch.store.reports.receivables import CustomerFilter
from paymatch.store.transactions import ShopTx
from paymatch.usecases.orders.receivables import AGES

Row = dict[str, Any]
AGE_WORDS: Final = ("not due", "1 to 14 days", "15 to 30 days", "31 to 60 days", "over 60 days")
_TYPES: Final = ("invoice", "prepayment", "cod", "other")


def open_orders(tx: ShopTx, asked: PeriodQuery, after: tuple[date, str] | None, limit: int | None) -> Iterator[Row]:
    """The orders open at the end of the day, the longest overdue first; by booking date on request."""
    listed = store.open_by_booking if asked.by_booking else store.open_orders
    for row in listed(tx, asked.as_of, after, limit):
        yield {
            "number": row["number"],
            "customer": row["customer"],
            "type": row["type"],
            "status": row["status"],
            "date": row["order_date"],
            "dueDate": row["due_date"],
            "daysOverdue": max(row["age"], 0),
            "dunningLevel": row["dunning_level"],
            "amount": row["amount_minor"],
            "paid": row["paid_minor"],
            "open": row["open_minor"],
            "currency": row["currency"],
            "_day": row["due"],
            "_id": row["number"],
        }


def by_customer(tx: ShopTx, asked: PeriodQuery) -> list[Row]:
    """Each customer's debts at the end of the day, the largest sums first, the shop's currency before others."""
    listed = store.open_by_booking if asked.by_booking else store.open_orders
    found: dict[tuple[str, str], Row] = {}
    for row in listed(tx, asked.as_of):
        number, _email = customer_in(row["doc"])
        customer = customer_key_in(row["doc"], row["number"])
        nothing = {"customerNumber": number, "customer": row["customer"], "orders": 0, "open": 0, "overdue": 0,
                   "dueDate": row["due"], "currency": row["currency"], "_customer": customer}  # fmt: skip
        into = found.setdefault((row["currency"], customer), nothing)
        into["orders"] += 1
        into["open"] += row["open_minor"]
        into["overdue"] += row["open_minor"] if row["age"] > 0 else 0
    own = tx.shop.currency
    return sorted(
        found.values(), key=lambda row: (row["currency"] != own, row["currency"], -row["open"], row["customer"])
    )


def open_sums(tx: ShopTx, day: date) -> dict[str, dict[str, int]]:
    """Currency -> number and minor units of the open orders, and of those that were overdue."""
    return {
        row.currency: {
            "orders": row.orders, "overdue": row.overdue, "openMinor": row.open_minor, "overdueMinor": row.overdue_minor
        }
        for row in store.open_sums(tx, day)
    }  # fmt: skip


def ageing(tx: ShopTx, day: date) -> list[Row]:
    """A row per currency and class of age, the shop's currency first; all classes, also those without orders."""
    return ageings(tx, [day])[day]


def ageings(tx: ShopTx, days: Sequence[date]) -> dict[date, list[Row]]:
    """The ageing of each of the days."""
    found: dict[tuple[date, str], list[Row]] = {(day, tx.shop.currency): _no_orders(tx.shop.currency) for day in days}
    for row in store.by_age(tx, sorted(set(days)), AGES):
        rows = found.setdefault((row.day, row.currency), _no_orders(row.currency))
        into = rows[row.place]
        into["orders"] += row.orders
        into["open"] += row.open_minor
        into[row.type.lower()] += row.open_minor
    ordered = sorted(found.items(), key=lambda each: (each[0][1] != tx.shop.currency, each[0][1]))
    return {day: [row for (when, _), rows in ordered if when == day for row in rows] for day in days}


def owed_by_day(tx: ShopTx, days: Sequence[date]) -> list[int]:
    """The open amount in the shop's currency at the end of each of the days, in minor units, in order."""
    return store.owed_by_day(tx, days, tx.shop.currency)


def _no_orders(currency: str) -> list[Row]:
    return [
        {"age": words, "orders": 0, **dict.fromkeys(_TYPES, 0), "open": 0, "currency": currency} for words in AGE_WORDS
    ]


def overpaid(tx: ShopTx, asked: PeriodQuery, after: str, limit: int | None) -> list[Row]:
    """The orders overpaid at the end of the day, by number, and the next step for each."""
    rows = store.overpaid(tx, asked.as_of, after, limit)
    customers = [_customer(row["doc"], row["currency"]) for row in rows]
    others = iter(store.other_orders(tx, [each for each in customers if each is not None]))
    return [
        _overpaid(row, next(others) if customer else "", tx.shop) for row, customer in zip(rows, customers, strict=True)
    ]


def _overpaid(row: Mapping[str, Any], other: str, shop: Shop) -> Row:
    tolerance = shop.tolerance_minor if row["currency"] == shop.currency else 0
    return {
        "number": row["number"],
        "customer": row["customer"],
        "type": row["type"],
        "status": row["status"],
        "date": row["order_date"],
        "amount": row["amount_minor"],
        "paid": row["paid_minor"],
        "overpaid": row["overpaid_minor"],
        "planned": row["planned_minor"],
        "currency": row["currency"],
        "advice": str(advice(row["overpaid_minor"], row["planned_minor"], tolerance, other_order=bool(other))),
        "otherOrder": other,
        "_id": row["number"],
    }


def _customer(doc: str, currency: str) -> CustomerFilter | None:
    """The customer in the order's document; None if it names none."""
    number, _email = customer_in(doc)
    parts = customer_parts(number)
    if not parts:
        return None
    mark = msgspec.json.encode({"customerNumber": number}, enc_hook=as_text).decode()[1:-1]
    return CustomerFilter(key(NUMBER + compact_of(parts[0])), mark, currency)
