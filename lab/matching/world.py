"""A whole world: orders, postings in their order, the truth, and the files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

from lab.matching import (
    cases_alphabets,
    cases_amounts,
    cases_balances,
    cases_collective,
    cases_fees,
    cases_forged,
    cases_groups,
    cases_names,
    cases_reference,
    cases_several,
    cases_traps,
    cases_trouble,
    numbers,
)
from lab.matching import orders as order_book
from lab.matching.cases_unrelated import unrelated
from lab.matching.clerk import Clerk
from lab.matching.kinds import KINDS
from lab.matching.scene import CASES, Scene
from lab.matching.shops import SPECIAL, Kind
from lab.matching.statements import write_statements
from lab.matching.values import Customer, Order, Payment, chance, weighted

CASE_MODULES: Final = (
    cases_alphabets,
    cases_amounts,
    cases_balances,
    cases_collective,
    cases_fees,
    cases_forged,
    cases_groups,
    cases_names,
    cases_reference,
    cases_several,
    cases_traps,
    cases_trouble,
)
"""Imported so that their cases are registered."""

NEVER_PAID: Final = 0.07
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class World:
    """What a matcher gets (`orders`, `postings`) and what it is judged by (`truth`), as written to JSON."""

    kind: str
    seed: int
    orders: list[Json]
    postings: list[Json]
    truth: dict[str, Json]
    payments: list[Payment]
    terms: Json  # what the shop grants: `cashDiscount` in per cent, `feeTolerance` in its currency

    def write(self, folder: Path) -> None:
        """Writes shop.json, orders.json, postings.json, truth.json and statements/ into `folder`."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in (
            ("shop", self.terms),
            ("orders", self.orders),
            ("postings", self.postings),
            ("truth", self.truth),
        ):
            (folder / f"{name}.json").write_text(
                json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
            )
        write_statements(folder / "statements", self.payments)


def generate(kind_name: str, seed: int, count: int | None = None) -> World:
    """The world of this kind and seed; the same for ever. KeyError for an unknown kind."""
    kind = KINDS[kind_name]
    rng = Random(f"{kind.name}/{seed}")
    book = order_book.generate(kind, rng, count or kind.default_orders)
    accounts = {
        currency: numbers.iban(rng, kind.country) for currency in (kind.currency, kind.second_currency) if currency
    }
    scene = Scene(kind, rng, book, accounts)
    payments = _play(scene)
    payments += [unrelated(scene) for _ in range(max(3, round(len(book) * kind.noise)))]
    payments = _judge(book, payments, accounts, rng)
    return World(
        kind.name,
        seed,
        [order_json(o) for o in book],
        [posting_json(p) for p in payments],
        {p.id: truth_json(p) for p in payments},
        payments,
        {"cashDiscount": kind.cash_discount / 10, "feeTolerance": kind.fee_tolerance / 100},
    )


def _play(s: Scene) -> list[Payment]:
    """Lets each order have its story."""
    rng, kind, out = s.rng, s.kind, list[Payment]()
    parcels: list[Order] = []
    size = rng.randint(5, 40)
    for order in s.orders:
        if order.used or chance(rng, NEVER_PAID):
            continue
        if order.type == "COD" and chance(rng, 0.8):
            parcels.append(order)
            order.used = True
            if len(parcels) >= size:
                out.append(cases_collective.carrier_payout(s, parcels))
                parcels, size = [], rng.choice([rng.randint(5, 12), rng.randint(5, 40)])
            continue
        out += _story(s, order, kind)
    if len(parcels) >= 2:
        out.append(cases_collective.carrier_payout(s, parcels))
    return out


def _story(s: Scene, order: Order, kind: Kind) -> list[Payment]:
    rare = {label: weight for label, weight in kind.cases.items() if label in SPECIAL}
    first = chance(s.rng, kind.special)
    for turn in range(20):
        s.label = (
            "carrier_single" if order.type == "COD" else weighted(s.rng, rare if first and turn < 5 else kind.cases)
        )
        played = CASES[s.label](s, order)
        if played:
            order.used = True
            for p in played:
                s.settle(p)
            return played
    return []


def _judge(book: list[Order], payments: list[Payment], accounts: dict[str, str], rng: Random) -> list[Payment]:
    """Sorts, numbers and labels the payments; drops unrelated ones that nobody could tell from a payment."""
    rng.shuffle(payments)
    payments.sort(key=lambda p: p.day)
    clerk = Clerk(book)
    kept: list[Payment] = []
    for p in payments:
        p.auto = clerk.read(p)
        if p.auto:
            p.account = accounts[p.currency]
            p.id = f"P{len(kept) + 1:08d}"
            kept.append(p)
    return kept


def _day(value: Any) -> str:
    return f"{value:%d-%m-%Y}"


def _address(c: Customer) -> Json:
    full = {
        "gender": c.gender,
        "firstName": c.first,
        "lastName": c.last,
        "company": c.company,
        "street": c.street,
        "postCode": c.post_code,
        "city": c.city,
        "countryCode": c.country,
        "phone": c.phone,
    }
    return {key: value for key, value in full.items() if value}


def order_json(o: Order) -> Json:
    """The body of `POST /orders` for it; `paymentStatus` says whether it is to be cancelled after submitting."""
    c = o.customer
    full: Json = {
        "number": o.number,
        "date": _day(o.day),
        "type": o.type,
        "amount": o.amount / 100,
        "currency": o.currency,
        "exchangeRate": o.rate or None,
        "customerEmail": f"kunde{c.number}@example.org",
        "customerNumber": f"{c.number}/{c.user_name}" if c.user_name else c.number,
        "marketplaceNumber": o.marketplace,
        "items": [{"number": n, "name": name} for n, name in o.items],
        "billing": _address(c),
        "shipping": _address(o.delivery) if o.delivery else None,
        "paymentStatus": "CANCELLED" if o.cancelled else "UNPAID",
        "language": c.language,
        "dueDate": _day(o.due) if o.due else "",
        "invoiceNumbers": [o.invoice] if o.invoice else [],
        "proformaNumbers": [o.proforma] if o.proforma else [],
        "shippingNumbers": [o.shipping] if o.shipping else [],
        "referenceNumber": o.reference,
    }
    return {key: value for key, value in full.items() if value not in (None, "", [])}


def posting_json(p: Payment) -> Json:
    """The posting in neutral form; the last keys only where the bank tells."""
    full: Json = {
        "id": p.id,
        "account": p.account,
        "amount": p.amount / 100,
        "currency": p.currency,
        "postingDate": _day(p.day),
        "valuationDate": _day(p.day),
        "name": p.name,
        "iban": p.iban,
        "ultimateName": p.ultimate,
        "endToEndId": p.end_to_end,
        "reference": p.reference,
        "returnReason": p.return_reason,
        "bookingText": p.booking_text,
        "text": p.text,
    }
    if p.instructed:
        full |= {"instructedAmount": p.instructed / 100, "instructedCurrency": p.instructed_currency}
    if p.rate:
        full["exchangeRate"] = p.rate
    if p.charges:
        full["charges"] = p.charges / 100
    return full


def truth_json(p: Payment) -> Json:
    """What the posting really credits to orders, in its own currency, and what its payer kept of that."""
    allocations = [{"orderNumber": o.number, "amount": part / 100} for o, part in p.pays]
    return {
        "case": p.case,
        "auto": p.auto,
        "amount": p.amount / 100,
        "allocations": allocations,
        "withheld": p.withheld / 100,
        "alike": p.alike,
    }
