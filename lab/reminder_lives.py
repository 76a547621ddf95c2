"""Whole lives of orders: how many customers are reminded although their money stood in a file that was read.

`python -m lab.reminder_lives [--orders 20000] [--days 120] [--seed 1] [--rounds 1] [--clerk] [--out FILE]`

Each order is played from its submission to its payment in a sandbox shop whose clock is moved (D-34), with what makes
reminders wrong (`life_stories.py`): late statements, payouts, advices, settlement files, fees, returns, credit, two
accounts, holidays. The truth is the generator's: a reminder is wrong if the customer's money stood in a file that had
been read before, whether it was assigned or not. With `--clerk` a person assigns each morning what was left open.
"""

from __future__ import annotations

import argparse
import io
import json
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from datetime import time as day_time
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from lab.api_world import postgres_cpu_seconds, postgres_of
from lab.life_stories import ACCOUNTS, FIRST, DayFile, LifeOrder, Lives, lives
from paymatch.clock import utc_now
from paymatch.domain.orders.split import AssignmentRefused
from paymatch.domain.shops.shop import Shop
from paymatch.domain.statement_channels import StatementChannel
from paymatch.embedded import running_server
from paymatch.formats.contract import bodies
from paymatch.gc_tuning import collect_rarely
from paymatch.logs import set_up_logs
from paymatch.store.database import Database
from paymatch.store.migrate import migrate
from paymatch.store.sandbox import sandbox
from paymatch.store.shops import shops as shop_store
from paymatch.store.statements import statements as statement_store
from paymatch.store.transactions import ShopId
from paymatch.usecases.advices.advices import import_advice
from paymatch.usecases.matching.assigning import Part, match
from paymatch.usecases.matching.matching import match_due
from paymatch.usecases.orders import orders
from paymatch.usecases.replays.playing import NothingLeaves
from paymatch.usecases.shops import shops
from paymatch.usecases.statements.statements import IncomingBankFile, book
from paymatch.usecases.work.sandbox_clock import hold_due_work, move

_MORNING: Final = day_time(5, 0)
_AT_ONCE: Final = 500
_BEGIN: Final = datetime(1990, 1, 1, tzinfo=UTC)
_SETTINGS: Final = {
    "reminders": "on", "payment-information": "off", "payment-thanks": "off", "callbacks": "off", "letters": "off",
    "refund-runs": "off", "refund-requests": "off", "api": "off", "use-credit": "on",
}  # fmt: skip


class Round:
    """One shop's lives, played day by day."""

    def __init__(self, database: Database, found: Lives, *, with_clerk: bool) -> None:
        self._database, self._found, self._with_clerk = database, found, with_clerk
        self._orders: dict[date, list[LifeOrder]] = defaultdict(list)
        for order in found.orders:
            self._orders[order.ordered].append(order)
        self._files: dict[date, list[DayFile]] = defaultdict(list)
        for file in found.files:
            self._files[file.day].append(file)
        start = datetime.combine(FIRST, _MORNING, UTC) - timedelta(days=5)
        made = shops.create(database, "Lives", utc_now(), ibans=ACCOUNTS, sandbox=True, start=start)
        self._id = ShopId(made.shop.id)
        with database.of_shop(self._id, at=utc_now()) as tx:
            shops.change(tx, _SETTINGS)
            sandbox.set_silent(tx, silent=True)

    def _shop(self) -> Shop:
        with self._database.of_shop(self._id, at=utc_now()) as tx:
            found = shop_store.load(tx)
        assert found is not None
        return found

    def play(self) -> list[tuple[str, date]]:
        """(order, day) of every reminder that was sent."""
        with hold_due_work(self._database, self._shop(), utc_now):
            day = FIRST - timedelta(days=3)
            while day <= self._found.last:
                self._play_day(day)
                day += timedelta(days=1)
        with self._database.of_shop(self._id) as tx:
            return [*tx.rows("SELECT order_number, sent_date FROM reminders WHERE shop_id = $1", tx.shop_id)]

    def _play_day(self, day: date) -> None:
        shop = self._shop()
        morning = datetime.combine(day, _MORNING, ZoneInfo(shop.timezone))
        move(self._database, shop, morning, NothingLeaves(), utc_now, writes_mail=False)
        self._submit(self._orders[day])
        for file in self._files[day]:
            if not file.is_advice:
                self._book(file)
        match_due(self._database, self._shop(), utc_now())
        for file in self._files[day]:
            if file.is_advice:
                stream = io.BytesIO(file.content)
                import_advice(self._database, self._shop(), stream, file.name, utc_now(), StatementChannel.COMMAND_LINE)
        if self._with_clerk:
            self._assign(day)

    def _submit(self, some: Sequence[LifeOrder]) -> None:
        for start in range(0, len(some), _AT_ONCE):
            body = json.dumps([_body(each) for each in some[start : start + _AT_ONCE]]).encode()
            checked = [bodies.check_order(each) for each in bodies.decode_orders(body)]
            with self._database.of_shop(self._id, at=utc_now()) as tx:
                orders.submit(tx, checked, [*range(len(checked))])

    def _book(self, file: DayFile) -> None:
        incoming = IncomingBankFile(io.BytesIO(file.content), file.name, StatementChannel.COMMAND_LINE)
        with self._database.of_shop(self._id, at=utc_now()) as tx:
            statement_store.lock_imports(tx)
            book(tx, incoming)

    def _assign(self, day: date) -> None:
        """A person assigns what was left open to the orders whose money it is, as somebody knows who asks."""
        with self._database.of_shop(self._id) as tx:
            left = tx.rows(
                "SELECT id, bank_reference FROM postings WHERE shop_id = $1 AND status IN ('suggested', 'unmatched')"
                " AND amount_minor > 0",
                tx.shop_id,
            )
        for posting, reference in left:
            numbers = self._found.owners.get(reference, ())
            parts = [Part(number, minor) for number, minor in numbers]
            try:
                if parts:
                    match(self._database, self._shop(), posting, parts, utc_now())
            except AssignmentRefused:
                continue


