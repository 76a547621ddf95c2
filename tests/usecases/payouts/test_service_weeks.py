"""Generated weeks of every known service, end to end: the same orders, payouts and books in any order of files."""

from __future__ import annotations

import io
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paymatch.domain.postings import Posting
from paymatch.domain.statement_channels import StatementChannel
from paymatch.formats.camt.writer import CamtMessage
from paymatch.store.database import Database
from paymatch.usecases.advices.advices import import_advice, undo_advice
from paymatch.usecases.matching.matching import match_due
from paymatch.usecases.payouts.layout_mapping import map_layout
from paymatch.usecases.reports.journal import bookings, ledger_accounts
from paymatch.usecases.shops import shops
from paymatch.usecases.statements.imports import undo_import
from tests.length import some
from tests.usecases.conftest import ACCOUNT, Books, camt, paid
from tests.usecases.payouts import card_services, market_services
from tests.usecases.payouts.service_weeks import NamedFile, Service, Story, story
from tests.usecases.payouts.unknown_service import KASSENWERK

SERVICES = {each.code: each for each in (*card_services.SERVICES, *market_services.SERVICES, KASSENWERK)}


def bank_entries(service: Service, told: Story) -> list[Posting]:
    """What reaches the shop's bank account, and what the shop has bought at the service."""
    entries = []
    for week in told.weeks:
        if week.paid > 0:
            name, text = service.bank(week, told.chance)
            entries.append(
                paid(week.paid, text, booking_date=week.booked, counterparty_name=name, counterparty_iban="")
            )
    name, _ = service.bank(told.weeks[0], told.chance)
    return [*entries, paid(-1234, "Bestellung 11", booking_date=told.weeks[0].booked, counterparty_name=name)]


def statement(entries: Sequence[Posting]) -> bytes:
    """The statement of the days of these entries."""
    days = (min(each.booking_date for each in entries), max(each.booking_date for each in entries))
    return camt(CamtMessage.STATEMENT, *entries, days=days)


def submit_orders(books: Books, service: Service, told: Story) -> None:
    """The shop's orders, as its customers have placed them."""
    for order, minor in told.orders.items():
        more = {"marketplaceNumber": service.marketplace(order)} if service.marketplace else {}
        more["currency"] = "USD" if order in told.usd else "EUR"
        books.order(told.form.format(order), f"{told.usd.get(order, minor) / 100:.2f}", date="01-09-2026", **more)


def settle(books: Books) -> None:
    """Matches what waits, and what waits for that."""
    for _ in range(3):
        match_due(books.database, books.shop, books.now)


def _state(books: Books) -> list[tuple[object, ...]]:
    return [
        *books.rows("SELECT number, status, postings_minor, refunded_minor FROM orders WHERE shop_id = $1 ORDER BY 1"),
        *books.rows(
            "SELECT account, amount_minor, booking_date, status, aside_reason, allocated_minor FROM postings"
            " WHERE shop_id = $1 ORDER BY 1, 2, 3, 5"
        ),
        *books.rows(
            "SELECT account, payout_id, amount_minor, net_minor, fee_minor, carried_in_minor, carried_out_minor,"
            " line_count, order_count, short_minor, reason, posting_id <> '' FROM payouts WHERE shop_id = $1"
            " ORDER BY 1, 2"
        ),
    ]


def _check(books: Books, service: Service, told: Story) -> None:
    wrong = {
        number: (found, wanted)
        for number, found, wanted in (
            (told.form.format(order), books.status(told.form.format(order)), told.status_of(order))
            for order in told.orders
        )
        if found != wanted
    }
    assert not wrong
    wanted = sorted(week.paid for week in told.weeks if week.paid > 0)
    rows = books.rows(
        "SELECT amount_minor, posting_id <> '', short_minor, carried_in_minor + net_minor - own_fee_minor"
        " - carried_out_minor - amount_minor FROM payouts WHERE shop_id = $1 AND amount_minor <> 0 ORDER BY 1"
    )
    assert rows == [(minor, True, 0, 0) for minor in wanted]
    held = books.rows(
        "SELECT currency, sum(amount_minor)::bigint FROM postings WHERE shop_id = $1 AND format = 'settlement'"
        " GROUP BY 1 ORDER BY 1"
    )
    assert held[0] == ("EUR", sum(week.net for week in told.weeks) - sum(wanted))
    assert {minor for _, minor in held[1:]} <= {0}, "what is exchanged leaves the other currency"
    _check_journal(books, held[0][1])
    books.sound()


