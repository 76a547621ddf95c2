"""Interest and lump sum of a case that a customer pays to the shop, and surpluses that are none (D-54, D-97)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.orders.reminder_fees import (
    CreditedPart,
    DemandedFee,
    OrderToPay,
    claimed_beside,
    reminder_fee_parts,
)
from paymatch.store.database import Database
from paymatch.store.orders import order_list
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.assigning import Part
from paymatch.usecases.work.check import check_shop
from tests.keys import KEYRING
from tests.usecases.collection.agency_world import World, with_agency

COMPANY = {"company": "Muster GmbH", "countryCode": "DE", "city": "Ulm"}
CLAIMED = 41 + 4_000 - 250
"""Interest and lump sum, of which the reminder's fee of 2.50 is a part."""


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=4, keyring=KEYRING)
    yield opened
    opened.close()


@pytest.fixture
def world(database: Database, tmp_path: Path) -> World:
    """A company's order that went to the agency on 7 April with interest and lump sum."""
    found = with_agency(database, tmp_path, interest="on", lump_sum="on")
    found.order("A-1001", billing=COMPANY)
    found.until(date(2026, 3, 3), date(2026, 4, 7))
    assert [str(found.case()[name]) for name in ("interest", "lumpSum")] == ["0.41", "40.00"]
    return found


def pay(world: World, minor: int) -> str:
    """A payment on 8 April that a clerk books onto the order; its posting."""
    world.day(date(2026, 4, 8), (minor, "Zahlung"))
    ((posting,),) = world.rows("SELECT id FROM postings WHERE shop_id = $1")
    assigning.match(world.database, world.shop, posting, [Part("A-1001", minor)], world.now)
    world.work()
    return str(posting)


def books(world: World) -> tuple[str, int, int]:
    """Status, overpaid, and paid claims beside the order; in minor units."""
    with world.database.of_shop(world.shop) as tx:
        found = order_list.find(tx, "A-1001")
    assert found is not None
    assert check_shop(world.database, world.shop) == []
    return found.status, found.overpaid_minor, found.paid_fees_minor


@pytest.mark.parametrize(
    ("more", "overpaid", "fees"),
    [
        (0, 0, 0),
        (250, 0, 250),
        (250 + 41, 0, 291),
        (250 + CLAIMED, 0, 250 + CLAIMED),
        (250 + CLAIMED + 1, 1, 250 + CLAIMED),
        (9_000, 9_000 - 250 - CLAIMED, 250 + CLAIMED),
    ],
)
def test_what_is_paid_beside_the_order_pays_its_claims(world: World, more: int, overpaid: int, fees: int) -> None:
    pay(world, 4_990 + more)
    assert books(world) == ("PAID", overpaid, fees)


def test_a_payment_that_is_undone_takes_its_claims_along(world: World) -> None:
    posting = pay(world, 4_990 + 250 + CLAIMED)
    assigning.unmatch(world.database, world.shop, posting, world.now)
    assert books(world) == ("COLLECTION", 0, 0)


def test_a_surplus_before_the_handover_or_without_claims_is_the_customers(world: World) -> None:
    world.order("A-1002", billing=COMPANY)
    ((day,),) = world.rows("SELECT max(booking_date) FROM postings WHERE shop_id = $1")
    assert day is None
    world.day(date(2026, 4, 8), (9_000, "Zahlung"))
    ((posting,),) = world.rows("SELECT id FROM postings WHERE shop_id = $1")
    assigning.match(world.database, world.shop, posting, [Part("A-1002", 9_000)], world.now)
    with world.database.of_shop(world.shop) as tx:
        found = order_list.find(tx, "A-1002")
    assert found is not None
    assert (found.overpaid_minor, found.paid_fees_minor) == (4_010, 0)


@given(
    st.lists(st.integers(0, 3_000), max_size=3), st.integers(0, 999), st.sampled_from([0, 4_000]),
    st.lists(st.integers(1, 9_000), max_size=4), st.integers(0, 5),
)  # fmt: skip
def test_claims_take_no_more_than_the_surplus_and_what_was_asked(
    fees: list[int], interest: int, lump: int, payments: list[int], handed: int
) -> None:
    reminders = [DemandedFee(date(2026, 3, 1 + place), minor) for place, minor in enumerate(fees)]
    beside = claimed_beside(reminders, interest, lump)
    assert sum(fees) + beside == interest + max(lump, sum(fees)), "never both a fee and the lump sum that it is part of"
    demanded = [*reminders, DemandedFee(date(2026, 3, 1 + handed), beside)]
    parts = [CreditedPart(f"p{place}", date(2026, 3, 1 + place), minor, True) for place, minor in enumerate(payments)]
    taken = sum(fee for _, fee in reminder_fee_parts(OrderToPay(4_990), demanded, parts))
    assert 0 <= taken <= min(max(sum(payments) - 4_990, 0), sum(fees) + beside)
    late = [part for part in parts if part.booking_date >= date(2026, 3, 1 + handed)]
    if late and fees == []:
        assert taken == min(max(sum(payments) - 4_990, 0), beside, sum(part.minor for part in late))
