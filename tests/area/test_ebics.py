"""A shop set up only in the browser: EBICS from the bank's data to refunds that leave without a hand (D-103)."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from html import unescape
from pathlib import Path

import pikepdf
import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service, provide
from paymatch.domain.bank_feeds.ebics import EbicsStatus
from paymatch.domain.calendar import is_bank_day
from paymatch.usecases.bank_feeds.gateway import EBICS, EbicsGateway
from paymatch.usecases.work import shop_jobs
from paymatch.usecases.work.job_kinds import BY_NAME, JobGateways
from tests.area.conftest import Person, signed_in
from tests.contract.bank import ACCOUNT
from tests.contract.client import Clock
from tests.fakes.ebics_bank import EbicsBank
from tests.length import times
from tests.usecases.bank_feeds.ebics_world import URL, BankDoor, EbicsWorld, bank_keys
from tests.usecases.refunds.refund_world import RefundWorld, status_report

GIVEN = {
    "bank": "Hausbank", "url": URL, "host": "PMBANK", "partner": "KUNDE01", "user": "USER01", "certificates": "off",
}  # fmt: skip


@pytest.fixture
def ebics(service: Service, area_clock: Clock, new_shop: Callable[..., object], tmp_path: Path) -> Iterator[EbicsWorld]:
    """A shop without an account, and a bank that does not know it; the pages reach that bank."""
    new_shop()  # sets the clock back to the start
    books = RefundWorld(service.database, tmp_path, ibans=(), clock=area_clock)
    world = EbicsWorld(books, EbicsBank(bank_keys(), clock=area_clock, iban=ACCOUNT))
    provide(replace(service, ebics=lambda: EbicsGateway(BankDoor(world.bank))))
    yield world
    provide(service)


@pytest.fixture
def owner(ebics: EbicsWorld) -> Person:
    return signed_in(TeamRole.OWNER, ebics.shop, proven=True)


def page(person: Person, path: str) -> str:
    answer = person.get(path)
    assert answer.status_code == 200, path
    return unescape(answer.content.decode())


def work(world: EbicsWorld, *kinds: str) -> None:
    """What the worker does of these jobs, if they are due."""
    gateways = JobGateways(ebics=world.gateway())
    shop_jobs.plan(world.books.database, world.books.client.id)
    for name in kinds or (EBICS, "refund-run", EBICS, "alerts"):
        shop_jobs.run(world.books.database, gateways, world.books.client.id, BY_NAME[name], world.books.clock)


def set_up(world: EbicsWorld, owner: Person) -> str:
    """Through all steps on the pages; the page of the connection."""
    address = str(owner.post("bank/ebics", GIVEN).headers["Location"])
    assert "Step 1" in page(owner, address)
    owner.post(address, {"do": "keys"})
    waiting = page(owner, address)
    assert "Step 2" in waiting
    shown = dict(re.findall(r'<dt>([AEX]00\d)</dt><dd class="mono">([0-9A-F ]+)</dd>', waiting))
    assert {name: len(text.split()) for name, text in shown.items()} == {"A006": 32, "X002": 32, "E002": 32}
    letter = owner.get(f"{address}/letter/de")
    assert letter["Content-Type"] == "application/pdf"
    assert len(pikepdf.open(io.BytesIO(letter.content)).pages) == 2
    owner.post(address, {"do": "ask"})
    assert "The bank has not activated the user" in page(owner, address)
    world.bank.active = True
    owner.post(address, {"do": "ask"})
    prints = {str(use): text for use, text in world.bank.public.fingerprints.items()}
    assert "Step 3" in page(owner, address)
    for wrong in ({"X002": prints["E002"], "E002": prints["X002"]}, {"X002": "x", "E002": "x"}):
        refused = owner.post(address, {"do": "confirm", **wrong})
        errors = re.findall(r'name="([XE]002)".*?class="errorlist"[^>]*><li>(.*?)</li>', refused.content.decode())
        named = [(name, re.search(r"fingerprint of the key (\w+) ", why)[1]) for name, why in errors]  # type: ignore[index]
        assert named == [("X002", "X002"), ("E002", "E002")]
    for place in (address, "settings/audit?column=changed&column=after", "overview/alerts"):
        seen = page(owner, place).replace(" ", "")
        assert not any(text.replace(" ", "") in seen for text in prints.values()), "they could be copied from there"
    owner.post(address, {"do": "confirm", **{name: text.lower() for name, text in prints.items()}})
    work(world, EBICS)
    assert "Step 4" in page(owner, address)
    used = {
        "do": "use",
        "fetches": ["camt.053", "pain.002"],
        "accounts": [ACCOUNT],
        "times": "06:30 12:30",
        "sends": "on",
    }
    assert owner.post(address, used).status_code == 302
    assert "Sent automatically once they are released." in page(owner, address)
    return address


def transfers(world: EbicsWorld) -> list[str]:
    """EndToEndIds of all transfers."""
    return [row[0] for row in world.books.client.rows("SELECT end_to_end_id FROM transfers WHERE shop_id = $1")]


def test_a_shop_set_up_only_on_the_pages_fetches_and_sends_for_weeks(ebics: EbicsWorld, owner: Person) -> None:
    address, world = set_up(ebics, owner), ebics
    world.name = address.rsplit("/", 1)[-1]
    refunds: dict[str, str] = {}
    executed = 0
    for day in range(times(12, 21)):
        world.books.clock.pass_time(days=1)
        if not is_bank_day(world.now.date()):
            continue
        number = f"SO-{day}"
        world.books.client.submit(number, amount=100)
        moved = [(10_000, f"Bestellung {number}", "")]
        for order in world.bank.orders[executed:]:  # what was sent is executed the day after
            ids = [each for each in transfers(world) if each.encode() in order.data]
            moved += [(-1_500, "Erstattung", each) for each in ids]
            report = status_report(order.data, *[(each, "ACSC", "") for each in ids])
            world.bank.put("pain.002", (f"psr{executed}.xml", report))
            executed += 1
        world.bank.put("camt.053", (f"day{day}.xml", world.statement(*moved)))
        work(world)
        assert world.books.client.get(f"order/{number}").json["paymentStatus"] == "PAID", day
        if day % 3 == 0:
            planned = f"{world.now + timedelta(days=1):%d-%m-%Y}"
            refunds[world.books.file(number, 15, plannedDate=planned)] = number
    for _ in range(5):
        world.books.clock.pass_time(days=1)
        work(world)
    assert [(held.reason, held.order_number) for held in world.books.run().held] == []
    assert len(refunds) > times(1, 4)
    sent = b"".join(order.data for order in world.bank.orders)
    for refund in refunds:
        assert sent.count(f"<EndToEndId>{world.books.end_to_end(refund)}</EndToEndId>".encode()) == 1
    assert {world.books.status(each) for each in refunds} <= {"PROCESSED", "IN_PROCESS"}
    assert [world.books.status(each) for each in refunds].count("PROCESSED") > times(0, 3)
    assert world.row().status is EbicsStatus.ACTIVE
    assert (world.row().failures, world.alerts()) == (0, [])
    world.books.check()
    assert "At the bank" in page(owner, address)
    assert "Hausbank" in page(owner, "bank/feeds")


def test_keys_are_changed_and_the_user_is_suspended_on_the_page(ebics: EbicsWorld, owner: Person) -> None:
    address = set_up(ebics, owner)
    before = ebics.bank.subscriber["A006"]
    owner.post(address, {"do": "change"})
    assert ebics.bank.subscriber["A006"] != before
    owner.post(address, {"do": "suspend"})
    suspended = page(owner, address)
    assert "Suspended" in suspended
    assert f'href="/shops/{ebics.shop.id}/bank/ebics">Connect the bank again' in suspended
    assert not ebics.bank.active
    owner.post(address, {"do": "remove"})
    assert owner.get(address).status_code == 404


def test_only_owners_with_a_second_factor_set_it_up(ebics: EbicsWorld, owner: Person) -> None:
    clerk = signed_in(TeamRole.CLERK, ebics.shop, proven=True)
    assert clerk.get("bank/ebics").status_code == 403
    assert clerk.post("bank/ebics", GIVEN).status_code == 403
    unproven = signed_in(TeamRole.OWNER, ebics.shop)
    assert unproven.post("bank/ebics", GIVEN).status_code == 302
    with ebics.books.database.of_shop(ebics.books.client.id) as tx:
        assert tx.value("SELECT count(*) FROM ebics_connections WHERE shop_id = $1", ebics.books.client.id) == 0
    assert "n https:// address" in unescape(owner.post("bank/ebics", {**GIVEN, "url": "x"}).content.decode())
    address = str(owner.post("bank/ebics", GIVEN).headers["Location"])
    stranger = signed_in(TeamRole.OWNER, ebics.shop, proven=True)
    assert stranger.get(f"{address}/letter/xx").status_code == 404
