"""A shop that connects its bank on the pages: application, bank, consent, accounts, renewal (D-130)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service, provide
from paymatch.outbound.account_information.gateway import AccountInformationGateway
from paymatch.outbound.mail.folder import NullMail
from paymatch.usecases.bank_feeds.consent_mails import OwnerMail
from paymatch.usecases.bank_feeds.consents import ACCOUNT_INFORMATION
from paymatch.usecases.work import shop_jobs
from paymatch.usecases.work.job_kinds import BY_NAME, JobGateways
from tests.area.conftest import Person, signed_in
from tests.contract.bank import ACCOUNT
from tests.contract.client import Clock
from tests.fakes.enable_banking import APPLICATION, AccountAtBank, EnableBankingFake, key_of_shop
from tests.usecases.bank_feeds.consent_world import ConsentWorld
from tests.usecases.refunds.refund_world import RefundWorld


@pytest.fixture
def world(
    service: Service, area_clock: Clock, new_shop: Callable[..., object], tmp_path: Path
) -> Iterator[ConsentWorld]:
    new_shop()  # sets the clock back to the start
    books = RefundWorld(service.database, tmp_path, ibans=(), clock=area_clock)
    bank = EnableBankingFake(area_clock, [AccountAtBank(ACCOUNT)])
    provide(replace(service, account_information=lambda: AccountInformationGateway(bank)))
    yield ConsentWorld(books, bank, account=bank.accounts[0])
    provide(service)


@pytest.fixture
def owner(world: ConsentWorld) -> Person:
    return signed_in(TeamRole.OWNER, world.shop, proven=True)


def page(person: Person, path: str) -> str:
    answer = person.get(path)
    assert answer.status_code == 200, path
    return unescape(answer.content.decode())


def work(world: ConsentWorld, mail: NullMail | None = None) -> None:
    way = OwnerMail(mail, "paymatch@pay.example.com", "https://pay.example.com") if mail else OwnerMail()
    doors = JobGateways(account_information=world.gateway, owner_mail=way)
    shop_jobs.plan(world.books.database, world.books.client.id)
    for name in (ACCOUNT_INFORMATION, "alerts"):
        shop_jobs.run(world.books.database, doors, world.books.client.id, BY_NAME[name], world.books.clock, early=True)


def to_bank(answer: object) -> str:
    """The address of the bank's page on the page that leads there."""
    found = re.search(r'href="(https://bank\.example/[^"]+)"', answer.content.decode())  # type: ignore[attr-defined]
    assert found is not None
    return unescape(found[1])


def connect(world: ConsentWorld, owner: Person) -> str:
    """Through all steps; the address of the consent's page."""
    key = key_of_shop()
    wrong = owner.post("bank/account-information", {"do": "key", "application": APPLICATION, "private_key": "x"})
    assert (wrong.status_code, "not a private RSA key" in unescape(wrong.content.decode())) == (422, True)
    given = {"do": "key", "application": APPLICATION, "private_key": key.private_key}
    assert owner.post("bank/account-information", given).status_code == 302
    shown = page(owner, "bank/account-information?country=de")
    assert 'value="Hausbank"' in shown
    assert f"/shops/{world.shop.id}/bank/account-information/return" in shown
    assert "PRIVATE" not in shown
    url = to_bank(owner.post("bank/account-information", {"do": "begin", "country": "DE", "bank": "Hausbank"}))
    back = urlsplit(world.bank.give(url))
    answer = owner.get(f"{back.path}?{back.query}")
    again = owner.get(f"{back.path}?{back.query}")
    assert again["Location"].endswith("/bank/account-information")
    return str(answer["Location"])


