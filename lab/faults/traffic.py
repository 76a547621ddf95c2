"""Everybody who writes, what they were told, and whether it is so at the end."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, Final

import psycopg
from tests.fakes.mail_server import MailServer

from lab.failover.load import Expected, Receiver, Shop
from lab.failover.verdict import callback_faults, differing_orders, is_quiet, sequence_faults
from lab.faults import bulk, days, live
from lab.faults.bulk import BulkWriter, Told
from lab.faults.days import SandboxLife
from lab.faults.installation import Installation
from lab.faults.live import LiveWriter

_END_SECONDS: Final = 180


@dataclass(frozen=True)
class Size:
    """How many writers there are: of batches, of a live shop, and sandbox shops with a life each."""

    bulk: int = 1
    live: int = 2
    sandboxes: int = 0


class Traffic:
    """All writers on an installation that runs. `start`, `ended` and `judged`, in this order."""

    def __init__(
        self, installation: Installation, receiver: Receiver, mail: MailServer | None, seed: int, size: Size,
        days_before: int = 0,
    ) -> None:  # fmt: skip
        """`days_before`: so old are orders when they are submitted, where the service's clock may be behind."""
        self._installation = installation
        self._receiver = receiver
        self._mail = mail
        self._found: list[str] = []
        self._in_batches = Told()
        self._bulk_shop = installation.new_shop("Bulk", callbacks=False)
        mails = ("mail-from=pay@shop.example", "payment-information=on") if mail is not None else ()
        self.shop = installation.new_shop("Live", *mails)
        self.shop.ports = tuple(reversed(self.shop.ports))
        self._bulk = [
            BulkWriter(self._bulk_shop, number, seed, self._in_batches, days_before) for number in range(size.bulk)
        ]
        self._live = [LiveWriter(self.shop, number, seed, days_before) for number in range(size.live)]
        sandboxes = installation.new_sandboxes(size.sandboxes)
        self._sandboxes = [SandboxLife(shop, number, seed) for number, shop in enumerate(sandboxes)]

    @property
    def _everybody(self) -> Sequence[BulkWriter | LiveWriter | SandboxLife]:
        return [*self._bulk, *self._live, *self._sandboxes]

    def start(self) -> None:
        """Everybody begins to write."""
        for writer in self._everybody:
            writer.start()

    def writes(self) -> int:
        """Acknowledged writes: orders in batches, calls of the live shop, and what sandbox shops were told."""
        return self._in_batches.orders + len(self.shop.acknowledged) + sum(each.told.writes for each in self._sandboxes)

    def orders(self) -> dict[str, Expected]:
        """The orders of the live shop, as it was told."""
        return {number: order for writer in self._live for number, order in writer.orders.items()}

    def broken(self) -> list[str]:
        """Writers that were refused."""
        return [f"{writer.name}: {writer.broken}" for writer in self._everybody if writer.broken]

    def told(self) -> dict[str, int]:
        """How far everybody is."""
        return {
            "writes": self.writes(), "live": len(self.shop.acknowledged), "callbacks": len(self._receiver.arrived),
            "days": sum(each.told.days for each in self._sandboxes),
            "mails": len(self._mail.taken) if self._mail else 0, "wrong": len(self._found),
        }  # fmt: skip

    def wait_for_writes(self, seconds: float) -> float:
        """Seconds until the live shop has an acknowledged write again; TimeoutError if there is none for so long."""
        begun, before = time.monotonic(), len(self.shop.acknowledged)
        while len(self.shop.acknowledged) == before:
            if time.monotonic() - begun > seconds:
                raise TimeoutError(f"no write was acknowledged for {seconds:.0f} s")
            time.sleep(0.1)
        return round(time.monotonic() - begun, 1)

    def check(self) -> None:
        """The books are checked while everybody writes; what is wrong is told by `ended`."""
        done = self._installation.command("check", "--json")
        if done.returncode != 0:
            said = json.loads(done.stdout)["violations"] if done.stdout.startswith("{") else []
            self._found += [f"paymatch check: {each['rule']}: {each['subject']}: {each['text']}" for each in said]
            if not said:
                self._found.append(f"paymatch check: {(done.stdout + done.stderr)[:2000]}")

    def ended(self) -> list[str]:
        """Everybody ends what he has begun, then simulated days pass in which nothing begins; what is wrong so far."""
        for writer in self._everybody:
            writer.stop()
        ends = time.monotonic() + _END_SECONDS
        for writer in self._everybody:
            writer.join(max(ends - time.monotonic(), 1))
        self._found += [f"{writer.name} has not ended" for writer in self._everybody if writer.is_alive()]
        self._installation.wait_until_ready()
        for life in self._sandboxes:
            if not life.is_alive() and not life.broken:
                life.end()
        return self.broken() + self._found

    def judged(self, seen: dict[str, Any]) -> list[str]:
        """What is otherwise than it was acknowledged; figures are added to what was seen."""
        with psycopg.connect(self._installation.url) as connection:
            wrong = [] if is_quiet(connection) else ["callbacks are still open minutes after the last event"]
            wrong += differing_orders(self.shop, self.orders())
            connection.rollback()
            wrong += bulk.differing(connection, self._bulk_shop, self._bulk)
            for shop in (self.shop, *(life.shop for life in self._sandboxes)):
                wrong += _postings_twice(connection, shop)
            found = _one(connection, "SELECT count(*) FROM postings WHERE shop_id = %s", self.shop.id)
            if found != self.shop.entries:
                wrong.append(f"{self.shop.entries} payments were acknowledged, {found} postings are stored")
            wrong += self._callbacks(connection)
            if self._mail is not None:
                live.wait_for_mail(connection, self.shop, _END_SECONDS)
                mails, came, again = live.mail_faults(connection, self.shop, self._live, self._mail.taken)
                wrong += mails
                seen |= {"mails": came, "mails_again": again}
            for life in self._sandboxes:
                wrong += days.differing(connection, life)
            try:
                wrong += live.repeated_in_peace(self._installation, self.shop, self._live, connection)
            except (OSError, RuntimeError) as error:  # what was compared so far has to be told
                wrong.append(f"the books could not be compared with those in peace: {error}")
            connection.rollback()
            seen["stored"] = _stored(connection)
        self._add_figures(seen)
        self._found.clear()
        self.check()
        return wrong + self._found

    def _add_figures(self, seen: dict[str, Any]) -> None:
        arrived, failures = self._receiver.arrived, self._in_batches.failures + self.shop.failures
        for life in self._sandboxes:
            failures += life.told.failures
        moments = sorted(chain(self._in_batches.moments, (each.at for each in self.shop.acknowledged)))
        distinct = len({each.webhook_id for each in arrived})
        seen |= {
            "acknowledged": self.writes(), "orders_in_batches": self._in_batches.orders,
            "calls_of_the_live_shop": len(self.shop.acknowledged), "payments": self.shop.entries,
            "writes_of_sandbox_shops": sum(each.told.writes for each in self._sandboxes),
            "simulated_days": sum(each.told.days for each in self._sandboxes),
            "refunds": sum(len(each.told.refunds) for each in self._sandboxes),
            "callbacks": distinct, "callbacks_again": len(arrived) - distinct,
            "longest_gap_seconds": round(max((b - a for a, b in pairwise(moments)), default=0), 1),
            "answers_lost_or_refused": dict(failures.most_common(12)),
        }  # fmt: skip

    def _callbacks(self, connection: psycopg.Connection[Any]) -> list[str]:
        """Whether callbacks came one per change and in their order, in the live shop and in the sandbox shops."""
        orders = self.orders()
        by_order: dict[str, list[str]] = defaultdict(list)
        came = defaultdict(list)
        for number, callback in connection.execute(
            "SELECT order_number, id FROM callbacks WHERE order_number <> '' ORDER BY shop_id, order_number, order_seq"
        ):
            by_order[str(number)].append(str(callback))
        for each in self._receiver.arrived:
            came[each.order].append(each)
        wrong = callback_faults(orders, by_order, [each for each in self._receiver.arrived if each.order in orders])
        for number in (by_order.keys() | came.keys()) - orders.keys():
            wrong += sequence_faults(number, by_order[number], came[number])
        return wrong


def _postings_twice(connection: psycopg.Connection[Any], shop: Shop) -> list[str]:
    rows = connection.execute(
        "SELECT bank_reference, count(*) FROM postings WHERE shop_id = %s AND bank_reference <> ''"
        " GROUP BY account, bank_reference HAVING count(*) > 1",
        (shop.id,),
    )
    return [f"payment {row[0]} is booked {row[1]} times" for row in rows]


def _one(connection: psycopg.Connection[Any], query: str, *params: object) -> int:
    row = connection.execute(query.encode(), params).fetchone()
    return int(row[0]) if row else 0


def _stored(connection: psycopg.Connection[Any]) -> dict[str, int]:
    tables = ("orders", "postings", "refunds", "reminders", "mails", "callbacks", "imports", "events")
    return {table: _one(connection, f"SELECT count(*) FROM {table}") for table in tables}
