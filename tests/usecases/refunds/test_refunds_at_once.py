"""Instant transfers, the name that the payee's bank knows, and the last day of a refund (D-112)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from paymatch.domain.refunds.refunds import HoldReason, RefundRefused
from paymatch.domain.refunds.transfers import TransferSpeed
from paymatch.store.database import Database
from paymatch.usecases.audit import last_entries
from paymatch.usecases.refunds import timing
from paymatch.usecases.refunds.payee_names import take_name_and_pay_again
from paymatch.usecases.shops import shops
from paymatch.usecases.work.alerts import keep_alerts, list_alerts
from tests.usecases.refunds.refund_world import RefundWorld, texts

NAMED = """<TxInfAndSts><OrgnlEndToEndId>{id}</OrgnlEndToEndId><TxSts>RVMC</TxSts>{more}</TxInfAndSts>"""
OURS = "<OrgnlTxRef><Cdtr><Pty><Nm>Erika Mueller</Nm></Pty></Cdtr></OrgnlTxRef>"
THEIRS = f"<StsRsnInf><AddtlInf>Erika Muster-Meier</AddtlInf></StsRsnInf>{OURS}"
REJECTED = "<TxInfAndSts><OrgnlEndToEndId>{id}</OrgnlEndToEndId><TxSts>RJCT</TxSts>{more}</TxInfAndSts>"
SILENT = "<StsRsnInf><Rsn><Cd>AB05</Cd></Rsn></StsRsnInf>"
CLOSED = "<StsRsnInf><Rsn><Cd>AC04</Cd></Rsn></StsRsnInf>"


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=2)
    yield opened
    opened.close()


def sent(world: RefundWorld, number: str, **settings: str) -> str:
    """A refund that a run has put into a file."""
    world.client.change(**settings)
    world.paid(number)
    refund = world.file(number, 40)
    world.pass_days(1)
    assert len(world.run().files) == 1
    return refund


def report(world: RefundWorld, refund: str, form: str, more: str = "") -> None:
    ((message, batch),) = world.client.rows(
        "SELECT message_id, payment_information_id FROM transfer_files WHERE shop_id = $1 ORDER BY id DESC LIMIT 1"
    )
    body = form.format(id=world.end_to_end(refund), more=more)
    world.report(
        '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt><OrgnlGrpInfAndSts>'
        f"<OrgnlMsgId>{message}</OrgnlMsgId></OrgnlGrpInfAndSts><OrgnlPmtInfAndSts><OrgnlPmtInfId>{batch}"
        f"</OrgnlPmtInfId>{body}</OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>".encode()
    )


def take(world: RefundWorld, refund: str, name: str) -> None:
    take_name_and_pay_again(world.database, world.client.shop, refund, name, "cli:eva", world.clock.now)


def test_an_instant_transfer_that_was_refused_goes_as_a_normal_one_by_a_person(world: RefundWorld) -> None:
    refund = sent(world, "SO-1", transfer_speed="instant")
    first = world.contents()[0]
    assert (texts(first, "LclInstrm/Cd"), texts(first, "ReqdExctnDt/Dt")) == (["INST"], [str(world.clock.now.date())])
    report(world, refund, REJECTED)
    world.set_iban(refund)
    world.pass_days(1)
    assert world.run().files == ()
    world.release(refund)
    assert len(world.run().files) == 1
    assert texts(world.contents()[-1], "LclInstrm/Cd") == []
    world.check()


def test_by_default_transfers_are_normal(world: RefundWorld) -> None:
    sent(world, "SO-2")
    assert texts(world.contents()[0], "LclInstrm/Cd") == []


def at_speed(world: RefundWorld, refund: str, speed: TransferSpeed | None) -> None:
    with world.database.of_shop(world.client.shop, at=world.clock.now) as tx:
        timing.set_speed(tx, refund, speed)


@pytest.mark.parametrize(
    ("of_shop", "chosen", "asked"),
    [("normal", TransferSpeed.INSTANT, ["INST"]), ("instant", TransferSpeed.NORMAL, []), ("instant", None, ["INST"])],
)
def test_the_speed_of_one_refund_counts_before_the_shops(
    world: RefundWorld, of_shop: str, chosen: TransferSpeed | None, asked: list[str]
) -> None:
    world.client.change(transfer_speed=of_shop)
    world.paid("SO-1")
    refund = world.file("SO-1", 40)
    at_speed(world, refund, TransferSpeed.INSTANT if chosen is not TransferSpeed.INSTANT else TransferSpeed.NORMAL)
    at_speed(world, refund, chosen)
    world.pass_days(1)
    world.run()
    assert texts(world.contents()[0], "LclInstrm/Cd") == asked
    with pytest.raises(RefundRefused, match=r"Could not change the speed of the refund \(status IN_PROCESS\)"):
        at_speed(world, refund, None)


def test_another_currency_knows_no_speed(world: RefundWorld) -> None:
    world.client.submit("SO-1", amount=100, currency="CHF")
    refund = world.file("SO-1", 40, currency="CHF")
    with pytest.raises(RefundRefused, match="Instant transfers are possible in euro only"):
        at_speed(world, refund, TransferSpeed.INSTANT)


@pytest.mark.parametrize(
    ("setting", "more", "status", "files"),
    [
        ("ask", SILENT, "ERROR", 0),
        ("normal", CLOSED, "ERROR", 0),
        ("normal", "", "ERROR", 0),
        ("normal", SILENT, "NEW", 1),
    ],
)
def test_a_normal_transfer_follows_by_the_setting_if_only_the_instant_way_failed(
    world: RefundWorld, setting: str, more: str, status: str, files: int
) -> None:
    refund = sent(world, "SO-1", transfer_speed="instant", instant_refused=setting)
    report(world, refund, REJECTED, more)
    assert world.status(refund) == status
    report(world, refund, REJECTED, more)  # a report that comes twice begins no third attempt
    assert len(world.run().files) == files
    if files:
        assert texts(world.contents()[-1], "LclInstrm/Cd") == []
        assert world.end_to_end(refund).endswith("-2")
        report(world, refund, REJECTED, SILENT)
        assert world.status(refund) == "ERROR"  # once
    world.check()


def test_what_follows_by_the_setting_keeps_all_limits(world: RefundWorld) -> None:
    refund = sent(world, "SO-1", transfer_speed="instant", instant_refused="normal", refund_day_limit="60.00")
    report(world, refund, REJECTED, SILENT)
    (held,) = world.run().held  # 40.00 of the day were sent before
    assert held.reason is HoldReason.DAY_LIMIT
    world.set_iban(refund)
    (held,) = world.run().held
    assert held.reason is HoldReason.SECOND_ATTEMPT  # to another account a person decides


def test_the_banks_name_is_taken_by_a_person_only(world: RefundWorld) -> None:
    refund = sent(world, "SO-3")
    report(world, refund, NAMED, THEIRS)
    with pytest.raises(RefundRefused):
        take(world, refund, "Erika Muster-Meier")  # the bank may still carry it out
    report(world, refund, REJECTED)
    with pytest.raises(RefundRefused):
        take(world, refund, "Erika Mustermann")
    assert world.status(refund) == "ERROR"
    take(world, refund, "Erika Muster-Meier")
    assert len(world.run().files) == 1
    assert texts(world.contents()[-1], "Cdtr/Nm") == ["Erika Muster-Meier"]
    entries = {row["action"] for row in last_entries(world.database, world.client.shop, "", 20)}
    assert {"refund-name-taken", "refund-released"} <= entries
    world.check()


def test_our_own_name_is_no_news(world: RefundWorld) -> None:
    refund = sent(world, "SO-4")
    ((ours,),) = world.client.rows("SELECT holder FROM transfers WHERE shop_id = $1")
    report(world, refund, NAMED, THEIRS.replace("Erika Muster-Meier", ours))
    assert world.client.rows("SELECT bank_name FROM transfers WHERE shop_id = $1") == [("",)]


def test_a_refund_that_has_to_leave_soon_raises_an_alert(world: RefundWorld) -> None:
    world.client.change(refund_limit="10.00")
    world.paid("SO-5")
    refund = world.file("SO-5", 40)
    world.pass_days(9)
    assert deadlines(world) == []
    world.pass_days(2)
    (said,) = deadlines(world)
    assert said.startswith("Refund R-SO-5 of 40.00 EUR (order SO-5) is not with the bank yet. It should be by ")
    world.release(refund)
    assert len(world.run().files) == 1
    assert deadlines(world) == []


def test_the_last_day_stays_while_the_time_of_a_sandbox_shop_goes_on(world: RefundWorld) -> None:
    world.client.change(refund_limit="10.00")
    world.paid("SO-6")
    world.file("SO-6", 40)
    filed = world.client.shop.day_of(world.clock.now)
    found = []
    for days in (11, 12):
        ahead = world.clock.now + timedelta(days=days)
        world.client.rows(
            "UPDATE shops SET sandbox = true, sandbox_now = $2, sandbox_stands = true WHERE shop_id = $1"
            " RETURNING name",
            ahead,
        )
        found += deadlines(world)
    last = f"{filed + timedelta(days=14)}"
    assert [each.split("It should be by ")[1].split(".")[0] for each in found] == [last, last]


def deadlines(world: RefundWorld) -> list[str]:
    shop = shops.find(world.database, str(world.client.shop.id))
    with world.database.of_shop(shop, at=world.clock.now) as tx:
        keep_alerts(tx)
    found = list_alerts(world.database, world.client.shop)
    return [str(row["text"]) for row in found if row["kind"] == "refund-deadline"]