def test_from_the_application_to_a_paid_order_and_a_renewal(world: ConsentWorld, owner: Person) -> None:
    address = connect(world, owner)
    assert "Reads today" in page(owner, address)
    used = {"do": "use", "accounts": [ACCOUNT], "times": "06:30 12:30"}
    assert owner.post(address, used).status_code == 302
    world.books.client.submit("4711", amount=100)
    world.account.book("100.00", world.today, "Bestellung 4711")
    work(world)
    assert world.books.client.get("order/4711").json["paymentStatus"] == "PAID"
    assert "1 / 4" in page(owner, address)
    assert "Account information" in page(owner, "bank/feeds")
    mail = NullMail()
    for left in (31, 30, 20, 14, 13, 7, 2, 1):
        world.books.clock.now = world.bank.begun[0]["until"].replace(hour=9)
        world.books.clock.pass_time(days=-left)
        work(world, mail)
    assert len(mail.sent) == 4
    text = mail.sent[0].content.replace(b"=\r\n", b"").replace(b"=\n", b"")
    assert address.encode() in text
    assert "is its last day. Renew it now" in page(owner, address)
    url = to_bank(owner.post(address, {"do": "renew"}))
    back = urlsplit(world.bank.give(url))
    assert owner.get(f"{back.path}?{back.query}")["Location"] == address
    assert "Renew it now" not in page(owner, address)
    world.bank.revoke()
    world.books.clock.pass_time(minutes=30)
    work(world)
    lost = page(owner, address)
    assert "Nothing is read until you renew" in lost
    assert "after the renewal" in lost  # the account is not read now
    assert "hands out no more statements" in page(owner, "bank/feeds")
    owner.post(address, {"do": "remove"})
    assert owner.get(address).status_code == 404


def test_a_return_is_for_the_person_who_went_there(world: ConsentWorld, owner: Person) -> None:
    address = connect(world, owner)
    back = urlsplit(world.bank.give(to_bank(owner.post(address, {"do": "renew"}))))
    other = signed_in(TeamRole.OWNER, world.shop, proven=True)
    came = other.get(f"{back.path}?{back.query}")
    assert came["Location"].endswith("/bank/account-information")
    assert "is not known here" in page(other, "bank/account-information")
    clerk = signed_in(TeamRole.CLERK, world.shop, proven=True)
    assert clerk.get(f"{back.path}?{back.query}").status_code == 403
    assert clerk.get("bank/account-information").status_code == 403
    denied = urlsplit(world.bank.deny(to_bank(owner.post(address, {"do": "renew"}))))
    owner.get(f"{denied.path}?{denied.query}")
    assert "has not given the consent (access_denied)" in page(owner, "bank/account-information")
    assert len(world.bank.sessions) == 1


def test_a_consent_that_was_not_given_is_begun_again_and_not_twice(world: ConsentWorld, owner: Person) -> None:
    """Another person who gives it just now is not disturbed, and gets a consent of their own; so does a second bank."""
    key = key_of_shop()
    wrong = owner.post("bank/account-information", {"do": "key", "application": APPLICATION, "private_key": "x"})
    assert re.search(r'aria-invalid="true"[^>]*id="id_private_key"|id="id_private_key_error"', wrong.content.decode())
    owner.post("bank/account-information", {"do": "key", "application": APPLICATION, "private_key": key.private_key})
    begin = {"do": "begin", "country": "DE", "bank": "Hausbank"}
    left = owner.post("bank/account-information", begin).content.decode()
    assert f'href="/shops/{world.shop.id}/bank/account-information">Not now' in left
    url = to_bank(owner.post("bank/account-information", begin))
    assert page(owner, "bank/account-information").count("Consent not given") == 1
    other = signed_in(TeamRole.OWNER, world.shop, proven=True)
    theirs = to_bank(other.post("bank/account-information", begin))
    assert page(owner, "bank/account-information").count("Consent not given") == 2
    for person, address in ((owner, url), (other, theirs)):
        back = urlsplit(world.bank.give(address))
        assert "Reads today" in page(person, str(person.get(f"{back.path}?{back.query}")["Location"]))
    assert "Consent not given" not in page(owner, "bank/account-information")
