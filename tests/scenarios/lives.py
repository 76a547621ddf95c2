"""Random lives of a shop over ninety simulated days, each replayed exactly by its seed."""

from __future__ import annotations

import io
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final
from unittest.mock import patch
from zoneinfo import ZoneInfo

from paymatch.cli.scenario.world import ApiReply, World, new_world
from paymatch.clock import utc_now
from paymatch.domain.calendar import date_text, next_bank_day
from paymatch.domain.refunds.refunds import RUN_AT, RefundRefused
from paymatch.domain.refunds.transfers import TransferStatus
from paymatch.domain.shops.sandbox import SandboxRefused, iban_of
from paymatch.domain.statement_channels import StatementChannel
from paymatch.formats.sepa.pain002_writer import AnsweredTransfer, write_pain002
from paymatch.jobs.worker import Worker
from paymatch.store import ids
from paymatch.store.database import Database
from paymatch.store.refunds import transfers
from paymatch.store.sandbox import sandbox as sandbox_store
from paymatch.usecases import callbacks
from paymatch.usecases.refunds import refund_runs, refunds
from paymatch.usecases.refunds.bank_reports import import_report
from paymatch.usecases.statements.imports import undo_import
from paymatch.usecases.statements.statements import import_file
from paymatch.usecases.work.check import check_shop
from paymatch.usecases.work.sandbox_clock import HOLD, hold_due_work
from tests.scenarios.crashes import Boundaries, Crash, SeededSecrets
from tests.scenarios.reference import GIVEN, Model, ModelBooking, ModelOrder, ModelRefund
from tests.scenarios.service_books import PostingRow, ServiceBooks, service_books

DAYS: Final = 90
# Seven minutes past the hour: no step begins at the very moment at which refunds run or the bank delivers.
_START: Final = datetime(2026, 1, 5, 8, 7, tzinfo=UTC)
_ZONE: Final = "Europe/Berlin"
_NAMES: Final = ("Anna", "Boris", "Carla", "Dario", "Edda", "Frieda", "Gustav", "Hilde", "Ivo", "Jutta")
_SURNAMES: Final = ("Lindqvist", "Okonkwo", "Pfannkuch", "Quasthoff", "Rautenberg", "Szymanski", "Tannhauser", "Uhlig")
_FORMATS: Final = (
    ["camt.053"], ["camt.053"], ["MT940"], ["camt.054", "camt.053"], ["camt.054", "MT940"], ["camt.053", "MT940"],
)  # fmt: skip
_DOWN: Final = ("down", "500", "410")


