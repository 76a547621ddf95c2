"""Replays a sample world day by day through the engine and scores it: `sample_world.py WORLD_FOLDER [--wrong]`.

A world is a folder with `orders.json`, `postings.json` and `truth.json`; beside it lies `score.py`, the judge.
All orders are known from the start, statements come day by day, and every match changes what is open for the next day.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any

from paymatch.domain.matching.decide import decide
from paymatch.domain.matching.lookup.memory_index import MemoryIndex
from paymatch.domain.matching.model import (
    Caution,
    Decision,
    Delay,
    FirstSuggestion,
    OrderFacts,
    OrderState,
    PastPosting,
    PostingFacts,
    Related,
    ShopFacts,
)
from paymatch.domain.matching.prepare import prepare
from paymatch.domain.matching.rank.delays import DELAYS, delay_of
from paymatch.domain.matching.returns import may_give_back
from paymatch.domain.matching.several.hypothesis import contests, first_orders
from paymatch.domain.money import currency_of, decimal_to_minor, digits_of
from paymatch.domain.postings import Posting

Json = dict[str, Any]


def day_of(text: str) -> date:
    """The date of `dd-MM-yyyy`."""
    day, month, year = map(int, text.split("-"))
    return date(year, month, day)


def minor_of(value: object, code: str) -> int:
    """An amount of JSON in minor units of the currency."""
    return decimal_to_minor(Decimal(str(value)), currency_of(code))


def order_facts(body: Json) -> OrderFacts:
    """The facts of an order from the body of `POST /orders`."""
    names: list[str] = []
    for address in (body["billing"], body.get("shipping") or {}):
        person = " ".join(part for part in (address.get("firstName"), address.get("lastName")) if part)
        names += [name for name in (person, address.get("company")) if name]
    amount = minor_of(body["amount"], body["currency"])
    rate = body.get("exchangeRate")
    return OrderFacts(
        number=body["number"],
        currency=body["currency"],
        amount_minor=amount,
        open_minor=amount,
        state=OrderState.CLOSED if body.get("paymentStatus") == "CANCELLED" else OrderState.OPEN,
        order_date=day_of(body["date"]),
        type=body["type"],
        due_date=day_of(body["dueDate"]) if body.get("dueDate") else None,
        exchange_rate=Decimal(str(rate)) if rate else None,
        creditor_reference=body.get("referenceNumber") or "",
        customer_number=body.get("customerNumber") or "",
        marketplace_number=body.get("marketplaceNumber") or "",
        invoice_numbers=tuple(body.get("invoiceNumbers") or ()),
        proforma_numbers=tuple(body.get("proformaNumbers") or ()),
        shipping_numbers=tuple(body.get("shippingNumbers") or ()),
        item_numbers=tuple(item["number"] for item in body.get("items") or ()),
        names=tuple(dict.fromkeys(names)),
        email=body.get("customerEmail") or "",
        post_code=body["billing"].get("postCode") or "",
        city=body["billing"].get("city") or "",
        phone=body["billing"].get("phone") or "",
    )


def posting_facts(row: Json) -> PostingFacts:
    """The facts of a posting from a row of `postings.json`."""
    amount = minor_of(row["amount"], row["currency"])
    posting = Posting(
        account=row["account"],
        currency=currency_of(row["currency"]),
        amount_minor=amount,
        booking_date=day_of(row["postingDate"]),
        counterparty_name=row.get("name", ""),
        counterparty_iban=row.get("iban", ""),
        ultimate_name=row.get("ultimateName", ""),
        end_to_end_id=row.get("endToEndId", ""),
        remittance_lines=(row["text"],) if row.get("text") else (),
        structured_references=(row["reference"],) if row.get("reference") else (),
        booking_text=row.get("bookingText", ""),
        is_return=bool(row.get("returnReason")),
        return_reason=row.get("returnReason", ""),
    )
    return PostingFacts(row["id"], posting, amount)


class Replay:
    """The ledger of one world while it is replayed."""

    def __init__(self, orders: Iterable[OrderFacts], shop: ShopFacts) -> None:
        self.index = MemoryIndex(orders)
        self.shop = replace(shop, open_orders=sum(o.state is OrderState.OPEN for o in self.index.orders.values()))
        self.past: dict[str, list[PastPosting]] = defaultdict(list)
        self.decisions: dict[str, Decision] = {}
        self.delays: deque[Delay] = deque(maxlen=DELAYS)

    def day(self, postings: list[PostingFacts]) -> None:
        """Decides the postings of one day and books what was matched."""
        self.shop = replace(self.shop, delays=tuple(self.delays))
        prepared = prepare(postings, self.shop)
        related = {
            facts.id: Related(tuple(self.past[facts.posting.counterparty_iban]))
            for facts in postings
            if facts.posting.counterparty_iban and may_give_back(facts.posting)
        }
        by_id = {facts.id: facts for facts in postings}
        for decision in decide(prepared, self.index.known_orders(prepared.keys), self.shop, related):
            self.decisions[decision.posting_id] = decision
            if decision.match is not None:
                self._book(by_id[decision.posting_id].posting, decision)
            for number in contests(decision):
                self.index.orders[number] = replace(self.index.orders[number], contested=True)
            booked = by_id[decision.posting_id].posting.booking_date
            for number in first_orders(decision):
                order = self.index.orders[number]
                self.index.orders[number] = replace(
                    order, first_for=(*order.first_for, FirstSuggestion(booked, decision.posting_id))
                )

    def _book(self, posting: Posting, decision: Decision) -> None:
        assert decision.match is not None
        for allocation in decision.match.allocations:
            order = self.index.orders[allocation.order_number]
            open_minor = order.open_minor - allocation.pays_minor
            if posting.amount_minor > 0:
                self.delays.append(delay_of(order, posting.booking_date))
            state = order.state
            if state is not OrderState.CLOSED:
                state = OrderState.OPEN if open_minor > 0 else OrderState.SETTLED
            self.index.update(
                replace(
                    order,
                    open_minor=open_minor,
                    paid_minor=order.paid_minor + allocation.pays_minor,
                    state=state,
                )
            )
        if posting.counterparty_iban:
            past = PastPosting(decision.posting_id, posting, decision.match.allocations)
            self.past[posting.counterparty_iban].append(past)


def replay(folder: Path, caution: Caution = Caution.NORMAL) -> Replay:
    """The world in `folder` replayed to its end."""
    orders = [order_facts(body) for body in json.loads((folder / "orders.json").read_text(encoding="utf-8"))]
    run = Replay(orders, ShopFacts(caution=caution))
    days: dict[date, list[PostingFacts]] = defaultdict(list)
    for row in json.loads((folder / "postings.json").read_text(encoding="utf-8")):
        facts = posting_facts(row)
        days[facts.posting.booking_date].append(facts)
    for day in sorted(days):
        run.day(days[day])
    return run


def as_json(run: Replay) -> dict[str, Json]:
    """The decisions in the form that `score.py` judges."""
    out: dict[str, Json] = {}
    for posting_id, decision in run.decisions.items():
        proposal = decision.match or (decision.suggestions[0] if decision.suggestions else None)
        digits = 2 if proposal is None else digits_of(currency_of("EUR"))
        out[posting_id] = {
            "status": decision.outcome.value,
            "allocations": [
                {"orderNumber": a.order_number, "amount": a.amount_minor / 10**digits} for a in proposal.allocations
            ]
            if proposal
            else [],
        }
    return out


def judge(folder: Path) -> ModuleType:
    """The world's own `score.py`, beside it or above it."""
    spec = importlib.util.spec_from_file_location("world_score", folder.parent / "score.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def score(folder: Path, run: Replay) -> Json:
    """What `score.py` says of the replay."""
    orders = json.loads((folder / "orders.json").read_text(encoding="utf-8"))
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    result: Json = judge(folder).score(orders, truth, as_json(run))
    return result


def print_wrong(folder: Path, run: Replay, score_module: ModuleType) -> None:
    """Every posting that was not decided as a careful clerk would."""
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    rows = {row["id"]: row for row in json.loads((folder / "postings.json").read_text(encoding="utf-8"))}
    given = as_json(run)
    for posting_id, true in truth.items():
        decision = run.decisions[posting_id]
        good, _ = score_module.right(given[posting_id]["allocations"], true["allocations"])
        fine = {
            "certain": good and decision.outcome.value == "matched",
            "suggest": good,
            "unrelated": decision.outcome.value == "unmatched",
        }[true["auto"]]
        if fine:
            continue
        row = rows[posting_id]
        print(f"--- {posting_id} {true['case']} ({true['auto']}) -> {decision.outcome.value} {decision.review_reason}")
        print(
            "   ",
            row["postingDate"],
            row["amount"],
            row["name"],
            "|",
            row["ultimateName"],
            "|",
            row["text"],
            "|",
            row["endToEndId"],
            "|",
            row["reference"],
        )
        print("    true ", [(a["orderNumber"], a["amount"]) for a in true["allocations"]])
        for proposal in ([decision.match] if decision.match else list(decision.suggestions))[:3]:
            print(
                f"    given {proposal.probability:.3f}",
                [(a.order_number, a.amount_minor) for a in proposal.allocations],
                "; ".join(f"{r.code} {r.weight:+.1f}" for r in proposal.reasons),
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--wrong", action="store_true", help="print every posting decided unlike a careful clerk")
    parser.add_argument("--caution", type=Caution, default=Caution.NORMAL)
    arguments = parser.parse_args()
    run = replay(arguments.folder, arguments.caution)
    if arguments.wrong:
        print_wrong(arguments.folder, run, judge(arguments.folder))
    json.dump(score(arguments.folder, run), sys.stdout, indent=1, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main()
