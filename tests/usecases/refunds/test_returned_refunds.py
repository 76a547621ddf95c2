"""Refunds come back by the bank's mark or by a person, with what arrived; a second attempt waits (D-4, D-37)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from paymatch.domain.refunds.refunds import HoldReason
from paymatch.domain.reports.asked import ask, report_of
from paymatch.formats.camt.writer import WrittenEntry
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.assigning import Part
from paymatch.usecases.reports import reports
from paymatch.usecases.statements import figures
from tests.contract.bank import PAYER, book, entry
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


def cash_in(world: RefundWorld) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """(amount, payments) by day: of the overview, and of the report."""
    today = world.clock.now.date()
    wanted = report_of("cash-in")
    with world.database.of_shop(world.client.shop, at=world.clock.now) as tx:
        days = [day for _, day in figures.cash_in(tx, today, 60)]
        asked = ask(wanted, today, today - timedelta(days=59), today)
        rows = list(reports.rows(tx, wanted, asked))
    return [(day.minor, day.payments) for day in days if day.payments], [
        (row["amount"], row["postings"]) for row in rows
    ]


@pytest.mark.parametrize(("minor", "marked"), [(10_000, True), (10_000, False), (7_500, True)])
def test_the_overview_counts_what_the_report_counts(world: RefundWorld, minor: int, marked: bool) -> None:
    """A refund that came back is no customer's payment, whoever said that it came back."""
    _, sent = executed(world, "SO-85004")
    posting = credit(world, minor, sent, marked=marked)
    if standing(world, posting)[0] == "suggested":
        parts = assigning.suggested_parts(world.database, world.client.shop, posting)
        assigning.match(world.database, world.client.shop, posting, parts, world.clock.now)
    assert cash_in(world) == ([(10_000, 1)], [(10_000, 1)])


def test_the_overview_and_the_report_count_payments(world: RefundWorld) -> None:
    world.paid("SO-85005")
    world.paid("SO-85006")
    assert cash_in(world) == ([(20_000, 2)], [(20_000, 2)])


@pytest.mark.parametrize(
    "text", ["RUECKUEBERWEISUNG {} KONTO GESCHLOSSEN", "{}", "AC04/EREF {} SVWZ", "{0[0]}{0[1]}  {0[2]}"]
)
def test_a_return_in_mt940_that_has_the_reference_in_its_text_only(world: RefundWorld, text: str) -> None:
    """The bank's business transaction code 159 is its return mark; the refund is not called sent any more."""
    refund, sent = executed(world, "SO-85007")
    said = text.format((sent[:5], sent[5:11], sent[11:]) if "[" in text else sent)
    book(world.client, entry(said, 10_000, gvc="159", booking_date=world.clock.now.date(), name="", account="", bic=""))
    assert world.status(refund) == "RETURNED"
    assert world.client.read("SO-85007")["paymentStatus"] == "PAID"
    world.check()


def test_a_return_without_any_reference_asks_a_person_who_says_what_it_is(world: RefundWorld) -> None:
    refund, _ = executed(world, "SO-85008")
    world.pass_days(40)
    day = world.clock.now.date()
    book(world.client, entry("Erstattung SO-85008 zurueck", 10_000, gvc="159", booking_date=day))
    ((posting,),) = world.client.rows("SELECT id FROM postings WHERE shop_id = $1 AND status = 'suggested'")
    assert standing(world, posting) == ("suggested", "may-be-return")
    assert (world.status(refund), world.client.status("SO-85008")) == ("PROCESSED", "REFUNDED")
    parts = assigning.suggested_parts(world.database, world.client.shop, posting)
    assigning.match(world.database, world.client.shop, posting, parts, world.clock.now)
    assert (world.status(refund), world.client.status("SO-85008")) == ("RETURNED", "PAID")
    world.set_iban(refund, PAYER, "Eva Muster")
    assert [held.reason for held in world.run().held] == [HoldReason.SECOND_ATTEMPT]
    world.check()


@pytest.mark.parametrize("text", ["RUECKUEBERWEISUNG {}", "{}"])
def test_attack_a_credit_without_the_banks_mark_that_types_the_reference_brings_no_refund_back(
    world: RefundWorld, text: str
) -> None:
    refund, sent = executed(world, "SO-85009")
    book(world.client, entry(text.format(sent), 10_000, booking_date=world.clock.now.date()))
    assert world.status(refund) == "PROCESSED"
    world.check()


def test_a_transfer_by_hand_that_comes_back_is_booked_as_before(world: RefundWorld) -> None:
    """Money that a person sent in online banking, without a refund of ours: its return puts the order back."""
    world.paid("SO-85010")
    world.pass_days(3)
    book(world.client, entry("Rueckzahlung SO-85010", -10_000, booking_date=world.clock.now.date()))
    assert world.client.status("SO-85010") == "REFUNDED"
    world.pass_days(3)
    back = entry("Rueckzahlung SO-85010", 10_000, gvc="159", booking_date=world.clock.now.date(), return_reason="AC04")
    book(world.client, back)
    assert world.client.status("SO-85010") == "PAID"
    world.check()
