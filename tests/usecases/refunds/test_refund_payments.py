"""What a payment changes for pending refunds at once, and the order in which refunds are listed (D-3, D-5)."""

from __future__ import annotations

import pytest

from paymatch.domain.refunds.refunds import HoldReason
from paymatch.usecases.matching import assigning
from paymatch.usecases.statements.imports import undo_import
from tests.contract.bank import book, entry, pay
from tests.contract.test_endpoints import refund as body_of
from tests.usecases.refunds.refund_world import PAYER, TOMORROW, RefundWorld

NOT_COVERED = str(HoldReason.NOT_COVERED)


def test_payment_that_brings_the_bank_details_makes_the_refund_new_at_once(world: RefundWorld) -> None:
    world.client.submit("SO-84001", amount=100)
    refund = world.file("SO-84001", 40)
    assert world.status(refund) == "BANKDETAILS_MISSING"
    pay(world.client, "SO-84001", 10_000)
    assert world.status(refund) == "NEW"
    assert world.client.rows("SELECT iban FROM refunds WHERE shop_id = $1 AND id = $2", refund) == [(PAYER,)]
    world.check()


def test_payment_of_somebody_else_changes_nothing(world: RefundWorld) -> None:
    world.client.submit("SO-84002", amount=100)
    refund = world.file("SO-84002", 40)
    world.paid("SO-84003")
    assert world.status(refund) == "BANKDETAILS_MISSING"


def test_cash_brings_no_bank_details(world: RefundWorld) -> None:
    world.client.submit("SO-84004", amount=100)
    refund = world.file("SO-84004", 40)
    book(world.client, entry("Bestellung SO-84004", 10_000, account=""))
    assert (world.client.status("SO-84004"), world.status(refund)) == ("PAID", "BANKDETAILS_MISSING")


def test_refund_of_more_than_was_paid_says_so_in_the_answer(world: RefundWorld) -> None:
    world.paid("SO-84005")
    fits = world.client.post("order/SO-84005/refund", body_of("fits", amount=100))
    more = world.client.post("order/SO-84005/refund", body_of("more", amount=0.01))
    assert "reason" not in fits.json
    assert (more.status, more.json["reason"]) == (200, NOT_COVERED)


def test_reason_ends_when_a_further_payment_covers_the_refund(world: RefundWorld) -> None:
    world.paid("SO-84006", 6_000, amount=100)
    refund = world.file("SO-84006", 80)
    assert world.refund(refund)["reason"] == NOT_COVERED
    pay(world.client, "SO-84006", 1_000)
    assert world.refund(refund)["reason"] == NOT_COVERED
    pay(world.client, "SO-84006", 3_000)
    assert "reason" not in world.refund(refund)


def test_refunds_are_listed_in_the_order_in_which_they_were_filed(world: RefundWorld) -> None:
    """Ids of one millisecond are random behind their time: the list followed them before."""
    for number in ("SO-84007", "SO-84008"):
        world.paid(number)
    filed = [
        world.client.post(f"order/SO-8400{7 + place % 2}/refund", body_of(f"F{place}", amount=1)).json["id"]
        for place in range(20)
    ]
    assert [row["id"] for row in world.client.get("refunds").json] == filed
    seen: list[str] = []
    while rows := world.client.get(f"refunds?limit=3{f'&after={seen[-1]}' if seen else ''}").json:
        seen += [row["id"] for row in rows]
    assert seen == filed


@pytest.mark.parametrize("by", ["match", "import"])
def test_reason_returns_when_the_payment_is_undone(world: RefundWorld, by: str) -> None:
    world.client.submit("SO-84009", amount=100)
    refund = world.file("SO-84009", 40)
    world.client.submit("SO-84010", amount=50)
    other = world.file("SO-84010", 40)
    report = book(world.client, entry("Bestellung SO-84009", 10_000))
    pay(world.client, "SO-84010", 5_000)
    assert "reason" not in world.refund(refund) and "reason" not in world.refund(other)
    if by == "import":
        undo_import(world.database, world.client.shop, report.import_id, world.clock.now)
    else:
        [(posting,)] = world.client.rows("SELECT id FROM postings WHERE shop_id = $1 AND amount_minor = 10000")
        assigning.unmatch(world.database, world.client.shop, posting, world.clock.now)
    assert (world.refund(refund)["reason"], world.status(refund)) == (NOT_COVERED, "BANKDETAILS_MISSING")
    assert "reason" not in world.refund(other)
    assert world.run(day=TOMORROW).files != ()
    world.check()
