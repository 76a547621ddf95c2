"""A small shop in which everything is done and undone in any order, with a slow second reckoning after each step.

The reckoning knows the contract (docs/api.md: States, Order, Refund) and the decisions D-1 to D-3 and D-87. It reads
what the API shows, and beside it only which credits were moved and which marks were set.
"""

from __future__ import annotations

import io
import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from paymatch.domain.customers.credits import OF_CREDIT, customer_key
from paymatch.domain.money import EUR
from paymatch.domain.orders.fees import FeeKind
from paymatch.domain.refusal import Refused
from paymatch.domain.reports.asked import PeriodQuery
from paymatch.domain.reports.catalogue import REPORTS
from paymatch.domain.statement_channels import StatementChannel
from paymatch.domain.words.message import Message
from paymatch.formats.mt940.writer import StatementToWrite, write_mt940
from paymatch.store.customers import credits as credit_store
from paymatch.store.database import Database
from paymatch.store.reminders import reminders
from paymatch.store.transactions import ShopTx
from paymatch.usecases.collection import cases
from paymatch.usecases.matching import assigning, matching
from paymatch.usecases.matching.assigning import Part
from paymatch.usecases.refunds.proof import BY_ACCOUNT, BY_ORDER
from paymatch.usecases.reports import reports
from paymatch.usecases.settlement import credits
from paymatch.usecases.statements.imports import undo_import
from paymatch.usecases.statements.statements import import_file
from paymatch.usecases.work.check import check_shop
from tests.contract.bank import ACCOUNT, entry
from tests.contract.client import Clock
from tests.usecases.refunds.refund_world import RefundWorld

Undo = Callable[[], None]
Step = tuple[str, Callable[[], Undo | None]]
GAP_RULE: Final = "postings between two balances = their difference"
"""Broken while a statement in the middle is taken out."""
NO_MAIL: Final = "a reminder by e-mail is a mail that went out, and the other way round"
"""Reminders are entered here without their mails. Rules on money out tell a person of a payment that was undone after
its refund had left.
"""
BEGIN: Final = date(2026, 2, 1)
PAYERS: Final = {"K-1": ("Eva Muster", "DE75512108001245126199"), "K-2": ("Jonas Berg", "DE02120300000000202051")}


@dataclass
class File:
    """A statement file, and the import that has booked it; "" while it is taken out."""

    content: bytes
    name: str
    import_id: str = ""


@dataclass
class Known:
    """What was done to an order that its API answer does not show."""

    customer: str
    due: int
    mark: str = ""
    moved: list[str] = field(default_factory=list)  # the statuses in their sequence
    fees: int = 0  # of its reminders