def _check_journal(books: Books, held: int) -> None:
    """No cent is booked twice: the accounts of bank and service hold what they hold."""
    saldo = Counter[str]()
    with books.database.of_shop(books.shop) as tx:
        chart = ledger_accounts(tx)
        for each in bookings(tx, date(2026, 8, 1), date(2026, 12, 31)):
            if each.currency == "EUR":
                saldo[each.debit.number] += each.minor
                saldo[each.credit.number] -= each.minor
    ((account, minor),) = books.rows(
        "SELECT account, sum(amount_minor)::bigint FROM postings WHERE shop_id = $1 AND account LIKE '%:%'"
        " AND currency = 'EUR' GROUP BY 1"
    )
    assert minor == held == saldo[chart.bank(account).number]
    arrived = books.rows("SELECT sum(amount_minor)::bigint FROM postings WHERE shop_id = $1 AND account NOT LIKE '%:%'")
    assert saldo[chart.bank(ACCOUNT).number] == arrived[0][0]


EXAMPLES = 500 if settings.get_current_profile_name() == "soak" else 1
"""Each is two shops with all their files; `make soak` looks at many."""


def walk(database: Database, service: Service, seed: int) -> None:
    """AssertionError unless the weeks of this seed end right in two orders of files, and after undo.

    In the second order a file is undone in the middle, and one comes only in the end.
    """
    chance = random.Random(seed)
    told = story(chance, carries=service.carries, kinds=service.kinds)
    if not told.weeks:
        return
    made = {content: name for name, content in service.files(told)}  # the same file again would be no new import
    brought = [
        *((name, content) for content, name in made.items()),
        ("bank.xml", statement(bank_entries(service, told))),
        ("orders", b""),
    ]
    seen: list[list[tuple[object, ...]]] = []
    for order in (brought, chance.sample(brought, len(brought))):
        shop = shops.create(database, "Weeks", datetime(2026, 8, 1, tzinfo=UTC), ibans=[ACCOUNT]).shop
        books = Books(database, shop, datetime(2026, 12, 1, 9, tzinfo=UTC))
        imports = _bring_all(books, service, told, order)
        if seen:
            _undo_some(books, imports, dict(brought), chance)
        seen.append(_state(books))
        _check(books, service, told)
        undone = chance.choice(sorted(imports))
        undo_import(database, shop, imports[undone], books.now)
        settle(books)
        books.sound()
        books.bring(dict(brought)[undone], undone)
        settle(books)
        assert _state(books) == seen[-1], f"after undo of {undone}"
        books.sound()
    assert seen[0] == seen[1], [name for name, _ in order]


def learn_layout(books: Books, service: Service, files: Sequence[NamedFile]) -> None:
    """A person maps the first file of a service that the package does not know."""
    if service.provider_name:
        content = next(content for name, content in files if name.startswith("kasse"))
        map_layout(books.database, books.shop, io.BytesIO(content), service.provider_name, books.now, save=True)


def _bring_all(books: Books, service: Service, told: Story, order: list[NamedFile]) -> dict[str, str]:
    """Name -> import of the files."""
    imports = {}
    learn_layout(books, service, order)
    for name, content in order:
        if name == "orders":
            submit_orders(books, service, told)
        else:
            imports[name] = books.bring(content, name).import_id
    settle(books)
    return imports


def _undo_some(books: Books, imports: dict[str, str], files: dict[str, bytes], chance: random.Random) -> None:
    """Takes back up to three files, one after the other, and brings them again in another order."""
    names = chance.sample(sorted(imports), min(len(imports), chance.randint(1, 3)))
    for name in names:
        undo_import(books.database, books.shop, imports[name], books.now)
    settle(books)
    books.sound()
    for name in chance.sample(names, len(names)):
        imports[name] = books.bring(files[name], name).import_id
        books.sound()
    settle(books)


