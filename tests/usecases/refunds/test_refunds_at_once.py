"""Instant transfers, the name that the payee's bank knows, and the last day of a refund (D-112)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from paymatch.domain.refunds.refunds import RefundRefused
from paymatch.store.database import Database
from paymatch.usecases.audit import last_deeds
from paymatch.usecases.refunds.payee_names import take_name_and_pay_again
from paymatch.usecases.shops import shops
from paymatch.usecases.work.alerts import keep_alerts, list_alerts
from tests.usecases.refunds.refund_world import RefundWorld, texts

NAMED = """<TxInfAndSts><OrgnlEndToEndId>{id}</OrgnlEndToEndId><TxSts>RVMC</TxSts>{more}</TxInfAndSts>"""
IN_PLACE = "<OrgnlTxRef><Cdtr><Pty><Nm>Erika Muster-Meier</Nm></Pty></Cdtr></OrgnlTxRef>"
IN_TEXT = "<StsRsnInf><AddtlInf>Erika Muster-Meier</AddtlInf></StsRsnInf>"
REJECTED = "<TxInfAndSts><OrgnlEndToEndId>{id}</OrgnlEndToEndId><TxSts>RJCT</TxSts></TxInfAndSts>"


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=2)
    yield opened
    opened.close()


@pytest.fixture
def world(database: Database, tmp_path: Path) -> RefundWorld:
    return RefundWorld(database, tmp_path)


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


@pytest.mark.parametrize("more", [IN_PLACE, IN_TEXT])
def test_the_banks_name_is_taken_by_a_person_only(world: RefundWorld, more: str) -> None:
    refund = sent(world, "SO-3")
    report(world, refund, NAMED, more)
    with pytest.raises(RefundRefused):
        take(world, refund, "Erika Muster-Meier")  # the bank may still carry it out
    report(world, refund, REJECTED)
    with pytest.raises(RefundRefused):
        take(world, refund, "Erika Mustermann")
    assert world.status(refund) == "ERROR"
    take(world, refund, "Erika Muster-Meier")
    assert len(world.run().files) == 1
    assert texts(world.contents()[-1], "Cdtr/Nm") == ["Erika Muster-Meier"]
    deeds = {row["deed"] for row in last_deeds(world.database, world.client.shop, "", 20)}
    assert {"refund-name-taken", "refund-released"} <= deeds
    world.check()


def test_our_own_name_is_no_news(world: RefundWorld) -> None:
    refund = sent(world, "SO-4")
    ((ours,),) = world.client.rows("SELECT holder FROM transfers WHERE shop_id = $1")
    report(world, refund, NAMED, IN_PLACE.replace("Erika Muster-Meier", ours))
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