class Life:
    """One life: actions on the shop and on the model, compared at every moment at which something may have changed."""

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self.boundaries = Boundaries(world.database)
        self.chance = random.Random(seed)
        self.model = Model()
        self.did: Counter[str] = Counter()
        self._now = _START
        self._down_until = _START
        self._books: ServiceBooks
        self._compared: object = None

    def live(self) -> None:
        """Ninety days, some of them eventful."""
        ends = _START + timedelta(days=DAYS)
        self._submit()
        self._settle()
        while self._now < ends:
            for _ in range(self.chance.choice((1, 1, 2, 2))):
                self._act()
            self._cancel_what_waits()
            if self._failed_refunds() and self.chance.random() < 0.8:
                self._look_after_refund()
            self._receiver()
            self._settle()
            is_up = self.world.receiver.mode == "up"
            hours = self.chance.choice((3, 20, 24, 49, 100, 190, 400) if is_up else (1, 2))
            self._advance(min(self._now + timedelta(hours=hours), ends))
        self._receiver(is_last=True)
        self._deliver_late(list(self.model.withheld))
        self._settle()
        self._advance(self._now + timedelta(days=3))
        self._at_the_end()

    @property
    def record(self) -> dict[str, object]:
        """What the life came to; the same for the same seed."""
        heard = {number: self.world.receiver.acknowledged_statuses(number) for number in self.model.orders}
        return {"did": self.did, "orders": self.model.orders, "bookings": self.model.bookings, "heard": heard}

    def _act(self) -> None:
        actions: list[Callable[[], None]] = [
            self._submit, self._submit, self._submit_again, self._pay, self._pay, self._pay, self._pay_several,
            self._give_back, self._mark, self._synchronise, self._refund, self._refund, self._look_after_refund,
            self._run_refunds, self._others, self._undo, self._redeliver, self._let_worker_work,
        ]  # fmt: skip
        action = self.chance.choice(actions)
        self.did[action.__name__] += 1
        action()
        self.model.note_changes()

    # What the shop does

    def _submit(self) -> None:
        place = len(self.model.orders)
        name = f"{_NAMES[place % 10]} {_SURNAMES[place // 10 % 8]}{'' if place < 80 else f'-{place}'}"
        number = f"L-{40_000 + place * 137 + self.chance.randrange(50)}"
        order = ModelOrder(number, name, self.chance.randrange(500, 30_000), date_text(self._today()))
        assert self._post(f"order/{order.number}", self._body(order)).status == 200
        self.model.orders[order.number] = order
        self.model.note_changes()

    def _submit_again(self) -> None:
        order = self._any_order()
        was = order.due_minor
        if self.chance.random() < 0.5:
            order.due_minor = max(100, order.due_minor + self.chance.randrange(-400, 900))
        refused = order.due_minor != was and order.status in ("CANCELLED", "REFUNDED")
        reply = self._post(f"order/{order.number}", self._body(order))
        if refused:
            order.due_minor = was
            assert reply.status == 400, reply
            return
        assert reply.status == 200, reply
        if order.mark in ("DISAPPEARED", "LEGACY"):
            order.mark = ""
        self.model.unsettle([order.number])

    def _mark(self) -> None:
        order = self._any_order()
        action = self.chance.choice(("setpaid", "setunpaid", "cancel", "remove"))
        path = f"order/remove/{order.number}" if action == "remove" else f"order/{order.number}/{action}"
        allowed = {"setpaid": order.status != "PAID", "setunpaid": order.mark == "PAID"}.get(action, True)
        reply = self._post(path)
        assert reply.status == (200 if allowed else 400), (action, reply)
        if allowed:
            marks = {"setpaid": "PAID", "setunpaid": "", "cancel": "CANCELLED", "remove": "DISAPPEARED"}
            order.mark = marks[action]
            self.model.unsettle([order.number])

    def _synchronise(self) -> None:
        """The shop's complete list of open orders, which forgets up to two and knows one that it had forgotten."""
        orders = self.model.orders.values()
        open_ones = [order.number for order in orders if order.status in ("UNPAID", "PAID_PARTIAL")]
        gone = set(self.chance.sample(open_ones, min(len(open_ones), self.chance.choice((0, 0, 1, 2)))))
        back = [order.number for order in orders if order.mark in ("LEGACY", "DISAPPEARED")][:1]
        listed = [number for number in open_ones if number not in gone] + back
        reply = self._post(f"ordersync?force={'false' if listed else 'true'}", listed)
        assert reply.status == 200, reply
        assert reply.json in (None, len(gone)), (reply, gone)
        for number in gone:
            self.model.orders[number].mark = "LEGACY"
        for number in back:
            self.model.orders[number].mark = ""
        self.model.unsettle([*gone, *back])

    def _refund(self) -> None:
        paid = [order for order in self.model.orders.values() if order.net_minor > 0]
        order = self.chance.choice(paid) if paid and self.chance.random() < 0.8 else self._any_order()
        net = order.net_minor
        sums = [100, 700] if net <= 0 else [net, net, (net + 1) // 2, max(net - order.due_minor, 1), net + 100]
        refund = ModelRefund(
            reference=f"R-{len(self.model.refunds)}",
            minor=self.chance.choice(sums),
            planned=self._today() + timedelta(days=self.chance.randrange(1, 15)),
            outcome=self.chance.choice(("booked", "booked", "rejected", "returned", "returned", "returned")),
            has_details=bool(order.payers),
        )
        self._file(order, refund)
        if self.chance.random() < 0.6:  # another clerk gives back all that is left
            rest = max(refund.minor, net)
            again = replace(refund, reference=f"{refund.reference}-again", minor=rest, sent=set(), rejected=set())
            self._file(order, again)
        self.model.unsettle([order.number])

    def _file(self, order: ModelOrder, refund: ModelRefund) -> None:
        body = {
            "externalReference": refund.reference, "amount": _text(refund.minor), "currency": "EUR",
            "plannedDate": date_text(refund.planned),
        }  # fmt: skip
        reply = self._post(f"order/{order.number}/refund", body)
        assert reply.status == 200, reply
        order.refunds[refund.reference] = refund
        self._tell_bank(refund)

    def _tell_bank(self, refund: ModelRefund) -> None:
        body = {"externalReference": refund.reference, "outcome": refund.outcome}
        assert self._post("sandbox/refunds", body).status == 200

    def _look_after_refund(self) -> None:
        """A refund is cancelled, or the customer names an account: after a return or an error that is a new attempt."""
        found = [each for each in self.model.refunds.values() if each.status not in ("IN_PROCESS", "PROCESSED")]
        if not found:
            return
        refund = self.chance.choice(self._failed_refunds() or found)
        refund_id = self._books.refund_ids.get(refund.reference)
        if refund_id is None or refund.status == "CANCELLED":
            return
        if refund.status != "RETURNED" and self.chance.random() < 0.3:
            self._cancel(refund)
            return
        self._surviving(lambda: self._set_iban(refund_id), lost_answer=True)
        is_new_attempt = refund.status in ("RETURNED", "ERROR")
        refund.attempt += is_new_attempt
        refund.waits_from = self._today()
        refund.has_details = refund.details_given = True
        refund.outcome = self.chance.choice(("booked", "booked", "booked", "rejected", "returned"))
        self._tell_bank(refund)
        if is_new_attempt and self.chance.random() < 0.8:
            self._take_back(self._telling([refund])[-self.chance.choice((1, 1, 2)) :])

    def _failed_refunds(self) -> list[ModelRefund]:
        return [each for each in self.model.refunds.values() if each.status in ("RETURNED", "ERROR")]

    def _run_refunds(self) -> None:
        """Due refunds are sent by hand, at any hour of any day; what was sent before is still on its way."""
        self._surviving(lambda: refund_runs.run(self.world.database, self.world.shop, utc_now()))
        if self._model_run(self._today()):
            self._settle()
        else:
            self._take_over()

    def _model_run(self, day: date) -> int:
        """The model sends what is due; how many refunds."""
        for refund in self.model.refunds.values():
            self.did["run while in process"] += refund.status == "IN_PROCESS"
            self.did["run while held"] += refund.is_pending and refund.is_held
        return sum(order.send_refunds(day) for order in self.model.orders.values())

    def _behind_a_run(self) -> None:
        """While transfers are under way people come too late, old news comes again, the due ones are sent once more."""
        under_way = [each for each in self.model.refunds.values() if each.status == "IN_PROCESS"]
        again = [each for each in under_way if each.attempt > 1]
        if under_way:
            self._come_too_late(self.chance.choice(under_way))
        if again:
            self._reject_once_more()
            if self.chance.random() < 0.7:
                self._take_back(self._telling(again)[-1:])
        if self.chance.random() < 0.7:
            self._run_refunds()

    def _come_too_late(self, refund: ModelRefund) -> None:
        """What is with the bank is neither cancelled nor sent elsewhere."""
        refund_id = self._books.refund_ids[refund.reference]
        assert self._post(f"refund/{refund_id}/cancel").status == 400, refund
        assert _refuses(RefundRefused, lambda: self._set_iban(refund_id)), refund

    def _reject_once_more(self) -> None:
        """The bank repeats its reports on what it has rejected."""
        with self.world.database.of_shop(self.world.shop_id) as tx:
            files = transfers.files(tx)
            rows = transfers.of_files(tx, [file.id for file in files])
        for file in files:
            rejected = [
                AnsweredTransfer(row.end_to_end_id, "RJCT", "AC04")
                for row in rows
                if row.file_id == file.id and row.status is TransferStatus.REJECTED
            ]
            if rejected:
                report = write_pain002(
                    f"AGAIN{file.message_id[5:]}", self._now, original_message_id=file.message_id,
                    original_version=file.version, payment_information_id=file.payment_information_id,
                    answers=rejected,
                )  # fmt: skip
                import_report(self.world.database, self.world.shop, io.BytesIO(report), utc_now())
        self._compared = None  # a booked debit would soon hide what a report has done
        self._take_over()

    def _cancel(self, refund: ModelRefund) -> None:
        assert self._post(f"refund/{self._books.refund_ids[refund.reference]}/cancel").status == 200
        refund.cancelled = True

    def _cancel_what_waits(self) -> None:
        """The shop gives up on refunds that no run has sent for a week."""
        for refund in self.model.refunds.values():
            if refund.is_pending and self._today() - max(refund.planned, refund.waits_from) > timedelta(days=7):
                self._cancel(refund)

    def _set_iban(self, refund_id: str) -> None:
        with self.world.database.of_shop(self.world.shop) as tx:
            refunds.set_iban(tx, refund_id, GIVEN, "Hedwig")

    # What customers and the bank do

    def _pay(self) -> None:
        order = self._any_order()
        open_minor = order.due_minor - order.net_minor
        exact = self._is_open(order)
        factor = self.chance.choice((1, 1, 1, 0.5, 1.1)) if exact else 1
        minor = max(1, int(open_minor * factor)) if exact else self.chance.randrange(500, 9_000)
        times = 2 if self.chance.random() < 0.05 else 1
        body = {
            "orderNumbers": [order.number], "amount": _text(minor), "formats": self.chance.choice(_FORMATS),
            "times": times, "deliveredTwice": self.chance.random() < 0.1,
            "reference": self.chance.choice(("exact", "exact", "exact", "spaced", "typo", "missing", "name-only")),
        }  # fmt: skip
        must = exact and factor == 1 and times == 1 and body["reference"] == "exact"
        self._book("sandbox/payments", body, [order.number], must=must)

    def _pay_several(self) -> None:
        """One transfer for two or three orders, with all their numbers."""
        open_ones = [order for order in self.model.orders.values() if self._is_open(order)]
        chosen = self.chance.sample(open_ones, min(len(open_ones), self.chance.choice((2, 2, 3))))
        if chosen:
            numbers = [order.number for order in chosen]
            body = {"orderNumbers": numbers, "formats": self.chance.choice(_FORMATS)}
            self._book("sandbox/payments", body, numbers)

    def _is_open(self, order: ModelOrder) -> bool:
        """It waits for money, and none is on the way, nor back to the customer."""
        waiting = any(order.number in each.numbers and not each.in_books for each in self.model.bookings.values())
        return (
            order.status in ("UNPAID", "PAID_PARTIAL")
            and order.due_minor > order.net_minor
            and not waiting
            and not order.refunds
        )

    def _give_back(self) -> None:
        given = [
            each for each in self.model.bookings.values()
            if each.in_books and each.minor > 0 and each.numbers and not each.returned and not each.refund
        ]  # fmt: skip
        if not given:
            return
        payment = self.chance.choice(given)
        payment.returned = True
        self._book("sandbox/returns", {"payment": payment.booking_id}, payment.numbers)
        self.model.unsettle(payment.numbers)

    def _others(self) -> None:
        body = {"amount": self.chance.choice(("-12.30", "250.00", "-900.00")), "name": "Vermieter", "text": "Miete"}
        self._book("sandbox/bookings", body, [])

    def _book(
        self, path: str, body: dict[str, Any], numbers: list[str] | tuple[str, ...], *, must: bool = False
    ) -> None:
        reply = self.world.call("POST", path, body)
        assert reply.status == 200, reply
        for booked in reply.json:
            day = datetime.strptime(booked["postingDate"], "%d-%m-%Y").date()  # noqa: DTZ007
            self.model.bookings[booked["id"]] = ModelBooking(
                booked["id"], booked["reference"], tuple(numbers), round(float(booked["amount"]) * 100), day,
                tuple(booked["formats"]), iban_of(self.model.orders[numbers[0]].name) if numbers else "",
                must_match=must,
            )  # fmt: skip

    def _undo(self) -> None:
        """The last imports are taken back, or one that tells of a refund."""
        filed = self.model.refunds.values()
        telling = self._telling([each for each in filed if len(each.sent) > 1] or filed)
        if telling and self.chance.random() < 0.5:
            self._take_back([self.chance.choice(telling)])
        else:
            self._take_back(self._standing()[-self.chance.choice((1, 1, 2, 4)) :])

    def _standing(self) -> list[str]:
        return [digest for digest in self.model.files if digest not in self.model.withheld]

    def _telling(self, refunds: Iterable[ModelRefund]) -> list[str]:
        """The files in the books that tell how the bank executed one of the refunds, or brought it back."""
        names = {refund.reference for refund in refunds}
        booked = [each for each in self.model.bookings.values() if each.refund in names]
        return [digest for digest in self._standing() if any(map(self.model.files[digest].shows, booked))]

    def _take_back(self, digests: list[str]) -> None:
        """Imports are undone; their files come again later, in another order."""
        for digest in reversed(digests):
            import_id = self._books.imports[digest]
            self._surviving(lambda import_id=import_id: self._undo_one(import_id), lost_answer=True)  # type: ignore[misc]
            self.model.withheld.add(digest)
        self.model.read_books()
        self.model.unsettle(
            number for each in self.model.bookings.values() if not each.in_books for number in each.numbers
        )
        self._take_over()

    def _undo_one(self, import_id: str) -> None:
        undo_import(self.world.database, self.world.shop, import_id, utc_now())

    def _redeliver(self) -> None:
        """Files that were withheld arrive after all, or one that is known comes once more."""
        withheld = list(self.model.withheld)
        known = self._standing()
        if withheld:
            self._deliver_late(self.chance.sample(sorted(withheld), self.chance.randint(1, len(withheld))))
        elif known:
            self._deliver_late([self.chance.choice(known)])
        self._settle()

    def _deliver_late(self, digests: list[str]) -> None:
        self.chance.shuffle(digests)
        for digest in digests:
            name = self.model.files[digest].name
            content = self._content(digest)
            self._surviving(
                lambda name=name, content=content: import_file(  # type: ignore[misc]
                    self.world.database,
                    self.world.shop,
                    io.BytesIO(content),
                    f"late-{name}",
                    utc_now(),
                    channel=StatementChannel.SANDBOX_BANK,
                )
            )
            self.model.withheld.discard(digest)

    def _content(self, digest: str) -> bytes:
        with self.world.database.of_shop(self.world.shop_id) as tx:
            content: bytes = tx.value(
                "SELECT content FROM sandbox_files WHERE shop_id = $1 AND encode(sha256(content), 'hex') = $2 LIMIT 1",
                self.world.shop_id,
                digest,
            )
        return content

    # Receivers, workers and time

    def _receiver(self, *, is_last: bool = False) -> None:
        """Down for a few hours at most, so that nothing is given up; after a 410 the merchant resumes."""
        receiver = self.world.receiver
        if receiver.mode == "up" and not is_last and self.chance.random() < 0.12:
            receiver.mode = self.chance.choice(_DOWN)
            self.did[f"receiver {receiver.mode}"] += 1
            self._down_until = self._now + timedelta(hours=1)
        elif receiver.mode != "up" and (is_last or self._now >= self._down_until):
            receiver.mode = "up"
            with self.world.database.of_shop(self.world.shop) as tx:
                callbacks.resume(tx)

    def _let_worker_work(self) -> None:
        """The clock is not moved for a while: an ordinary worker matches and calls back what is due."""
        with self.world.database.of_shop(self.world.shop_id) as tx:
            sandbox_store.keep_holding(tx, None)
        Worker(self.world.database, self.world.receiver, utc_now).drain()
        with self.world.database.of_shop(self.world.shop_id) as tx:
            assert sandbox_store.hold(tx, utc_now(), utc_now() + HOLD)
        self._take_over()

    def _meanwhile(self) -> None:
        """What another process may do while the clock moves."""
        self.did["meanwhile"] += 1
        calls = len(self.world.receiver.calls)
        Worker(self.world.database, self.world.receiver, utc_now).drain()
        assert len(self.world.receiver.calls) == calls, "the workers leave a shop alone whose clock moves"
        assert _refuses(SandboxRefused, self._hold)
        self._submit()

    def _hold(self) -> None:
        with hold_due_work(self.world.database, self.world.shop, utc_now):
            pass

    def _settle(self) -> None:
        """What follows at once from what was just done."""
        self._surviving(lambda: self.world.move_to(self._now))
        self._take_over()

    def _advance(self, until: datetime) -> None:
        """From one delivery of the bank, or transfer file, to the next, so that every change of an order is seen."""
        while self._now < until:
            due = [
                each.deliver_at for each in self._books.bank if not each.is_delivered and each.deliver_at > self._now
            ]
            target = min([until, *due])
            sent = 0
            for run_at, day in self._refund_runs(target):
                sent = self._model_run(day)
                if sent:
                    target = run_at
                    break
            others_act = self.chance.random() < 0.08
            with self.boundaries.meanwhile(self.chance.randint(1, 6) if others_act else 0, self._meanwhile):
                self._surviving(lambda target=target: self.world.move_to(target))  # type: ignore[misc]
            self._now = target
            self._take_over()
            if sent:
                self._behind_a_run()

    def _refund_runs(self, until: datetime) -> Iterator[tuple[datetime, date]]:
        """The runs of refunds between now and `until`, and their bank days."""
        day = self._today()
        while (run_at := datetime.combine(day, RUN_AT, ZoneInfo(_ZONE))) <= until:
            if run_at > self._now and day == next_bank_day(day):
                yield run_at, day
            day += timedelta(days=1)

    # Comparison

    def _take_over(self) -> None:
        """What was allocated, as the service says: only to orders that were meant, and the whole amount or none."""
        self._books = books = service_books(self.world.database, self.world.shop_id)
        model = self.model
        self._take_over_bank(books)
        assert books.imports.keys() == model.files.keys() - model.withheld
        assert {name: each.sent for name, each in model.refunds.items()} == books.sent
        by_reference = {posting.reference: posting for posting in books.postings}
        assert len(by_reference) == len(books.postings), "booked twice"
        assert by_reference.keys() == {each.reference for each in model.bookings.values() if each.in_books}
        for order in model.orders.values():
            order.matched_minor = 0
            order.payers = set()
        for booking in model.bookings.values():
            if booking.in_books:
                self._count(booking, by_reference[booking.reference])
        model.note_changes()
        self._compare()

    def _take_over_bank(self, books: ServiceBooks) -> None:
        """The bank's own bookings, and which of its statements have arrived."""
        model = self.model
        model.files |= {file.digest: file for file in books.files}
        for row in books.bank:
            if row.id not in model.bookings:
                assert row.refund, row
                number = next(order.number for order in model.orders.values() if row.refund in order.refunds)
                assert row.account in model.orders[number].payees(row.refund), (row, model.orders[number])
                model.bookings[row.id] = ModelBooking(
                    row.id, row.reference, (number,), row.minor, row.day, row.formats, row.account, row.refund,
                    must_match=True,
                )  # fmt: skip
        model.read_books()
        told = [row for row in books.bank if row.refund and model.bookings[row.id].in_books]
        for name, refund in model.refunds.items():
            refund.debited = {row.attempt for row in told if row.refund == name and row.minor < 0}
            refund.returned = {row.attempt for row in told if row.refund == name and row.minor > 0}

    def _count(self, booking: ModelBooking, posting: PostingRow) -> None:
        assert posting.minor == booking.minor
        if posting.status != "matched":
            assert posting.allocations == () and not booking.must_match, (booking, posting)
            return
        assert {number for number, _ in posting.allocations} <= set(booking.numbers), (booking, posting)
        assert sum(minor for _, minor in posting.allocations) == booking.minor, (booking, posting)
        if booking.refund:
            return
        for number, minor in posting.allocations:
            self.model.orders[number].matched_minor += minor
            if minor > 0:
                self.model.orders[number].payers.add(booking.account)
                self.model.orders[number].was_paid = True

    def _compare(self) -> None:
        """All orders as a read shows them, if anything has changed since the last look."""
        orders = self.model.orders
        shown = [(o.number, o.status, o.amount_paid, o.refund_statuses) for o in orders.values()]
        if (shown, self._books.events) == self._compared:
            return
        listed = self.world.call("GET", "orders?includeRefunds=true&maxAge=1000").json
        assert {found["number"] for found in listed} == orders.keys()
        for found in listed:
            order = orders[found["number"]]
            told = (found["paymentStatus"], found.get("amountPaid", "unset"))
            assert told == (order.status, order.amount_paid), (told, found["refunds"], order)
            self._compare_refunds(order, {each["externalReference"]: each["status"] for each in found["refunds"]})
        self._compared = ([(o.number, o.status, o.amount_paid, o.refund_statuses) for o in orders.values()],
                          self._books.events)  # fmt: skip

    def _compare_refunds(self, order: ModelOrder, told: dict[str, str]) -> None:
        """A run finds the account of a refund by a payment of its order, which may be gone by the time we look.

        The undoing of a payment takes its account back from a refund that waits, unless a person named it (D-5).
        """
        for reference, status in told.items():
            refund = order.refunds[reference]
            if (refund.status, status) == ("BANKDETAILS_MISSING", "NEW"):
                assert order.was_paid, order
                refund.has_details = True
            if (refund.status, status) == ("NEW", "BANKDETAILS_MISSING"):
                assert not refund.details_given and not order.payers, order
                refund.has_details = False
        assert told == order.refund_statuses, order

    def _at_the_end(self) -> None:
        events: dict[str, list[str]] = {number: [] for number in self.model.orders}
        for event in self.world.call("GET", "events?limit=1000").json:
            events[event["orderNumber"]].append(event["paymentStatus"])
        queued = self._queued()
        for order in self.model.orders.values():
            # Two files of one evening may change an order twice, of which the model sees the outcome only.
            told = iter(events[order.number])
            assert all(change in told for change in order.changes), (order, events[order.number])
            heard = self.world.receiver.acknowledged_statuses(order.number)
            assert len(heard) >= len(events[order.number]), order
            assert heard[-1:] == events[order.number][-1:] == order.changes[-1:], order
            calls_of = [each for each in self.world.receiver.calls if each.number == order.number]
            taken = dict.fromkeys(each.webhook_id for each in calls_of if each.acknowledged)
            assert list(taken) == queued.get(order.number, []), order
        found = check_shop(self.world.database, self.world.shop)
        assert found == [], found

    def _queued(self) -> dict[str, list[str]]:
        """Order number -> the ids of its callbacks in the sequence of its changes."""
        with self.world.database.of_shop(self.world.shop_id) as tx:
            rows = tx.rows(
                "SELECT order_number, array_agg(id ORDER BY order_seq) FROM callbacks WHERE shop_id = $1 GROUP BY 1",
                self.world.shop_id,
            )
        return dict(rows)

    def _any_order(self) -> ModelOrder:
        return self.chance.choice(list(self.model.orders.values()))

    def _today(self) -> date:
        return self._now.astimezone(ZoneInfo(_ZONE)).date()

    def _body(self, order: ModelOrder) -> dict[str, Any]:
        first, last = order.name.split(" ")
        return {
            "number": order.number, "date": order.day, "type": "PREPAYMENT", "currency": "EUR",
            "amount": _text(order.due_minor),
            "billing": {"firstName": first, "lastName": last, "countryCode": "DE"},
        }  # fmt: skip

    def _post(self, path: str, body: Any = None) -> ApiReply:
        reply: ApiReply = self._surviving(lambda: self.world.call("POST", path, body), lost_answer=True)
        return reply

    def _surviving(self, action: Callable[[], Any], *, lost_answer: bool = False) -> Any:
        """The action, and again after a death of the process; a call that was committed has lost its answer only."""
        try:
            with self.boundaries.crash(self.chance.choice((0, 0, 0, 1, 2, 3, 4, 6, 9, 14))):
                return action()
        except Crash as crash:
            if lost_answer and str(crash) == "after commit":
                return ApiReply(200, None)
            return action()


def _refuses(refusal: type[Exception], action: Callable[[], object]) -> bool:
    """True if the action is refused; what `pytest.raises` fails with is no Exception and would end the soak."""
    try:
        action()
    except refusal:
        return True
    return False


def _text(minor: int) -> str:
    return f"{minor // 100}.{minor % 100:02d}"


@contextmanager
def life_of(database: Database, seed: int) -> Iterator[Life]:
    """A shop of its own for the life of this seed; it is forgotten afterwards."""
    seeded = patch.object(ids, "secrets", SeededSecrets(seed))
    with seeded, new_world(database, _START, {"timezone": _ZONE}) as world:
        yield Life(world, seed)


def live(database: Database, seed: int) -> Life:
    """Lives one life; AssertionError where the service and the model differ."""
    with life_of(database, seed) as life:
        life.live()
        return life