CARRIER_DAY: Final = date(2026, 11, 27)
CARRIER: Final = paid(
    147_00, "Sammelauszahlung", booking_date=CARRIER_DAY, counterparty_name="Kurier Blitz GmbH", counterparty_iban=""
)
ADVICE: Final = b"""Auftraggeber: Kurier Blitz GmbH
Bestellnummer;Betrag;Geb\xc3\xbchr;Auszahlung
SW-1001;100,00;2,00;98,00
SW-1002;50,00;1,00;49,00
Summe;150,00;3,00;147,00
"""


@dataclass
class _Desk:
    """A shop whose files come and go: those of the service, the bank's statement, and a carrier's advice."""

    books: Books
    service: Service
    told: Story
    files: dict[str, bytes]
    here: dict[str, str] = field(default_factory=dict)  # name -> id of what was brought

    def bring(self, name: str) -> None:
        books = self.books
        if name == "orders":
            submit_orders(books, self.service, self.told)
            books.order("SW-1001", "100.00", date="20-11-2026")
            books.order("SW-1002", "50.00", date="20-11-2026")
        elif name == "advice":
            channel = StatementChannel.COMMAND_LINE
            found = import_advice(books.database, books.shop, io.BytesIO(ADVICE), name, books.now, channel)
            self.here[name] = str(found[0]["id"])
        else:
            self.here[name] = books.bring(self.files[name], name).import_id

    def take_back(self, name: str) -> None:
        books, known = self.books, self.here.pop(name)
        undo = undo_advice if name == "advice" else undo_import
        undo(books.database, books.shop, known, books.now)


def restless_walk(database: Database, service: Service, seed: int) -> None:
    """AssertionError unless files that are undone at any point and come again end like those that came in order.

    Files of the service, the bank's statement and an advice are undone between the imports of others, some twice.
    """
    chance = random.Random(f"restless {seed}")
    told = story(chance, carries=service.carries, kinds=service.kinds)
    if not told.weeks:
        return
    files = {name: content for content, name in {content: name for name, content in service.files(told)}.items()}
    files["bank.xml"] = statement([*bank_entries(service, told), CARRIER])
    names = ["orders", *files, "advice"]
    desks, undone = [], list[str]()
    for is_restless in (False, True):
        shop = shops.create(database, "Weeks", datetime(2026, 8, 1, tzinfo=UTC), ibans=[ACCOUNT]).shop
        desk = _Desk(Books(database, shop, datetime(2026, 12, 1, 9, tzinfo=UTC)), service, told, files)
        desks.append(desk)
        learn_layout(desk.books, service, [*files.items()])
        waiting = chance.sample(names, len(names)) if is_restless else names[::-1]
        while waiting:
            desk.bring(waiting.pop())
            if is_restless and desk.here and len(undone) < len(names) and chance.random() < 0.5:
                undone.append(chance.choice(sorted(desk.here)))
                desk.take_back(undone[-1])
                waiting.insert(chance.randint(0, len(waiting)), undone[-1])
            if chance.random() < 0.3:
                settle(desk.books)
            desk.books.sound()
        settle(desk.books)
        _check(desk.books, service, told)
        assert [desk.books.status(number) for number in ("SW-1001", "SW-1002")] == ["PAID", "PAID"], undone
    assert _state(desks[0].books) == _state(desks[1].books), undone


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(code=st.sampled_from(sorted(SERVICES)), seed=st.integers(0, 10**6))
def test_files_that_are_undone_at_any_point_and_come_again_change_nothing(
    database: Database, code: str, seed: int
) -> None:
    restless_walk(database, SERVICES[code], seed)


@pytest.mark.parametrize("code", some(sorted(SERVICES), 5))
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(seed=st.integers(0, 10**6))
def test_generated_weeks_of_every_service_are_explained(database: Database, code: str, seed: int) -> None:
    walk(database, SERVICES[code], seed)
