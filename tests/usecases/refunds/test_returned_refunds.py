"""Refunds come back by the bank's mark or by a person, with what arrived; a second attempt waits (D-4, D-37)."""

from __future__ import annotations

import pytest

from paymatch.domain.refunds.refunds import HoldReason
from paymatch.formats.camt.writer import WrittenEntry
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.assigning import Part
from tests.contract.bank import PAYER
from tests.usecases.refunds.refund_world import RefundWorld, texts


def executed(world: RefundWorld, number: str) -> tuple[str, str]:
    """(refund, its EndToEndId) of a refund of 100.00 that the bank has debited."""
    world.paid(number)
    refund = world.file(number, 100)
    world.pass_days(1)
    world.run()
    sent = world.end_to_end(refund)
    world.debit(10_000, sent)
    assert world.status(refund) == "PROCESSED"
    world.pass_days(1)
    return refund, sent


def credit(world: RefundWorld, minor: int, sent: str, *, marked: bool) -> str:
    """Imports a credit that carries the reference; the id of its posting."""
    mark = {"is_return": True, "return_reason": "AC04", "original_end_to_end_id": sent}
    more = mark if marked else {"end_to_end_id": sent, "remittance_lines": ("RTRN+AC04",)}
    world.camt(WrittenEntry((world.posting(minor, counterparty_name="Eva Muster", counterparty_iban=PAYER, **more),)))
    rows = world.client.rows(
        "SELECT id FROM postings WHERE shop_id = $1 AND amount_minor = $2 ORDER BY created_at DESC, id DESC", minor
    )
    return str(rows[0][0])


def standing(world: RefundWorld, posting: str) -> tuple[str, str]:
    """(status, code of the reason to hold it back) of a posting."""
    ((status, code),) = world.client.rows(
        "SELECT status, coalesce(decision::json->'heldBackReason'->>'code', '') FROM postings WHERE shop_id = $1"
        " AND id = $2",
        posting,
    )
    return status, code


@pytest.mark.parametrize(("minor", "marked"), [(7_500, False), (10_000, False), (7_500, True), (8_499, True)])
def test_attack_a_credit_with_the_reference_brings_no_refund_back(world: RefundWorld, minor: int, marked: bool) -> None:
    refund, sent = executed(world, "SO-85001")
    posting = credit(world, minor, sent, marked=marked)
    assert world.status(refund) == "PROCESSED"
    assert standing(world, posting) == ("suggested", "may-bring-back")
    world.check()


@pytest.mark.parametrize("minor", [10_000, 9_650, 8_500])
def test_a_return_with_its_mark_is_taken_without_a_person(world: RefundWorld, minor: int) -> None:
    refund, sent = executed(world, "SO-85002")
    posting = credit(world, minor, sent, marked=True)
    assert world.status(refund) == "RETURNED"
    assert standing(world, posting) == ("matched", "")
    assert world.client.get("order/SO-85002").json["paymentStatus"] == "PAID"
    world.check()


def test_a_person_says_that_a_part_is_the_return_and_the_next_attempt_carries_no_more(world: RefundWorld) -> None:
    refund, sent = executed(world, "SO-85003")
    posting = credit(world, 7_500, sent, marked=True)
    parts = assigning.suggested_parts(world.database, world.client.shop, posting)
    assert parts == [Part("SO-85003", 7_500)]
    assigning.match(world.database, world.client.shop, posting, parts, world.clock.now)
    assert world.status(refund) == "RETURNED"
    world.set_iban(refund, PAYER, "Eva Muster")
    world.pass_days(2)
    assert [held.reason for held in world.run().held] == [HoldReason.SECOND_ATTEMPT]
    assert len(world.contents()) == 1
    assert world.release(refund)[0].amount_minor == 7_500
    assert world.run().held == ()
    assert texts(world.contents()[1], "InstdAmt") == ["75.00"]
    world.debit(7_500, f"{sent}-2")
    assert world.status(refund) == "PROCESSED"
    assert world.client.get("order/SO-85003").json["amountPaid"] == "25.00"
    world.check()


def test_attack_a_refund_is_sent_back_in_part_again_and_again(world: RefundWorld) -> None:
    """Each round the customer keeps a part; today's books know that it never came back."""
    refund, sent = executed(world, "SO-85004")
    total_out, total_in, name = 10_000, 0, sent
    for attempt, minor in ((2, 9_000), (3, 8_000)):
        credit(world, minor, name, marked=True)
        total_in += minor
        world.set_iban(refund, PAYER, "Eva Muster")
        world.pass_days(3)
        assert [held.reason for held in world.run().held] == [HoldReason.SECOND_ATTEMPT]
        world.release(refund)
        world.run()
        total_out += minor
        name = f"{sent}-{attempt}"
        world.debit(minor, name)
    assert total_out <= 10_000 + total_in
    world.check()


def test_a_person_undoes_the_return(world: RefundWorld) -> None:
    refund, sent = executed(world, "SO-85005")
    posting = credit(world, 7_500, sent, marked=False)
    assigning.match(world.database, world.client.shop, posting, [Part("SO-85005")], world.clock.now)
    assert world.status(refund) == "RETURNED"
    assigning.unmatch(world.database, world.client.shop, posting, world.clock.now)
    assert world.status(refund) == "PROCESSED"
    world.check()
