"""Returns of returns, second returns, returns in part or with a fee, and returns after collection (D-36, D-54).

A bank's mark and the end-to-end id that it names are its word; what it does not say, a person decides. No order counts
as paid by money that went back, and no customer is dunned because one payment was reported as returned twice.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from paymatch.domain.statement_channels import StatementChannel
from paymatch.formats.camt.writer import CamtMessage
from paymatch.store.database import Database
from paymatch.usecases.collection import cases
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.assigning import Part
from paymatch.usecases.matching.matching import match_due
from paymatch.usecases.statements.statements import import_file
from paymatch.usecases.work.check import check_shop
from tests.usecases.collection.agency_world import World, with_agency
from tests.usecases.conftest import DAY, Books, camt, paid

FIRST, SECOND = "SO-71003", "SO-82004"
NAMED: Final = f"order {FIRST}"
BOTH: Final = f"{FIRST} {SECOND}"
EVA: Final = {"billing": {"firstName": "Eva", "lastName": "Muster", "countryCode": "DE"}}


class Move(NamedTuple):
    """A booking; with `of`, the bank marks it as a return, and names this end-to-end id unless it is "-"."""

    minor: int
    text: str = NAMED
    id: str = ""
    of: str = ""
    more: dict[str, Any] = {}  # noqa: RUF012


def play(books: Books, *moves: Move) -> None:
    """Orders of 60.00 and 40.00, and a statement a day with one booking, matched as it comes."""
    books.order(FIRST, "60.00", **EVA)
    books.order(SECOND, "40.00", **EVA)
    opening = 0
    for place, move in enumerate(moves):
        day = DAY + timedelta(days=place)
        marked: dict[str, Any] = {"is_return": True, "return_reason": "MD06"} if move.of else {}
        if move.of not in ("", "-"):
            marked["original_end_to_end_id"] = move.of
        posting = paid(
            move.minor,
            move.text,
            booking_date=day,
            bank_reference=f"b{place}",
            end_to_end_id=move.id,
            **marked,
            **move.more,
        )
        books.bring(camt(CamtMessage.STATEMENT, posting, opening=opening, number=place + 1, days=(day, day)))
        opening += move.minor
        match_due(books.database, books.shop, books.now)


def state(books: Books) -> dict[str, tuple[str, int]]:
    """Order -> its status and what its payments come to."""
    rows = books.rows("SELECT number, status, postings_minor FROM orders WHERE shop_id = $1")
    return {number: (status, minor) for number, status, minor in rows}


def waiting(books: Books) -> list[tuple[int, str]]:
    """(amount, status) of the postings that no order has."""
    rows = books.rows(
        "SELECT amount_minor, status FROM postings WHERE shop_id = $1 AND status <> 'matched' ORDER BY id"
    )
    return [tuple(row) for row in rows]


class Case(NamedTuple):
    """Bookings, what the orders then are, and what waits for a person."""

    name: str
    moves: tuple[Move, ...]
    first: tuple[str, int]
    second: tuple[str, int] = ("UNPAID", 0)
    waits: tuple[tuple[int, str], ...] = ()


PAYS: Final = Move(6_000, NAMED, "E1")
BACK: Final = Move(-6_000, "", "", "E1")
AGAIN: Final = Move(6_000, "", "", "E1")
HALVES: Final = (Move(3_000, NAMED, "E1"), Move(3_000, NAMED, "E2"))
FOR_BOTH: Final = Move(10_000, BOTH, "E1")

CASES: Final = (
    Case("a return that is returned pays the order again", (PAYS, BACK, AGAIN), ("PAID", 6_000)),
    Case("which is returned a second time", (PAYS, BACK, AGAIN, BACK), ("UNPAID", 0)),
    Case("and comes back a second time", (PAYS, BACK, AGAIN, BACK, AGAIN), ("PAID", 6_000)),
    Case(
        "with a fee that does not come back",
        (PAYS, Move(-6_300, "", "", "E1", {"charges_minor": 300}), AGAIN, BACK),
        ("UNPAID", 0),
    ),
    Case(
        "without any reference, by account and text",
        (PAYS, Move(-6_000, NAMED, "", "-"), Move(6_000, NAMED, "", "-"), Move(-6_000, NAMED, "", "-")),
        ("UNPAID", 0),
    ),
    Case("once more than it was paid", (PAYS, BACK, BACK), ("UNPAID", 0), waits=((-6_000, "unmatched"),)),
    Case("the customer pays again instead", (PAYS, BACK, Move(6_000, NAMED, "E2")), ("PAID", 6_000)),
    Case(
        "one of two payments is reported twice",
        (*HALVES, Move(-3_000, NAMED, "", "E2"), Move(-3_000, NAMED, "", "E2")),
        ("PAID_PARTIAL", 3_000),
        waits=((-3_000, "suggested"),),
    ),
    Case(
        "both of two payments come back",
        (*HALVES, Move(-3_000, NAMED, "", "E2"), Move(-3_000, NAMED, "", "E1")),
        ("UNPAID", 0),
    ),
    Case(
        "two payments with one id come back",
        (Move(3_000, NAMED, "E"), Move(3_000, NAMED, "E"), Move(-3_000, "", "", "E"), Move(-3_000, "", "", "E")),
        ("UNPAID", 0),
    ),
    Case("a part of a payment that the bank names", (PAYS, Move(-2_500, "", "", "E1")), ("PAID_PARTIAL", 3_500)),
    Case(
        "and the rest of it",
        (PAYS, Move(-2_500, "", "", "E1"), Move(-3_500, "", "", "E1")),
        ("UNPAID", 0),
    ),
    Case(
        "a part that the payer's debit calls a return",
        (PAYS, Move(-2_500, "RETOURE", "E1")),
        ("PAID", 6_000),
        waits=((-2_500, "unmatched"),),
    ),
    Case("with a fee that the bank states", (PAYS, Move(-6_300, "", "", "E1", {"charges_minor": 300})), ("UNPAID", 0)),
    Case(
        "with a fee beside the original amount",
        (PAYS, Move(-6_300, "", "", "E1", {"original_amount_minor": 6_000})),
        ("UNPAID", 0),
    ),
    Case("with a fee that nothing states", (PAYS, Move(-6_300, "", "", "E1")), ("UNPAID", 0)),
    Case("a payment of two orders", (FOR_BOTH, Move(-10_000, "", "", "E1")), ("UNPAID", 0)),
    Case(
        "a payment of two orders, with its fee",
        (FOR_BOTH, Move(-10_300, "", "", "E1", {"charges_minor": 300})),
        ("UNPAID", 0),
    ),
    Case(
        "a payment of two orders, returned, received, returned",
        (FOR_BOTH, *(Move(minor, "", "", "E1") for minor in (-10_000, 10_000, -10_000))),
        ("UNPAID", 0),
    ),
    Case(
        "a part of a payment of two orders",
        (FOR_BOTH, Move(-6_000, BOTH, "", "E1")),
        ("PAID", 6_000),
        ("PAID", 4_000),
        waits=((-6_000, "suggested"),),
    ),
)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_what_a_return_takes_and_gives(books: Books, case: Case) -> None:
    play(books, *case.moves)
    assert state(books) == {FIRST: case.first, SECOND: case.second}
    assert waiting(books) == list(case.waits)
    books.sound()


def test_a_returned_return_counts_as_payment_and_not_as_refund(books: Books) -> None:
    """The agency and the reports read the kind: a refund of less than nothing is none."""
    play(books, PAYS, BACK, AGAIN)
    kinds = books.rows("SELECT amount_minor, kind FROM allocations WHERE shop_id = $1 ORDER BY 2, 1")
    assert [tuple(row) for row in kinds] == [(6_000, "payment"), (-6_000, "return"), (6_000, "return")]
    assert [tuple(row) for row in books.rows("SELECT refunded_minor FROM orders WHERE shop_id = $1")] == [(0,), (0,)]
    assert books.events(FIRST) == ["PAID", "UNPAID", "PAID"]


def test_an_undone_payment_takes_the_whole_chain_along(books: Books) -> None:
    """The order did not receive the payment: it neither lost it nor got it again, and counts as unpaid."""
    play(books, PAYS, BACK, AGAIN)
    [(payment,)] = books.rows("SELECT posting_id FROM allocations WHERE shop_id = $1 AND kind = 'payment'")
    assigning.unmatch(books.database, books.shop, payment, books.now)
    match_due(books.database, books.shop, books.now)
    assert (state(books)[FIRST], books.rows("SELECT 1 FROM allocations WHERE shop_id = $1")) == (("UNPAID", 0), [])
    assigning.match(books.database, books.shop, payment, [Part(FIRST)], books.now)
    match_due(books.database, books.shop, books.now)
    assert state(books)[FIRST] == ("PAID", 6_000)
    books.sound()


@pytest.fixture
def handed(database: Database, tmp_path: Path) -> Iterator[World]:
    """An order of 49.90 that is with the agency."""
    world = with_agency(database, tmp_path)
    world.order("A-1001")
    world.go_to("2026-03-16 10:00")
    with world.database.of_shop(world.shop, at=world.now) as tx:
        cases.hand_over(tx, "A-1001")
    world.work()
    yield world
    assert check_shop(world.database, world.shop) == []


def book(world: World, day: date, minor: int, text: str = "", **more: Any) -> tuple[str, str, str]:
    """Status of order and case after a booking of the day before, and what the agency hears is open."""
    before = day - timedelta(days=1)
    world.go_to(f"{day} 09:00")
    posting = paid(minor, text, booking_date=before, bank_reference=str(day), **more)
    number = before.timetuple().tm_yday
    content = camt(CamtMessage.STATEMENT, posting, opening=world.balance, number=number, days=(before, before))
    channel = StatementChannel.DROP_FOLDER
    import_file(world.database, world.shop, io.BytesIO(content), str(day), world.now, channel=channel)
    world.balance += minor
    match_due(world.database, world.shop, world.now)
    world.work()
    return world.status(), str(world.case()["status"]), world.told()[-1][2]


RETURNED: Final[dict[str, Any]] = {"is_return": True, "return_reason": "MD06", "original_end_to_end_id": "E1"}


def test_the_agency_hears_of_each_return_of_a_direct_payment(handed: World) -> None:
    assert book(handed, date(2026, 3, 18), 4990, "A-1001", end_to_end_id="E1") == ("PAID", "PAID", "0.00")
    back = book(handed, date(2026, 3, 19), -5290, charges_minor=300, **RETURNED)
    assert back == ("COLLECTION", "PAID_PARTIAL", "49.90")
    assert book(handed, date(2026, 3, 20), 4990, **RETURNED) == ("PAID", "PAID", "0.00")
    assert book(handed, date(2026, 3, 24), -4990, **RETURNED) == ("COLLECTION", "PAID_PARTIAL", "49.90")


def test_the_agency_hears_of_a_return_in_part(handed: World) -> None:
    assert book(handed, date(2026, 3, 18), 4990, "A-1001", end_to_end_id="E1") == ("PAID", "PAID", "0.00")
    assert book(handed, date(2026, 3, 19), -2000, **RETURNED) == ("COLLECTION", "PAID_PARTIAL", "20.00")