def _body(order: LifeOrder) -> dict[str, object]:
    who = order.customer
    found: dict[str, object] = {
        "number": order.number, "date": f"{order.ordered:%d-%m-%Y}", "type": "INVOICE", "currency": "EUR",
        "amount": f"{who.minor // 100}.{who.minor % 100:02d}", "customerEmail": f"{who.number.lower()}@example.com",
        "dueDate": f"{order.ordered + timedelta(days=10):%d-%m-%Y}", "customerNumber": order.customer_number,
        "invoiceNumbers": [who.invoice],
        "billing": {"firstName": who.first, "lastName": who.last, "countryCode": "DE"},
    }  # fmt: skip
    return found | ({"marketplaceNumber": order.marketplace_number} if order.marketplace_number else {})


def judge(found: Lives, sent: Sequence[tuple[str, date]]) -> tuple[Counter[str], list[str]]:
    """Wrong reminders by kind of payment, and the first of them as lines to read."""
    of = {each.number: each for each in found.orders}
    wrong, lines = Counter[str](), list[str]()
    for number, day in sent:
        order = of[number]
        if found.known(number, day) >= order.customer.minor:
            wrong[order.kind] += 1
            if len(lines) < 20:
                lines.append(
                    f"{order.kind}: {number} over {order.customer.minor}, reminded {day}, {found.money[number]}"
                )
    return wrong, lines


def main() -> int:
    """Lives the lives; exit code 1 if somebody was reminded wrongly."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, default=20_000)
    parser.add_argument("--days", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--clerk", action="store_true", help="a person assigns each morning what is left open")
    parser.add_argument("--out", type=Path, help="a line of JSON is added for each round")
    given = parser.parse_args()
    collect_rarely()
    set_up_logs("console", "warning")
    every = 0
    for seed in range(given.seed, given.seed + given.rounds):
        folder = tempfile.TemporaryDirectory(prefix="paymatch-lives-")
        with folder as name, running_server(Path(name), durable=False) as url:
            migrate(url)
            every += _round(given, url, seed)
    return 1 if every else 0


def _round(given: argparse.Namespace, url: str, seed: int) -> int:
    server, begun, database = postgres_of(url), time.monotonic(), Database(url, size=3)
    used = time.process_time() + postgres_cpu_seconds(server)
    found = lives(given.orders, given.days, seed)
    played = Round(database, found, with_clerk=given.clerk)
    sent = played.play()
    wrong, lines = judge(found, sent)
    said = {
        "seed": seed, "lives": given.orders, "days": given.days, "clerk": given.clerk, "reminders": len(sent),
        "wrong": sum(wrong.values()), "by_kind": dict(sorted(wrong.items())),
        "seconds": round(time.monotonic() - begun),
        "cpu_seconds": round(time.process_time() + postgres_cpu_seconds(server) - used),
    }  # fmt: skip
    database.close()
    print(json.dumps(said), *lines, sep="\n", flush=True)
    if given.out:
        with given.out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(said) + "\n")
    return sum(wrong.values())


if __name__ == "__main__":
    raise SystemExit(main())
