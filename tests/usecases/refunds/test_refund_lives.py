"""What the bank says of refunds: booked, settled, rejected, returned, nothing; each counted once (D-4, D-31)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from paymatch.domain.refunds.refunds import RefundRefused, RefundStatus, RefundUnknown
from paymatch.formats.camt.writer import WrittenEntry
from paymatch.formats.statement import FileRefused
from paymatch.jobs.worker import Worker
from paymatch.outbound.http import HttpClient
from paymatch.store.database import Database
from paymatch.usecases.matching import assigning
from paymatch.usecases.refunds.bank_reports import watch_silence
from paymatch.usecases.statements import imports
from paymatch.usecases.work.alerts import keep_alerts
from paymatch.usecases.work.check import check_shop
from tests.contract.bank import book, entry, pay
from tests.keys import KEYRING
from tests.usecases.refunds.refund_world import ERIKA, PAYER, RefundWorld, status_report, texts


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=4, keyring=KEYRING)
    yield opened
    opened.close()


def released(world: RefundWorld, number: str, *amounts: float) -> list[str]:
    """An order of EUR 100.00, paid, with refunds of these amounts in a transfer file of 3 March."""
    world.paid(number)
    ids = [world.file(number, amount, f"{number}/{place}") for place, amount in enumerate(amounts)]
    world.clock.now = world.clock.now.replace(day=3)
    world.run()
    assert [world.status(refund) for refund in ids] == ["IN_PROCESS"] * len(ids)
    return ids


def alerts(world: RefundWorld) -> list[str]:
    """Kinds of the open alerts."""
    rows = world.client.rows("SELECT kind FROM alerts WHERE shop_id = $1 AND resolved_at IS NULL ORDER BY 1")
    return [row[0] for row in rows]


def told(world: RefundWorld) -> list[str]:
    """The open alerts in words, after housekeeping."""
    with world.database.of_shop(world.client.shop, at=world.clock.now) as tx:
        keep_alerts(tx)
    rows = world.client.rows("SELECT text FROM alerts WHERE shop_id = $1 AND resolved_at IS NULL ORDER BY id")
    return [row[0] for row in rows]


def test_full_life_until_the_order_is_refunded(world: RefundWorld) -> None:
    world.client.change(callbacks="on", callback_url="https://shop.example/hook")
    (refund,) = released(world, "SO-80101", 100)
    world.pass_days(1)
    report = world.debit(10_000, world.end_to_end(refund))
    assert (report.new, report.matched) == (1, 1)
    found = world.client.read("SO-80101", "includeRefunds=true")
    assert (found["paymentStatus"], found["amountPaid"]) == ("REFUNDED", "0.00")
    assert [(each["status"], each["executionDate"]) for each in found["refunds"]] == [("PROCESSED", "04-03-2026")]
    assert world.events("SO-80101") == [("UNPAID", "PAID"), ("PAID", "REFUNDED")]
    callbacks = world.client.rows("SELECT order_seq, status FROM callbacks WHERE shop_id = $1 ORDER BY 1")
    assert callbacks == [(1, "PENDING"), (2, "PENDING")]
    world.check()


@pytest.mark.parametrize("form", ["MT940", "camt"])
def test_part_of_the_payment_is_refunded(world: RefundWorld, form: str) -> None:
    (refund,) = released(world, "SO-80102", 30)
    end_to_end = world.end_to_end(refund)
    if form == "MT940":
        world.debit(3000, end_to_end)
    else:
        debit = world.posting(-3000, end_to_end_id=end_to_end, bank_reference="D1", counterparty_iban=PAYER)
        world.camt(WrittenEntry((debit,)))
    found = world.client.read("SO-80102")
    assert (found["paymentStatus"], found["amountPaid"]) == ("REFUNDED_PARTIAL", "70.00")
    assert world.refund(refund)["executionDate"] == "03-03-2026"
    world.check()


@pytest.mark.parametrize("form", ["MT940", "camt"])
def test_returned_refund_is_computed_anew(world: RefundWorld, form: str) -> None:
    (refund,) = released(world, "SO-80103", 100)
    end_to_end = world.end_to_end(refund)
    world.debit(10_000, end_to_end)
    assert world.client.status("SO-80103") == "REFUNDED"
    world.pass_days(2)
    if form == "MT940":
        world.give_back(10_000, end_to_end)
    else:
        back = world.posting(
            10_000, original_end_to_end_id=end_to_end, is_return=True, return_reason="AC04", bank_reference="B1"
        )
        world.camt(WrittenEntry((back,)))
    assert (world.status(refund), world.refund(refund)["bankCode"]) == ("RETURNED", "AC04")
    found = world.client.read("SO-80103")
    assert (found["paymentStatus"], found["amountPaid"]) == ("PAID", "100.00")
    assert world.events("SO-80103")[1:] == [("PAID", "REFUNDED"), ("REFUNDED", "PAID")]
    world.check()


def test_a_payment_that_is_taken_back_after_its_refund_raises_an_alert(world: RefundWorld) -> None:
    (refund,) = released(world, "SO-80105", 60)
    world.debit(6000, world.end_to_end(refund))
    assert (world.client.status("SO-80105"), told(world)) == ("REFUNDED_PARTIAL", [])
    day = world.clock.now.date()
    back = entry("Bestellung SO-80105", -10_000, booking_date=day, reversal=True, return_reason="MD06")
    assert book(world.client, back).matched == 1
    assert told(world) == [
        "Order SO-80105 was refunded, and its payment was reversed as well: 60.00 EUR more was paid out than came in."
        " Ask the customer for it"
    ]
    pay(world.client, "SO-80105", 16_000, booking_date=day)  # what it costs, and what was refunded
    assert (world.client.status("SO-80105"), told(world)) == ("PAID", [])
    world.check()


@pytest.mark.parametrize(
    ("reversed_minor", "status", "paid"), [(7000, "REFUNDED", "0.00"), (4000, "REFUNDED_PARTIAL", "30.00")]
)
def test_a_rest_that_is_reversed_after_a_partial_refund_raises_an_alert(
    world: RefundWorld, reversed_minor: int, status: str, paid: str
) -> None:
    """The books hold what the status says (D-3); no reminder asks for the rest, so a person has to."""
    (refund,) = released(world, "SO-80106", 30)
    world.debit(3000, world.end_to_end(refund))
    day, missing = world.clock.now.date(), f"{reversed_minor // 100}.00"
    back = entry("Bestellung SO-80106", -reversed_minor, booking_date=day, reversal=True, return_reason="MD06")
    book(world.client, back)
    if world.client.rows("SELECT count(*) FROM allocations WHERE shop_id = $1 AND kind = 'return'") == [(0,)]:
        ((posting,),) = world.client.rows("SELECT id FROM postings WHERE shop_id = $1 AND amount_minor < -3000")
        assigning.match(world.database, world.client.shop, posting, [assigning.Part("SO-80106")], world.clock.now)
    found = world.client.read("SO-80106")
    assert (found["paymentStatus"], found["amountPaid"]) == (status, paid)
    assert told(world) == [
        f"Order SO-80106 was refunded in part, and its payment was reversed as well: {missing} EUR is missing, and the"
        " customer is not asked for it. Ask the customer, or cancel the order"
    ]
    book(world.client, entry("Bestellung SO-80106", reversed_minor, booking_date=day))
    ((posting,),) = world.client.rows("SELECT id FROM postings WHERE shop_id = $1 AND status = 'suggested'")
    assigning.match(world.database, world.client.shop, posting, [assigning.Part("SO-80106")], world.clock.now)
    assert (world.client.status("SO-80106"), told(world)) == ("REFUNDED_PARTIAL", [])
    world.check()


def test_a_second_payment_that_is_reversed_after_a_refund_raises_no_alert(world: RefundWorld) -> None:
    """Paid twice, one payment went back, and a part of the other was refunded: the customer owes nothing."""
    world.paid("SO-80107")
    pay(world.client, "SO-80107", 10_000)
    refund = world.file("SO-80107", 30)
    world.clock.now = world.clock.now.replace(day=3)
    world.release(refund)
    world.run()
    world.debit(3000, world.end_to_end(refund))
    back = entry(
        "Bestellung SO-80107", -10_000, booking_date=world.clock.now.date(), reversal=True, return_reason="MD06"
    )
    book(world.client, back)
    assert (world.client.status("SO-80107"), told(world)) == ("REFUNDED_PARTIAL", [])
    world.check()


def test_return_less_the_charges_of_the_banks_is_a_return(world: RefundWorld) -> None:
    (refund,) = released(world, "SO-80104", 50)
    world.debit(5000, world.end_to_end(refund))
    world.give_back(4700, world.end_to_end(refund))
    assert world.status(refund) == "RETURNED"
    world.check()


def test_return_that_is_read_before_its_debit(world: RefundWorld) -> None:
    (refund,) = released(world, "SO-80105", 50)
    world.give_back(5000, world.end_to_end(refund))
    world.debit(5000, world.end_to_end(refund))
    assert (world.status(refund), world.client.status("SO-80105")) == ("RETURNED", "PAID")
    assert world.client.rows("SELECT count(*) FROM postings WHERE shop_id = $1 AND status <> 'matched'") == [(0,)]
    world.check()


@pytest.mark.parametrize("is_cancelled", [False, True])
def test_return_of_an_earlier_attempt_that_is_read_before_its_debit(world: RefundWorld, is_cancelled: bool) -> None:
    (refund,) = released(world, "SO-80106", 40)
    first = world.end_to_end(refund)
    undone = [world.debit(4000, first), world.give_back(4000, first)]
    world.set_iban(refund)
    world.release(refund)
    for report in reversed(undone):
        imports.undo_import(world.database, world.client.shop, report.import_id, world.clock.now)
    if is_cancelled:
        world.cancel(refund)
    assert world.run().files == ()
    world.give_back(4000, first)
    assert world.client.read("SO-80106")["amountPaid"] == "100.00"
    world.debit(4000, first)
    assert world.client.read("SO-80106")["amountPaid"] == "100.00"
    kinds = world.client.rows("SELECT kind FROM allocations WHERE shop_id = $1 ORDER BY 1")
    assert kinds == [("payment",), ("refund",), ("refund-return",)]
    assert (world.status(refund), len(world.run().files)) == (("CANCELLED", 0) if is_cancelled else ("NEW", 1))
    world.check()


@pytest.mark.parametrize("said", ["ACSC", "ACCC"])
def test_settlement_that_the_bank_reports_executes_the_refund(world: RefundWorld, said: str) -> None:
    (refund,) = released(world, "SO-80201", 100)
    content, end_to_end = world.contents()[0], world.end_to_end(refund)
    (result,) = world.report(status_report(content, (end_to_end, said, "")))
    assert (result.status, result.moved) == (RefundStatus.PROCESSED, True)
    assert (world.refund(refund)["executionDate"], world.client.status("SO-80201")) == ("03-03-2026", "REFUNDED")
    assert world.report(status_report(content, (end_to_end, said, "")))[0].moved is False
    world.pass_days(1)
    world.debit(10_000, end_to_end)  # the same money: nothing moves twice, the day is the bank's
    assert world.refund(refund)["executionDate"] == "04-03-2026"
    assert world.events("SO-80201") == [("UNPAID", "PAID"), ("PAID", "REFUNDED")]
    world.check()


@pytest.mark.parametrize("said", ["ACTC", "ACCP", "ACSP", "ACWC", "PDNG", "RCVC", "RVNM", ""])
def test_everything_else_that_the_bank_reports_leaves_the_refund(world: RefundWorld, said: str) -> None:
    (refund,) = released(world, "SO-80202", 100)
    (result,) = world.report(status_report(world.contents()[0], (world.end_to_end(refund), said, "")))
    assert (result.bank_status, result.moved, world.status(refund)) == (said, False, "IN_PROCESS")


@pytest.mark.parametrize(
    ("group", "batch", "listed", "expected"),
    [
        ("", "", {0: "RJCT"}, ["ERROR", "IN_PROCESS"]),
        ("PART", "", {0: "RJCT", 1: "ACSC"}, ["ERROR", "PROCESSED"]),
        ("PART", "ACCP", {1: "RJCT"}, ["IN_PROCESS", "ERROR"]),
        ("RJCT", "", {}, ["ERROR", "ERROR"]),
        ("", "RJCT", {}, ["ERROR", "ERROR"]),
        ("ACCP", "", {}, ["IN_PROCESS", "IN_PROCESS"]),
    ],
)
def test_rejections_of_a_transfer_a_batch_or_a_file(
    world: RefundWorld, group: str, batch: str, listed: dict[int, str], expected: list[str]
) -> None:
    ids = released(world, "SO-80203", 30, 20)
    payments = [
        (world.end_to_end(ids[place]), said, "AC04" if said == "RJCT" else "") for place, said in listed.items()
    ]
    world.report(status_report(world.contents()[0], *payments, group=group, batch=batch))
    assert [world.status(refund) for refund in ids] == expected
    codes = [world.refund(refund).get("bankCode") for refund in ids]
    inherited = "AC04" if listed else "FF01"
    assert codes == [inherited if status == "ERROR" else None for status in expected]
    world.check()


def test_report_about_a_file_of_somebody_else_is_refused(world: RefundWorld) -> None:
    released(world, "SO-80204", 30)
    foreign = status_report(world.contents()[0]).replace(b"<OrgnlMsgId>PM", b"<OrgnlMsgId>XX")
    foreign = foreign.replace(b"<OrgnlPmtInfId>PM", b"<OrgnlPmtInfId>XX")
    with pytest.raises(FileRefused, match="not one of our transfer files"):
        world.report(foreign)


def test_rejected_refund_goes_out_once_more_with_a_reference_of_its_own(world: RefundWorld) -> None:
    (refund,) = released(world, "SO-80301", 40)
    first = world.end_to_end(refund)
    world.report(status_report(world.contents()[0], (first, "RJCT", "AC01")))
    assert world.run().files == ()
    world.set_iban(refund)
    assert (world.status(refund), world.refund(refund)["referenceNumber"]) == ("NEW", first)
    assert "bankCode" not in world.refund(refund)
    world.release(refund)
    (file,) = world.run().files
    assert file.transfers == 1
    assert world.end_to_end(refund) == f"{first}-2"
    assert texts(world.contents()[1], "EndToEndId") == [f"{first}-2"]
    # Late news of the first attempt are not news of the second.
    world.report(status_report(world.contents()[0], (first, "RJCT", "AC01")))
    assert world.status(refund) == "IN_PROCESS"
    world.debit(4000, f"{first}-2", account=ERIKA)
    assert (world.status(refund), world.client.status("SO-80301")) == ("PROCESSED", "REFUNDED_PARTIAL")
    world.check()


def test_debit_of_a_rejected_attempt_holds_the_next_one_back(world: RefundWorld) -> None:
    (refund,) = released(world, "SO-80302", 40)
    first = world.end_to_end(refund)
    world.report(status_report(world.contents()[0], (first, "RJCT", "AC01")))
    world.set_iban(refund)
    world.release(refund)
    world.debit(4000, first)
    assert alerts(world) == ["refund-unexpected"]
    run = world.run()
    assert (run.files, len(run.held)) == ((), 1)
    world.give_back(4000, first)
    assert len(world.run().files) == 1
    world.check()


def test_debit_outweighs_a_rejection(world: RefundWorld) -> None:
    (refund,) = released(world, "SO-80303", 40)
    world.report(status_report(world.contents()[0], (world.end_to_end(refund), "RJCT", "AC01")))
    world.debit(4000, world.end_to_end(refund))
    assert (world.status(refund), alerts(world)) == ("PROCESSED", ["refund-unexpected"])
    world.check()


def test_second_debit_is_nobodys(world: RefundWorld) -> None:
    (refund,) = released(world, "SO-80304", 40)
    world.debit(4000, world.end_to_end(refund))
    world.pass_days(1)
    world.debit(4000, world.end_to_end(refund))
    assert alerts(world) == ["refund-unexpected"]
    assert world.client.read("SO-80304")["amountPaid"] in ("60.00", "20.00")
    world.check()


def test_debit_of_another_amount_moves_nothing(world: RefundWorld) -> None:
    (refund,) = released(world, "SO-80305", 40)
    world.debit(4001, world.end_to_end(refund))
    assert world.status(refund) == "IN_PROCESS"


def test_refund_that_was_sent_by_hand_is_executed_and_not_sent_again(world: RefundWorld) -> None:
    world.paid("SO-80306")
    refund = world.file("SO-80306", 100)
    world.debit(10_000, world.refund(refund)["referenceNumber"])
    assert (world.status(refund), world.client.status("SO-80306")) == ("PROCESSED", "REFUNDED")
    world.pass_days(1)
    assert world.run().files == ()
    world.check()


@pytest.mark.parametrize("named", ["PmtInfId", "MsgId"])
def test_file_that_is_booked_as_one_sum(world: RefundWorld, named: str) -> None:
    ids = released(world, "SO-80401", 30, 20)
    content = world.contents()[0]
    name = texts(content, f"{'PmtInf/' if named == 'PmtInfId' else 'GrpHdr/'}{named}")[0]
    batch = {"batch_id": name} if named == "PmtInfId" else {"message_id": name}
    report = world.camt(WrittenEntry((world.posting(-5000, bank_reference="SUM", **batch),)))
    assert (report.new, report.matched) == (1, 1)
    assert [world.status(refund) for refund in ids] == ["PROCESSED", "PROCESSED"]
    assert world.client.read("SO-80401")["amountPaid"] == "50.00"
    world.check()


def test_sum_of_a_file_in_mt940(world: RefundWorld) -> None:
    ids = released(world, "SO-80405", 30, 20)
    name = texts(world.contents()[0], "PmtInf/PmtInfId")[0]
    world.debit(5000, instruction_id=name, name="", account="", bic="")
    assert [world.status(refund) for refund in ids] == ["PROCESSED", "PROCESSED"]
    world.check()


def test_single_debit_that_names_the_file_only(world: RefundWorld) -> None:
    ids = released(world, "SO-80406", 30, 20)
    world.debit(2000, instruction_id=texts(world.contents()[0], "GrpHdr/MsgId")[0])
    assert [world.status(refund) for refund in ids] == ["IN_PROCESS", "PROCESSED"]
    world.check()


def test_sum_less_what_was_rejected(world: RefundWorld) -> None:
    ids = released(world, "SO-80402", 30, 20)
    content = world.contents()[0]
    world.report(status_report(content, (world.end_to_end(ids[0]), "RJCT", "AC04")))
    world.camt(
        WrittenEntry((world.posting(-2000, batch_id=texts(content, "PmtInf/PmtInfId")[0], bank_reference="SUM"),))
    )
    assert [world.status(refund) for refund in ids] == ["ERROR", "PROCESSED"]
    world.check()


def test_full_sum_with_a_rejected_transfer_whose_money_comes_back(world: RefundWorld) -> None:
    ids = released(world, "SO-80403", 30, 20)
    content, first = world.contents()[0], world.end_to_end(ids[0])
    world.report(status_report(content, (first, "RJCT", "AC04")))
    world.camt(
        WrittenEntry((world.posting(-5000, batch_id=texts(content, "PmtInf/PmtInfId")[0], bank_reference="SUM"),))
    )
    assert [world.status(refund) for refund in ids] == ["ERROR", "PROCESSED"]
    world.give_back(3000, first)
    assert [world.status(refund) for refund in ids] == ["ERROR", "PROCESSED"]
    assert world.client.rows("SELECT count(*) FROM postings WHERE shop_id = $1 AND status <> 'matched'") == [(0,)]
    world.check()


def test_sum_of_another_amount_raises_an_alert(world: RefundWorld) -> None:
    ids = released(world, "SO-80404", 30, 20)
    name = texts(world.contents()[0], "PmtInf/PmtInfId")[0]
    world.camt(WrittenEntry((world.posting(-4999, batch_id=name, bank_reference="SUM"),)))
    assert [world.status(refund) for refund in ids] == ["IN_PROCESS", "IN_PROCESS"]
    assert alerts(world) == ["refund-unexpected"]


def test_statement_that_is_undone_takes_its_word_back(world: RefundWorld) -> None:
    (refund,) = released(world, "SO-80501", 100)
    report = world.debit(10_000, world.end_to_end(refund))
    assert world.client.status("SO-80501") == "REFUNDED"
    imports.undo_import(world.database, world.client.shop, report.import_id, world.clock.now)
    assert (world.status(refund), world.refund(refund)["executionDate"]) == ("IN_PROCESS", None)
    assert world.client.status("SO-80501") == "PAID"
    world.check()
    world.pass_days(1)
    world.debit(10_000, world.end_to_end(refund))
    assert world.status(refund) == "PROCESSED"
    world.check()


def test_return_that_is_taken_back_by_hand(world: RefundWorld) -> None:
    (refund,) = released(world, "SO-80502", 100)
    world.debit(10_000, world.end_to_end(refund))
    world.give_back(10_000, world.end_to_end(refund))
    (posting,) = world.client.rows("SELECT id FROM postings WHERE shop_id = $1 AND is_return")[0]
    assigning.unmatch(world.database, world.client.shop, posting, world.clock.now)
    assert (world.status(refund), world.client.status("SO-80502")) == ("PROCESSED", "REFUNDED")
    world.check()


def test_sum_that_is_divided_later_changes_no_status(world: RefundWorld) -> None:
    ids = released(world, "SO-80503", 30, 20)
    content = world.contents()[0]
    name = texts(content, "PmtInf/PmtInfId")[0]
    world.camt(WrittenEntry((world.posting(-5000, batch_id=name, bank_reference="SUM"),)))
    before = world.events("SO-80503")
    parts = tuple(
        world.posting(-minor, end_to_end_id=world.end_to_end(refund), batch_id=name, entry_reference="SUM",
                      bank_reference="SUM", counterparty_iban=PAYER)
        for minor, refund in zip((3000, 2000), ids, strict=True)
    )  # fmt: skip
    world.camt(WrittenEntry(parts, bank_reference="SUM"), again=True)
    assert [world.status(refund) for refund in ids] == ["PROCESSED", "PROCESSED"]
    assert world.events("SO-80503") == before
    assert world.client.rows("SELECT count(*) FROM postings WHERE shop_id = $1 AND amount_minor < 0") == [(2,)]
    world.check()


@pytest.mark.parametrize("status", list(RefundStatus))
def test_merchant_cancels_what_is_not_with_the_bank(world: RefundWorld, status: RefundStatus) -> None:
    world.client.submit("SO-80601")
    refund = world.file("SO-80601", 5)
    world.client.run("UPDATE refunds SET status = $2 WHERE shop_id = $1", str(status))
    if status in (RefundStatus.NEW, RefundStatus.BANKDETAILS_MISSING, RefundStatus.ERROR):
        reply = world.client.post(f"refund/{refund}/cancel")
        assert (reply.status, reply.json["status"]) == (200, "CANCELLED")
        return
    with world.client.unchanged():
        reply = world.client.post(f"refund/{refund}/cancel")
    assert reply.error == (400, f"Could not cancel refund (status {status})")


def test_unknown_refund(world: RefundWorld) -> None:
    assert world.client.post("refund/rf_x/cancel").error == (404, "Refund 'rf_x' not found")
    with pytest.raises(RefundUnknown):
        world.set_iban("rf_x")
    assert world.client.get("refunds?after=rf_x").error == (400, "Parameter after is not valid")
    assert world.client.get("refunds?status=NEW,X").error == (400, "Parameter status is not valid")


@pytest.mark.parametrize("status", ["IN_PROCESS", "PROCESSED", "CANCELLED", "LEGACY"])
def test_account_of_what_is_with_the_bank_is_not_changed(world: RefundWorld, status: str) -> None:
    world.client.submit("SO-80602")
    refund = world.file("SO-80602", 5)
    world.client.run("UPDATE refunds SET status = $2 WHERE shop_id = $1", status)
    with pytest.raises(RefundRefused, match=f"status {status}"), world.client.unchanged():
        world.set_iban(refund)


def test_list_of_refunds_goes_on_behind_the_last_one(world: RefundWorld) -> None:
    world.paid("SO-80603")
    ids = [world.file("SO-80603", 5 + place, f"L{place}") for place in range(5)]
    assert world.client.get("refunds?limit=0").json == []
    first = world.client.get("refunds?limit=2").json
    assert [(each["id"], each["orderNumber"], each["amount"]) for each in first] == [
        (ids[0], "SO-80603", "5.00"), (ids[1], "SO-80603", "6.00"),
    ]  # fmt: skip
    rest = world.client.get(f"refunds?after={ids[1]}&status=NEW,ERROR").json
    assert [each["id"] for each in rest] == ids[2:]
    assert world.client.get("refunds?status=PROCESSED").json == []
    assert not {"iban", "holder"} & first[0].keys()


def test_silence_of_the_bank_raises_one_alert_and_never_a_second_transfer(world: RefundWorld) -> None:
    (refund,) = released(world, "SO-80701", 30)  # to be executed on Tuesday 3 March

    def watch() -> int:
        with world.database.of_shop(world.client.shop, at=world.clock.now) as tx:
            return watch_silence(tx)

    found = []
    for day in (3, 10, 11, 12):
        world.clock.now = world.clock.now.replace(day=day)
        found.append((day, watch(), len(world.run().files)))
    assert found == [(3, 0, 0), (10, 0, 0), (11, 1, 0), (12, 0, 0)]
    assert alerts(world) == ["refund-silence"]
    world.debit(3000, world.end_to_end(refund))
    watch()
    assert alerts(world) == []
    assert len(world.contents()) == 1


def test_worker_watches_for_silence(world: RefundWorld) -> None:
    released(world, "SO-80702", 30)
    world.pass_days(30)
    door = HttpClient(allow_private=True)
    Worker(world.database, door, world.clock).drain()
    door.close()
    assert alerts(world) == ["refund-silence"]


def test_check_finds_what_is_wrong_with_refunds(world: RefundWorld) -> None:
    first, second = released(world, "SO-80801", 30, 20)
    world.client.run("UPDATE transfer_files SET total_minor = 1 WHERE shop_id = $1")
    world.client.run("DELETE FROM transfers WHERE shop_id = $1 AND refund_id = $2", first)
    world.client.run("UPDATE refunds SET status = 'PROCESSED' WHERE shop_id = $1 AND id = $2", first)
    world.client.run("UPDATE transfers SET amount_minor = 7 WHERE shop_id = $1 AND refund_id = $2", second)
    broken = check_shop(world.database, world.client.shop)
    rules = {(found.rule, found.subject) for found in broken}
    total = "2 refunds over 0.01, its refunds are 1 over 0.07 EUR"
    assert total in {found.text for found in broken}
    (file,) = world.client.rows("SELECT id FROM transfer_files WHERE shop_id = $1")[0]
    assert rules >= {
        ("a processed refund is in one transfer file or was seen on the account", first),
        ("a refund that was sent is what its transfer says", second),
        ("the total of a transfer file is the sum of its refunds", file),
    }
    world.client.run("DELETE FROM transfers WHERE shop_id = $1")
    rules = {(found.rule, found.subject) for found in check_shop(world.database, world.client.shop)}
    assert ("a refund that is with the bank is in one transfer file", second) in rules
