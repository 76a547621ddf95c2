"""Worlds with payouts and advices through the whole product: `python -m lab.matching payouts --seeds 700-709`.

In each world one shop sells through all services at once, and carriers send sums that name nothing with an advice.
Counted are orders that were paid in full and are not PAID, and payouts on the bank statement that are explained with
rest 0.00. The truth is reckoned by plain integers beside the product (`tests/usecases/payouts/service_weeks.py`).
"""

from __future__ import annotations

import random
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Final

from tests.usecases.conftest import ACCOUNT, Books, paid
from tests.usecases.payouts.service_weeks import NamedFile, Story, story
from tests.usecases.payouts.test_service_weeks import (
    SERVICES,
    bank_entries,
    learn_layout,
    settle,
    statement,
    submit_orders,
)

from lab.matching.report import table
from paymatch.domain.postings import Posting
from paymatch.domain.statement_channels import StatementChannel
from paymatch.embedded import running_server
from paymatch.store.database import Database
from paymatch.store.migrate import migrate
from paymatch.usecases.advices.advices import import_advice
from paymatch.usecases.shops import shops

ADVICES: Final = "advices"
_CARRIERS: Final = 4
_BEGIN: Final = date(2026, 10, 20)


@dataclass(slots=True)
class Counted:
    """What became of the orders and payouts of one service."""

    covered: int = 0
    unpaid: int = 0  # covered but not PAID
    otherwise: int = 0  # orders that were refunded or charged back, and whose status is another
    payouts: int = 0
    explained: int = 0


@dataclass(frozen=True, slots=True)
class _Truth:
    """What must be: status of each order, and the sums that reach the bank with the text that explains each."""

    statuses: Mapping[str, str]
    sums: tuple[tuple[int, date], ...]


def measure(seeds: Iterable[int]) -> dict[str, Counted]:
    """Service -> what became of its orders and payouts in the worlds of these seeds."""
    found: dict[str, Counted] = defaultdict(Counted)
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder) / "data", durable=False) as url:
        migrate(url)
        database = Database(url, size=2)
        for seed in seeds:
            _count_world(database, seed, found)
        database.close()
    return dict(found)


def _count_world(database: Database, seed: int, found: dict[str, Counted]) -> None:
    chance = random.Random(seed)
    shop = shops.create(database, "Weeks", datetime(2026, 8, 1, tzinfo=UTC), ibans=[ACCOUNT]).shop
    books = Books(database, shop, datetime(2026, 12, 1, 9, tzinfo=UTC))
    entries: list[Posting] = []
    brought: list[NamedFile] = []
    truths: dict[str, _Truth] = {}
    for place, (code, service) in enumerate(sorted(SERVICES.items()), 1):
        told = story(chance, carries=service.carries, kinds=service.kinds, first=101 + 100 * place)
        if not told.weeks:
            continue
        submit_orders(books, service, told)
        files = service.files(told)
        learn_layout(books, service, files)
        brought += [(f"{code} {name}", content) for name, content in files]
        entries += bank_entries(service, told)
        truths[code] = _truth_of(told)
    advised, truths[ADVICES] = _advised(books, chance, brought)
    brought.append(("bank.xml", statement(sorted([*entries, *advised], key=lambda each: each.booking_date))))
    for name, content in chance.sample(brought, len(brought)):
        if name.startswith(ADVICES):
            import_advice(database, shop, BytesIO(content), f"{name}.csv", books.now, StatementChannel.COMMAND_LINE)
        else:
            books.bring(content, name)
    settle(books)
    books.sound()
    for code, truth in truths.items():
        _count(books, truth, found[code])


def _truth_of(told: Story) -> _Truth:
    return _Truth(
        {told.form.format(order): told.status_of(order) for order in told.orders},
        tuple((week.paid, week.booked) for week in told.weeks if week.paid > 0),
    )


def _advised(books: Books, chance: random.Random, brought: list[NamedFile]) -> tuple[list[Posting], _Truth]:
    """Sums of carriers that name nothing; their advices are added to what is brought."""
    statuses: dict[str, str] = {}
    postings = []
    for place in range(_CARRIERS):
        numbers = [f"KU-{place}{each:03d}" for each in range(chance.randint(2, 12))]
        rows, total = ["Bestellnummer;Betrag;Gebühr;Auszahlung"], [0, 0]
        for number in numbers:
            minor, fee = chance.randint(1000, 20000), 250
            books.order(number, f"{minor / 100:.2f}", date="01-09-2026", type="COD")
            rows.append(f"{number};{_said(minor)};{_said(fee)};{_said(minor - fee)}")
            total = [total[0] + minor, total[1] + fee]
        net = total[0] - total[1]
        rows.append(f"Summe;{_said(total[0])};{_said(total[1])};{_said(net)}")
        text = "\n".join(["Auftraggeber: Kurier Blitz GmbH", *rows]) + "\n"
        brought.append((f"{ADVICES} {place}", text.encode()))
        day = _BEGIN + timedelta(days=7 * place)
        postings.append(paid(net, "Sammelauszahlung", booking_date=day, counterparty_name="Kurier Blitz GmbH"))
        statuses |= dict.fromkeys(numbers, "PAID")
    return postings, _Truth(statuses, tuple((each.amount_minor, each.booking_date) for each in postings))


def _said(minor: int) -> str:
    return f"{minor // 100},{minor % 100:02d}"


def _count(books: Books, truth: _Truth, counted: Counted) -> None:
    statuses = dict(books.rows("SELECT number, status FROM orders WHERE shop_id = $1"))
    for number, wanted in truth.statuses.items():
        is_right = statuses[number] == wanted
        if wanted == "PAID":
            counted.covered += 1
            counted.unpaid += not is_right
        else:
            counted.otherwise += not is_right
    explained = {
        (minor, day)
        for minor, day in books.rows(
            "SELECT p.amount_minor, p.booking_date FROM postings p WHERE p.shop_id = $1 AND p.status = 'matched'"
            " UNION SELECT p.amount_minor, p.booking_date FROM payouts y"
            " JOIN postings p ON p.shop_id = $1 AND p.id = y.posting_id WHERE y.shop_id = $1 AND y.short_minor = 0"
            " AND y.carried_in_minor + y.net_minor - y.own_fee_minor - y.carried_out_minor = y.amount_minor"
        )
    }
    counted.payouts += len(truth.sums)
    counted.explained += sum(each in explained for each in truth.sums)


def document(found: Mapping[str, Counted]) -> str:
    """The figures as a table, one row per service."""
    figures = {
        code: (each.covered, each.unpaid, each.otherwise, each.payouts, each.explained) for code, each in found.items()
    }
    rows = [[code, *of_service] for code, of_service in sorted(figures.items())]
    rows.append(["all", *map(sum, zip(*figures.values(), strict=True))])
    head = ["service", "orders covered", "covered but not PAID", "other orders wrong", "payouts", "payouts explained"]
    return table(head, rows)


def is_all_explained(found: Mapping[str, Counted]) -> bool:
    """Whether nothing is left open."""
    return not any(each.unpaid or each.otherwise or each.explained < each.payouts for each in found.values())