class Undoing:
    """One shop, three orders of two customers, and a random sequence of steps."""

    def __init__(self, database: Database, folder: Path, seed: int, *, tolerance: str = "0") -> None:
        self.chance = random.Random(seed)
        self.world = RefundWorld(database, folder, clock=Clock())
        self.client, self.database = self.world.client, database
        self.client.change(**{"tolerance": tolerance} if tolerance != "0" else {})
        with self.tx() as tx:
            cases.set_agency(tx, {"name": "Agency Ltd", "channel": "folder"})
        self.orders: dict[str, Known] = {}
        self.files: list[File] = []
        self.reversed: set[str] = set()
        self.did: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.trace: list[str] = []
        self.tolerance = int(Decimal(tolerance) * 100)
        for number, customer, due in (("UN-4011", "K-1", 10_000), ("UN-5027", "K-1", 4_500), ("UN-6033", "K-2", 7_050)):
            self.orders[number] = Known(customer, due, moved=["UNPAID"])
            self.submit(number, due)

    def tx(self) -> Any:
        return self.database.of_shop(self.client.shop, at=self.world.clock.now)

    # steps

    def live(self, steps: int) -> None:
        """So many steps; every other one that can be undone is undone at once and must leave no trace."""
        for _ in range(steps):
            name, action = self.chance.choice(self.steps())
            before, changed = self.seen(), self.client.contents()
            try:
                undo = action()
            except Refused as refusal:
                self.refused[name] += 1
                self.trace.append(f"{name}: refused, {refusal}")
                assert self.client.contents() == changed, self.trace
                continue
            self.did[name] += 1
            self.trace.append(name)
            self.verify()
            if undo is not None and self.chance.random() < 0.5:
                try:
                    undo()
                except Refused as refusal:
                    self.trace.append(f"undo {name} refused, {refusal}")
                    self.refused[f"undo {name}"] += 1
                    continue
                self.did[f"undo {name}"] += 1
                self.trace.append(f"undo {name}")
                self.verify()
                after = self.seen()
                if self.decided_again(before, after):
                    self.did["decided again"] += 1
                    continue
                assert after == before, (differences(before, after), self.trace)
            self.world.clock.pass_time(minutes=7)
            if self.chance.random() < 0.2:
                self.world.clock.pass_time(days=1)

    def steps(self) -> list[Step]:
        return [
            ("pay", self.pay), ("pay", self.pay), ("pay unnamed", self.pay_unnamed), ("pay unnamed", self.pay_unnamed),
            ("match", self.match), ("match", self.match), ("split", self.split), ("unmatch", self.unmatch),
            ("take out", self.take_out), ("bring again", self.bring_again), ("setpaid", self.set_paid),
            ("setunpaid", self.set_unpaid), ("amount", self.amount), ("cancel", self.cancel), ("keep", self.keep),
            ("use", self.use), ("take back", self.take_back), ("pay out", self.pay_out), ("income", self.income),
            ("loss", self.loss), ("refund", self.refund), ("cancel refund", self.cancel_refund), ("run", self.run),
            ("bank books", self.bank_books), ("bank returns", self.bank_returns), ("reverse", self.reverse),
            ("remind", self.remind), ("hand over", self.hand_over), ("withdraw", self.withdraw),
        ]  # fmt: skip

    def any_order(self) -> str:
        return self.chance.choice(list(self.orders))

    def submit(self, number: str, due: int) -> None:
        known = self.orders[number]
        name = PAYERS[known.customer][0]
        first, last = name.split(" ")
        billing = {"firstName": first, "lastName": last, "countryCode": "DE"}
        body = {
            "number": number, "date": "01-03-2026", "type": "INVOICE", "amount": due / 100, "currency": "EUR",
            "billing": billing, "customerNumber": known.customer,
        }  # fmt: skip
        self.answer(self.client.post(f"order/{number}", body))
        known.due = due
        if known.mark in ("DISAPPEARED", "LEGACY"):
            known.mark = ""

    @staticmethod
    def answer(reply: Any) -> Any:
        """The answer of the API; a refusal is raised."""
        if reply.status != 200:
            raise Refused(Message("text", value=str(reply.body)))
        return reply.json

    def book(self, *entries: Any) -> Undo:
        """A new statement of the bank is imported; what undoes it."""
        day = self.world.clock.now.date()
        self.client.paid += 1
        opening = self.client.passed(ACCOUNT, "EUR", sum(each.amount_minor for each in entries))
        statement = StatementToWrite(ACCOUNT, EUR, opening, day, day, self.client.paid, tuple(entries))
        file = File(write_mt940([statement]), f"{self.client.paid}.sta")
        self.files.append(file)
        self.bring(file)
        return lambda: self.undo_file(file)

    def bring(self, file: File) -> None:
        report = import_file(
            self.database, self.client.shop, io.BytesIO(file.content), file.name, self.world.clock.now,
            channel=StatementChannel.COMMAND_LINE,
        )  # fmt: skip
        file.import_id = report.import_id

    def undo_file(self, file: File) -> None:
        undo_import(self.database, self.client.shop, file.import_id, self.world.clock.now)
        file.import_id = ""

    def minor_for(self, number: str) -> int:
        due = self.orders[number].due
        return self.chance.choice((due, due, due // 3, due - 200, due + 1_500, due + 250))

    def entry(self, text: str, minor: int, customer: str, **more: Any) -> Any:
        name, account = PAYERS[customer]
        return entry(text, minor, name=name, account=account, booking_date=self.world.clock.now.date(), **more)

    def pay(self) -> Undo:
        number = self.any_order()
        return self.book(self.entry(f"Bestellung {number}", self.minor_for(number), self.orders[number].customer))

    def pay_unnamed(self) -> Undo:
        """Whom it is for, the text does not say."""
        text = f"danke {self.client.paid}"
        minor = self.minor_for(self.any_order()) + 13
        day = self.world.clock.now.date()
        return self.book(entry(text, minor, name="Sammel Zahlung", account="DE44500105175407324931", booking_date=day))

    def postings(self, which: str) -> list[tuple[Any, ...]]:
        return self.client.rows(
            f"SELECT id, amount_minor, allocated_minor FROM postings p WHERE shop_id = $1 AND {which} ORDER BY id"
        )

    def some(self, found: list[Any]) -> Any:
        if not found:
            raise Refused(Message("text", value="there is none"))
        return self.chance.choice(found)

    def assign(self, posting: str, parts: list[Part]) -> None:
        assigning.match(self.database, self.client.shop, posting, parts, self.world.clock.now)

    def match(self) -> Undo | None:
        """The whole posting for one order, or a part, or with a fee that the payer has kept."""
        posting, minor, _ = self.some(self.postings("amount_minor > 0 AND status IN ('unmatched', 'suggested')"))
        share = self.chance.choice((minor, minor, minor // 2))
        fee = self.chance.choice((0, 0, 150))
        part = Part(self.any_order(), share, fee, FeeKind.CASH_DISCOUNT if fee else None)
        self.assign(posting, [part])
        return lambda: self.undo_match(posting)

    def split(self) -> Undo:
        posting, minor, _ = self.some(self.postings("amount_minor > 2 AND status IN ('unmatched', 'suggested')"))
        one, other = self.chance.sample(list(self.orders), 2)
        self.assign(posting, [Part(one, minor // 3), Part(other, minor - minor // 3)])
        return lambda: self.undo_match(posting)

    def undo_match(self, posting: str) -> None:
        assigning.unmatch(self.database, self.client.shop, posting, self.world.clock.now)

    def unmatch(self) -> None:
        posting, _, _ = self.some(self.postings("status = 'matched'"))
        self.undo_match(posting)

    def take_out(self) -> None:
        file = self.some([each for each in self.files if each.import_id])
        self.undo_file(file)

    def bring_again(self) -> None:
        file = self.some([each for each in self.files if not each.import_id])
        self.bring(file)

    def mark(self, number: str, action: str, mark: str) -> None:
        self.answer(self.client.post(f"order/{number}/{action}"))
        self.orders[number].mark = mark

    def set_paid(self) -> Undo:
        number = self.any_order()
        was = self.orders[number].mark
        self.mark(number, "setpaid", "PAID")
        return (lambda: self.mark(number, "setunpaid", "")) if not was else None  # type: ignore[return-value]

    def set_unpaid(self) -> None:
        self.mark(self.some([number for number, each in self.orders.items() if each.mark == "PAID"]), "setunpaid", "")

    def cancel(self) -> None:
        if self.chance.random() < 0.3:
            self.mark(self.any_order(), "cancel", "CANCELLED")

    def amount(self) -> Undo:
        number = self.any_order()
        was = self.orders[number].due
        self.submit(number, max(100, was + self.chance.choice((-3_000, -200, 250, 2_000))))
        return lambda: self.submit(number, was)

    def of_credit(self, action: Callable[[ShopTx, str], object], number: str) -> None:
        with self.tx() as tx:
            action(tx, number)

    def keep(self) -> Undo:
        number = self.any_order()
        had = bool(self.kept(number))
        self.of_credit(credits.keep, number)
        return None if had else lambda: self.of_credit(credits.pay_out, number)  # type: ignore[return-value]

    def kept(self, number: str) -> int:
        rows = self.adjustments().get(number, [])
        return -sum(minor for kind, minor in rows if kind in ("kept", "returned"))

    def use(self) -> Undo | None:
        number = self.any_order()
        had = any(kind == "used" for kind, _ in self.adjustments().get(number, []))
        self.of_credit(credits.use, number)
        return None if had else lambda: self.of_credit(credits.take_back_use, number)

    def take_back(self) -> None:
        self.of_credit(credits.take_back_use, self.any_order())

    def pay_out(self) -> None:
        self.of_credit(credits.pay_out, self.any_order())

    def income(self) -> None:
        if self.chance.random() < 0.3:
            self.of_credit(credits.book_as_income, self.any_order())

    def loss(self) -> None:
        self.of_credit(credits.note_loss, self.any_order())

    def refund(self) -> Undo:
        number = self.any_order()
        minor = self.chance.choice((1_500, 250, 4_500, 10_000))
        body = {
            "externalReference": f"R-{len(self.trace)}", "amount": minor / 100, "currency": "EUR",
            "plannedDate": f"{self.world.clock.now.date() + timedelta(days=1):%d-%m-%Y}",
        }  # fmt: skip
        found = self.answer(self.client.post(f"order/{number}/refund", body))
        return lambda: self.give_up(found["id"])

    def give_up(self, refund_id: str) -> None:
        self.answer(self.client.post(f"refund/{refund_id}/cancel"))

    def cancel_refund(self) -> None:
        self.give_up(self.some([row["id"] for row in self.client.get("refunds?limit=1000").json]))

    def run(self) -> None:
        """Refunds that are due are released and sent."""
        self.world.clock.pass_time(days=1)
        held = self.world.run().held
        waiting = [each.refund_id for each in held if each.waits_for_release]
        if waiting:
            self.world.release(*waiting)
            self.world.run()

    def sent(self, *statuses: str) -> list[tuple[Any, ...]]:
        return self.client.rows(
            "SELECT t.end_to_end_id, t.amount_minor, t.iban FROM transfers t JOIN refunds r"
            " ON r.shop_id = $1 AND r.id = t.refund_id AND r.attempt = t.attempt"
            " WHERE t.shop_id = $1 AND r.status = ANY($2) ORDER BY t.end_to_end_id",
            list(statuses),
        )

    def bank_books(self) -> Undo:
        reference, minor, _ = self.some(self.sent("IN_PROCESS"))
        return self.book(entry("Erstattung", -minor, end_to_end_id=reference, booking_date=self.world.clock.now.date()))

    def bank_returns(self) -> Undo:
        reference, minor, _ = self.some(self.sent("PROCESSED"))
        day = self.world.clock.now.date()
        more = {"end_to_end_id": reference, "return_reason": "AC04", "gvc": "159", "booking_date": day}
        return self.book(entry("Retoure", minor, **more))

    def reverse(self) -> Undo | None:
        """The bank takes back a payment of a customer, which names its order; each once."""
        found = self.client.rows(
            "SELECT p.id, p.remittance, p.amount_minor FROM postings p WHERE shop_id = $1 AND p.amount_minor > 0"
            " AND remittance LIKE 'Bestellung%' AND NOT is_return ORDER BY p.id"
        )
        posting, text, minor = self.some([row for row in found if row[0] not in self.reversed])
        number = text.split(" ")[1]
        undo = self.book(self.entry(text, -minor, self.orders[number].customer, return_reason="MD06", gvc="109"))
        self.reversed.add(posting)
        if any(kind == "returned" for rows in self.adjustments().values() for kind, _ in rows):
            return None  # kept credit that a lost payment has returned to its order stays there (D-87)

        def bring_back() -> None:
            undo()
            self.reversed.discard(posting)

        return bring_back

    def remind(self) -> None:
        """A reminder with a fee, of an order that is open."""
        number = self.any_order()
        shown = self.client.read(number)
        if shown["paymentStatus"] not in ("UNPAID", "PAID_PARTIAL") or self.orders[number].fees:
            return
        with self.tx() as tx:
            reminders.add_sent(tx, number, 1, self.world.clock.now.date(), 250)
        self.orders[number].fees = 250

    def hand_over(self) -> Undo:
        number = self.any_order()
        with self.tx() as tx:
            cases.hand_over(tx, number)
        self.orders[number].mark = "COLLECTION"
        return lambda: self.end_case(number)

    def end_case(self, number: str) -> None:
        with self.tx() as tx:
            cases.withdraw(tx, number)
        if self.orders[number].mark == "COLLECTION":
            self.orders[number].mark = ""

    def withdraw(self) -> None:
        self.end_case(self.any_order())

    # what must hold

    def adjustments(self) -> dict[str, list[tuple[str, int]]]:
        """Order -> (kind, minor units) of its adjustments."""
        found: dict[str, list[tuple[str, int]]] = {}
        for number, kind, minor in self.client.rows(
            "SELECT order_number, kind, minor FROM adjustments WHERE shop_id = $1 ORDER BY id"
        ):
            found.setdefault(number, []).append((kind, minor))
        return found

    def shown(self, number: str) -> Any:
        return self.client.read(number, "includePostings=true&includeRefunds=true")

    def verify(self) -> None:
        """The reckoning, the invariants, the events, and each cent."""
        matching.match_due(self.database, self.client.shop, self.world.clock.now)
        moved = self.adjustments()
        for number, known in self.orders.items():
            shown = self.shown(number)
            self.compare(number, known, shown, sum(minor for _, minor in moved.get(number, [])))
        missing = any(not file.import_id for file in self.files)
        played = {NO_MAIL, BY_ACCOUNT, BY_ORDER, *([GAP_RULE] if missing else [])}
        broken = [each for each in check_shop(self.database, self.client.shop) if each.rule not in played]
        assert broken == [], (broken, self.trace)
        self.explain()

    def compare(self, number: str, known: Known, shown: Any, adjusted: int) -> None:
        paid = sum(minor_of(each["amount"]) for each in shown["postings"]) + adjusted
        refunded = sum(minor_of(each["amount"]) for each in shown["refunds"] if each["status"] == "PROCESSED")
        status = reckon(known.mark, known.due, paid, refunded, self.tolerance)
        assert shown["paymentStatus"] == status, (number, paid, refunded, known, shown, self.trace)
        if status == "UNPAID":
            assert "amountPaid" not in shown
        else:
            assert minor_of(shown["amountPaid"]) == paid - refunded, (number, paid, refunded, shown, self.trace)
        chain = self.world.events(number)
        assert all(one[1] == other[0] for one, other in pairwise(chain)), chain
        assert all(before != after for before, after in chain), chain
        last = chain[-1][1] if chain else "UNPAID"
        assert last == status, (number, chain, status, self.trace)
        fresh = [after for _, after in chain]
        assert fresh[: len(known.moved) - 1] == known.moved[1:], (fresh, known.moved)
        known.moved = ["UNPAID", *fresh]

    def explain(self) -> None:
        """Money in = for orders + aside + waiting; debtors of the journal = what the reports say is open."""
        with self.tx() as tx:
            today = tx.today
            query = PeriodQuery(BEGIN, today, today)
            rows = {
                name: [dict(row) for row in reports.rows(tx, REPORTS[name], query)]
                for name in ("postings", "reconciliation")
            }
            balances = [credit_store.balance(tx, customer_key(each, "", ""), "EUR") for each in PAYERS]
        for row in rows["postings"]:
            assert row["amount"] == row["forOrders"] + row["forRefunds"] + row["aside"] + row["open"], row
        assert {row["amount"] for row in rows["reconciliation"] if row["item"] == "difference"} <= {0}, (
            rows["reconciliation"], self.trace,
        )  # fmt: skip
        assert min(balances) >= 0, (balances, self.trace)
        entries = [entry for of_order in self.adjustments().values() for entry in of_order]
        assert sum(balances) == -sum(minor for kind, minor in entries if kind in OF_CREDIT), (balances, entries)

    @staticmethod
    def decided_again(before: Any, after: Any) -> bool:
        """Whether matching decides a posting that waited in another way: it hears of every change of an order."""
        one, other = ({row["id"]: row["state"] for row in seen[1]["postings"]} for seen in (before, after))
        return one != other

    def seen(self) -> Any:
        """All that a merchant sees, but for history: what a deed and its undoing leave as it was."""
        orders = {}
        for number in self.orders:
            shown = self.shown(number)
            shown["refunds"] = [each for each in shown["refunds"] if each["status"] != "CANCELLED"]
            for key in ("collectionPartner", "collectionFile", "collectionStatus"):
                shown.pop(key, None)
            orders[number] = shown
        with self.tx() as tx:
            today = tx.today
            tables = {
                name: [dict(row) for row in reports.rows(tx, REPORTS[name], PeriodQuery(BEGIN, today, today))]
                for name in ("open", "overpaid", "cash", "postings")
            }
            balances = [credit_store.balance(tx, customer_key(each, "", ""), "EUR") for each in PAYERS]
        for row in (row for rows in tables.values() for row in rows):
            for key in ("knownTo", "reason", "byHand"):
                row.pop(key, None)
        return json.loads(json.dumps((orders, tables, balances), default=str))


def reckon(mark: str, due: int, paid: int, refunded: int, tolerance: int) -> str:
    """paymentStatus by the contract and D-1 to D-3, in the order in which a person would ask."""
    if mark in ("PAID", "CANCELLED", "DISAPPEARED", "LEGACY"):
        return mark
    left = paid - refunded
    if refunded > 0 and left <= 0:
        return "REFUNDED"
    if due <= 0 or (left > 0 and left + tolerance >= due):
        return "PAID"
    if refunded > 0:
        return "REFUNDED_PARTIAL"
    if mark == "COLLECTION":
        return "COLLECTION"
    return "PAID_PARTIAL" if left > 0 else "UNPAID"


def minor_of(text: Any) -> int:
    """Minor units of an amount of the API in EUR."""
    return int(Decimal(str(text)) * 100)


def differences(before: Any, after: Any, path: str = "") -> list[str]:
    """Where two readings differ, for a person who looks for the fault."""
    if isinstance(before, dict) and isinstance(after, dict):
        keys = sorted(before.keys() | after.keys())
        return [found for key in keys for found in differences(before.get(key), after.get(key), f"{path}/{key}")]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        places = enumerate(zip(before, after, strict=True))
        return [found for place, (one, two) in places for found in differences(one, two, f"{path}/{place}")]
    return [] if before == after else [f"{path}: {before} -> {after}"]
